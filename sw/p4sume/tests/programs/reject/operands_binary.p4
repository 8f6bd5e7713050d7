// SPDX-License-Identifier: Apache-2.0
// Operators on what they do not take.
const bit<8> a = 8w1 + 4w1;
const bit<8> b = 8w1 & 8s1;
const bit<8> c = true + false;
const bool d = 8w1 && true;
const bool e = true < false;
const bit<8> f = 1 |+| 2;
const string g = "a" + "b";
const string h = "a" ++ 1;
const bit<8> i = 1 ++ 2;
const bit<8> j = true << 1;
const bit<8> k = 8w1 << true;
