// SPDX-License-Identifier: Apache-2.0
// One field twice.
struct s { bit<8> a; bit<8> a; }
const s x = { a = 1, a = 2 };
