// SPDX-License-Identifier: Apache-2.0
// Header stacks and unions in a parser: next, last, lastIndex, structs that are emitted whole, a loop with an end.
#include <core.p4>
#include <sume_switch.p4>

header item_t {
    bit<8> kind;
    bit<8> value;
}

header wide_t {
    bit<8>  kind;
    bit<24> value;
}

header count_t {
    bit<8> count;
}

header text_t {
    bit<8>     kind;
    bit<8>     bits;
    varbit<32> text;
}

header_union any_t {
    item_t item;
    wide_t wide;
}

struct headers_t {
    count_t   count;
    any_t[4]  any;
    item_t[2] tail;
    text_t    text;
    any_t     once;
}

struct user_metadata_t {
    bit<32> last;
    bit<8>  left;
}

struct digest_data_t {
    bit<256> unused;
}

parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t meta, out digest_data_t digest,
                 inout sume_metadata_t sume) {
    state start {
        b.extract(hdr.count);
        meta.left = hdr.count.count;
        transition next;
    }
    state next {
        transition select(meta.left, b.lookahead<bit<8>>()) {
            (0, _): tail;
            (_, 1): item;
            (_, 2): wide;
            (_, 3): both;
            (_, 4): skip;
            (_, 5): text;
            (_, 0xf0 .. 0xff): forever;
        }
    }
    state item {
        b.extract(hdr.any.next.item);
        meta.left = meta.left - 1;
        transition next;
    }
    state wide {
        b.extract(hdr.any.next.wide);
        meta.left = meta.left - 1;
        transition next;
    }
    // The second member takes the place of the first.
    state both {
        b.extract(hdr.once.item);
        b.extract(hdr.once.wide);
        meta.left = meta.left - 1;
        transition next;
    }
    state skip {
        b.advance((bit<32>)b.lookahead<bit<16>>()[7:0]);
        meta.left = meta.left - 1;
        transition next;
    }
    state text {
        b.extract(hdr.text, (bit<32>)b.lookahead<bit<16>>()[7:0]);
        meta.left = meta.left - 1;
        transition next;
    }
    state forever {
        transition forever;
    }
    state tail {
        b.extract(hdr.tail.next);
        b.extract<count_t>(_);
        transition accept;
    }
}
control TopPipe(inout headers_t hdr, inout user_metadata_t meta, inout digest_data_t digest,
                inout sume_metadata_t sume) {
    apply {
        sume.dst_port = 1;
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t meta, inout digest_data_t digest,
                    inout sume_metadata_t sume) {
    apply {
        b.emit(hdr);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
