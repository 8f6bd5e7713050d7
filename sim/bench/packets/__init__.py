# SPDX-License-Identifier: Apache-2.0
"""Packets for every test: layers, builders, whole MPTCP connections, beats and capture files.

    protocols    protocol numbers, generated from hw/p4/include/protocols.p4
    mptcp        the MPTCP options (v0 and v1) as scapy layers
    mptcp_hash   tokens, IDSN and HMACs, with hashlib alone
    hula         the HULA probe and the MP-HULA header as scapy layers
    factory      valid frames of every kind, of a given length, from a seed
    connection   MPTCP connections frame by frame, with what is true about them
    malformed    frames no host should send, each with its reason
    beats        frames as beats of a stream, and back
    pcap         capture files

A frame is `bytes` from the destination MAC on, without preamble and FCS, as AXI streams carry it.
Nothing here imports a simulator.
"""
