// SPDX-License-Identifier: Apache-2.0
// A label does not start with a brace.
control c(in bit<8> x) { apply { switch (x) { {1}: { } } } }
