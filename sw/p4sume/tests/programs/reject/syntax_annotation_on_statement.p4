// SPDX-License-Identifier: Apache-2.0
// An annotation before an assignment.
control c(inout bit<8> x) { apply { @note x = 1; } }
