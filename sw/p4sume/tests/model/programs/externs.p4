// SPDX-License-Identifier: Apache-2.0
// Every stock extern of P4-NetFPGA once, its arguments from the packet and its results into it.
#include <core.p4>
#include <sume_switch.p4>

extern void plain_reg_rw(in bit<4> index, in bit<32> newVal, in bit<8> opCode, out bit<32> result);
extern void adding_reg_raw(in bit<4> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                           out bit<32> result);
extern void tested_reg_praw(in bit<4> index, in bit<32> newVal, in bit<32> incVal, in bit<8> opCode,
                            in bit<32> compVal, in bit<8> relOp, out bit<32> result, out bit<1> boolean);
extern void either_reg_ifElseRaw(in bit<4> index_2, in bit<32> newVal_2, in bit<32> incVal_2, in bit<8> opCode_2,
                                 in bit<4> index_1, in bit<32> newVal_1, in bit<32> incVal_1, in bit<8> opCode_1,
                                 in bit<4> index_comp, in bit<32> compVal, in bit<8> relOp,
                                 out bit<32> result, out bit<1> boolean);
extern void taking_reg_sub(in bit<4> index_2, in bit<32> newVal_2, in bit<32> incVal_2, in bit<8> opCode_2,
                           in bit<4> index_1, in bit<32> newVal_1, in bit<32> incVal_1, in bit<8> opCode_1,
                           in bit<4> index_comp, in bit<32> compVal, in bit<8> relOp, out bit<32> result);
extern void wide_reg_rw(in bit<2> index, in bit<100> newVal, in bit<8> opCode, out bit<100> result);
extern void hash_lrc(in bit<104> in_data, out bit<5> result);
extern void hash_wide_lrc(in bit<104> in_data, out bit<72> result);
extern void time_timestamp(in bit<1> valid, out bit<16> result);
extern void compute_ip_chksum(in bit<4> version, in bit<4> ihl, in bit<8> tos, in bit<16> totalLen,
                              in bit<16> identification, in bit<3> flags, in bit<13> fragOffset, in bit<8> ttl,
                              in bit<8> protocol, in bit<16> hdrChecksum, in bit<32> srcAddr, in bit<32> dstAddr,
                              out bit<16> result);

header request_t {
    bit<4>   index;
    bit<4>   index_1;
    bit<4>   index_2;
    bit<4>   index_comp;
    bit<32>  new_value;
    bit<32>  new_value_1;
    bit<32>  increment;
    bit<32>  increment_1;
    bit<8>   code;
    bit<8>   code_1;
    bit<32>  compared;
    bit<8>   relation;
    bit<104> data;
    bit<160> ipv4;
}

header result_t {
    bit<32>  reg_rw;
    bit<32>  reg_raw;
    bit<32>  reg_praw;
    bit<8>   reg_praw_boolean;
    bit<32>  reg_ifElseRaw;
    bit<8>   reg_ifElseRaw_boolean;
    bit<32>  reg_sub;
    bit<104> wide;
    bit<8>   lrc;
    bit<72>  wide_lrc;
    bit<16>  timestamp;
    bit<16>  ip_chksum;
}

struct headers_t {
    request_t q;
    result_t  r;
}

struct user_metadata_t {
    bit<8> unused;
}

struct digest_data_t {
    bit<256> unused;
}

parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t meta, out digest_data_t digest,
                 inout sume_metadata_t sume) {
    state start {
        b.extract(hdr.q);
        transition accept;
    }
}

control TopPipe(inout headers_t hdr, inout user_metadata_t meta, inout digest_data_t digest,
                inout sume_metadata_t sume) {
    apply {
        bit<1> boolean;
        bit<100> wide;
        bit<5> lrc;
        sume.dst_port = 1;
        hdr.r.setValid();
        plain_reg_rw(hdr.q.index, hdr.q.new_value, hdr.q.code, hdr.r.reg_rw);
        adding_reg_raw(hdr.q.index, hdr.q.new_value, hdr.q.increment, hdr.q.code, hdr.r.reg_raw);
        tested_reg_praw(hdr.q.index, hdr.q.new_value, hdr.q.increment, hdr.q.code, hdr.q.compared, hdr.q.relation,
                        hdr.r.reg_praw, boolean);
        hdr.r.reg_praw_boolean = (bit<8>)boolean;
        either_reg_ifElseRaw(hdr.q.index_2, hdr.q.new_value, hdr.q.increment, hdr.q.code,
                             hdr.q.index_1, hdr.q.new_value_1, hdr.q.increment_1, hdr.q.code_1,
                             hdr.q.index_comp, hdr.q.compared, hdr.q.relation, hdr.r.reg_ifElseRaw, boolean);
        hdr.r.reg_ifElseRaw_boolean = (bit<8>)boolean;
        taking_reg_sub(hdr.q.index_2, hdr.q.new_value, hdr.q.increment, hdr.q.code,
                       hdr.q.index_1, hdr.q.new_value_1, hdr.q.increment_1, hdr.q.code_1,
                       hdr.q.index_comp, hdr.q.compared, hdr.q.relation, hdr.r.reg_sub);
        wide_reg_rw(hdr.q.index[1:0], hdr.q.data[99:0], hdr.q.code, wide);
        hdr.r.wide = (bit<104>)wide;
        hash_lrc(hdr.q.data, lrc);
        hdr.r.lrc = (bit<8>)lrc;
        hash_wide_lrc(hdr.q.data, hdr.r.wide_lrc);
        time_timestamp(1, hdr.r.timestamp);
        compute_ip_chksum(hdr.q.ipv4[159:156], hdr.q.ipv4[155:152], hdr.q.ipv4[151:144], hdr.q.ipv4[143:128],
                          hdr.q.ipv4[127:112], hdr.q.ipv4[111:109], hdr.q.ipv4[108:96], hdr.q.ipv4[95:88],
                          hdr.q.ipv4[87:80], hdr.q.ipv4[79:64], hdr.q.ipv4[63:32], hdr.q.ipv4[31:0],
                          hdr.r.ip_chksum);
    }
}

control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t meta, inout digest_data_t digest,
                    inout sume_metadata_t sume) {
    apply {
        b.emit(hdr.r);
    }
}

SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
