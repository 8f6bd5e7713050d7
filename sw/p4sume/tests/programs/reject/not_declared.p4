// SPDX-License-Identifier: Apache-2.0
// Names that are nowhere, with a suggestion.
const bit<8> length_bits = 1;
const bit<8> b = lenght_bits;
control c() { apply { missing(1); missing2 = 1; } }
