// SPDX-License-Identifier: Apache-2.0
// A parser has a state.
parser p() { }
