// SPDX-License-Identifier: Apache-2.0
// Control flow: exit and return, functions with out and inout, actions that call actions, sub-controls, effects in
// conditions, variables in blocks.
#include <core.p4>
#include <sume_switch.p4>

header h_t { bit<8> op; bit<8> a; bit<8> b; bit<8> c; }
struct headers_t { h_t h; h_t extra; }
struct meta_t { bit<8> x; bit<8> y; bool seen; }
struct digest_t { bit<248> unused; bit<8> trace; }

parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {
    state start {
        p.extract(hdr.h);
        meta.x = hdr.h.a;
        if (hdr.h.op == 0) { meta.y = 1; } else { meta.y = 2; meta.seen = true; }
        transition accept;
    }
}

bit<8> clamp(in bit<8> value, in bit<8> most) {
    if (value > most) { return most; }
    return value;
}

bool take(inout bit<8> left, out bit<8> taken) {
    taken = left & 3;
    left = left - taken;
    if (taken == 0) { return false; }
    return true;
}

void twice(inout bit<8> x, in bit<8> times) {
    if (times == 0) { return; }
    x = x + x;
    if (times == 1) { return; }
    x = x + 1;
}

control Counter(inout bit<8> count, in bit<8> step) {
    bit<8> old = count;
    action bump(in bit<8> by) { count = old + by; }
    apply {
        if (step == 9) { return; }
        bump(step);
        if (step == 8) { count = 0x88; exit; }
    }
}

control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    Counter() counter;
    Counter() again;
    bit<8> got;
    action mark(bit<8> with) { digest.trace = digest.trace | with; }
    action leave() { mark(0x80); exit; }
    action choose() {
        if (hdr.h.b == 0) { mark(1); return; }
        mark(2);
        hdr.h.c = 0x77;
    }
    apply {
        sume.dst_port = 4;
        if (hdr.h.op == 1) { leave(); }
        choose();
        hdr.h.a = clamp(hdr.h.a, 100);
        if (take(hdr.h.b, got) && take(hdr.h.c, got)) { mark(4); }
        if (hdr.h.op == 2 || take(meta.x, got)) { mark(8); }
        meta.y = hdr.h.op == 3 ? clamp(got, 1) : meta.y;
        twice(hdr.h.c, hdr.h.op);
        counter.apply(hdr.h.a, hdr.h.op);
        if (hdr.h.op > 4) {
            bit<8> local = hdr.h.a;
            again.apply(hdr.h.b, local);
            if (hdr.h.b[0:0] == 1) { bit<8> local2 = local + 1; hdr.h.c = local2; }
        } else {
            bit<8> local = 5;
            hdr.h.c = hdr.h.c ^ local;
        }
        hdr.extra.b = 1;
        if (hdr.h.a[0:0] == 1) {
            hdr.extra.setValid();
            hdr.extra.a = meta.x;
            if (hdr.h.a[1:1] == 1) { hdr.extra.op = meta.y; } else { exit; }
        }
        hdr.extra.c = 0x33;
        if (hdr.extra.isValid() && !hdr.extra.isValid()) { mark(0x40); }
        if (!hdr.extra.isValid()) { hdr.h.c = hdr.extra.c; return; }
        hdr.extra.b = hdr.extra.b + 7;
        if (meta.seen) { hdr.h.setInvalid(); hdr.h.setValid(); }
    }
}

control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {
    apply {
        if (hdr.h.op == 6) {
            p.emit(hdr.extra);
            p.emit(hdr.h);
            return;
        }
        p.emit(hdr.h);
        if (hdr.h.op != 7) { p.emit(hdr.extra); }
        sume.nf0_q_size = (bit<16>)meta.x;
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
