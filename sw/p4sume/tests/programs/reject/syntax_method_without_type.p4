// SPDX-License-Identifier: Apache-2.0
// A method that is no constructor has a type.
extern e { method(); }
