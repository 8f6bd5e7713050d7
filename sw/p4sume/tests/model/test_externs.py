# SPDX-License-Identifier: Apache-2.0
"""The twins of P4-NetFPGA's stock externs against oracles written from the fact sheet (sume.md, A6).

Random requests that often meet the same register; every operation code and relation, and unknown ones.
"""

import pytest

from p4sume.model.library import ModelRefusedError
from p4sume.tests.model.support import model_of_file, rng

READ, WRITE, ADD, SUB, NULL, READ_WRITE, ADD_SAT, SUB_SAT = range(8)
EQ, NEQ, GT, LT = range(4)
ONES = (1 << 32) - 1
REQUESTS = 1500

REQUEST = [
    ("index", 4),
    ("index_1", 4),
    ("index_2", 4),
    ("index_comp", 4),
    ("new_value", 32),
    ("new_value_1", 32),
    ("increment", 32),
    ("increment_1", 32),
    ("code", 8),
    ("code_1", 8),
    ("compared", 32),
    ("relation", 8),
    ("data", 104),
    ("ipv4", 160),
]
RESULT = [
    ("reg_rw", 32),
    ("reg_raw", 32),
    ("reg_praw", 32),
    ("reg_praw_boolean", 8),
    ("reg_ifElseRaw", 32),
    ("reg_ifElseRaw_boolean", 8),
    ("reg_sub", 32),
    ("wide", 104),
    ("lrc", 8),
    ("wide_lrc", 72),
    ("timestamp", 16),
    ("ip_chksum", 16),
]


def pack(fields, values):
    number = 0
    for name, width in fields:
        number = number << width | values[name]
    return number.to_bytes(sum(w for _, w in fields) // 8, "big")


def unpack(fields, data):
    number, found = int.from_bytes(data, "big"), {}
    for name, width in reversed(fields):
        found[name] = number & ((1 << width) - 1)
        number >>= width
    return found


def compare(relation, a, b):
    return {EQ: a == b, NEQ: a != b, GT: a > b, LT: a < b}.get(relation, False)


class Registers(dict):
    def __missing__(self, index):
        return 0


def reg_rw(state, index, new, code):
    old = state[index]
    if code in (WRITE, READ_WRITE):
        state[index] = new
    return {READ: old, WRITE: new, READ_WRITE: old}.get(code, 0)


def after(code, old, new, inc):
    """What a register holds afterwards."""
    return {
        WRITE: new,
        READ_WRITE: new,
        ADD: (old + inc) & ONES,
        SUB: (old - inc) & ONES,
        ADD_SAT: min(old + inc, ONES),
        SUB_SAT: max(old - inc, 0),
    }.get(code, old)


def reg_raw(state, index, new, inc, code):
    old = state[index]
    state[index] = after(code, old, new, inc)
    if code in (READ, READ_WRITE):
        return old
    return state[index] if code in (WRITE, ADD, SUB, ADD_SAT, SUB_SAT) else 0


def reg_praw(state, index, new, inc, code, compared, relation):
    if not compare(relation, compared, state[index]):
        return state[index], 0
    return reg_raw(state, index, new, inc, code), 1


def if_else(state, q):
    first = compare(q["relation"], q["compared"], state[q["index_comp"]])
    end = "_1" if first else ""
    index = q["index_1"] if first else q["index_2"]
    state[index] = after(q["code" + end], state[index], q["new_value" + end], q["increment" + end])
    return state[index], int(first)


def lrc(data, width):
    result = 0
    while data:
        result ^= data & ((1 << width) - 1)
        data >>= width
    return result


def ip_chksum(header):
    total = sum(header >> 16 * i & 0xFFFF for i in range(10))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@pytest.fixture(scope="module")
def model():
    return model_of_file("externs")


def random_request(random):
    q = {name: random.getrandbits(width) for name, width in REQUEST}
    for name in ("index", "index_1", "index_2", "index_comp"):
        q[name] = random.choice([3, 3, 4, q[name]])
    for name in ("new_value", "increment", "new_value_1", "increment_1", "compared"):
        q[name] = random.choice([0, 1, 2, ONES, q[name]])
    for name in ("code", "code_1"):
        q[name] = random.choice([*range(9), q[name]])
    q["relation"] = random.choice([EQ, NEQ, GT, LT, 4, q["relation"]])
    return q


def test_twins_agree_with_their_oracles(model):
    random = rng("externs")
    model.reset()
    rw, raw, praw, either, sub, wide = (Registers() for _ in range(6))
    for cycle in range(0, 50 * REQUESTS, 50):
        q = random_request(random)
        i, new, inc, code = q["index"], q["new_value"], q["increment"], q["code"]
        wanted = {
            "reg_rw": reg_rw(rw, i, new, code),
            "reg_raw": reg_raw(raw, i, new, inc, code),
            "reg_sub": if_else(sub, q)[0],
            "wide": reg_rw(wide, i & 3, q["data"] & ((1 << 100) - 1), code),
            "lrc": lrc(q["data"], 5),
            "wide_lrc": lrc(q["data"], 72),
            "timestamp": cycle & 0xFFFF,
            "ip_chksum": ip_chksum(q["ipv4"]),
        }
        wanted["reg_praw"], wanted["reg_praw_boolean"] = reg_praw(praw, i, new, inc, code, q["compared"], q["relation"])
        wanted["reg_ifElseRaw"], wanted["reg_ifElseRaw_boolean"] = if_else(either, q)
        sent = model.process(pack(REQUEST, q), cycle=cycle)
        assert unpack(RESULT, sent.packet) == wanted, q
    for name, state in (("plain_reg_rw", rw), ("adding_reg_raw", raw), ("taking_reg_sub", sub)):
        assert [model.read_register(name, n) for n in range(16)] == [state[n] for n in range(16)]
    assert model.counters()["extern.TopPipe.tested_reg_praw"] == REQUESTS


def test_checksum_of_a_known_header(model):
    # RFC 1071's sum over the header of RFC 791's appendix A form: 4500 0073 0000 4000 4011 0000 c0a8 0001 c0a8 00c7.
    q = {name: 0 for name, _ in REQUEST} | {"ipv4": 0x4500007300004000401100_00C0A80001C0A800C7}
    assert unpack(RESULT, model.process(pack(REQUEST, q)).packet)["ip_chksum"] == 0xB861


def test_registers_are_read_and_written_by_the_control_plane(model):
    model.reset()
    model.write_register("TopPipe.wide_reg_rw", 3, (1 << 100) - 2)
    assert model.read_register("wide_reg_rw", 3) == (1 << 100) - 2
    q = {name: 0 for name, _ in REQUEST} | {"index": 3}
    assert unpack(RESULT, model.process(pack(REQUEST, q)).packet)["wide"] == (1 << 100) - 2
    with pytest.raises(ModelRefusedError):
        model.write_register("wide_reg_rw", 4, 0)
    with pytest.raises(ModelRefusedError):
        model.write_register("wide_reg_rw", 0, 1 << 100)
    model.reset()
    assert model.read_register("wide_reg_rw", 3) == 0
