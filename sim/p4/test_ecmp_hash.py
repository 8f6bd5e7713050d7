# SPDX-License-Identifier: Apache-2.0
"""The flow hash of ecmp.p4: does it spread flows as an ideal hash would, whatever their pattern and the seed?

The hash is the program's own, read from the model: each bucket leads to a next hop of its own, whose MAC tells. Flows
come in the patterns of real networks (neighbouring addresses and ports, strides, both ends together), where weak
hashes show. Asked are: even buckets (chi-square); two switches with different seeds, also close ones, decide
independently of each other (polarisation), and what collides under one seed does not under the other; each bit of
flow and seed turns each bit of the bucket over half of the time. Bounds are BOUND standard deviations of an ideal
hash. The same questions are asked of a keyed BLAKE2, which has to pass, and of a seeded CRC, which has to fail.
"""

from __future__ import annotations

import hashlib
import os
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb, sqrt

import pytest

from flow.paths import ROOT
from p4sume.control.plane import KeyValue
from p4sume.model.build import build_model
from p4sume.model.library import Model

BUCKETS = 64
BOUND = 6.0  # one of the thousand figures below passes it by chance in a million runs
FLOWS = 2048
SAMPLES = 256
SEEDS = ((0, 1), (0x80000000, 0), (0xFFFFFFFF, 0xFFFFFFFE), (0x12345678, 0x9E3779B9))
ROUTER, HOST = bytes.fromhex("020000000001"), bytes.fromhex("02000000aa01")
TCP, UDP = 6, 17
WIRE_0 = 1  # the one-hot number of a port


@dataclass(frozen=True)
class Flow:
    version: int
    src: int
    dst: int
    src_port: int = 40000
    dst_port: int = 80
    protocol: int = TCP
    label: int = 0

    def frame(self) -> bytes:
        ports = self.src_port.to_bytes(2, "big") + self.dst_port.to_bytes(2, "big") + bytes(16)
        if self.version == 6:
            head = (6 << 28 | self.label).to_bytes(4, "big") + len(ports).to_bytes(2, "big")
            head += bytes((self.protocol, 64)) + self.src.to_bytes(16, "big") + self.dst.to_bytes(16, "big")
            return ROUTER + HOST + b"\x86\xdd" + head + ports
        fixed = bytes((0x45, 0)) + (20 + len(ports)).to_bytes(2, "big") + bytes(4) + bytes((64, self.protocol))
        addresses = self.src.to_bytes(4, "big") + self.dst.to_bytes(4, "big")
        words = fixed + addresses
        total = sum(int.from_bytes(words[i : i + 2], "big") for i in range(0, len(words), 2))
        total = (total & 0xFFFF) + (total >> 16)
        checksum = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
        return ROUTER + HOST + b"\x08\x00" + fixed + checksum.to_bytes(2, "big") + addresses + ports


Hash = Callable[[Sequence[Flow], int], list[int]]  # flows and a seed to their buckets

