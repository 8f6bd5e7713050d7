// SPDX-License-Identifier: Apache-2.0
// A keyword where a name is wanted.
const bit<8> table = 1;
