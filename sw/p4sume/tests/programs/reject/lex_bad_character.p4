// SPDX-License-Identifier: Apache-2.0
// A character that no token holds.
const bit<8> a = 1 $ 2;
