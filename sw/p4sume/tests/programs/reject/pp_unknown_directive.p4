// SPDX-License-Identifier: Apache-2.0
// A word that is no directive.
#inclde <core.p4>
