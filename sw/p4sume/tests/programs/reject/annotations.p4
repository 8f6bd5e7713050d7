// SPDX-License-Identifier: Apache-2.0
// Bodies that do not fit.
@name const bit<8> a = 1;
@name(1) const bit<8> b = 1;
@name("a" + ) const bit<8> c = 1;
@name("a" ++ 1) const bit<8> d = 1;
@hidden(1) const bit<8> e = 1;
@note[1] @note[2] const bit<8> f = 1;
@note[a = 1, a = 2] const bit<8> g = 1;
@note[{1}] const bit<8> h = 1;
@pkginfo const bit<8> i = 1;
@match(1) const bit<8> j = 1;
@match const bit<8> k = 1;
@p4runtime_translation("a", bool) const bit<8> l = 1;
@p4runtime_translation const bit<8> m = 1;
extern bit<8> f1();
@note[f1()] const bit<8> n = 1;
header hd { @length(later) varbit<8> v; bit<8> later; }
