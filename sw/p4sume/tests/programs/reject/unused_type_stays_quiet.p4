// SPDX-License-Identifier: Apache-2.0
// An unknown size gives one message.
header h { bit<8> f; }
const bit<8> n = missing1;
struct s { h[missing2] a; bit<(missing3)>[2] b; }
control c(inout s x, inout bit<8> y) { table t { actions = { missing4(y); } default_action = missing5(y); } apply { y = x.a[missing6].f; y = y[missing7+:3]; c2.apply(y); any.get(); } }
