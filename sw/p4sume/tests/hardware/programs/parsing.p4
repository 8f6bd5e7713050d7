// SPDX-License-Identifier: Apache-2.0
// Parsers: sub-parsers, lookahead, advance, varbit, skipped headers, masks, ranges and tuples, errors of every kind.
#include <core.p4>
#include <sume_switch.p4>

error { BadVersion, BadPadding }

header first_t { bit<8> kind; bit<4> version; bit<4> words; bit<16> value; }
header option_t { bit<8> type; bit<8> length; varbit<64> data; }
header tail_t { bit<16> a; bit<16> b; }
header skipped_t { bit<24> nothing; }
struct look_t { bit<4> high; bit<4> low; bit<8> next; }
struct headers_t { first_t first; option_t[2] options; tail_t inner; tail_t outer; first_t again; }
struct meta_t { bit<8> seen; bit<16> sum; look_t look; }
struct digest_t { bit<240> unused; bit<16> sum; }

parser Tail(packet_in p, out tail_t tail, inout meta_t meta, in bit<8> mark) {
    bit<16> local = 0x100;
    state start {
        local = local + (bit<16>)mark;
        p.extract(tail);
        meta.sum = meta.sum + local + tail.a;
        transition select(tail.b) {
            0xdead: reject;
            0 .. 0x7fff: accept;
            0x8000 &&& 0xf000: more;
            default: accept;
        }
    }
    state more {
        p.advance(8);
        meta.seen = meta.seen | 0x10;
        transition accept;
    }
}

parser Options(packet_in p, inout headers_t hdr, inout meta_t meta) {
    state start {

        bit<16> head = p.lookahead<bit<16>>();
        transition select(head[15:8], head[7:0]) {
            (0, _): skip;
            (_, 1 .. 9): option;
            (7, default): reject;
        }
    }
    state option {
        bit<16> head = p.lookahead<bit<16>>();
        p.extract(hdr.options.next, (bit<32>)(head[3:0] - 1) << 3);
        transition select(hdr.options.last.type[0:0]) {
            1: start;
            0: accept;
        }
    }
    state skip {
        p.extract<skipped_t>(_);
        transition accept;
    }
}

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    Tail() inner_tail;
    Tail() outer_tail;
    Options() options;
    state start {
        p.extract(hdr.first);
        verify(hdr.first.version == 4, error.BadVersion);
        meta.look = p.lookahead<look_t>();
        verify(hdr.first.words < 12 || meta.look.high == 0, error.BadPadding);
        transition select(hdr.first.kind, hdr.first.value) {
            (1, _): inner;
            (2, 0x10 .. 0x1f): by_words;
            (2, 5): accept;
            (3 &&& 0xf3, 0xff00 &&& 0xff00): twice;
            (4, _): conditional;
            (8, _): with_options;
        }
    }
    state inner {
        inner_tail.apply(p, hdr.inner, meta, 3);
        transition select(hdr.inner.a) {
            1: twice;
            default: accept;
        }
    }
    state twice {
        inner_tail.apply(p, hdr.inner, meta, 5);
        outer_tail.apply(p, hdr.outer, meta, hdr.first.kind);
        meta.seen = meta.seen | 2;
        transition accept;
    }
    state by_words {
        p.advance((bit<32>)hdr.first.words << 5);
        p.extract(hdr.outer);
        transition accept;
    }
    state conditional {
        if (hdr.first.value[0:0] == 1) {
            p.extract(hdr.inner);
            if (hdr.inner.a == 0) { p.extract(hdr.outer); } else { meta.seen = 0x40; }
        } else {
            p.advance(16);
        }
        p.extract(hdr.again);
        transition accept;
    }
    state with_options {
        options.apply(p, hdr, meta);
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        sume.dst_port = 1;
        sume.nf0_q_size = (bit<16>)meta.seen;
        sume.nf1_q_size = meta.look.next ++ meta.look.high ++ meta.look.low;
        digest.sum = meta.sum;
        if (hdr.first.value == 0xff77) { hdr.options[0].setInvalid(); hdr.outer.setValid(); }
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
