// SPDX-License-Identifier: Apache-2.0
// A list that turns into a struct.
struct s { bit<8> a; bit<8> b; }
const s x = {1, b = 2};
