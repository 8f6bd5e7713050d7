// SPDX-License-Identifier: Apache-2.0
// A structured annotation that mixes its forms.
@note[a = 1, 2] const bit<8> a = 1;
