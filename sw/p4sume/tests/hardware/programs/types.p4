// SPDX-License-Identifier: Apache-2.0
// Types: enums with and without bits, tuples, structs in structs, comparison and assignment of wholes, unions, slices
// that are assigned, generic functions, new types.
#include <core.p4>
#include <sume_switch.p4>

enum bit<8> Kind { plain = 1, boxed = 2, nested = 0x80 }
enum Colour { red, green, blue }
type bit<16> port_number_t;

header kind_t { Kind kind; bit<8> n; port_number_t port; bool flag; bit<7> rest; }
header small_t { bit<8> a; bit<8> b; }
header large_t { bit<16> a; bit<16> b; bit<16> c; }
header_union body_t { small_t small; large_t large; }
struct point_t { bit<8> x; bit<8> y; }
struct box_t { point_t low; point_t high; Colour colour; }
struct headers_t { kind_t k; body_t body; small_t copy; }
struct meta_t { box_t box; tuple<bit<8>, bit<4>> pair; Colour colour; error problem; }
struct digest_t { bit<192> unused; bit<64> log; }

const small_t FIXED = { 0x5a, 0xa5 };
const point_t[2] CORNERS = { { 1, 2 }, { 3, 4 } };
const tuple<bit<8>, bool> PAIR = { 7, true };
const bit<8> SUM = 3 + 4;

point_t turned(in point_t p) { return { p.y, p.x }; }

T first<T>(in T x, in T y) { return x; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        p.extract(hdr.k);
        transition select(hdr.k.kind) {
            Kind.plain: small;
            Kind.boxed: large;
            Kind.nested: accept;
        }
    }
    state small { p.extract(hdr.body.small); transition accept; }
    state large { p.extract(hdr.body.large); transition accept; }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    action turn(Colour c) { meta.colour = c; }
    apply {
        sume.dst_port = 1;
        box_t box = { { hdr.k.n, 2 }, { 3, 4 }, Colour.green };
        point_t other = { y = 4, x = 3 };
        meta.pair = { hdr.k.n, 5 };
        tuple<bit<8>, bit<4>> second = meta.pair;
        if (box.high == other) { digest.log[0:0] = 1; }
        if (box.low == box.high) { digest.log[1:1] = 1; }
        if (second == meta.pair) { digest.log[2:2] = 1; }
        digest.log[15:8] = second[0] + (bit<8>)second[1];
        meta.problem = error.NoMatch;
        if (meta.problem == error.NoMatch) { digest.log[3:3] = 1; }
        if (hdr.k.n == 7) { turn(Colour.blue); }
        switch (meta.colour) {
            Colour.red: { digest.log[5:4] = 1; }
            Colour.blue: { digest.log[5:4] = 2; }
        }
        if (hdr.k.port == (port_number_t)16w80) { hdr.k.kind = Kind.boxed; }
        if (hdr.k.kind == Kind.boxed) { digest.log[6:6] = 1; }
        digest.log[23:16] = (bit<8>)hdr.k.kind;
        digest.log[31:24] = first(hdr.k.n, 8w1);
        if (hdr.k.flag) {
            if (hdr.body.small.isValid()) {
                hdr.copy = hdr.body.small;
                hdr.body.large.setValid();
                hdr.body.large.a = 0x1234;
            } else if (hdr.body.isValid()) {
                hdr.body.small = { 1, 2 };
            }
        }
        if (hdr.k.n == 9) { hdr.copy = { a = 8, b = hdr.k.n }; }
        if (hdr.k.n == 10) { hdr.copy = {#}; hdr.copy.a = 3; }
        if (hdr.copy == hdr.body.small) { digest.log[7:7] = 1; }
        if (hdr.k.n == 11) { hdr.body.large = {#}; }
        box.low.x = box.high.y;
        box.low.y[3:0] = 0xf;
        meta.box = box;
        digest.log[47:32] = meta.box.low.x ++ meta.box.low.y;
        if (hdr.k.n == 12) {
            hdr.copy = FIXED;
            meta.box.high = turned({ hdr.k.n, 3 });
            digest.log[63:56] = turned(meta.box.high).x + SUM;
            digest.log[55:48] = PAIR[0] + (bit<8>)(bit<1>)PAIR[1] + (+hdr.k.n);
        }
        if (hdr.k.n == 13) {
            meta.box = { low = { 1, 2 }, high = { x = 5, y = 6 }, colour = Colour.blue };
            meta.box = { { 9, ... }, { hdr.k.n, 6 }, Colour.green };
            digest.log[63:48] = meta.box.low.x ++ meta.box.high.x + (bit<16>)meta.box.low.y;
            hdr.copy = { a = meta.box.high.x, ... };
        }
        if (hdr.k.n == 14) {
            digest.log[63:56] = (hdr.k.flag ? meta.box.low : { 1, hdr.k.n }).y;
            digest.log[51:48] = hdr.k.n[hdr.k.rest[2:0]+:4];
        }
        hdr.k.flag = !hdr.k.flag;
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
