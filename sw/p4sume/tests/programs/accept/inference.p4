// SPDX-License-Identifier: Apache-2.0
// Type arguments from arguments, in any order.
extern void any<T>(in T a);
extern T same<T>(in T a, in T b);
extern T first<T, U>(in tuple<T, U> t);
extern box<T> { box(T seed); T get(); }
extern box<T> make_box<T>(T seed);
extern holder<T> { holder(box<T> inner); T get(); }
header h_t { bit<8> a; }
struct pair<T> { T x; T y; }
T second<T>(in pair<T> p) { return p.y; }
control c(inout bit<8> x, inout h_t[2] s, inout pair<bit<8>> p, in h_t h) {
    box(8w1) b;
    holder<bit<8>>(b) named;
    holder(box(8w2)) nested;
    holder<bit<8>>(make_box(8w3)) made;
    apply {
        x = same(1, x);
        x = same(x, 1);
        any(s);
        any(h);
        any({8w1, true});
        any((tuple<bit<8>, bool>){1, true});
        x = first({x, 8w1});
        x = second(p);
        x = second<bit<8>>({x = 1, y = x});
        x = second((pair<bit<8>>){1, 2});
        x = b.get() + named.get() + nested.get() + made.get();
        s = {h, {#}};
    }
}
