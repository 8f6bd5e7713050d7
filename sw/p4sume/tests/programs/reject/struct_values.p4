// SPDX-License-Identifier: Apache-2.0
// That do not fit their type.
struct s { bit<8> a; bit<8> b; }
header h { bit<8> f; }
const s a = {1, 2, 3};
const s b = {a = 1};
const s c = {a = 1, b = 2, c = 3};
const s d = {a = true, b = 1};
const h[2] e = {{1}};
const bit<8> f = {#};
struct with_error { match_kind k; bit<8> a; }
const with_error g = {a = 1, ...};
const tuple<bit<8>, bit<8>> i = {1};
