# SPDX-License-Identifier: Apache-2.0
"""token_core

- Token and IDSN are those of hashlib: random keys (100 000 over all settings), all zeros, all ones, every single bit;
  both versions mixed at random; pushed, and with gaps.
- They are those that were published or seen on the wire (vectors.json).
- Every key that is taken leaves once, in order, with its version and tag; the latency is the same for each.
- A key is taken exactly every CYCLES_PER_KEY cycles when pushed, and s_ready does not look at s_valid.
- A version that is not built is refused: m_refused, token and IDSN zero, in its turn.
- A reset throws away what is under way, takes nothing, and what comes after it is right.
- Each parameter check fires.
"""

import hashlib
import json
import random
from itertools import chain, repeat
from pathlib import Path

import cocotb
import pytest

from bench import runner
from bench.stream import StreamBench, parameters

VECTORS = Path(__file__).with_name("vectors.json")
SHARED_VECTORS = Path(__file__).parents[4] / "shared" / "data" / "mptcp" / "vectors.json"
NAMES = ("CYCLES_PER_KEY", "SHA1_ENABLE", "SHA256_ENABLE", "TAG_BITS")
HASH = (hashlib.sha1, hashlib.sha256)
LONGEST = 500  # cycles in which every result under way has left

# (cycles per key, SHA-1 built, SHA-256 built, bits of the tag): cycles from a key to its result, random keys to try.
# The quickest to build comes first.
BUILDS = {
    (80, 1, 1, 8): (202, 4_000),
    (40, 0, 1, 1): (233, 2_000),
    (27, 1, 0, 33): (113, 2_000),
    (64, 1, 1, 2): (200, 2_000),
    (10, 1, 1, 5): (164, 8_000),
    (8, 1, 1, 7): (144, 12_000),
    (4, 1, 1, 8): (140, 28_000),
    (1, 1, 1, 12): (137, 50_000),
}


def build() -> tuple[int, int, int, int]:
    return tuple(parameters()[name] for name in NAMES)


def built() -> tuple[bool, bool]:
    return build()[1] == 1, build()[2] == 1


def versions() -> list[int]:
    return [version for version in (0, 1) if built()[version]]


def answer(key: int, version: int) -> tuple[int, int]:
    digest = HASH[version](key.to_bytes(8, "big")).digest()
    return int.from_bytes(digest[:4], "big"), int.from_bytes(digest[-8:], "big")


def expected(bench: StreamBench, key: int, version: int, tag: int) -> int:
    refused = int(not built()[version])
    token, idsn = (0, 0) if refused else answer(key, version)
    return bench.sink["m"].format.pack(token=token, idsn=idsn, version=version, tag=tag, refused=refused)


def random_key() -> tuple[int, int, int]:
    """Key, version, tag."""
    return random.getrandbits(64), random.getrandbits(1), random.getrandbits(parameters()["TAG_BITS"])


def send(bench: StreamBench, keys: list[tuple[int, int, int]]) -> list[int]:
    """Queues the keys; what has to come out."""
    pack = bench.source["s"].format.pack
    bench.source["s"].send(pack(key=key, version=version, tag=tag) for key, version, tag in keys)
    return [expected(bench, *key) for key in keys]


async def started(dut) -> StreamBench:
    bench = StreamBench(dut)
    await bench.start()
    return bench


async def receive(bench: StreamBench, wanted: list[int]) -> None:
    """Takes results and compares; nothing may come beyond them."""
    cycles = (len(wanted) + 4) * parameters()["CYCLES_PER_KEY"] * 4 + 400
    unpack = bench.sink["m"].format.unpack
    for place, (got, want) in enumerate(zip(await bench.sink["m"].wait_for(len(wanted), cycles), wanted, strict=True)):
        assert got == want, f"result {place}: {unpack(got)}, not {unpack(want)}"
    await bench.cycles(LONGEST)
    bench.check()


def random_gaps():
    while True:
        yield from repeat(True, random.choice([0, 0, 1, 2, 3, 5, parameters()["CYCLES_PER_KEY"] + 1]))
        yield False


@cocotb.test()
async def each_special_key_has_its_token_and_idsn(dut):
    bench = await started(dut)
    special = [0, (1 << 64) - 1, *(1 << bit for bit in range(64))]
    keys = [(key, version, random_key()[2]) for key in special for version in (0, 1)]
    await receive(bench, send(bench, keys))


@cocotb.test()
async def published_and_seen_tokens_come_out(dut):
    bench = await started(dut)
    vectors = [v for v in json.loads(VECTORS.read_text())["vectors"] if v["version"] in versions()]
    send(bench, [(int(v["key"], 16), v["version"], 0) for v in vectors])
    results = await bench.sink["m"].wait_for(len(vectors))
    for beat, vector in zip(results, vectors, strict=True):
        got = bench.sink["m"].format.unpack(beat)
        assert f"{got['token']:08x}" == vector["token"], vector
        assert f"{got['idsn']:016x}" == vector.get("idsn", f"{got['idsn']:016x}"), vector
    bench.check()


