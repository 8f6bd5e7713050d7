// SPDX-License-Identifier: Apache-2.0
// Parts that a tuple cannot have.
extern e { }
typedef tuple<e> a;
typedef tuple<void> b;
typedef tuple<_> c;
