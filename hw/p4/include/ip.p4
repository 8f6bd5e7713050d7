// SPDX-License-Identifier: Apache-2.0
// What IP routers reckon: checksums, and a hash that is the same for all packets of a flow.

#ifndef IP_P4
#define IP_P4

#include "headers.p4"

// Sum of 16-bit words in one's complement, RFC 1071.
#define FOLD(x) ((bit<17>)(x[15:0]) + (bit<17>)(x[31:16]))
#define WORD(x) ((bit<32>)(x))
#define SUM2(x) (WORD(x[31:16]) + WORD(x[15:0]))
#define SUM8(x) ((SUM2(x[127:96]) + SUM2(x[95:64])) + (SUM2(x[63:32]) + SUM2(x[31:0])))

// All of a header without options; 0xFFFF if its checksum is right.
bit<16> ipv4_sum(in ipv4_t h) {
    bit<32> sum = (SUM2(h.src_addr) + SUM2(h.dst_addr)) +
                  ((WORD(h.version ++ h.ihl ++ h.tos) + WORD(h.total_length)) +
                   (WORD(h.identification) +
                    WORD(h.reserved ++ h.dont_fragment ++ h.more_fragments ++ h.fragment_offset))) +
                  (WORD(h.time_to_live ++ h.protocol) + WORD(h.header_checksum));
    bit<17> folded = FOLD(sum);
    return folded[15:0] + (bit<16>)folded[16:16];
}

// RFC 1624, equation 3: the word of the time to live shrinks by 0x0100.
bit<16> checksum_after_hop(in bit<16> checksum) {
    bit<17> updated = (bit<17>)(~checksum) + 0xFEFF;
    return ~(updated[15:0] + (bit<16>)updated[16:16]);
}

// One round of the flow hash, a Feistel network: `x` is the newest word, `y` the one before it, and `w` a word of the
// flow that the round takes in. A bit of the result is a function of six bits, a single LUT, and unlike in a CRC, which
// flows collide depends on the seed.
#define ROTATE(x, n) (x[31 - n:0] ++ x[31:32 - n])
#define MIX(x, y, w) (((ROTATE(x, 1) & ROTATE(x, 8)) ^ (ROTATE(x, 2) ^ ROTATE(x, 13))) ^ ((y) ^ (w)))
const bit<32> HASH_START = 0x9E3779B9; // any: rounds of zeros would give zeros

// A header that is not there is to be invalid, ports of what has none zero.
bit<32> flow_hash(in bit<32> seed, in ipv4_t ipv4, in ipv6_t ipv6, in ports_t ports) {
    bit<32> w0 = 0;
    bit<32> w1 = 0;
    bit<32> w2 = ports.src_port ++ ports.dst_port;
    bit<32> w3 = 0;
    bit<32> w4 = 0;
    bit<32> w5 = 0;
    bit<32> w6 = 0;
    bit<32> w7 = 0;
    bit<32> w8 = 0;
    bit<32> w9 = 0;
    if (ipv4.isValid()) {
        w0 = ipv4.src_addr;
        w1 = ipv4.dst_addr;
        w3 = (bit<32>)ipv4.protocol;
    } else if (ipv6.isValid()) {
        w0 = ipv6.src_addr[127:96];
        w1 = ipv6.src_addr[95:64];
        w3 = ipv6.flow_label ++ (bit<4>)0 ++ ipv6.next_header;
        w4 = ipv6.src_addr[63:32];
        w5 = ipv6.src_addr[31:0];
        w6 = ipv6.dst_addr[127:96];
        w7 = ipv6.dst_addr[95:64];
        w8 = ipv6.dst_addr[63:32];
        w9 = ipv6.dst_addr[31:0];
    }
    // One round spreads the seed, ten take the flow in, and after seven more each bit of it reaches each of the hash.
    bit<32> s0 = MIX(seed, HASH_START, 0);
    bit<32> f0 = MIX(s0, seed, w0);
    bit<32> f1 = MIX(f0, s0, w1);
    bit<32> f2 = MIX(f1, f0, w2);
    bit<32> f3 = MIX(f2, f1, w3);
    bit<32> f4 = MIX(f3, f2, w4);
    bit<32> f5 = MIX(f4, f3, w5);
    bit<32> f6 = MIX(f5, f4, w6);
    bit<32> f7 = MIX(f6, f5, w7);
    bit<32> f8 = MIX(f7, f6, w8);
    bit<32> f9 = MIX(f8, f7, w9);
    bit<32> m0 = MIX(f9, f8, 0);
    bit<32> m1 = MIX(m0, f9, 0);
    bit<32> m2 = MIX(m1, m0, 0);
    bit<32> m3 = MIX(m2, m1, 0);
    bit<32> m4 = MIX(m3, m2, 0);
    bit<32> m5 = MIX(m4, m3, 0);
    return MIX(m5, m4, 0);
}

#endif
