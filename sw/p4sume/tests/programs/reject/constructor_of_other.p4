// SPDX-License-Identifier: Apache-2.0
// A method named as another type has no type.
struct s { bit<8> f; }
extern e { s(); }
