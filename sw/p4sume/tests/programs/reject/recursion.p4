// SPDX-License-Identifier: Apache-2.0
// A function or action that calls itself.
bit<8> f(in bit<8> x) { return f(x); }
action a() { a(); }
