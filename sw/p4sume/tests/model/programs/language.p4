// SPDX-License-Identifier: Apache-2.0
// One rule of the language for each value of `op`: what it does with `a` and `b` goes into `r`.
#include <core.p4>
#include <sume_switch.p4>

header request_t {
    bit<8>  op;
    bit<8>  a;
    bit<8>  b;
    bit<32> r;
}

header small_t {
    bit<8> x;
    bit<8> y;
}

header_union either_t {
    small_t   first;
    request_t second;
}

enum Colour { RED, GREEN, BLUE }
enum bit<4> Code { ONE = 1, SEVEN = 7 }

struct pair_t {
    bit<8> x;
    bit<8> y;
}

struct box_t<T> {
    T      value;
    bit<8> tag;
}

struct headers_t {
    request_t request;
    small_t   small;
    small_t[3] many;
    either_t  either;
}

struct user_metadata_t {
    bit<8> unused;
}

struct digest_data_t {
    bit<256> unused;
}

const bit<8> TWENTY = 20;

parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t meta, out digest_data_t digest,
                 inout sume_metadata_t sume) {
    state start {
        b.extract(hdr.request);
        transition accept;
    }
}

// The caller's variable changes when the function returns, and not before.
bit<8> swap_and_count(inout bit<8> left, inout bit<8> right) {
    bit<8> kept = left;
    left = right;
    right = kept;
    return left + 1;
}

void both(out bit<8> first, out bit<8> second) {
    first = 1;
    second = 2;
}

void apart(inout bit<8> left, inout bit<8> right) {
    left = left + 1;
    right = right + 10;
}

void leaves_it(out bit<8> value) {
}

T larger<T>(in bit<8> left, in bit<8> right, in T first, in T second) {
    if (left > right) {
        return first;
    }
    return second;
}

bit<8> early(in bit<8> value) {
    if (value == 1) {
        return 10;
    }
    bit<8> result = value;
    if (value == 2) {
        result = result + 40;
        return result;
    }
    return 0xff;
}

control Adder(inout bit<8> value)(bit<8> step) {
    apply {
        if (value > 100) {
            return;
        }
        value = value + step;
        if (value == 50) {
            exit;
        }
        value = value + step;
    }
}

control Forgetful(out bit<8> value) {
    apply {
    }
}

