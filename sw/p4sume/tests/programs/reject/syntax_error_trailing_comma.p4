// SPDX-License-Identifier: Apache-2.0
// No comma ends a list of errors.
error { One, Two, }
