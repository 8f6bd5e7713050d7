// SPDX-License-Identifier: Apache-2.0
// A type that is not declared.
struct s {
    missing_t field;
}
