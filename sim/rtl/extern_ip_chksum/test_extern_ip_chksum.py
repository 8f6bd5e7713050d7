# SPDX-License-Identifier: Apache-2.0
"""extern_ip_chksum

- Random headers, a header every cycle, and headers that are all zeros, all ones, or make each carry there is: the
  result, exactly LATENCY_CYCLES later, is the checksum of the header's 20 bytes by RFC 1071, computed on bytes.
- The header of RFC 1071's kind that textbooks compute by hand has the checksum they give.
- A header with its right checksum in it gives zero.
- Each parameter check fires.
"""

import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from bench import runner
from bench.stream import parameters

FIELDS = {
    "version": 4, "ihl": 4, "tos": 8, "totalLen": 16, "identification": 16, "flags": 3, "fragOffset": 13, "ttl": 8,
    "protocol": 8, "hdrChecksum": 16, "srcAddr": 32, "dstAddr": 32,
}  # fmt: skip
CHECKSUM_AT = 10  # byte of the header


def checksum(header: bytes) -> int:
    """RFC 1071, 4.1: the sum of the 16-bit words, the carries added to it, inverted."""
    total = 0
    for at in range(0, len(header), 2):
        total += header[at] * 256 + header[at + 1]
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def fields(header: bytes) -> dict[str, int]:
    rest, place = int.from_bytes(header, "big"), 160
    found = {}
    for name, bits in FIELDS.items():
        place -= bits
        found[name] = rest >> place & (1 << bits) - 1
    return found


def with_checksum(header: bytes, value: int) -> bytes:
    return header[:CHECKSUM_AT] + value.to_bytes(2, "big") + header[CHECKSUM_AT + 2 :]


@cocotb.test()
async def the_result_is_the_internet_checksum(dut):
    latency = parameters()["LATENCY_CYCLES"]
    Clock(dut.clk, 5, "ns").start()
    dut.rst.value = 1
    for _ in range(3):
        await RisingEdge(dut.clk)
    dut.rst.value = 0
    textbook = bytes.fromhex("4500 0073 0000 4000 4011 0000 c0a8 0001 c0a8 00c7")
    assert checksum(textbook) == 0xB861
    sums = [
        bytes(2 * i) + b"\xff\xff" * count + bytes(20 - 2 * i - 2 * count) for i in range(10) for count in range(11 - i)
    ]
    drawn = [random.randbytes(20) for _ in range(200)]
    ends = [b"\xff\xff" * 8 + word.to_bytes(2, "big") + b"\x00\x01" for word in (0, 7, 8, 9, 0xFFF6, 0xFFF7, 0xFFF8)]
    headers = [textbook, with_checksum(textbook, 0xB861), *sums, *drawn, *ends]
    headers += [with_checksum(h, checksum(with_checksum(h, 0))) for h in drawn[:20]]
    expected = deque([None] * latency)
    zeros = 0
    for header in [*headers, *([bytes(20)] * latency)]:
        for name, value in fields(header).items():
            getattr(dut, name).value = value
        dut.input_valid.value = random.randrange(2)
        expected.append(checksum(header))
        await RisingEdge(dut.clk)
        right = expected.popleft()
        if right is not None:
            assert int(dut.result_result.value) == right
            zeros += right == 0
    assert zeros > 20


@pytest.mark.parametrize("parameters", [{}, {"LATENCY_CYCLES": 7}], ids=str)
def test_extern_ip_chksum(parameters):
    runner.run("extern_ip_chksum", parameters, packed=False)


def test_extern_ip_chksum_refuses():
    runner.refuses("extern_ip_chksum", {"LATENCY_CYCLES": 2}, "LATENCY_CYCLES must be 3 or more")