@cocotb.test()
async def pushed_keys_leave_in_order_with_their_tags(dut):
    bench = await started(dut)
    await receive(bench, send(bench, [random_key() for _ in range(BUILDS[build()][1])]))


@cocotb.test()
async def keys_with_gaps_leave_in_order_with_their_tags(dut):
    bench = await started(dut)
    bench.source["s"].pause = random_gaps()
    await receive(bench, send(bench, [random_key() for _ in range(400)]))


@cocotb.test()
async def rate_and_latency_are_exact(dut):
    bench = await started(dut)
    source, sink = bench.source["s"], bench.sink["m"]
    sink.arrivals = []
    taken = []
    before = 0

    def watch():
        nonlocal before
        if source.sent != before:
            taken.append(sink.cycle)
        before = source.sent

    bench.on_cycle(watch)
    # Alone, pushed, and each possible distance from the slot.
    every = parameters()["CYCLES_PER_KEY"]
    pushed = 12
    source.pause = chain(repeat(False, pushed), *([True] * (every + gap) + [False] for gap in range(every + 1)))
    keys = [random_key() for _ in range(pushed + every + 1)]
    await receive(bench, send(bench, keys))
    assert len(taken) == len(keys)
    assert [b - a for a, b in zip(taken[:pushed], taken[1:pushed], strict=False)] == [every] * (pushed - 1)
    assert all((b - a) % every == 0 for a, b in zip(taken, taken[1:], strict=False))
    latencies = {arrival - cycle for arrival, cycle in zip(sink.arrivals, taken, strict=True)}
    assert latencies == {BUILDS[build()][0]}


@cocotb.test()
async def ready_comes_every_slot_whoever_asks(dut):
    bench = await started(dut)
    every = parameters()["CYCLES_PER_KEY"]
    seen = []
    bench.on_cycle(lambda: seen.append(int(dut.s_ready.value)))
    bench.source["s"].pause = chain(repeat(True, 3 * every), random_gaps())
    wanted = send(bench, [random_key() for _ in range(20)])
    await receive(bench, wanted)
    first = seen.index(1)
    assert seen[first:] == [int(place % every == 0) for place in range(len(seen) - first)]


@cocotb.test()
async def a_reset_forgets_what_is_under_way(dut):
    bench = await started(dut)
    every = parameters()["CYCLES_PER_KEY"]
    for cycles in (1, 50, 137 + 3 * every, 90 * every):
        send(bench, [random_key() for _ in range(200)])
        await bench.cycles(cycles)
        await bench.reset(random.randint(1, 3))
        await receive(bench, send(bench, [random_key() for _ in range(20)]))


@cocotb.test()
async def nothing_is_taken_in_reset(dut):
    bench = await started(dut)
    dut.rst.value = 1
    dut.s_beat.value = (1 << len(dut.s_beat)) - 1
    await bench.cycles(2)
    for _ in range(2 * parameters()["CYCLES_PER_KEY"]):
        await bench.cycles(1)
        assert int(dut.s_ready.value) == 0
    dut.s_beat.value = 0
    dut.rst.value = 0
    await bench.cycles(LONGEST)
    bench.check()


@pytest.mark.parametrize("build", [*BUILDS], ids=str)
def test_token_core(build):
    runner.run("token_core", dict(zip(NAMES, build, strict=True)))


def test_enough_random_keys_are_tried():
    assert sum(keys for _, keys in BUILDS.values()) >= 100_000


if SHARED_VECTORS.is_file():  # the captures' own list is not part of the repository

    def test_the_vectors_are_those_of_the_captures():
        sets = json.loads(SHARED_VECTORS.read_text())
        shared = {(0, v["key"], v["token"], None) for v in sets["v0_published"]}
        for version in (0, 1):
            for v in sets[f"v{version}_wire"]:
                shared |= {(version, v[f"key_{s}"], v[f"token_{s}"], v[f"idsn_{s}"]) for s in ("client", "server")}
        ours = json.loads(VECTORS.read_text())["vectors"]
        assert {(v["version"], v["key"], v["token"], v.get("idsn")) for v in ours} == shared


@pytest.mark.parametrize("value", [-1, 0, 81])
def test_cycles_per_key_is_checked(value):
    runner.refuses("token_core", {"CYCLES_PER_KEY": value}, r"token_core\.sv.*CYCLES_PER_KEY must be from 1 to 80")


@pytest.mark.parametrize("name", ["SHA1_ENABLE", "SHA256_ENABLE"])
@pytest.mark.parametrize("value", [-1, 2])
def test_the_enables_are_checked(name, value):
    runner.refuses("token_core", {name: value}, f"{name} must be 0 or 1")


def test_one_version_has_to_be_built():
    none = {"SHA1_ENABLE": 0, "SHA256_ENABLE": 0}
    runner.refuses("token_core", none, "SHA1_ENABLE and SHA256_ENABLE must not both be 0")


def test_tag_bits_are_checked():
    runner.refuses("token_core", {"TAG_BITS": 0}, "TAG_BITS must be 1 or more")
