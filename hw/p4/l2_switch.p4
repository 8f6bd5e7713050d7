// SPDX-License-Identifier: Apache-2.0
// A learning Ethernet switch with VLANs. It forwards by what the CPU has learned and tells the CPU what to learn: a
// station that is new, or has moved to another port, is reported in a digest, whatever becomes of its packet.
//
// Each VLAN has the ports that the control plane gives it. A frame without a tag, or with a priority tag only, is in
// its port's own VLAN. Tags are carried unchanged.

#include <core.p4>
#include <sume_switch.p4>
#include "headers.p4"
#include "ports.p4"
#include "protocols.p4"
#include "registers.p4"

#ifndef STATIONS
#define STATIONS 1024
#endif
#ifndef VLANS
#define VLANS 64
#endif

typedef bit<12> vlan_id_t;

// Why the CPU is told of a station.
enum bit<8> news_t {
    NONE = 0,
    NEW = 1,
    MOVED = 2
}

// What became of a packet: the index of its counter in verdict_count_reg_raw.
enum bit<3> verdict_t {
    SENT = 0,
    FLOODED = 1,
    FROM_CPU = 2,
    TO_CPU = 3,       // a protocol between bridges
    FILTERED = 4,     // the station is where the packet came from, or the only port of its VLAN
    BAD_SOURCE = 5,   // a group address, which nobody can have
    NOT_A_MEMBER = 6  // the port has no part in the frame's VLAN
}

@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(3)
extern void verdict_count_reg_raw(in bit<3> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                                  out bit<32> result);

struct headers_t {
    ethernet_t ethernet;
    vlan_t vlan;
}

struct user_metadata_t {
    vlan_id_t vlan_id;
    bool tagged;
}

struct digest_data_t {
    bit<(184 - 2 * N_PORTS)> unused;
    news_t news;
    port_t port;
    bit<4> zero;
    vlan_id_t vlan_id;
    mac_addr_t station;
}

@Xilinx_MaxPacketRegion(16384)
parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t user_metadata, out digest_data_t digest_data,
                 inout sume_metadata_t sume_metadata) {
    state start {
        user_metadata = { 0, false };
        digest_data = { 0, news_t.NONE, 0, 0, 0, 0 };
        b.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_VLAN: parse_vlan;
            default: accept;
        }
    }

    // VLAN 0 is no VLAN: the tag gives a priority only (IEEE 802.1Q 6.9).
    state parse_vlan {
        b.extract(hdr.vlan);
        user_metadata.vlan_id = hdr.vlan.vlan_id;
        transition select(hdr.vlan.vlan_id) {
            0: accept;
            default: tagged;
        }
    }

    state tagged {
        user_metadata.tagged = true;
        transition accept;
    }
}

bool is_group(in mac_addr_t address) {
    return address[40:40] == 1;
}

//  ┌ from a CPU side? ─► out of its wire
//  ├ for bridges? ─► CPU side of its port
//  └ port ─► VLAN ─► members ─┬─► sources: new, moved ─► digest
//                             └─► stations ─► one port, or all others of the VLAN
control TopPipe(inout headers_t hdr, inout user_metadata_t user_metadata, inout digest_data_t digest_data,
                inout sume_metadata_t sume_metadata) {
    verdict_t verdict = verdict_t.SENT;
    port_t members = 0;
    port_t known_port = 0;
    bool reserved_address = false;

    action set_vlan(vlan_id_t id) {
        user_metadata.vlan_id = id;
    }

    action set_members(port_t ports) {
        members = ports;
    }

    action no_members() {
        members = 0;
    }

    action keep_here() {
        reserved_address = true;
    }

    action lives_at(port_t port) {
        known_port = port;
    }

    action unknown() {
        digest_data.news = news_t.NEW;
    }

    action send(port_t port) {
        sume_metadata.dst_port = port;
    }

    action flood() {
        sume_metadata.dst_port = members & ~sume_metadata.src_port;
        verdict = verdict_t.FLOODED;
    }

    // Written by the control plane: the VLAN of untagged frames. A miss: VLAN 0, which may have members too.
    table port_vlan {
        key = { sume_metadata.src_port: exact; }
        actions = { set_vlan; NoAction; }
        size = 64;
        default_action = NoAction();
    }

    // Written by the control plane: the wires of a VLAN. A miss: the VLAN is not known and has none.
    table vlan_members {
        key = { user_metadata.vlan_id: exact; }
        actions = { set_members; no_members; }
        size = VLANS;
        default_action = no_members();
    }

    // IEEE 802.1Q table 8-1: never forwarded.
    table bridge_addresses {
        key = { hdr.ethernet.dst_addr: ternary; }
        actions = { keep_here; NoAction; }
        const default_action = NoAction();
        const entries = {
            48w0x0180C2000000 &&& 48w0xFFFFFFFFFFF0: keep_here();
            48w0x0180C2000020 &&& 48w0xFFFFFFFFFFF0: keep_here();
        }
    }

    // Written by the control plane from digests: where a source was seen. A miss: it is new.
    table sources {
        key = {
            user_metadata.vlan_id: exact;
            hdr.ethernet.src_addr: exact;
        }
        actions = { lives_at; unknown; }
        size = STATIONS;
        default_action = unknown();
    }

    // Written by the control plane with the same content: where to send. A miss: everywhere.
    table stations {
        key = {
            user_metadata.vlan_id: exact;
            hdr.ethernet.dst_addr: exact;
        }
        actions = { send; flood; }
        size = STATIONS;
        default_action = flood();
    }

    apply {
        port_t from_cpu = sume_metadata.src_port & CPU_SIDES;
        sume_metadata.dst_port = 0;
        if (!user_metadata.tagged) {
            port_vlan.apply();
        }
        vlan_members.apply();
        bridge_addresses.apply();
        bool is_member = members & sume_metadata.src_port != 0;

        if (from_cpu != 0) {
            sume_metadata.dst_port = from_cpu >> 1;
            verdict = verdict_t.FROM_CPU;
        } else if (is_group(hdr.ethernet.src_addr)) {
            verdict = verdict_t.BAD_SOURCE;
        } else if (reserved_address) {
            sume_metadata.dst_port = sume_metadata.src_port << 1;
            verdict = verdict_t.TO_CPU;
        } else if (!is_member) {
            verdict = verdict_t.NOT_A_MEMBER;
        } else {
            if (sources.apply().hit && known_port != sume_metadata.src_port) {
                digest_data.news = news_t.MOVED;
            }
            if (is_group(hdr.ethernet.dst_addr)) {
                flood();
            } else {
                switch (stations.apply().action_run) {
                    // An entry may be older than the VLAN's members.
                    send: { sume_metadata.dst_port = sume_metadata.dst_port & members & ~sume_metadata.src_port; }
                    flood: { }
                }
            }
            if (sume_metadata.dst_port == 0) {
                verdict = verdict_t.FILTERED;
            }
        }

        if (digest_data.news != news_t.NONE) {
            digest_data.port = sume_metadata.src_port;
            digest_data.vlan_id = user_metadata.vlan_id;
            digest_data.station = hdr.ethernet.src_addr;
            sume_metadata.send_dig_to_cpu = 1;
        }

        bit<32> count;
        verdict_count_reg_raw((bit<3>)verdict, 0, 1, REG_ADD, count);
    }
}

@Xilinx_MaxPacketRegion(16384)
control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t user_metadata, inout digest_data_t digest_data,
                    inout sume_metadata_t sume_metadata) {
    apply {
        b.emit(hdr);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
