// SPDX-License-Identifier: Apache-2.0
// What is called is a name or a method.
extern bit<8> f();
control c(inout bit<8> x) { apply { x = f()(); x = (x)(); } }
action a() { }
const bit<8> k = a();