V4_SRC, V4_DST = 0x0A000001, 0xC0A80101
V6_SRC, V6_DST = 0x20010DB8 << 96 | 1, 0x20010DB8 << 96 | 1 << 64 | 2
PATTERNS: dict[str, Callable[[int], Flow]] = {
    "neighbouring sources": lambda i: Flow(4, V4_SRC + i, V4_DST),
    "neighbouring destinations": lambda i: Flow(4, V4_SRC, V4_DST + i),
    "a source in each /24": lambda i: Flow(4, V4_SRC + (i << 8), V4_DST),
    "all pairs of two racks": lambda i: Flow(4, V4_SRC + i % 32, V4_DST + i // 32),
    "both addresses together": lambda i: Flow(4, V4_SRC + i, V4_DST + i),
    "source ports": lambda i: Flow(4, V4_SRC, V4_DST, src_port=32768 + i),
    "even source ports": lambda i: Flow(4, V4_SRC, V4_DST, src_port=32768 + 2 * i),
    "both ports together": lambda i: Flow(4, V4_SRC, V4_DST, 1024 + i, 1024 + i, UDP),
    "a few ports of many sources": lambda i: Flow(4, V4_SRC + i // 8, V4_DST, 50000 + i % 8),
    "interfaces of IPv6": lambda i: Flow(6, V6_SRC + i, V6_DST),
    "subnets of IPv6": lambda i: Flow(6, V6_SRC, V6_DST + (i << 64)),
    "all pairs of two IPv6 racks": lambda i: Flow(6, V6_SRC + i % 32, V6_DST + i // 32),
    "flow labels": lambda i: Flow(6, V6_SRC, V6_DST, label=i),
}


def program() -> Hash:
    """The hash of ecmp.p4, through whole packets."""
    model = Model(build_model(ROOT / "hw" / "p4" / "ecmp.p4").library)
    model.add("router_mac", [KeyValue(int.from_bytes(ROUTER, "big"))], "NoAction")
    model.add("ipv4_route", [KeyValue(0, prefix=0)], "route_to_group", [3])
    model.add("ipv6_route", [KeyValue(0, prefix=0)], "route_to_group", [3])
    for bucket in range(BUCKETS):
        model.add("group_bucket", [KeyValue(3), KeyValue(bucket)], "choose", [bucket])
        model.add("next_hops", [KeyValue(bucket)], "send", [4, 1, bucket])

    def buckets(flows: Sequence[Flow], seed: int) -> list[int]:
        model.write_register("hash_seed_reg_rw", 0, seed)
        found = []
        for flow in flows:
            frame = flow.frame()
            result = model.process(frame, {"src_port": WIRE_0, "pkt_len": len(frame)})
            assert result.metadata["dst_port"] == 4, f"not forwarded: {result}"
            found.append(int.from_bytes(result.packet[:6], "big"))
        return found

    return buckets


def ideal(flows: Sequence[Flow], seed: int) -> list[int]:
    key = seed.to_bytes(4, "big")
    return [hashlib.blake2b(repr(f).encode(), key=key, digest_size=1).digest()[0] % BUCKETS for f in flows]


def seeded_crc(flows: Sequence[Flow], seed: int) -> list[int]:
    return [zlib.crc32(flow.frame()[14:], seed) >> 26 for flow in flows]


# ---- what is asked: each answer is a name and by how many standard deviations it is off


def unevenness(counts: Counter[int], cells: int, total: int) -> float:
    expected = total / cells
    chi_square = sum((counts[c] - expected) ** 2 / expected for c in range(cells))
    return (chi_square - (cells - 1)) / sqrt(2 * (cells - 1))


def pairs(counts: Counter[int]) -> int:
    return sum(comb(n, 2) for n in counts.values())


def spread(hash_: Hash) -> Iterator[tuple[str, float]]:
    for what, flow in PATTERNS.items():
        flows = [flow(i) for i in range(FLOWS)]
        for here, there in SEEDS:
            first, second = hash_(flows, here), hash_(flows, there)
            label = f"{what}, seeds {here:#x} and {there:#x}"
            yield f"{label}: buckets", unevenness(Counter(first), BUCKETS, FLOWS)
            coarse = Counter((a >> 2) * 16 + (b >> 2) for a, b in zip(first, second, strict=True))
            yield f"{label}: both switches", unevenness(coarse, 256, FLOWS)
            expected = comb(FLOWS, 2) / BUCKETS**2
            both = pairs(Counter(a * BUCKETS + b for a, b in zip(first, second, strict=True)))
            yield f"{label}: collisions under both", (both - expected) / sqrt(expected)


def turned_over(before: Sequence[int], after: Sequence[int]) -> Iterator[float]:
    for bit in range((BUCKETS - 1).bit_length()):
        turned = sum((a ^ b) >> bit & 1 for a, b in zip(before, after, strict=True))
        yield abs(turned - len(before) / 2) / sqrt(len(before) / 4)


def avalanche(hash_: Hash, rng: random.Random) -> Iterator[tuple[str, float]]:
    bits = {4: {"src": 32, "dst": 32}, 6: {"src": 128, "dst": 128, "label": 20}}
    for version, widths in bits.items():
        flows = [
            Flow(version, rng.getrandbits(widths["src"]), rng.getrandbits(widths["dst"]), rng.getrandbits(16),
                 rng.getrandbits(16), rng.choice((TCP, UDP)), rng.getrandbits(20) if version == 6 else 0)
            for _ in range(SAMPLES)
        ]  # fmt: skip
        seed = rng.getrandbits(32)
        before = hash_(flows, seed)
        for field, width in {**widths, "src_port": 16, "dst_port": 16}.items():
            for bit in range(width):
                after = hash_([replace(f, **{field: getattr(f, field) ^ 1 << bit}) for f in flows], seed)
                yield f"IPv{version} {field}[{bit}]", max(turned_over(before, after))
        for bit in range(32):
            yield f"IPv{version} seed[{bit}]", max(turned_over(before, hash_(flows, seed ^ 1 << bit)))


def faults(answers: Iterator[tuple[str, float]]) -> list[str]:
    found = list(answers)
    worst = max(found, key=lambda answer: answer[1])
    print(f"{len(found)} figures, the worst {worst[1]:.1f} standard deviations off: {worst[0]}")
    return [f"{what}: {off:.1f}" for what, off in found if off > BOUND]


@pytest.mark.parametrize("hash_", [program, lambda: ideal], ids=["ecmp", "ideal"])
def test_flows_spread_evenly_and_independently_of_other_switches(hash_: Callable[[], Hash]) -> None:
    assert faults(spread(hash_())) == []


def test_each_bit_of_flow_and_seed_turns_half_of_the_bucket_over() -> None:
    assert faults(avalanche(program(), random.Random(int(os.environ["SEED"])))) == []


def test_a_crc_is_found_to_polarise() -> None:
    assert any("collisions" in fault for fault in faults(spread(seeded_crc)))
