// SPDX-License-Identifier: Apache-2.0
// Enums on types and with values that do not fit.
enum bool a { x = true }
enum int b { x = 1 }
enum bit<4> c { x = 16 }
enum int<4> d { x = 8, y = -9 }
control k(in bit<4> v) { apply { } }
enum bit<4> e { x = 4s1 }
extern bit<4> f();
enum bit<4> g { x = f() }
