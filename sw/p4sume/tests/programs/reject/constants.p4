// SPDX-License-Identifier: Apache-2.0
// Of extern types.
extern e { e(); }
const e x = 1;
