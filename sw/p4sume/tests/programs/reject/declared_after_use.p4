// SPDX-License-Identifier: Apache-2.0
// A name cannot be used before its declaration.
control c() { apply { bit<8> x = later; } }
const bit<8> later = 1;
