// SPDX-License-Identifier: Apache-2.0
// Nothing else is called main.
struct main { }
