# SPDX-License-Identifier: Apache-2.0
"""flowlet_table

- Random requests as near as two cycles and with pauses up to beyond a wrap of the time, to so few sets and tags that
  every distance and every outcome occurs; tags that differ in one bit; the ports that are ok, the proposal and the
  spread at their limits. The time-out changes between two requests, also beyond its bound; the time wraps often.
  Each result, exactly LATENCY_CYCLES after its request, is held against the rules of docs/hula.md in Python, with
  times that never wrap, and against the twin.
- The same with the time of a packet as old as it may be when it comes.
- READ shows what a set was at some time in between, CLEAR clears each set once; both are answered in time under a
  request every two cycles.
- After a reset, amid requests and commands, sets are empty and keep nothing until control_ready is high.
- Arguments mean nothing but with their request; what comes late is sampled LATE_CYCLES after it.
- OPERATIONS in the environment: so many requests more (10 000).
- Each parameter check fires.
"""

import os
import random

import cocotb
import pytest

from bench import runner
from rtl.flowlet_table.flowlet_rules import CROWDED, EMPTY, MOVED, rule
from rtl.row_traffic.rows import CONTROL_CLEAR, CONTROL_READ, Kind, RowBench
from rtl.row_traffic.twin import Twin


def port_bits(p) -> int:
    return max(1, (p["PORTS"] - 1).bit_length())


def entry_bits(p) -> int:
    return 1 + p["TAG_BITS"] + port_bits(p) + p["TIME_BITS"]


def pack_entry(p, entry) -> int:
    tag, hop, time = entry
    return ((1 << p["TAG_BITS"] | tag) << port_bits(p) | hop) << p["TIME_BITS"] | time % (1 << p["TIME_BITS"])


def pack(p, row) -> int:
    return sum(pack_entry(p, e) << w * entry_bits(p) for w, e in enumerate(row) if e is not None)


def shows(p, row, word, tick) -> bool:
    """An entry that is older than any time-out may be there or not."""
    for way, entry in enumerate(row):
        shown = word >> way * entry_bits(p) & (1 << entry_bits(p)) - 1
        valid = shown >> entry_bits(p) - 1
        old = entry is not None and tick - entry[2] >= 2 ** (p["TIME_BITS"] - 1)
        if valid and (entry is None or shown != pack_entry(p, entry)):
            return False
        if not valid and entry is not None and not old:
            return False
    return True


