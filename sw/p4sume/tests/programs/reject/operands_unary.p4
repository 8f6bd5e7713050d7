// SPDX-License-Identifier: Apache-2.0
// Operators on what they do not take.
const bool a = !8w1;
const bit<8> b = ~5;
const bool c = -true;
const bit<8> d = ~true;
