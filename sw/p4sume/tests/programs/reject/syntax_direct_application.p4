// SPDX-License-Identifier: Apache-2.0
// T.apply without brackets.
control d() { apply { } }
control c() { apply { d.apply; } }
