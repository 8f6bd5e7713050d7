// SPDX-License-Identifier: Apache-2.0
// Extern objects end with a brace.
extern e { void m()
