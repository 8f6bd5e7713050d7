// SPDX-License-Identifier: Apache-2.0
// Defaults stand last.
struct s { bit<8> a; bit<8> b; }
const s x = {..., 1};
