// SPDX-License-Identifier: Apache-2.0
// The one-hot port bits, which SUME interleaves: bit 2i is wire i, bit 2i+1 its CPU side.

#ifndef PORTS_P4
#define PORTS_P4

const port_t CPU_SIDES = (port_t)64w0xAAAAAAAAAAAAAAAA;

#endif
