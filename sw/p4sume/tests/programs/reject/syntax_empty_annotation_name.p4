// SPDX-License-Identifier: Apache-2.0
// An annotation without a name.
@ const bit<8> a = 1;
