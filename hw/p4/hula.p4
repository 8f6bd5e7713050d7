// SPDX-License-Identifier: Apache-2.0
// HULA: every switch learns from probes which of its ports leads to each top-of-rack switch (ToR) with the least
// utilised path, and sends flowlets there. docs/hula.md has the rules.
//
// One program is every switch of the fabric: host, leaf, aggregation and core ports are what the control plane says they
// are in port_role. Addresses lead to a ToR by longest prefix, or, at their own ToR, to a host. While a ToR is unknown
// its packets go by a seeded hash of their flow to any port that port_role allows for that. What is not routed traffic,
// ARP and neighbor discovery among it, goes to the CPU side of the port it came from.

#include <core.p4>
#include <sume_switch.p4>
#include "headers.p4"
#include "ip.p4"
#include "ports.p4"
#include "protocols.p4"
#include "registers.p4"

#if N_PORTS > 8
#error "hula.p4 is for up to 8 ports"
#endif

#ifndef TORS
#define TORS 1024
#endif
#ifndef ROUTES
#define ROUTES 1024
#endif
#ifndef GATEWAYS
#define GATEWAYS 1024
#endif
// Of the flowlet table's sets of two: 2 to its power.
#ifndef FLOWLET_BITS
#define FLOWLET_BITS 13
#endif
// Of a tick of time: 2 to its power cycles.
#define TICK_BITS 8

typedef bit<3> hop_t;         // number of a wire
typedef bit<N_PORTS> mask_t;  // a bit for each wire
typedef bit<24> tor_t;
typedef bit<8> util_t;
typedef bit<16> ticks_t;

// What became of a packet: the index of its counter in verdict_count_reg_raw.
enum bit<5> verdict_t {
    FORWARDED = 0,         // to a ToR
    DELIVERED = 1,         // to a host
    TO_CPU = 2,
    FROM_CPU = 3,
    PROBE_LEARNED = 4,     // and sent on where it is due
    PROBE_SENT = 5,        // one of our own
    PROBE_UNWANTED = 6,    // from a port that is none of the fabric
    PROBE_MALFORMED = 7,   // version or lengths of its IPv4 header
    PROBE_OF_OURSELVES = 8,
    PROBE_OF_NO_TOR = 9,   // its number is beyond the last
    PROBE_UNKNOWN = 10,    // utilisation 255: its sender knows no path
    NOT_FOR_US = 11,       // unicast frame for another station
    BAD_IP_HEADER = 12,    // version, lengths
    BAD_CHECKSUM = 13,     // of an IPv4 header
    TIME_EXCEEDED = 14,    // sent to the CPU, which answers
    NO_ROUTE = 15,         // sent to the CPU, which answers
    NO_PATH = 16,          // no port is up that the packet may take
    NO_ROLE = 17           // its port has none
}

@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(5)
extern void verdict_count_reg_raw(in bit<5> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                                  out bit<32> result);

// By the outcome of flowlet_table.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(3)
extern void outcome_count_reg_raw(in bit<3> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                                  out bit<32> result);

// Read at every packet; the control plane writes entry 0.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(1)
extern void hash_seed_reg_rw(in bit<1> index, in bit<32> newVal, in bit<8> opCode, out bit<32> result);

// Bit 24 says that this switch is a ToR, the others which; the control plane writes entry 0.
@Xilinx_MaxLatency(4)
@Xilinx_ControlWidth(1)
extern void own_tor_reg_rw(in bit<1> index, in bit<25> newVal, in bit<8> opCode, out bit<25> result);

extern void clock_timestamp(in bit<1> valid, out bit<64> result);

extern void wires_port_up(out mask_t up);

extern void wires_link_util(out bit<(8 * N_PORTS)> utilisations);

@engine[tors = TORS, tick_bits = TICK_BITS]
extern void paths_best_hops(in bit<1> operation, in tor_t tor, in hop_t port, in util_t utilisation, in ticks_t now,
                            out hop_t ports, out util_t utilisations, out bit<4> count, out util_t best,
                            out mask_t alive);

