// SPDX-License-Identifier: Apache-2.0
// The key is not constant.
control c(in bit<8> x) { table t { const key = { x : exact; } actions = { } } apply { } }
