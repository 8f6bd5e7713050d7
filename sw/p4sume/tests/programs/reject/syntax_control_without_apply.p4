// SPDX-License-Identifier: Apache-2.0
// A control has an apply block.
control c() { action a() { } }
