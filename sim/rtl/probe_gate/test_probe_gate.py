# SPDX-License-Identifier: Apache-2.0
"""probe_gate

- Random requests as near as two cycles and with pauses up to beyond a wrap of the time, to few ToRs, of which some do
  not exist; any ports wanted; the gap changes between two requests, also beyond its bound; the time wraps often. Each
  result, exactly LATENCY_CYCLES after its request, is held against the rule of docs/hula.md in Python, with times that
  never wrap, and against the twin.
- The same with the time of a probe as old as it may be when it comes.
- Probes of one ToR at a steady pace pass each port at that of the gap; each port by itself.
- READ shows what a row was at some time in between, CLEAR clears each row once; both under a request every two cycles.
- After a reset, amid requests and commands, every probe passes, and nothing is kept until control_ready is high.
- OPERATIONS in the environment: so many requests (10 000).
- Each parameter check fires.
"""

import os
import random

import cocotb
import pytest

from bench import runner
from rtl.probe_gate.gate_rules import rule
from rtl.row_traffic.rows import CONTROL_CLEAR, CONTROL_READ, Kind, RowBench
from rtl.row_traffic.twin import Twin


def pack_time(p, time) -> int:
    return 1 << p["TIME_BITS"] | time % (1 << p["TIME_BITS"])


def pack(p, row) -> int:
    return sum(pack_time(p, t) << port * (1 + p["TIME_BITS"]) for port, t in enumerate(row) if t is not None)


def shows(p, row, word, tick) -> bool:
    """A time that is older than any gap may be there or not."""
    bits = 1 + p["TIME_BITS"]
    for port, time in enumerate(row):
        shown = word >> port * bits & (1 << bits) - 1
        valid = shown >> bits - 1
        old = time is not None and tick - time >= 2 ** (p["TIME_BITS"] - 1)
        if valid and (time is None or shown != pack_time(p, time)):
            return False
        if not valid and time is not None and not old:
            return False
    return True


