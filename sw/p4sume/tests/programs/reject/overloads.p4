// SPDX-License-Identifier: Apache-2.0
// Methods that no call can tell apart.
extern e { void f(in bit<8> a); void f(in bit<16> a); }
