// SPDX-License-Identifier: Apache-2.0
// An annotation body without an end.
@note(a (b) const bit<8> a = 1;
