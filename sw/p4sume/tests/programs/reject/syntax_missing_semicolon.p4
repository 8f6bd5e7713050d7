// SPDX-License-Identifier: Apache-2.0
// A declaration without its semicolon.
const bit<8> a = 1
const bit<8> b = 2;
