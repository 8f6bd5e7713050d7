// SPDX-License-Identifier: Apache-2.0
// Varbit has a width.
header h { varbit v; }