@engine[tors = TORS, tick_bits = TICK_BITS]
extern void paths_probe_gate(in tor_t tor, in mask_t wanted, in ticks_t now, out mask_t passed);

@engine[tick_bits = TICK_BITS]
extern void flows_flowlet_table(in bit<1> operation, in bit<FLOWLET_BITS> index, in bit<16> tag, in ticks_t now,
                                @late(4) in mask_t ok, @late(4) in hop_t proposal, @late(4) in hop_t spread,
                                out hop_t hop, out bit<3> outcome, out bit<1> found);

const bit<1> BEST_HOPS_READ = 0;
const bit<1> BEST_HOPS_PROBE = 1;
const bit<1> FLOWLET_KEEP_OR_SET = 1;

struct headers_t {
    ethernet_t ethernet;
    vlan_t vlan;
    ipv4_t ipv4;
    ipv6_t ipv6;
    ports_t ports;
    hula_probe_t probe;
}

struct user_metadata_t {
    bit<8> unused;
}

struct digest_data_t {
    bit<256> unused;
}

//              ┌─► probe                        (neither fragment nor options)
// ethernet ─┬──┤─► ipv4 ─► ports
//           └─► vlan ─► (as above)
//              └─► ipv6 ─► ports
@Xilinx_MaxPacketRegion(16384)
parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t user_metadata, out digest_data_t digest_data,
                 inout sume_metadata_t sume_metadata) {
    state start {
        user_metadata.unused = 0;
        digest_data.unused = 0;
        b.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_VLAN: parse_vlan;
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    state parse_vlan {
        b.extract(hdr.vlan);
        transition select(hdr.vlan.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            default: accept;
        }
    }

    state parse_ipv4 {
        b.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.more_fragments, hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, 0, IP_PROTOCOL_TCP): parse_ports;
            (5, 0, 0, IP_PROTOCOL_UDP): parse_ports;
            (5, 0, 0, IP_PROTOCOL_SCTP): parse_ports;
            (5, 0, 0, IP_PROTOCOL_HULA): parse_probe;
            default: accept;
        }
    }

    state parse_ipv6 {
        b.extract(hdr.ipv6);
        transition select(hdr.ipv6.next_header) {
            IP_PROTOCOL_TCP: parse_ports;
            IP_PROTOCOL_UDP: parse_ports;
            IP_PROTOCOL_SCTP: parse_ports;
            default: accept;
        }
    }

    state parse_ports {
        b.extract(hdr.ports);
        transition accept;
    }

    state parse_probe {
        b.extract(hdr.probe);
        transition accept;
    }
}

// The bits of a mask of wires at the places of the wires in dst_port: every second one.
port_t wires_of(in mask_t mask) {
    bit<16> x = (bit<16>)mask;
    x = (x | x << 4) & 0x0F0F;
    x = (x | x << 2) & 0x3333;
    x = (x | x << 1) & 0x5555;
    return (port_t)x;
}

mask_t mask_of(in hop_t hop) {
    return (mask_t)((bit<8>)1 << hop);
}

