// SPDX-License-Identifier: Apache-2.0
// Header types that several programs share. Fields are called as their RFC calls them.

#ifndef HEADERS_P4
#define HEADERS_P4

typedef bit<48> mac_addr_t;
typedef bit<32> ipv4_addr_t;
typedef bit<128> ipv6_addr_t;

header ethernet_t {
    mac_addr_t dst_addr;
    mac_addr_t src_addr;
    bit<16> ether_type;
}

// IEEE 802.1Q, behind the EtherType that announces it
header vlan_t {
    bit<3> priority;
    bit<1> drop_eligible;
    bit<12> vlan_id;
    bit<16> ether_type;
}

// RFC 3032, the traffic class by RFC 5462
header mpls_t {
    bit<20> label;
    bit<3> tc;
    bit<1> bottom;
    bit<8> ttl;
}

// RFC 791, without options
header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> tos;
    bit<16> total_length;
    bit<16> identification;
    bit<1> reserved;
    bit<1> dont_fragment;
    bit<1> more_fragments;
    bit<13> fragment_offset;
    bit<8> time_to_live;
    bit<8> protocol;
    bit<16> header_checksum;
    ipv4_addr_t src_addr;
    ipv4_addr_t dst_addr;
}

// RFC 8200
header ipv6_t {
    bit<4> version;
    bit<8> traffic_class;
    bit<20> flow_label;
    bit<16> payload_length;
    bit<8> next_header;
    bit<8> hop_limit;
    ipv6_addr_t src_addr;
    ipv6_addr_t dst_addr;
}

// The first four bytes of TCP, UDP and SCTP
header ports_t {
    bit<16> src_port;
    bit<16> dst_port;
}

// RFC 9293: TCP behind its ports, without options
header tcp_rest_t {
    bit<32> sequence_number;
    bit<32> acknowledgment_number;
    bit<4> data_offset;
    bit<4> reserved;
    bit<8> flags;  // CWR, ECE, URG, ACK, PSH, RST, SYN, FIN
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent_pointer;
}

// RFC 826 for Ethernet and IPv4
header arp_t {
    bit<16> hardware_type;
    bit<16> protocol_type;
    bit<8> hardware_length;
    bit<8> protocol_length;
    bit<16> operation;
    mac_addr_t sender_mac;
    ipv4_addr_t sender_ip;
    mac_addr_t target_mac;
    ipv4_addr_t target_ip;
}

// RFC 4443
header icmpv6_t {
    bit<8> type;
    bit<8> code;
    bit<16> checksum;
}

// RFC 4861 4.3, 4.4: what follows the ICMPv6 header in a neighbor solicitation and advertisement
header neighbor_t {
    bit<32> flags;
    ipv6_addr_t target;
}

// RFC 4861 4.6.1
header nd_link_address_t {
    bit<8> type;
    bit<8> length;
    mac_addr_t address;
}

// HULA (Katta et al., SOSR 2016), figure 4: what a probe carries behind its IPv4 header
header hula_probe_t {
    bit<24> tor;
    bit<8> utilisation;
}

#endif
