// SPDX-License-Identifier: Apache-2.0
// Numbers of protocols, each with the standard it comes from. sim/bench/packets/protocols.py is generated from this
// file: `p4sume constants hw/p4/include/protocols.p4`.

#ifndef PROTOCOLS_P4
#define PROTOCOLS_P4

// IEEE 802 numbers
const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<16> ETHERTYPE_ARP = 0x0806;
const bit<16> ETHERTYPE_VLAN = 0x8100;     // IEEE 802.1Q C-tag
const bit<16> ETHERTYPE_QINQ = 0x88A8;     // IEEE 802.1ad S-tag
const bit<16> ETHERTYPE_IPV6 = 0x86DD;
const bit<16> ETHERTYPE_MPLS = 0x8847;
const bit<16> ETHERTYPE_MP_HULA = 0x88B5;  // IEEE 802 local experimental EtherType 1

// IANA protocol numbers
const bit<8> IP_PROTOCOL_ICMP = 1;
const bit<8> IP_PROTOCOL_TCP = 6;
const bit<8> IP_PROTOCOL_UDP = 17;
const bit<8> IP_PROTOCOL_ICMPV6 = 58;
const bit<8> IP_PROTOCOL_SCTP = 132;
const bit<8> IP_PROTOCOL_HULA = 253;  // RFC 3692: for experiments

// RFC 826
const bit<16> ARP_HARDWARE_ETHERNET = 1;
const bit<16> ARP_REQUEST = 1;
const bit<16> ARP_REPLY = 2;

// RFC 4861
const bit<8> ICMPV6_NEIGHBOR_SOLICITATION = 135;
const bit<8> ICMPV6_NEIGHBOR_ADVERTISEMENT = 136;
const bit<8> ND_OPTION_SOURCE_ADDRESS = 1;
const bit<8> ND_OPTION_TARGET_ADDRESS = 2;
const bit<32> ND_ROUTER_SOLICITED_OVERRIDE = 0xE0000000;
const bit<8> ND_HOP_LIMIT = 255;  // RFC 4861 7.1.1: anything else came through a router

// IANA TCP option kinds
const bit<8> TCP_OPTION_EOL = 0;
const bit<8> TCP_OPTION_NOP = 1;
const bit<8> TCP_OPTION_MPTCP = 30;

// MPTCP option subtypes: RFC 8684 8.2; RFC 6824 8 knows the first eight.
const bit<4> MPTCP_MP_CAPABLE = 0x0;
const bit<4> MPTCP_MP_JOIN = 0x1;
const bit<4> MPTCP_DSS = 0x2;
const bit<4> MPTCP_ADD_ADDR = 0x3;
const bit<4> MPTCP_REMOVE_ADDR = 0x4;
const bit<4> MPTCP_MP_PRIO = 0x5;
const bit<4> MPTCP_MP_FAIL = 0x6;
const bit<4> MPTCP_MP_FASTCLOSE = 0x7;
const bit<4> MPTCP_MP_TCPRST = 0x8;
const bit<4> MPTCP_EXPERIMENTAL = 0xF;

const bit<4> MPTCP_V0 = 0;  // RFC 6824
const bit<4> MPTCP_V1 = 1;  // RFC 8684

// Reasons of MP_TCPRST, RFC 8684 3.6
const bit<8> TCPRST_UNSPECIFIED = 0;
const bit<8> TCPRST_MPTCP = 1;
const bit<8> TCPRST_RESOURCES = 2;
const bit<8> TCPRST_PROHIBITED = 3;
const bit<8> TCPRST_OUTSTANDING_DATA = 4;
const bit<8> TCPRST_PERFORMANCE = 5;
const bit<8> TCPRST_MIDDLEBOX = 6;

// HULA (Katta et al., SOSR 2016) carries the utilisation in 8 bits; the largest value stands for "unknown".
const bit<8> UTIL_INFINITE = 255;
const bit<8> UTIL_MAX = 254;

const bit<4> MP_HULA_VERSION = 1;

// IEEE 802.3: the shortest and the longest untagged frame with its check sequence, and what is around it on a wire
const int FCS_BYTES = 4;
const int WIRE_MIN_BYTES = 64;
const int WIRE_MAX_BYTES = 1518;
const int PREAMBLE_AND_GAP_BYTES = 20;

// The same frames as streams carry them
const int FRAME_MIN_BYTES = WIRE_MIN_BYTES - FCS_BYTES;
const int FRAME_MAX_BYTES = WIRE_MAX_BYTES - FCS_BYTES;

#endif
