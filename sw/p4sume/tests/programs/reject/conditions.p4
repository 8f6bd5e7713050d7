// SPDX-License-Identifier: Apache-2.0
// That are not bool.
control c(in bit<8> x) { apply { if (x) { } for (bit<8> i = 0; i; i += 1) { } } }