// One of the wires in a mask, each as likely as the other; 0 of none.
#define BIT(m, i) ((bit<4>)(((m) >> i)[0:0]))
#define WITHOUT_LOWEST(m) ((m) & ((m) - 1))
hop_t one_of(in mask_t mask, in bit<8> hash) {
    bit<8> m = (bit<8>)mask;
    bit<4> count = ((BIT(m, 0) + BIT(m, 1)) + (BIT(m, 2) + BIT(m, 3)));
#if N_PORTS > 4
    count = count + ((BIT(m, 4) + BIT(m, 5)) + (BIT(m, 6) + BIT(m, 7)));
#endif
    // hash times count over 256: how many wires below the one that is taken
    bit<11> h = (bit<11>)hash;
    bit<11> product = ((count[0:0] == 1 ? h : 0) + (count[1:1] == 1 ? h << 1 : 0)) + (count[2:2] == 1 ? h << 2 : 0);
#if N_PORTS > 7
    if (count[3:3] == 1) {
        product = h << 3;
    }
#endif
    bit<3> skip = product[10:8];
    bit<8> m1 = WITHOUT_LOWEST(m);
    bit<8> m2 = WITHOUT_LOWEST(m1);
    bit<8> m3 = WITHOUT_LOWEST(m2);
    bit<8> left = skip == 0 ? m : skip == 1 ? m1 : skip == 2 ? m2 : m3;
#if N_PORTS > 4
    bit<8> m4 = WITHOUT_LOWEST(m3);
    bit<8> m5 = WITHOUT_LOWEST(m4);
    bit<8> m6 = WITHOUT_LOWEST(m5);
    if (skip > 3) {
        left = skip == 4 ? m4 : skip == 5 ? m5 : skip == 6 ? m6 : WITHOUT_LOWEST(m6);
    }
#endif
    bit<8> lowest = left & (~left + 1);
    return (lowest[7:7] | lowest[6:6] | lowest[5:5] | lowest[4:4]) ++
           (lowest[7:7] | lowest[6:6] | lowest[3:3] | lowest[2:2]) ++
           (lowest[7:7] | lowest[5:5] | lowest[3:3] | lowest[1:1]);
}

