// SPDX-License-Identifier: Apache-2.0
// Main is an instance of a package.
extern e { e(); }
e() main;
