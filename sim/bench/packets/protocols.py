# SPDX-License-Identifier: Apache-2.0
"""Protocol numbers, the only place in the bench that states them.

To be replaced by the copy generated from hw/p4/include/protocols.p4. What that file names too is spelt as
there; names are meant to stay.
"""

# IEEE 802.3 and IANA EtherTypes.
ETHERTYPE_IPV4 = 0x0800
ETHERTYPE_ARP = 0x0806
ETHERTYPE_VLAN = 0x8100  # IEEE 802.1Q C-tag
ETHERTYPE_IPV6 = 0x86DD
ETHERTYPE_QINQ = 0x88A8  # IEEE 802.1ad S-tag
ETHERTYPE_MP_HULA = 0x88B5  # IEEE 802 local experimental 1

# IANA protocol numbers.
IP_PROTOCOL_ICMP = 1
IP_PROTOCOL_TCP = 6
IP_PROTOCOL_UDP = 17
IP_PROTOCOL_ICMPV6 = 58
IP_PROTOCOL_HULA = 253  # RFC 3692 experimental

# IANA TCP option kinds.
TCP_OPTION_EOL = 0
TCP_OPTION_NOP = 1
TCP_OPTION_MPTCP = 30

# RFC 8684 §8.2; RFC 6824 §8 knows the first eight.
MPTCP_MP_CAPABLE = 0x0
MPTCP_MP_JOIN = 0x1
MPTCP_DSS = 0x2
MPTCP_ADD_ADDR = 0x3
MPTCP_REMOVE_ADDR = 0x4
MPTCP_MP_PRIO = 0x5
MPTCP_MP_FAIL = 0x6
MPTCP_MP_FASTCLOSE = 0x7
MPTCP_MP_TCPRST = 0x8
MPTCP_EXPERIMENTAL = 0xF

MPTCP_V0 = 0  # RFC 6824
MPTCP_V1 = 1  # RFC 8684

# RFC 8684 §3.6, reasons of MP_TCPRST.
TCPRST_UNSPECIFIED = 0
TCPRST_MPTCP = 1
TCPRST_RESOURCES = 2
TCPRST_PROHIBITED = 3
TCPRST_OUTSTANDING_DATA = 4
TCPRST_PERFORMANCE = 5
TCPRST_MIDDLEBOX = 6

# HULA (Katta et al., SOSR 2016) carries the utilisation in 8 bits; the largest value stands for "unknown".
UTIL_INFINITE = 255
UTIL_MAX = 254

MP_HULA_VERSION = 1

# IEEE 802.3: the shortest and the longest untagged frame with FCS, and what lies around it on the wire.
FCS_BYTES = 4
WIRE_MIN_BYTES = 64
WIRE_MAX_BYTES = 1518
PREAMBLE_AND_GAP_BYTES = 20

# The same frames as streams carry them.
FRAME_MIN_BYTES = WIRE_MIN_BYTES - FCS_BYTES
FRAME_MAX_BYTES = WIRE_MAX_BYTES - FCS_BYTES