def twin(p) -> Twin:
    tor, ports, time = (f"p4::bit<{p[n]}>" for n in ("TOR_BITS", "PORTS", "TIME_BITS"))
    row_bits = p["PORTS"] * (1 + p["TIME_BITS"])
    limbs = -(-row_bits // 64)
    widths = f"{p['TOR_BITS']}, {p['PORTS']}, {p['TIME_BITS']}, {p['PORTS']}"
    body = f"""
#include "extern_probe_gate.hpp"
struct Twin : p4::extern_probe_gate<{widths}> {{
  Twin() : extern_probe_gate({p["TORS"]}, {p["TICK_BITS"]}) {{}}
  void step(const uint64_t* in, uint64_t* out) {{
    p4::Context context;
    {ports} passed;
    switch (in[0]) {{
      case 0:
        context.cycle = in[1];
        gap_ticks = in[2];
        call(context, {tor}(in[3]), {ports}(in[4]), {time}(in[5]), passed);
        out[0] = passed.low();
        break;
      case 1:
        reset();
        break;
      default:
        if (register_width() != {row_bits} || registers() != {p["TORS"]} || read({p["TORS"]}) != nullptr) return;
        for (unsigned i = 0; i < {limbs}; ++i) out[i] = read(in[1])[i];
    }}
  }}
}};
"""
    return Twin(body, 6, limbs)


PROBES = Kind(
    row="tor",
    early={"tor": "TOR_BITS", "wanted": "PORTS"},
    late={},
    results=("passed_result",),
    setting="cfg_gap_ticks",
    stays_cycles=1,
    empty=lambda p: (None,) * p["PORTS"],
    rule=rule,
    pack=pack,
    shows=shows,
    twin=twin,
)


class GateBench(RowBench):
    def __init__(self, dut):
        super().__init__(dut, PROBES)
        self.make = GateBench.a_request
        self.strange = 0.1

    def a_request(self):
        ports = self.p["PORTS"]
        wanted = random.choice([(1 << ports) - 1, 1 << random.randrange(ports), random.getrandbits(ports)])
        tor = random.choice(self.hot)
        if random.random() < self.strange and self.p["TORS"] < 1 << self.p["TOR_BITS"]:
            tor = random.randrange(self.p["TORS"], 1 << self.p["TOR_BITS"])
            if random.random() < 0.5:  # one whose low bits are those of a ToR that exists
                low = (self.p["TORS"] - 1).bit_length()
                tor = random.choice(
                    [t for t in (self.hot[0] | high << low for high in range(1, 4)) if t >= self.p["TORS"]]
                )
                tor = min(tor, (1 << self.p["TOR_BITS"]) - 1)
        return {"tor": tor, "wanted": wanted}

    async def begin(self, hot=4):
        await self.start()
        self.setting = self.a_setting()
        await self.until_swept()
        self.rooms(hot)

    def rooms(self, hot):
        everything = self.p["TORS"]
        self.hot = random.sample(range(everything), min(hot, everything))
        if random.random() < 0.3:
            self.hot[0] = everything - 1


def operations() -> int:
    return int(os.environ.get("OPERATIONS", "10000"))


async def traffic(bench, count):
    for hot in (1, 2, 3, 8):
        bench.rooms(hot)
        await bench.run(count // 4, bench.gaps, change=0.05)
    await bench.settle()


@cocotb.test()
async def requests_are_done_one_after_the_other(dut):
    bench = GateBench(dut)
    await bench.begin()
    for _ in range(max(1, operations() // 10000)):
        await traffic(bench, min(operations(), 10000))
        for tor in bench.hot:
            await bench.tell(CONTROL_READ, tor)
        await bench.settle()
        bench.judge()
        await bench.reset()
        await bench.until_swept()
    for distance in range(2, 8):
        assert bench.seen[f"distance {distance}"] > 10
    assert 200 < bench.seen["passed_result 0"] < bench.seen["requests"] - 200
    assert bench.seen["wraps"] > 10
    assert bench.seen["put to the twin"] == bench.seen["requests"] >= operations() // 10000 * 10000
    assert bench.seen["rows of the twin"] > 0


@cocotb.test()
async def a_probe_may_come_late(dut):
    """Its time is almost a quarter of the range old."""
    bench = GateBench(dut)
    await bench.begin()
    bench.lag_cycles = bench.oldest()
    await traffic(bench, 3000)
    bench.judge()
    assert bench.seen["wraps"] > 2


@cocotb.test()
async def each_port_passes_at_the_pace_of_the_gap(dut):
    """One ToR's probe every three ticks, wanted by port 0 each time, by port 1 every second time."""
    bench = GateBench(dut)
    await bench.begin()
    two = bench.p["PORTS"] > 1
    period = max(1, 3 << bench.tick_bits)
    for gap, every in ((0, 1), (2, 1), (3, 2), (5, 2), (6, 3), (8, 3)):
        bench.setting = gap
        await bench.tell(CONTROL_CLEAR)
        while bench.cycle & (1 << bench.tick_bits) - 1:
            await bench.step()
        begun = len(bench.record.asked)
        for number in range(12):
            wanted = 1 | (2 if two and number % 2 == 0 else 0)
            await bench.step({"tor": bench.hot[0], "wanted": wanted})
            for _ in range(period - 1):
                await bench.step()
        await bench.settle()
        passed = [asked.results[0] for asked in bench.record.asked[begun:]]
        assert [p & 1 for p in passed] == [int(n % every == 0) for n in range(12)]
        if two:
            slow = 2 if every < 3 else 4
            assert [p >> 1 & 1 for p in passed] == [int(n % slow == 0) for n in range(12)]
    bench.judge()


@cocotb.test()
async def commands_come_between_requests(dut):
    bench = GateBench(dut)
    await bench.begin()
    for hot in (1, 2, 6):
        bench.rooms(hot)
        await bench.run(300, bench.gaps, commands=0.3, change=0.05)
        await bench.run(300, lambda: 2, commands=0.5, change=0.05)
    await bench.settle()
    bench.judge()
    assert bench.seen["read of something"] > 100


@cocotb.test()
async def clear_clears_each_row_once(dut):
    bench = GateBench(dut)
    await bench.begin()
    for hot, gaps in ((2, lambda: 2), (5, lambda: random.randint(2, 7)), (8, bench.gaps)):
        bench.rooms(hot)
        bench.setting = bench.greatest
        for _ in range(5):
            await bench.run(30, gaps)
            await bench.step(None, (CONTROL_CLEAR, random.choice(bench.hot)))
            while not bench.idle:
                await bench.run(1, gaps)
            for tor in bench.hot:
                await bench.tell(CONTROL_READ, tor)
        await bench.settle()
    bench.judge()
    assert bench.seen["clear"] == 15


@cocotb.test()
async def a_reset_empties_the_gate(dut):
    """The memory holds anything at first, then what was written; a reset comes amid requests and commands."""
    bench = GateBench(dut)
    await bench.start()
    bench.rooms(3)
    for pause in (0, 1, 2, 3, 5, 9, 30):
        bench.setting = bench.a_setting()
        while bench.swept_at < 0:
            await bench.run(1, lambda: random.randint(2, 4), change=0.1)
        await bench.run(60, lambda: random.randint(2, 4), change=0.1)
        await bench.settle()
        for tor in bench.hot:
            await bench.tell(CONTROL_READ, tor)
        bench.judge()
        await bench.run(20, lambda: 2)
        await bench.step(None, (random.choice([CONTROL_READ, CONTROL_CLEAR]), bench.hot[0]))
        for _ in range(pause):
            await bench.run(1, lambda: 2)
        await bench.reset(random.randint(1, 4))
    assert bench.seen["unswept"] >= 7


NARROW = {"TORS": 5, "TIME_BITS": 6, "TICK_BITS": 3}


@pytest.mark.parametrize(
    "parameters",
    [
        NARROW,
        {"TORS": 1, "PORTS": 1, "TIME_BITS": 5, "TICK_BITS": 2},
        {"TORS": 8, "TOR_BITS": 3, "PORTS": 2, "TIME_BITS": 9, "TICK_BITS": 0},
        {"TORS": 70, "TOR_BITS": 24, "PORTS": 32, "TIME_BITS": 6, "TICK_BITS": 6, "LATENCY_CYCLES": 9},
    ],
    ids=str,
)
def test_probe_gate(parameters):
    runner.run("probe_gate", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"TORS": 0}, "TORS must be from 1 to 16384"),
        ({"TORS": 16385}, "TORS must be from 1 to 16384"),
        ({"TORS": 5, "TOR_BITS": 2}, "TOR_BITS must be from 3 to 32"),
        ({"TOR_BITS": 33}, "TOR_BITS must be from 10 to 32"),
        ({"PORTS": 0}, "PORTS must be from 1 to 32"),
        ({"PORTS": 33}, "PORTS must be from 1 to 32"),
        ({"TIME_BITS": 2, "TICK_BITS": 20}, "TIME_BITS must be from 3 to 32"),
        ({"TIME_BITS": 33}, "TIME_BITS must be from 3 to 32"),
        ({"TICK_BITS": -1, "TIME_BITS": 30}, "TICK_BITS must be from 0 to 24"),
        ({"TICK_BITS": 25}, "TICK_BITS must be from 0 to 24"),
        ({**NARROW, "TIME_BITS": 3}, "A quarter of the range of TIME_BITS must be 31 cycles or more"),
        ({"LATENCY_CYCLES": 4}, "LATENCY_CYCLES must be 5 or more"),
        ({"TORS": 64, "LATENCY_CYCLES": 3}, "LATENCY_CYCLES must be 4 or more"),
    ],
    ids=str,
)
def test_probe_gate_refuses(parameters, sentence):
    runner.refuses("probe_gate", parameters, sentence)