control TopPipe(inout headers_t hdr, inout user_metadata_t meta, inout digest_data_t digest,
                inout sume_metadata_t sume) {
    bit<8> shared = 5;
    bit<8> never_set;
    Adder(3) by_three;
    Adder(7) by_seven;
    Forgetful() forgetful;

    // `shared` is also changed by name while its copy is changed by the parameter; the copy is written back last.
    action alias(inout bit<8> value) {
        value = value + 1;
        shared = 100;
        value = value + shared;
    }

    action swap(inout bit<8> left, inout bit<8> right) {
        bit<8> kept = left;
        left = right;
        right = kept;
    }

    action leave(bit<8> value) {
        hdr.request.r = (bit<32>)value;
        if (value == 9) {
            exit;
        }
        hdr.request.r = hdr.request.r + 1;
    }

    action say(in bit<8> directed, bit<8> free) {
        hdr.request.r = (bit<32>)(directed ++ free);
    }

    action nothing() {
    }

    table chosen {
        key = { hdr.request.a: exact; }
        actions = { say(hdr.request.b); leave; nothing; }
        const entries = {
            1: say(hdr.request.b, 0x11);
            2: leave(2);
            3: leave(9);
            4: nothing();
        }
        const default_action = nothing();
    }

    table keyless {
        actions = { say(7); nothing; }
        default_action = say(7, 0x22);
    }

    apply {
        sume.dst_port = 1;
        bit<8> a = hdr.request.a;
        bit<8> b = hdr.request.b;
        bit<32> r = 0xeeeeeeee;
        switch (hdr.request.op) {
            1: { swap(a, b); r = (bit<32>)(a ++ b); }
            2: { r = (bit<32>)swap_and_count(a, b) << 16 | (bit<32>)(a ++ b); }
            3: { bit<8> v = 77; leaves_it(v); r = (bit<32>)v; }
            4: { alias(shared); r = (bit<32>)shared; }
            5: { r = (bit<32>)larger(a, b, 16w0x1234, 0x5678); }
            6: { r = (bit<32>)early(a); }
            7: { by_three.apply(a); by_seven.apply(a); r = (bit<32>)a; }
            8: { bit<16> v = 0xabcd; v[11:4] = a; v[0:0] = b[7:7]; r = (bit<32>)v; }
            9: { bit<16> v = 0; v[7:0] = a; v[15:8] = v[7:0] + 1; r = (bit<32>)v; }
            10: { r = (bit<32>)never_set; }
            11: { r = (bit<32>)hdr.small.x; hdr.small.x = 9; r = r + (bit<32>)hdr.small.x; }
            12: { hdr.small.setValid(); hdr.small.x = a; hdr.small.setInvalid(); hdr.small.setValid();
                  r = (bit<32>)(hdr.small.x ++ hdr.small.y); hdr.small.setInvalid(); }
            13: { hdr.small = { a, b }; r = hdr.small.isValid() ? (bit<32>)(hdr.small.x ++ hdr.small.y) : 0;
                  small_t other; hdr.small = other; r = r | (hdr.small.isValid() ? 32w1 << 31 : 0); }
            14: { hdr.either.first.setValid(); hdr.either.first.x = a; hdr.either.second.setValid();
                  r[0:0] = (bit<1>)hdr.either.first.isValid(); r[1:1] = (bit<1>)hdr.either.second.isValid();
                  r[2:2] = (bit<1>)hdr.either.isValid(); r[31:3] = 0;
                  hdr.either.second.setInvalid(); r[3:3] = (bit<1>)hdr.either.isValid(); }
            15: { pair_t p = { a, b }; pair_t q = { y = b, x = a }; r = p == q && p != { b, a } ? 32w1 : 2; }
            16: { tuple<bit<8>, bit<16>> t = { a, 0x0102 }; r = (bit<32>)(t[0] ++ t[1]); }
            17: { Colour c; r = c == Colour.RED ? 32w1 : 0; c = Colour.BLUE; r = c == Colour.GREEN ? 32w5 : r; }
            18: { Code c = (Code)a[3:0]; r = c == Code.SEVEN ? 32w70 : (bit<32>)(bit<4>)c; }
            19: { int<8> x = (int<8>)a; int<8> y = (int<8>)b; r = (bit<32>)(bit<8>)(x >> 1) << 8;
                  r = r | (bit<32>)(bit<8>)(x |+| y); r[31:16] = (bit<16>)(int<16>)x; }
            20: { r = (bit<32>)((a |+| b) ++ (a |-| b)); }
            21: { r = (bit<32>)(a << b) << 8 | (bit<32>)(a >> b); }
            22: { chosen.apply(); r = hdr.request.r; }
            23: { if (chosen.apply().hit) { r = 1; } else { r = 2; } }
            24: { switch (chosen.apply().action_run) { say: { r = 10; } leave: { r = 20; } default: { r = 30; } } }
            25: { keyless.apply(); r = hdr.request.r; }
            26: { hdr.many[0] = { 1, 2 }; hdr.many[2] = { 5, 6 }; hdr.many.push_front(1);
                  r = (bit<32>)(hdr.many[0].x ++ hdr.many[1].x ++ hdr.many[2].x);
                  r[24:24] = (bit<1>)hdr.many[1].isValid(); r[25:25] = (bit<1>)hdr.many[0].isValid();
                  hdr.many[0].setInvalid(); hdr.many[1].setInvalid(); }
            27: { hdr.many[0] = { 1, 2 }; hdr.many[1] = { 3, 4 }; hdr.many.pop_front(1);
                  r = (bit<32>)(hdr.many[0].x ++ hdr.many[1].x); hdr.many.pop_front(3); }
            28: { hdr.many[0] = { 7, 8 }; hdr.many[a[1:0]].x = 99;
                  r = (bit<32>)(hdr.many[0].x ++ hdr.many[b[1:0]].x); hdr.many[0].setInvalid(); }
            29: { bit<8> i = 0; r = 0;
                  for (bit<8> k = 0; k < a; k = k + 1) { if (k == 3) { continue; } if (k == 6) { break; }
                      r = r + (bit<32>)k; } }
            30: { r = 0; for (bit<8> k in a .. b) { r = r * 10 + (bit<32>)k; } }
            31: { box_t<bit<16>> v = { 0x0a0b, a }; r = (bit<32>)(v.value ++ v.tag); }
            32: { r = 0; if (a == 1 || early(b) == 0xff) { r = 1; } if (a == 1 && early(b) == 0xff) { r = r | 2; } }
            33:
            34: { r = 0x3334; }
            35: { a += b; a <<= 1; a |= 1; r = (bit<32>)a; }
            36: { bit<16> v = 0; v[a[3:0] +: 4] = 0xf; r = (bit<32>)v << 16 | (bit<32>)((16w0x1234)[b[3:0] +: 8]); }
            37: { r = (bit<32>)TWENTY; }
            38: { bit<128> wide = 1; wide = wide << a; r = (bit<32>)(wide >> 64); }
            39: { r = (bit<32>)(bit<16>)(int<16>)(int<8>)a; }
            40: { { bit<8> a = 5; r = (bit<32>)a; } r = r << 8 | (bit<32>)a; }
            41: { both(a, a); r = (bit<32>)a; }
            42: { apart(a, a); r = (bit<32>)a; }
            43: { r = (bit<32>)larger(a, swap_and_count(a, b), 16w1, 2); }
            44: { forgetful.apply(a); Forgetful.apply(hdr.request.b); r = (bit<32>)(a ++ hdr.request.b); }
            45: { r = (bit<32>)(a + swap_and_count(a, b)); }
            46: { if (a == 1 && swap_and_count(a, b) == 99) { sume.drop = 1; } if (a == 5 || swap_and_count(a, b) == 99) {
                  sume.drop = 2; } r = (bit<32>)(a ++ b); }
            default: { sume.dst_port = 0; }
        }
        hdr.request.r = r;
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t meta, inout digest_data_t digest,
                    inout sume_metadata_t sume) {
    apply {
        b.emit(hdr);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
