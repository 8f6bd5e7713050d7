// SPDX-License-Identifier: Apache-2.0
// Constructors with a type, methods without.
extern e { void e(); }
