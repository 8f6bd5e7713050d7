// SPDX-License-Identifier: Apache-2.0
// A comment without an end.
const bit<8> a = 1;
/* never closed
const bit<8> b = 2;
