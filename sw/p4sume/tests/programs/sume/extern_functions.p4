// SPDX-License-Identifier: Apache-2.0
// Names, results, parameters and annotations of engines.
#include <core.p4>
const bit<8> LATENCY = 4;
struct point { bit<8> x; bit<8> y; }
extern void nameless(in bit<8> a);
extern bit<8> gives_value(in bit<8> a);
extern void takes_direction(inout bit<8> a, bit<8> b, in error c, in point d, in bool e);
extern void cnt_reg_rw(in bit<4> index, in bit<32> value, in bit<8> opCode, out bit<32> result);
@Xilinx_MaxLatency(0) extern void a_hash(in bit<8> a, out bit<8> b);
@Xilinx_MaxLatency(LATENCY) extern void b_hash(in bit<8> a, out bit<8> b);
@Xilinx_MaxLatency(MISSING) @Xilinx_ControlWidth(33) extern void c_hash(in bit<8> a, out bit<8> b);
@Xilinx_ControlWidth(1, 2) extern void d_hash(in bit<8> a, out bit<8> b);
@engine[rows=16, depth=LATENCY] extern void e_hash(in bit<8> a, out bit<8> b);
@engine(rows) extern void f_hash(@late(3) in bit<8> a, @late(0) in bit<8> c, out bit<8> b);
@engine[rows=true] extern void g_hash(in bit<8> a, out bit<8> b);
