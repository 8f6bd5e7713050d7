// SPDX-License-Identifier: Apache-2.0
// An enum with a type has values.
enum bit<8> e { a, b }