//  ┌ from a CPU side? ─► out of its wire
//  ├ probe: from the source ─► out;  of a neighbour ─► best_hops ─► rank 1 ─► probe_gate ─► copies
//  ├ for the router's MAC, sound, lives on ─► host ─► out
//  │                                    └─► ToR ─► best_hops ─► ok, proposal ─► flowlet_table ─► out
//  └ all else ─► CPU side of its port, or dropped; every packet counted by its verdict
control TopPipe(inout headers_t hdr, inout user_metadata_t user_metadata, inout digest_data_t digest_data,
                inout sume_metadata_t sume_metadata) {
    verdict_t verdict = verdict_t.TO_CPU;
    bool has_role = false;
    hop_t in_port = 0;
    bool in_fabric = false;
    mask_t probes_go = 0;
    mask_t data_goes = 0;
    mask_t unknown_goes = 0;
    bool leads_to_tor = false;
    bool leads_to_host = false;
    tor_t tor = 0;
    mask_t up = 0;
    bit<(8 * N_PORTS)> utilisations = 0;
    bit<64> time = 0;
    bit<32> seed = 0;
    bit<25> own_tor = 0;
    hop_t best_port = 0;
    util_t best_utilisation = 0;
    util_t best = 0;
    bit<4> known = 0;
    mask_t alive = 0;
    mask_t passed = 0;
    hop_t hop = 0;
    bit<3> outcome = 0;
    bit<1> found = 0;
    bit<32> count = 0;

    // `port`: its number. `fabric`: a switch is at its other end, whose probes are taken. Masks of ports: where probes that
    // come in here are sent on to, where packets may go, and where they may go while their ToR is unknown.
    action role(hop_t port, bit<1> fabric, mask_t probes, mask_t data, mask_t unknown) {
        has_role = true;
        in_port = port;
        in_fabric = fabric == 1;
        probes_go = probes;
        data_goes = data;
        unknown_goes = unknown;
    }

    action to_tor(tor_t id) {
        tor = id;
        leads_to_tor = true;
    }

    action to_host(port_t port, mac_addr_t src_addr, mac_addr_t dst_addr) {
        sume_metadata.dst_port = port;
        hdr.ethernet.src_addr = src_addr;
        hdr.ethernet.dst_addr = dst_addr;
        leads_to_host = true;
        verdict = verdict_t.DELIVERED;
    }

    action route_to_cpu() {
        verdict = verdict_t.TO_CPU;
    }

    action unroutable() {
        verdict = verdict_t.NO_ROUTE;
    }

    // Written by the control plane, an entry for each wire. A miss: nothing that comes in here is taken.
    table port_role {
        key = { sume_metadata.src_port: exact; }
        actions = { role; NoAction; }
        size = 16;
        default_action = NoAction();
    }

    // The MACs under which the fabric's routers are addressed. A miss: not ours to route.
    table router_mac {
        key = { hdr.ethernet.dst_addr: exact; }
        actions = { NoAction; }
        size = GATEWAYS;
        default_action = NoAction();
    }

    // Where an address lives. A miss: the CPU sees the packet, and answers that there is no route.
    table ipv4_tor {
        key = { hdr.ipv4.dst_addr: lpm; }
        actions = { to_tor; to_host; route_to_cpu; unroutable; }
        size = ROUTES;
        default_action = unroutable();
    }

    // As ipv4_tor.
    table ipv6_tor {
        key = { hdr.ipv6.dst_addr: lpm; }
        actions = { to_tor; to_host; route_to_cpu; unroutable; }
        size = ROUTES;
        default_action = unroutable();
    }

    apply {
        bit<16> l3_length = sume_metadata.pkt_len - 14;
        port_t from_cpu = sume_metadata.src_port & CPU_SIDES;
        bool is_own_probe = sume_metadata.src_port == 0;
        bool is_probe = false;
        bool routable = false;
        sume_metadata.dst_port = 0;
        if (hdr.vlan.isValid()) {
            l3_length = l3_length - 4;
        }

        clock_timestamp(1, time);
        ticks_t now = (ticks_t)(time >> TICK_BITS);
        wires_port_up(up);
        wires_link_util(utilisations);
        hash_seed_reg_rw(0, 0, 0, seed);
        own_tor_reg_rw(0, 0, 0, own_tor);
        bit<32> hash = flow_hash(seed, hdr.ipv4, hdr.ipv6, hdr.ports);

        // 1. Who is meant, and is the packet sound?
        port_role.apply();
        bool for_us = router_mac.apply().hit;
        if (from_cpu != 0) {
            sume_metadata.dst_port = from_cpu >> 1;
            verdict = verdict_t.FROM_CPU;
        } else if (is_own_probe) {
            sume_metadata.dst_port = wires_of(mask_of((hop_t)hdr.ethernet.dst_addr));
            verdict = verdict_t.PROBE_SENT;
        } else if (!has_role) {
            verdict = verdict_t.NO_ROLE;
        } else if (hdr.probe.isValid()) {
            // A probe is for whoever gets it, and has no time to live: it is a new one at each switch.
            if (!in_fabric) {
                verdict = verdict_t.PROBE_UNWANTED;
            } else if (hdr.ipv4.version != 4 || hdr.ipv4.total_length < 24 || hdr.ipv4.total_length > l3_length) {
                verdict = verdict_t.PROBE_MALFORMED;
            } else if (own_tor == 1w1 ++ hdr.probe.tor) {
                verdict = verdict_t.PROBE_OF_OURSELVES;
            } else if (hdr.probe.tor >= TORS) {
                verdict = verdict_t.PROBE_OF_NO_TOR;
            } else if (hdr.probe.utilisation == UTIL_INFINITE) {
                verdict = verdict_t.PROBE_UNKNOWN;
            } else {
                verdict = verdict_t.PROBE_LEARNED;
                is_probe = true;
            }
        } else if (!for_us) {
            // Broadcast and multicast may be for the CPU; a unicast frame for another station is not.
            if (hdr.ethernet.dst_addr[40:40] == 0) {
                verdict = verdict_t.NOT_FOR_US;
            }
        } else if (hdr.ipv4.isValid()) {
            if (hdr.ipv4.version != 4 || hdr.ipv4.ihl < 5 || hdr.ipv4.total_length > l3_length ||
                hdr.ipv4.total_length < (bit<16>)(hdr.ipv4.ihl ++ (bit<2>)0)) {
                verdict = verdict_t.BAD_IP_HEADER;
            } else if (hdr.ipv4.ihl == 5 && ipv4_sum(hdr.ipv4) != 0xFFFF) {
                // With options the sum goes on behind what is parsed; the checksum is updated all the same.
                verdict = verdict_t.BAD_CHECKSUM;
            } else if (hdr.ipv4.time_to_live <= 1) {
                verdict = verdict_t.TIME_EXCEEDED;
            } else {
                ipv4_tor.apply();
                routable = leads_to_tor || leads_to_host;
            }
        } else if (hdr.ipv6.isValid()) {
            if (hdr.ipv6.version != 6 || hdr.ipv6.payload_length > l3_length - 40) {
                verdict = verdict_t.BAD_IP_HEADER;
            } else if (hdr.ipv6.hop_limit <= 1) {
                verdict = verdict_t.TIME_EXCEEDED;
            } else {
                ipv6_tor.apply();
                routable = leads_to_tor || leads_to_host;
            }
        }

        // 2. What is known of the ToR. A probe costs at least what we send back along its link.
        if (is_probe || leads_to_tor) {
            util_t sent_back = (util_t)(utilisations >> (in_port ++ (bit<3>)0));
            util_t worst = sent_back > hdr.probe.utilisation ? sent_back : hdr.probe.utilisation;
            paths_best_hops(is_probe ? BEST_HOPS_PROBE : BEST_HOPS_READ, is_probe ? hdr.probe.tor : tor, in_port, worst,
                            now, best_port, best_utilisation, known, best, alive);
        }

        // 3. Where to.
        if (is_probe) {
            paths_probe_gate(hdr.probe.tor, probes_go & up, now, passed);
            hdr.probe.utilisation = best;
            sume_metadata.dst_port = wires_of(passed);
        } else if (leads_to_tor) {
            mask_t live = (alive & data_goes) & up;
            mask_t ok = live != 0 ? live : unknown_goes & up;
            hop_t spread = one_of(ok, hash[7:0]);
            hop_t proposal = known != 0 && (ok & mask_of(best_port)) != 0 ? best_port : spread;
            flows_flowlet_table(FLOWLET_KEEP_OR_SET, hash[31:32 - FLOWLET_BITS], hash[15:0], now, ok,
                                proposal, spread, hop, outcome, found);
            outcome_count_reg_raw(outcome, 0, 1, REG_ADD, count);
            sume_metadata.dst_port = wires_of(mask_of(hop));
            verdict = found == 1 ? verdict_t.FORWARDED : verdict_t.NO_PATH;
        }

        // 4. What changes on the way.
        if (routable && verdict != verdict_t.NO_PATH) {
            if (hdr.ipv4.isValid()) {
                hdr.ipv4.header_checksum = checksum_after_hop(hdr.ipv4.header_checksum);
                hdr.ipv4.time_to_live = hdr.ipv4.time_to_live - 1;
            } else {
                hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
            }
        } else if (verdict == verdict_t.TO_CPU || verdict == verdict_t.TIME_EXCEEDED || verdict == verdict_t.NO_ROUTE) {
            sume_metadata.dst_port = sume_metadata.src_port << 1;
        } else if (verdict == verdict_t.NO_PATH) {
            sume_metadata.dst_port = 0;
        }

        verdict_count_reg_raw((bit<5>)verdict, 0, 1, REG_ADD, count);
    }
}

@Xilinx_MaxPacketRegion(16384)
control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t user_metadata, inout digest_data_t digest_data,
                    inout sume_metadata_t sume_metadata) {
    apply {
        b.emit(hdr.ethernet);
        b.emit(hdr.vlan);
        b.emit(hdr.ipv4);
        b.emit(hdr.ipv6);
        b.emit(hdr.ports);
        b.emit(hdr.probe);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
