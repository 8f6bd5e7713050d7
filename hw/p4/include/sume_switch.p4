// SPDX-License-Identifier: Apache-2.0
// SimpleSumeSwitch: the switch architecture of P4-NetFPGA on the NetFPGA SUME, with its names, widths and order.
//
//   packet_in ─► Parser ─► Pipe ─► Deparser ─► packet_out
//   TUSER ──────► sume_metadata, through all three ──────► TUSER (and digest_data, for the CPU)
//
// N_PORTS is the number of wires; the board has 4. Other numbers serve simulation.

#ifndef SUME_SWITCH_P4
#define SUME_SWITCH_P4

#include <core.p4>

#ifndef N_PORTS
#define N_PORTS 4
#endif

#if N_PORTS < 1 || N_PORTS > 32
#error "N_PORTS has to be from 1 to 32"
#endif

// Kinds of match beyond core.p4's: low..high, and a value or anything.
match_kind {
    range,
    optional
}

// One-hot: bit 2i is wire nf<i>, bit 2i+1 its CPU side. Several bits set send a copy to each; none set drops.
typedef bit<(2 * N_PORTS)> port_t;

// The first field is the most significant of TUSER. Queue sizes are in words of 32 bytes, rounded up, sampled
// when the packet enters.
struct sume_metadata_t {
    bit<16> dma_q_size;
#if N_PORTS > 31
    bit<16> nf31_q_size;
#endif
#if N_PORTS > 30
    bit<16> nf30_q_size;
#endif
#if N_PORTS > 29
    bit<16> nf29_q_size;
#endif
#if N_PORTS > 28
    bit<16> nf28_q_size;
#endif
#if N_PORTS > 27
    bit<16> nf27_q_size;
#endif
#if N_PORTS > 26
    bit<16> nf26_q_size;
#endif
#if N_PORTS > 25
    bit<16> nf25_q_size;
#endif
#if N_PORTS > 24
    bit<16> nf24_q_size;
#endif
#if N_PORTS > 23
    bit<16> nf23_q_size;
#endif
#if N_PORTS > 22
    bit<16> nf22_q_size;
#endif
#if N_PORTS > 21
    bit<16> nf21_q_size;
#endif
#if N_PORTS > 20
    bit<16> nf20_q_size;
#endif
#if N_PORTS > 19
    bit<16> nf19_q_size;
#endif
#if N_PORTS > 18
    bit<16> nf18_q_size;
#endif
#if N_PORTS > 17
    bit<16> nf17_q_size;
#endif
#if N_PORTS > 16
    bit<16> nf16_q_size;
#endif
#if N_PORTS > 15
    bit<16> nf15_q_size;
#endif
#if N_PORTS > 14
    bit<16> nf14_q_size;
#endif
#if N_PORTS > 13
    bit<16> nf13_q_size;
#endif
#if N_PORTS > 12
    bit<16> nf12_q_size;
#endif
#if N_PORTS > 11
    bit<16> nf11_q_size;
#endif
#if N_PORTS > 10
    bit<16> nf10_q_size;
#endif
#if N_PORTS > 9
    bit<16> nf9_q_size;
#endif
#if N_PORTS > 8
    bit<16> nf8_q_size;
#endif
#if N_PORTS > 7
    bit<16> nf7_q_size;
#endif
#if N_PORTS > 6
    bit<16> nf6_q_size;
#endif
#if N_PORTS > 5
    bit<16> nf5_q_size;
#endif
#if N_PORTS > 4
    bit<16> nf4_q_size;
#endif
#if N_PORTS > 3
    bit<16> nf3_q_size;
#endif
#if N_PORTS > 2
    bit<16> nf2_q_size;
#endif
#if N_PORTS > 1
    bit<16> nf1_q_size;
#endif
#if N_PORTS > 0
    bit<16> nf0_q_size;
#endif
    bit<8>  send_dig_to_cpu;  // bit 0: put digest_data before the packet on its way to the CPU
    bit<8>  drop;             // kept for old programs; clear dst_port instead
    port_t  dst_port;
    port_t  src_port;
    bit<16> pkt_len;          // bytes, without preamble and frame check sequence
}

// H: the parsed headers. M: the program's own metadata. D: the digest, 256 bits.
parser Parser<H, M, D>(packet_in b,
                       out H parsedHeaders,
                       out M user_metadata,
                       out D digest_data,
                       inout sume_metadata_t sume_metadata);

control Pipe<H, M, D>(inout H parsedHeaders,
                      inout M user_metadata,
                      inout D digest_data,
                      inout sume_metadata_t sume_metadata);

control Deparser<H, M, D>(packet_out b,
                          in H parsedHeaders,
                          in M user_metadata,
                          inout D digest_data,
                          inout sume_metadata_t sume_metadata);

package SimpleSumeSwitch<H, M, D>(Parser<H, M, D> p, Pipe<H, M, D> map, Deparser<H, M, D> d);

#endif
