// SPDX-License-Identifier: Apache-2.0
// Header stacks: a bounded loop, next and last, push and pop, run-time indexes; labels swapped, popped and pushed.
#include <core.p4>
#include <sume_switch.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
header mpls_t { bit<20> label; bit<3> tc; bit<1> bottom; bit<8> ttl; }
header payload_t { bit<8> op; bit<8> index; bit<16> result; }
struct headers_t { ethernet_t ethernet; mpls_t[3] mpls; payload_t payload; }
struct meta_t { bit<32> depth; bit<2> at; mpls_t[3] saved; }
struct digest_t { bit<224> unused; bit<32> depth; }

parser TopParser(packet_in b, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        b.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x8847: parse_mpls;
            0x8848: parse_payload;
        }
    }
    state parse_mpls {
        b.extract(hdr.mpls.next);
        verify(hdr.mpls.last.ttl != 0, error.ParserTimeout);
        meta.depth = hdr.mpls.lastIndex + 1;
        transition select(hdr.mpls.last.bottom) {
            0: parse_mpls;
            1: parse_payload;
        }
    }
    state parse_payload {
        b.extract(hdr.payload);
        transition select(hdr.payload.op) {
            0xff: reject;
            _: accept;
        }
    }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        sume.dst_port = sume.src_port;
        digest.depth = meta.depth;
        meta.at = hdr.payload.index[1:0];
        switch (hdr.payload.op) {
            1: { hdr.mpls.pop_front(1); }
            2: {
                hdr.mpls.push_front(1);
                hdr.mpls[0].setValid();
                hdr.mpls[0].label = 0xabcde;
                hdr.mpls[0].ttl = 64;
            }
            3: { hdr.payload.result = (bit<16>)hdr.mpls[meta.at].label[7:0]; }
            4: { hdr.mpls[meta.at].ttl = hdr.mpls[meta.at].ttl - 1; }
            5: { hdr.mpls.pop_front(2); }
            6: {
                meta.saved = hdr.mpls;
                hdr.mpls[2] = meta.saved[0];
                hdr.mpls[0] = meta.saved[2];
            }
            7: { hdr.mpls[meta.at].setInvalid(); }
            8: { if (hdr.mpls[0] == hdr.mpls[1]) { hdr.payload.result = 0xe9; } }
            9: { hdr.mpls[meta.at] = { 0x12345, 1, 0, 9 }; }
            10: { if (hdr.mpls[meta.at].isValid()) { hdr.payload.result = 1; } else { hdr.payload.result = 2; } }
            default: { hdr.payload.result = (bit<16>)hdr.mpls.size; }
        }
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        b.emit(hdr.ethernet);
        b.emit(hdr.mpls);
        b.emit(hdr.payload);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
