// SPDX-License-Identifier: Apache-2.0
// A type where a value is wanted.
header h { bit<8> f; }
const bool b = h == 1;
