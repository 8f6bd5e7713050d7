// SPDX-License-Identifier: Apache-2.0
// A method returns neither int nor string.
extern e { int f(); string g(); }
control k() { apply { } }
extern k make();
