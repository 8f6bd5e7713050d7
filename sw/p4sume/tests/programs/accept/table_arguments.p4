// SPDX-License-Identifier: Apache-2.0
// Arguments repeated in default actions and entries.
match_kind { exact }
struct s_t { bit<8> a; bit<8>[4] w; }
extern bit<8> f(in bit<8> x);
control c(inout s_t s, inout bit<8> x) {
    action a(in bit<8> p, in s_t q, bit<8> d) { x = p; }
    table t {
        key = { x : exact; 5w3 : exact @name("constant"); f(x) : exact @name("call"); }
        actions = { a(-s.w[1][7:0] + (bit<8>)(f(x) ++ 8w0)[15:8], {w = {1, ...}, a = x}); }
        default_action = a(-s.w[1][7:0] + (bit<8>)(f(x) ++ 8w0)[15:8], {a = x, w = {1, ...}}, 3);
    }
    apply { t.apply(); }
}
