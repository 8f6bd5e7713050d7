// SPDX-License-Identifier: Apache-2.0
// Numbers of protocols, each with the standard it comes from. Tests read these too.

#ifndef PROTOCOLS_P4
#define PROTOCOLS_P4

// IEEE 802 numbers
const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<16> ETHERTYPE_ARP = 0x0806;
const bit<16> ETHERTYPE_VLAN = 0x8100;
const bit<16> ETHERTYPE_QINQ = 0x88A8;
const bit<16> ETHERTYPE_IPV6 = 0x86DD;
const bit<16> ETHERTYPE_MPLS = 0x8847;
const bit<16> ETHERTYPE_MP_HULA = 0x88B5;  // IEEE 802 local experimental EtherType 1

// IANA protocol numbers
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

#endif