def twin(p) -> Twin:
    widths = [1, p["INDEX_BITS"], p["TAG_BITS"], p["TIME_BITS"], p["PORTS"], *3 * [p["PORT_BITS"]], 3, 1]
    index, tag, time, ok, port = (f"p4::bit<{widths[i]}>" for i in (1, 2, 3, 4, 5))
    limbs = -(-2 * entry_bits(p) // 64)
    body = f"""
#include "extern_flowlet_table.hpp"
struct Twin : p4::extern_flowlet_table<{", ".join(map(str, widths))}> {{
  Twin() : extern_flowlet_table({p["TICK_BITS"]}) {{}}
  void step(const uint64_t* in, uint64_t* out) {{
    p4::Context context;
    {port} hop;
    p4::bit<3> outcome;
    p4::bit<1> found;
    switch (in[0]) {{
      case 0:
        context.cycle = in[1];
        timeout_ticks = in[2];
        call(context, p4::bit<1>(in[3]), {index}(in[4]), {tag}(in[5]), {time}(in[9]), {ok}(in[6]), {port}(in[7]),
             {port}(in[8]), hop, outcome, found);
        out[0] = hop.low(), out[1] = outcome.low(), out[2] = found.low();
        break;
      case 1:
        reset();
        break;
      default:
        if (register_width() != {2 * entry_bits(p)} || registers() != {1 << p["INDEX_BITS"]}) return;
        for (unsigned i = 0; i < {limbs}; ++i) out[i] = read(in[1])[i];
    }}
  }}
}};
"""
    return Twin(body, 10, max(3, limbs))


FLOWLETS = Kind(
    row="index",
    early={"operation": 1, "index": "INDEX_BITS", "tag": "TAG_BITS"},
    late={"ok": "PORTS", "proposal": "PORT_BITS", "spread": "PORT_BITS"},
    results=("hop_result", "outcome_result", "found_result"),
    setting="cfg_timeout_ticks",
    stays_cycles=0,
    empty=lambda p: EMPTY,
    rule=rule,
    pack=pack,
    shows=shows,
    twin=twin,
)


class FlowletBench(RowBench):
    def __init__(self, dut):
        super().__init__(dut, FLOWLETS)
        top = (1 << self.p["TAG_BITS"]) - 1
        self.tags = sorted({0, 1, top, top ^ 1, top >> 1, random.getrandbits(self.p["TAG_BITS"])})
        self.make = FlowletBench.a_request
        self.mood = 0.9

    def a_request(self):
        ports, top = self.p["PORTS"], (1 << self.p["PORTS"]) - 1
        draw = random.random()
        if draw < self.mood:
            ok = random.getrandbits(ports) | random.getrandbits(ports)
        else:
            ok = random.choice([0, top, 1 << random.randrange(ports), top ^ 1 << random.randrange(ports)])
        return {
            "operation": int(random.random() < 0.85),
            "index": random.choice(self.hot),
            "tag": random.choice(self.tags),
            "ok": ok,
            "proposal": self.a_port(),
            "spread": self.a_port(),
        }

    def a_port(self):
        """Now and then one that does not exist."""
        if random.random() < 0.1:
            return random.getrandbits(self.p["PORT_BITS"])
        return random.randrange(self.p["PORTS"])

    async def begin(self, hot=4):
        await self.start()
        self.setting = self.a_setting()
        await self.until_swept()
        self.rooms(hot)

    def rooms(self, hot):
        everything = 1 << self.p["INDEX_BITS"]
        self.hot = random.sample(range(everything), min(hot, everything))


def operations() -> int:
    return int(os.environ.get("OPERATIONS", "10000"))


async def traffic(bench, count):
    for hot, tags in ((1, 3), (2, 2), (3, 4), (8, 3)):
        bench.rooms(hot)
        keep = bench.tags
        bench.tags = random.sample(keep, min(len(keep), tags))
        await bench.run(count // 8, bench.gaps, change=0.02)
        bench.mood = 0.3
        await bench.run(count // 8, bench.gaps, change=0.2)
        bench.mood, bench.tags = 0.9, keep
    await bench.settle()


@cocotb.test()
async def requests_are_done_one_after_the_other(dut):
    bench = FlowletBench(dut)
    await bench.begin()
    for _ in range(max(1, operations() // 10000)):
        await traffic(bench, min(operations(), 10000))
        for index in bench.hot:
            await bench.tell(CONTROL_READ, index)
        await bench.settle()
        bench.judge()
        await bench.reset()
        await bench.until_swept()
    impossible = {MOVED} if bench.p["PORTS"] == 1 else set()
    impossible |= {CROWDED} if bench.p["TAG_BITS"] == 1 else set()
    for outcome in {*range(6)} - impossible:
        assert bench.seen[f"outcome_result {outcome}"] > 20, (outcome, bench.seen)
    for found in range(2):
        assert bench.seen[f"found_result {found}"] > 20
    for distance in range(2, 8):
        assert bench.seen[f"distance {distance}"] > 10
    assert bench.seen["wraps"] > 10
    assert bench.seen["put to the twin"] == bench.seen["requests"] >= operations() // 10000 * 10000
    assert bench.seen["rows of the twin"] > 0


@cocotb.test()
async def a_packet_may_come_late(dut):
    """Its time is almost a quarter of the range old."""
    bench = FlowletBench(dut)
    await bench.begin()
    bench.lag_cycles = bench.oldest()
    await traffic(bench, 3000)
    bench.judge()
    assert bench.seen["wraps"] > 2


@cocotb.test()
async def commands_come_between_requests(dut):
    bench = FlowletBench(dut)
    await bench.begin()
    for hot in (1, 2, 6):
        bench.rooms(hot)
        await bench.run(300, bench.gaps, commands=0.3, change=0.05)
        await bench.run(300, lambda: 2, commands=0.5, change=0.05)
    await bench.settle()
    bench.judge()
    assert bench.seen["read of something"] > 100


@cocotb.test()
async def clear_clears_each_set_once(dut):
    bench = FlowletBench(dut)
    await bench.begin()
    for hot, gaps in ((2, lambda: 2), (5, lambda: random.randint(2, 7)), (8, bench.gaps)):
        bench.rooms(hot)
        bench.setting = bench.greatest
        for _ in range(5):
            await bench.run(30, gaps)
            await bench.step(None, (CONTROL_CLEAR, random.choice(bench.hot)))
            while not bench.idle:
                await bench.run(1, gaps)
            for index in bench.hot:
                await bench.tell(CONTROL_READ, index)
        await bench.settle()
    bench.judge()
    assert bench.seen["clear"] == 15


@cocotb.test()
async def a_pause_makes_clear_one_instant(dut):
    bench = FlowletBench(dut)
    await bench.begin()
    bench.setting = bench.greatest
    for _ in range(6):
        await bench.run(40, lambda: 2)
        await bench.settle()
        await bench.tell(CONTROL_CLEAR)
        for index in bench.hot:
            assert await bench.tell(CONTROL_READ, index) == 0
    await bench.settle()
    bench.judge()
    assert bench.seen["put to the twin"] == bench.seen["requests"]


@cocotb.test()
async def a_reset_empties_the_table(dut):
    """The memory holds anything at first, then what was written; a reset comes amid requests and commands."""
    bench = FlowletBench(dut)
    await bench.start()
    bench.rooms(3)
    for pause in (0, 1, 2, 3, 5, 9, 30):
        bench.setting = bench.a_setting()
        while bench.swept_at < 0:
            await bench.run(1, lambda: random.randint(2, 4), change=0.1)
        await bench.run(60, lambda: random.randint(2, 4), change=0.1)
        await bench.settle()
        for index in bench.hot:
            await bench.tell(CONTROL_READ, index)
        bench.judge()
        await bench.run(20, lambda: 2)
        await bench.step(None, (random.choice([CONTROL_READ, CONTROL_CLEAR]), bench.hot[0]))
        for _ in range(pause):
            await bench.run(1, lambda: 2)
        await bench.reset(random.randint(1, 4))
    assert bench.seen["unswept"] >= 7


NARROW = {"INDEX_BITS": 2, "TAG_BITS": 4, "TIME_BITS": 6, "TICK_BITS": 2}


@pytest.mark.parametrize(
    "parameters",
    [
        NARROW,
        {"INDEX_BITS": 1, "TAG_BITS": 1, "PORTS": 1, "TIME_BITS": 5, "TICK_BITS": 2, "LATE_CYCLES": 3},
        {"INDEX_BITS": 3, "TAG_BITS": 5, "PORTS": 3, "TIME_BITS": 8, "TICK_BITS": 0, "LATE_CYCLES": 1},
        {"INDEX_BITS": 7, "TAG_BITS": 16, "PORTS": 5, "PORT_BITS": 8, "TIME_BITS": 8, "TICK_BITS": 4, "LATE_CYCLES": 9,
         "LATENCY_CYCLES": 16},
    ],
    ids=str,
)  # fmt: skip
def test_flowlet_table(parameters):
    runner.run("flowlet_table", parameters, packed=False)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"INDEX_BITS": 0}, "INDEX_BITS must be from 1 to 16"),
        ({"INDEX_BITS": 17}, "INDEX_BITS must be from 1 to 16"),
        ({"TAG_BITS": 0}, "TAG_BITS must be 1 or more"),
        ({"PORTS": 0}, "PORTS must be from 1 to 32"),
        ({"PORTS": 33}, "PORTS must be from 1 to 32"),
        ({"PORTS": 5, "PORT_BITS": 2}, "PORT_BITS must be from 3 to 16"),
        ({"PORT_BITS": 17}, "PORT_BITS must be from 2 to 16"),
        ({"TIME_BITS": 2, "TICK_BITS": 20}, "TIME_BITS must be from 3 to 32"),
        ({"TIME_BITS": 33}, "TIME_BITS must be from 3 to 32"),
        ({"TICK_BITS": -1, "TIME_BITS": 30}, "TICK_BITS must be from 0 to 24"),
        ({"TICK_BITS": 25}, "TICK_BITS must be from 0 to 24"),
        ({**NARROW, "TIME_BITS": 4}, "A quarter of the range of TIME_BITS must be 27 cycles or more"),
        ({"LATE_CYCLES": -1}, "LATE_CYCLES must be from 0 to 64"),
        ({"LATE_CYCLES": 65}, "LATE_CYCLES must be from 0 to 64"),
        ({"LATENCY_CYCLES": 5}, "LATENCY_CYCLES must be 6 or more"),
        ({"LATE_CYCLES": 6, "LATENCY_CYCLES": 8}, "LATENCY_CYCLES must be 9 or more"),
    ],
    ids=str,
)
def test_flowlet_table_refuses(parameters, sentence):
    runner.refuses("flowlet_table", parameters, sentence)
