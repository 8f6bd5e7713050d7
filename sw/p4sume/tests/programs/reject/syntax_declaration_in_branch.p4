// SPDX-License-Identifier: Apache-2.0
// A declaration is no branch.
control c(in bool b) { apply { if (b) bit<8> x; } }
