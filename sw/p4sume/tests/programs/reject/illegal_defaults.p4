// SPDX-License-Identifier: Apache-2.0
// Parameters that cannot have a default value.
extern void f(out bit<8> a = 1);
extern void g(@optional in bit<8> a = 1);
extern bit<8> runtime();
extern void h(in bit<8> a = runtime());
extern void i(in bit<8> a = true);
