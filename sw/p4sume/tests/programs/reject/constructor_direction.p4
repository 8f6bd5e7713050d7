// SPDX-License-Identifier: Apache-2.0
// Constructor parameters have no direction.
package p(in bit<8> x);
