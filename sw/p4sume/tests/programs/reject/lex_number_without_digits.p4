// SPDX-License-Identifier: Apache-2.0
// A base without digits.
const bit<8> a = 0x_;
