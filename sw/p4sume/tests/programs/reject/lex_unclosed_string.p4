// SPDX-License-Identifier: Apache-2.0
// A string without an end.
@name("never closed) const bit<8> a = 1;
