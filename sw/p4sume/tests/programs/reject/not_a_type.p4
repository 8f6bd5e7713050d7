// SPDX-License-Identifier: Apache-2.0
// A value where a type is wanted.
extern void f<T>(in T x);
const bit<8> value = 1;
control c() { apply { f<bit<8>, value>(8w1); } }
