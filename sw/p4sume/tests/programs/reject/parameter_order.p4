// SPDX-License-Identifier: Apache-2.0
// Parameters of the control plane stand last.
action a(bit<8> data, in bit<8> x) { }
