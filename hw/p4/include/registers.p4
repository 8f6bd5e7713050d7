// SPDX-License-Identifier: Apache-2.0
// Operation codes and relations of P4-NetFPGA's register externs.

#ifndef REGISTERS_P4
#define REGISTERS_P4

const bit<8> REG_READ = 0;
const bit<8> REG_WRITE = 1;
const bit<8> REG_ADD = 2;
const bit<8> REG_SUB = 3;
const bit<8> REG_NULL = 4;
const bit<8> REG_READ_WRITE = 5;
const bit<8> REG_ADD_SAT = 6;
const bit<8> REG_SUB_SAT = 7;

// compVal REL register
const bit<8> REL_EQ = 0;
const bit<8> REL_NEQ = 1;
const bit<8> REL_GT = 2;
const bit<8> REL_LT = 3;

#endif
