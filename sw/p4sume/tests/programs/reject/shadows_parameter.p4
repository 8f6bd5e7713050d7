// SPDX-License-Identifier: Apache-2.0
// A local name hides a parameter.
control c(inout bit<8> x) { apply { bit<8> x = 1; } }
