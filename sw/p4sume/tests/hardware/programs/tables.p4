// SPDX-License-Identifier: Apache-2.0
// Tables of every kind of match, const entries, defaults with arguments, keyless tables, hit, miss and action_run.
#include <core.p4>
#include <sume_switch.p4>

header key_t { bit<8> a; bit<8> b; bit<16> c; bit<32> d; }
struct headers_t { key_t k; }
struct meta_t { bit<8> x; bit<8> y; bit<16> z; }
struct digest_t { bit<192> unused; bit<16> log; bit<48> more; }
struct pair_t { bit<4> high; bit<4> low; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start { p.extract(hdr.k); transition accept; }
}

control Inner(inout bit<8> value, inout bit<16> log) {
    action set(bit<8> to) { value = to; log = log + 0x100; }
    table small {
        key = { value: exact; }
        actions = { set; @defaultonly NoAction; }
        const entries = { 1: set(0x11); 2: set(0x22); 0x80: set(0x33); }
    }
    apply { small.apply(); }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    Inner() inner;
    action set_x(bit<8> x, @name("why") bit<8> y) { meta.x = x; meta.y = y; }
    action set_z(bit<16> z) { meta.z = z; }
    action add(inout bit<16> to, in bit<8> from, bit<4> shift) { to = to + ((bit<16>)from << shift); }
    action stop() { digest.log = digest.log | 0x8000; exit; }
    @name("exact.one") table one {
        key = { hdr.k.a: exact; hdr.k.b[3:0]: exact @name("low"); }
        actions = { set_x; set_z; NoAction; }
        default_action = set_x(0xaa, 1);
        size = 16;
    }
    table two {
        key = { hdr.k.d: lpm; hdr.k.a: exact; }
        actions = { set_z; add(digest.log, hdr.k.a); stop; }
        const default_action = add(digest.log, hdr.k.a, 1);
        size = 32;
    }
    table three {
        key = { hdr.k.c: ternary; hdr.k.isValid(): exact; }
        actions = { set_x; set_z; stop; }
        default_action = stop;
    }
    table four {
        key = { hdr.k.c: range; }
        actions = { set_z; NoAction; }
    }
    table keyless {
        actions = { add(digest.log, hdr.k.b); NoAction; }
        const default_action = add(digest.log, hdr.k.b, 2);
    }
    table prefixes {
        key = { hdr.k.d: lpm; }
        actions = { set_z; NoAction; }
        default_action = set_z(9);
        const entries = {
            0x0a000000 &&& 0xff000000: set_z(1);
            0x0a010000 &&& 0xffff0000: set_z(2);
            0x0a010203: set_z(3);
            _: NoAction();
        }
    }
    table sets {
        key = { hdr.k.a: ternary; hdr.k.c: range; }
        actions = { set_x; stop; NoAction; }
        const entries = {
            (0x10 &&& 0xf0, 0 .. 99): set_x(1, 2);
            (0x11, _): stop();
            (_, 50 .. 60): set_x(3, 4);
            (0x20 &&& 0x30, 64 .. 127): set_x(5, 6);
        }
    }
    apply {
        sume.dst_port = 1;
        bool hit = one.apply().hit;
        if (hit) { digest.log = digest.log + 1; }
        if (two.apply().miss) { digest.log = digest.log + 2; }
        switch (four.apply().action_run) {
            set_z: { digest.log = digest.log + 4; }
            NoAction: { digest.more = 7; }
        }
        if (hdr.k.a[7:7] == 1) {
            switch (three.apply().action_run) {
                set_x:
                set_z: { digest.log = digest.log + 8; }
                default: { digest.log = digest.log + 16; }
            }
        } else if (prefixes.apply().hit) {
            digest.log = digest.log + 32;
        }
        digest.more[47:16] = meta.z ++ meta.x ++ meta.y;
        switch (sets.apply().action_run) {
            set_x: { digest.more[1:0] = 1; }
            NoAction: { digest.more[1:0] = 2; }
        }
        if (keyless.apply().hit) { digest.log = 0; }
        inner.apply(hdr.k.b, digest.log);
        digest.more[15:8] = meta.x;
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply { p.emit(hdr.k); }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
