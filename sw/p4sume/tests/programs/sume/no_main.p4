// SPDX-License-Identifier: Apache-2.0
// A switch has a main.
const bit<8> a = 1;
