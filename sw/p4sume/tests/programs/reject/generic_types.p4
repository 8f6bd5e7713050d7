// SPDX-License-Identifier: Apache-2.0
// Type arguments too few, too many, or none wanted.
struct g<T> { T f; }
struct plain { bit<8> f; }
struct a { g x; }
struct b { g<bit<8>, bit<8>> x; }
struct c { plain<bit<8>> x; }
typedef g alias;
