// SPDX-License-Identifier: Apache-2.0
// Only extern functions lack a body.
bit<8> f(in bit<8> x);
