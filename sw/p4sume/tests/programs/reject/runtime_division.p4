// SPDX-License-Identifier: Apache-2.0
// A divisor that is not known, in a control that is used.
control c(inout bit<8> x) { apply { x = x / 3; x %= x; } }
control proto(inout bit<8> x);
package top(proto p);
top(c()) main;
