// SPDX-License-Identifier: Apache-2.0
// #if without #endif.
#ifdef SOMETHING
const bit<8> a = 1;
