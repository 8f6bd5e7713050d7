// SPDX-License-Identifier: Apache-2.0
// Abstract methods cannot be overloaded.
extern e { e(); abstract void f(in bit<8> a); abstract void f(in bit<8> a, in bit<8> b); }
