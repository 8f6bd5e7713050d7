// SPDX-License-Identifier: Apache-2.0
// Known ones, unknown ones, structured ones.
#include <core.p4>
@note @note2() @note3(any ( tokens ) ; . @ $ 7) const bit<8> a = 1;
@note[] @note4[1, true, "x"] @note5[a = 1, b = "c",] const bit<8> b = 1;
@name("joined" ++ " text") const bit<8> c = 1;
@deprecated("use a") const bit<8> d = 1;
@pragma any tokens at all
const bit<8> e = 1;
@pkginfo(name = "x") const bit<8> f = 1;
@p4runtime_translation("p4.org/x", bit<32>) type bit<9> port_t;
@p4runtime_translation("p4.org/x", string) type bit<9> port2_t;
@p4runtime_translation("p4.org/x", 32) type bit<9> port3_t;
struct set_t { @match(ternary) bit<8> x; }
header h_t { bit<8> len; @length(len * 8) varbit<64> data; }
control c1() { @name(".a1") action x() { } @hidden action y() { } @hidden table t { actions = { x; } default_action = x; } apply @note { } }
control c2() { action x() { } apply { @note { } } }
