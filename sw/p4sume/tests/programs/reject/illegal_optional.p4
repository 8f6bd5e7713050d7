// SPDX-License-Identifier: Apache-2.0
// @optional belongs to prototypes.
bit<8> g(@optional bit<8> x) { return x; }
control c()(@optional bit<8> x) { apply { } }
