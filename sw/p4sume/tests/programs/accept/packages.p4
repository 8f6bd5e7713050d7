// SPDX-License-Identifier: Apache-2.0
// Generic architectures, factories, abstract methods and optional parameters.
#include <core.p4>
extern register<T, I> { register(bit<32> size, @optional T initial); T read(in I index); void write(in I index, in T value); }
extern widget { }
extern widget make_widget(bit<8> kind);
extern virtual_e { virtual_e(); abstract bit<8> f(in bit<8> x); @optional abstract void g(); bit<8> run(); }
extern untyped<T> { untyped(T seed); T get(); }
parser P<H>(packet_in b, out H h, @optional in bit<8> extra);
control C<H, M>(inout H h, inout M m);
control D<H>(packet_out b, in H h);
package top<H, M>(P<H> p, C<H, M> c, D<H> d, @optional D<H> again, bit<8> n = 3);
struct h_t { bit<8> x; }
struct m_t { bit<8> y; }
parser p(packet_in b, out h_t h) { state start { h = {1}; transition accept; } }
control nothing<T, U>(inout T h, inout U m) { apply { } }
control wraps(inout h_t h)(widget w) { apply { } }
control c(inout h_t h, inout m_t m) {
    register<bit<8>, bit<4>>(16) r;
    register<_, bit<4>>(16, 8w1) r2;
    untyped(8w1) u;
    wraps(make_widget(1)) w;
    virtual_e() v = {
        bit<8> f(in bit<8> x) { bit<8> y = this.run(); return x + y; }
    };
    register<bit<8>, bit<4>>(4) several[2];
    apply { h.x = r.read(0) + u.get(); r.write(index = 1, value = h.x); w.apply(h); several[0].write(1, 2); v.run(); nothing<h_t, m_t>.apply(h, m); }
}
control d(packet_out b, in h_t h) { apply { } }
top(p(), nothing<h_t, m_t>(), d()) other;
top(p = p(), c = c(), d = d(), n = 4) main;
