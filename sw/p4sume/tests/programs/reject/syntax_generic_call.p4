// SPDX-License-Identifier: Apache-2.0
// Type arguments without a call.
extern void f<T>(in T x);
control c() { apply { f<bit<8>>; } }
