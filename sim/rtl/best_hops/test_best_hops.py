# SPDX-License-Identifier: Apache-2.0
"""best_hops

- Random probes and reads, of few ToRs so that every distance from two cycles on occurs, with utilisations that often
  tie, and settings that change at any time: every answer, exactly LATENCY_CYCLES later, is that of the oracle and of
  the C++ twin, which know neither sweeper nor wrap; time has so few bits that it wraps hundreds of times, traffic
  pauses for longer than that, and time-outs go up to the longest. READ commands in between show rows as they were.
- The list is sorted, no port stands in it twice unless a setting allows it, nothing in it is older than the time-out,
  k entries are there when k ports are live; a hop that is pushed out is alive.
- CLEAR empties every row once; a reset in the midst of all this empties the table.
- Each bit of cfg_literal by a case of its own; with bit 0 the table is the one of HULA's Fig. 3b, which keeps the
  lowest utilisation that it has ever seen until the time-out. K = 1 is HULA.
- Each parameter check fires.
"""

import bisect
import os
import random
from collections import Counter
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import RisingEdge

from bench import runner
from bench.stream import parameters
from rtl.best_hops import oracle
from rtl.best_hops.oracle import LESSER_UTILISATION, NO_UTILISATION, ONLY_BETTER, PORT_IN_SEVERAL, PROBE, READ, Row

CONTROL_READ, CONTROL_WRITE, CONTROL_CLEAR = range(3)
SCALE = int(os.environ.get("SCALE", "1"))  # a soak does more of the same


@dataclass
class Asked:
    cycle: int
    live: bool
    operation: int
    tor: int
    port: int
    utilisation: int
    now: int
    fail_ticks: int
    literal: int
    answer: oracle.Answer | None = None


@dataclass
class Told:
    op: int
    tor: int
    taken: int = -1
    answered: int = -1
    found: int = 0


class Bench:
    def __init__(self, dut) -> None:
        p = self.p = parameters()
        self.dut = dut
        self.tors, self.k, self.ports, self.port_bits = p["TORS"], p["K"], p["PORTS"], p["PORT_BITS"]
        self.time_bits, self.tick_bits, self.lag = p["TIME_BITS"], p["TICK_BITS"], p["LAG_CYCLES"]
        self.latency = p["LATENCY_CYCLES"]
        # From a request to the end of the cycle that writes it: docs of serial_rows, and one to take it in.
        self.left_cycles = p["READ_CYCLES"] + 5
        limit = oracle.limit(self.time_bits, self.tick_bits, self.lag)
        self.rules = oracle.Rules(self.k, self.ports, self.port_bits, limit)
        self.twin = oracle.Twin(os.environ["TWIN"], self.tors, self.tick_bits, self.lag)
        self.seen: Counter[str] = Counter()
        self.fail_ticks, self.literal = limit // 2, 0
        self.asked: list[Asked] = []
        self.on_time = False

    async def start(self, on_time: bool = False) -> None:
        self.on_time = on_time  # whether the time of a request is that of its cycle
        self.dut.rst.value = Immediate(1)  # the clock may have an edge at time 0, before anything else is written
        Clock(self.dut.clk, 5, "ns", impl="gpi").start()
        await self.reset()
        await self.until_swept()

    async def reset(self) -> None:
        self.dut.rst.value = 1
        self.dut.input_valid.value = 0
        self.dut.control_valid.value = 0
        for _ in range(random.randint(1, 3)):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.cycle, self.now, self.swept_at = 0, 0, -1
        self.asked, self.told = [], []
        self.due: dict[int, Asked] = {}
        self.telling: Told | None = None
        self.waiting: Told | None = None
        self.last_request = -2

    @property
    def idle(self) -> bool:
        return self.telling is None and self.waiting is None

    def a_time(self) -> int:
        """In ticks: late by a random number of cycles, and never before the last one."""
        late = 0 if self.on_time else random.choice([0, 0, self.lag, random.randint(0, self.lag)])
        late = max(0, self.cycle - late)
        self.now = max(self.now, late >> self.tick_bits)
        return self.now

    async def step(self, request: tuple[int, int, int, int] | None = None, told: Told | None = None) -> Asked | None:
        """One cycle; a request is operation, tor, port, utilisation."""
        dut, asked = self.dut, None
        if request is not None and self.cycle - self.last_request >= 2:
            self.last_request = self.cycle
            asked = Asked(self.cycle, False, *request, self.a_time(), self.fail_ticks, self.literal)
            dut.operation.value, dut.tor.value, dut.port.value, dut.utilisation.value = request
            dut.now.value = asked.now % 2**self.time_bits
            dut.cfg_fail_ticks.value, dut.cfg_literal.value = self.fail_ticks, self.literal
        else:
            dut.tor.value, dut.operation.value = random.randrange(self.tors), PROBE
            dut.cfg_fail_ticks.value = 0
        dut.input_valid.value = int(asked is not None)
        if told is not None:
            self.telling = told
        dut.control_valid.value = int(self.telling is not None)
        if self.telling:
            dut.control_op.value, dut.control_index.value = self.telling.op, self.telling.tor
        await RisingEdge(dut.clk)
        ready = bool(dut.control_ready.value)
        if ready and self.swept_at < 0:
            self.swept_at = self.cycle
        if asked is not None:
            asked.live = self.swept_at >= 0
            self.asked.append(asked)
            self.due[self.cycle + self.latency] = asked
        if (due := self.due.pop(self.cycle, None)) is not None:
            due.answer = (
                int(dut.ports_result.value),
                int(dut.utilisations_result.value),
                int(dut.count_result.value),
                int(dut.best_result.value),
                int(dut.alive_result.value),
            )
        if dut.status_valid.value:
            assert self.waiting is not None, "an answer to no command"
            self.waiting.answered, self.waiting.found = self.cycle, int(dut.status_value.value)
            self.waiting = None
        if self.telling and ready:
            self.telling.taken = self.cycle
            self.told.append(self.telling)
            self.telling, self.waiting = None, self.telling
        self.cycle += 1
        return asked

    async def until_swept(self) -> None:
        while self.swept_at < 0:
            await self.step()

    async def settle(self) -> None:
        while not self.idle or self.due:
            await self.step()
        for _ in range(self.left_cycles):
            await self.step()

    async def tell(self, op: int, tor: int = 0) -> Told:
        await self.step(None, Told(op, tor))
        while not self.idle:
            await self.step()
        return self.told[-1]

    async def ask(self, operation: int, tor: int, port: int = 0, utilisation: int = 0) -> oracle.Answer:
        """One request by itself, and its answer."""
        while (asked := await self.step((operation, tor, port, utilisation))) is None:
            pass
        while asked.answer is None:
            await self.step()
        return asked.answer

    async def probe(self, tor: int, port: int, utilisation: int) -> list[tuple[int, int]]:
        return self.listed(await self.ask(PROBE, tor, port, utilisation))

    def listed(self, answer: oracle.Answer) -> list[tuple[int, int]]:
        ports, utilisations, count, best, _ = answer
        mask = 2**self.port_bits - 1
        hops = [(ports >> r * self.port_bits & mask, utilisations >> 8 * r & 255) for r in range(self.k)]
        assert hops[count:] == [(0, NO_UTILISATION)] * (self.k - count)
        assert best == hops[0][1]
        return hops[:count]

    async def pause(self, ticks: int) -> None:
        for _ in range(ticks << self.tick_bits):
            await self.step()

    # ---- random traffic

    def a_request(self, hot: list[int]) -> tuple[int, int, int, int]:
        tor = random.choice(hot)
        port = random.randrange(2**self.port_bits) if random.random() < 0.05 else random.randrange(self.ports)
        some = random.choice([3, 12, 254])
        utilisation = NO_UTILISATION if random.random() < 0.05 else random.randint(0, some)
        return int(random.random() < 0.75), tor, port, utilisation

    def change_settings(self, literal: bool) -> None:
        top, limit = 2**self.time_bits - 1, self.rules.limit
        choice = [random.randint(0, limit), random.randint(0, min(limit, 12)), limit, limit, limit + 1, limit - 1, top]
        self.fail_ticks = min(top, random.choice(choice))
        if literal:
            self.literal = random.choice([0, 0, random.randrange(8)])

    async def run(
        self, cycles: int, hot: list[int], gap: float, commands: float = 0.0, clear: float = 0.0, literal: bool = True
    ) -> None:
        for _ in range(cycles):
            told = None
            if random.random() < 0.02:
                self.change_settings(literal)
            if self.idle and random.random() < commands:
                op = CONTROL_CLEAR if random.random() < clear else random.choice([CONTROL_READ, CONTROL_WRITE])
                told = Told(op, min(random.choice(hot), self.tors - 1))
            await self.step(None if random.random() < gap else self.a_request(hot), told)

    def some_tors(self, number: int) -> list[int]:
        hot = random.sample(range(self.tors), min(number, self.tors))
        beyond = 2 ** self.p["TOR_BITS"]
        return hot * 8 + ([random.randrange(self.tors, beyond)] if beyond > self.tors else [])

    # ---- the judge

    def judge(self) -> None:
        """One request after the other. While CLEAR is under way a row may have been cleared, or may be yet."""
        clears = [t for t in self.told if t.op == CONTROL_CLEAR and t.answered >= 0]
        events: list[tuple[float, str, Asked | Told]] = [(a.cycle, "request", a) for a in self.asked if a.answer]
        # A request reaches the rows one cycle after it came.
        events += [(t.taken - 0.5, "clear", t) for t in clears] + [(t.answered - 0.5, "cleared", t) for t in clears]
        held: dict[int, set[tuple[Row, bool]]] = {}  # the row, and whether CLEAR is still to come to it
        history: dict[int, list[tuple[int, set[Row]]]] = {}
        last: dict[int, int] = {}
        empty = (Row(), False)
        tors = {a.tor for a in self.asked} | {t.tor for t in self.told}
        self.several = any(a.literal & PORT_IN_SEVERAL for a in self.asked)
        self.twin.reset()
        for _, what, about in sorted(events, key=lambda event: event[0]):
            if what == "clear":
                for tor in tors:
                    held[tor] = {(row, True) for row, _ in held.get(tor, {empty})} | {empty}
                    history.setdefault(tor, []).append((about.taken, {r for r, _ in held[tor]}))
            elif what == "cleared":
                for tor in tors:
                    held[tor] = {(row, False) for row, pending in held[tor] if not pending}
                    assert held[tor], f"row {tor} was not cleared"
                    history.setdefault(tor, []).append((about.answered, {r for r, _ in held[tor]}))
            else:
                self._judge_request(about, held, history, bool(clears))
                if about.tor in last:
                    self.seen[f"distance {min(about.cycle - last[about.tor], 20)}"] += 1
                last[about.tor] = about.cycle
        for told in self.told:
            if told.op in (CONTROL_READ, CONTROL_WRITE) and told.answered >= 0:
                self._judge_read(told, history.get(told.tor, []))

    def _judge_request(self, a: Asked, held, history, cleared: bool) -> None:
        empty = (Row(), False)
        states = held.get(a.tor, {empty}) if a.live and a.tor < self.tors else {empty}
        after: set[tuple[Row, bool]] = set()
        expected = []
        for row, pending in states:
            new = row
            if a.operation == PROBE and a.tor < self.tors:
                new = self.rules.after(row, a.port, a.utilisation, a.now, a.fail_ticks, a.literal)
            expected.append(self.rules.answer(new, a.now, a.fail_ticks))
            if expected[-1] == a.answer:
                after |= {(new, pending), empty} if pending else {(new, False)}
        assert after, f"{a} should be one of {expected}, from {states}"
        if a.live and a.tor < self.tors:
            self.seen["changed"] += after != states
            self.seen["full"] += a.answer[2] == self.k
            self.seen["some"] += 0 < a.answer[2] < self.k
            self.seen["dead"] += any(len(row.hops) > a.answer[2] for row, _ in after)
            held[a.tor] = after
            history.setdefault(a.tor, []).append((a.cycle, {row for row, _ in after}))
        self.seen["unswept"] += not a.live
        self.seen["beyond"] += a.tor >= self.tors
        if a.live and not cleared:
            arguments = (a.operation, a.tor, a.port, a.utilisation, a.now % 2**self.time_bits)
            said = self.twin.call(a.cycle, a.fail_ticks, a.literal, *arguments)
            assert said == a.answer, f"the twin says {said} of {a}"
            self.seen["twin"] += 1
        self.seen["request"] += 1
        listed = self.listed(a.answer)
        assert [hop[1] for hop in listed] == sorted(hop[1] for hop in listed)
        assert len({hop[0] for hop in listed}) == len(listed) or self.several

    def _judge_read(self, told: Told, history: list[tuple[int, set[Row]]]) -> None:
        hop_bits = max(1, (self.ports - 1).bit_length())
        early, late = told.taken - self.left_cycles, told.answered - self.left_cycles
        place = bisect.bisect_right(history, early, key=lambda change: change[0])
        allowed = set(history[place - 1][1]) if place else {Row()}
        for at, rows in history[place : place + 20]:
            if at <= late:
                allowed |= rows
        bits, top = told.found, 2**self.time_bits
        hops, last = [], []
        for _ in range(self.k):
            if bits & 1:
                fields = bits >> 1 + self.time_bits
                hops.append((fields >> 8 & 2**hop_bits - 1, fields & 255, bits >> 1 & top - 1))
            bits >>= 1 + self.time_bits + 8 + hop_bits
        for port in range(self.ports):
            if bits & 1:
                last.append((port, bits >> 1 & top - 1))
            bits >>= 1 + self.time_bits
        assert bits == 0
        # What is too old to be live may have been swept already.
        newest = told.answered >> self.tick_bits
        sure = newest - self.rules.limit
        for row in allowed:
            rest_hops, rest_last = list(hops), list(last)
            for port, utilisation, time in row.hops:
                if rest_hops[:1] == [(port, utilisation, time % top)]:
                    rest_hops.pop(0)
                elif time >= sure:
                    rest_hops = [(0, 0, -1)]
            for port, time in row.last:
                if rest_last[:1] == [(port, time % top)]:
                    rest_last.pop(0)
                elif time >= sure:
                    rest_last = [(0, -1)]
            if not rest_hops and not rest_last:
                self.seen["read"] += 1
                self.seen["swept"] += len(row.hops) > len(hops)
                return
        raise AssertionError(f"{told}: {hops} {last} is none of {allowed}")


@cocotb.test()
async def answers_are_those_of_oracle_and_twin(dut):
    bench = Bench(dut)
    await bench.start()
    turn = 2**bench.time_bits << bench.tick_bits  # until time wraps
    for round_number in range(6 * SCALE):
        for number in (1, 2, 3, 6):
            hot = bench.some_tors(number)
            for gap in (0.0, 0.3, 0.9):
                bench.change_settings(round_number % 2 == 1)
                await bench.run(250, hot, gap, 0.1, literal=round_number % 2 == 1)
        if turn < 20_000 or round_number % 4 == 0:
            # A pause, after which what was too old must not look young again.
            await bench.pause(random.choice([1, 2, 3]) * min(2**bench.time_bits, 600) - random.randrange(8))
        bench.literal = 0
    await bench.settle()
    bench.judge()
    print(f"{bench.seen['request']} requests, {bench.seen['twin']} of them held against the twin")
    assert bench.seen["twin"] == bench.seen["request"] > 1500
    for distance in range(2, 13):
        assert bench.seen[f"distance {distance}"] > 10, bench.seen
    assert bench.seen["changed"] > 500 and bench.seen["full"] > 200 and bench.seen["read"] > 50, bench.seen
    assert bench.seen["some"] > 100 or bench.k == 1, bench.seen
    assert bench.seen["beyond"] > 20 or bench.tors == 2 ** bench.p["TOR_BITS"], bench.seen
    if bench.cycle > 40 * turn:
        assert bench.seen["swept"] > 0 and bench.seen["dead"] > 10, bench.seen


@cocotb.test()
async def time_wraps_between_a_probe_and_its_look(dut):
    """A probe, then nothing or others' traffic, then a look, at every age around the limit and the wrap."""
    bench = Bench(dut)
    await bench.start()
    if 2**bench.time_bits << bench.tick_bits > 5_000:
        return
    tor, other = random.sample(range(bench.tors), 2)
    everything = 2**bench.time_bits
    limit = bench.rules.limit
    ages = [0, 1, limit - 1, limit, limit + 1, limit + 2, everything - 2, everything - 1, everything, everything + 1]
    for fail_ticks in (limit, everything - 1, 3):
        for age in [*ages, 2 * everything, 3, 4, *random.choices(range(3 * everything), k=3 * SCALE)]:
            bench.fail_ticks = fail_ticks
            busy = random.random() < 0.5
            await bench.ask(PROBE, tor, random.randrange(bench.ports), random.randrange(255))
            probed = bench.now
            while bench.cycle >> bench.tick_bits < probed + age:
                await bench.step((READ, other, 0, 0) if busy else None)
            await bench.ask(READ, tor)
    await bench.settle()
    bench.judge()


@cocotb.test()
async def clear_and_reset_empty_the_table(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(3 * SCALE):
        hot = bench.some_tors(4)
        await bench.run(400, hot, 0.2, 0.2, 0.3)
        await bench.settle()
        await bench.tell(CONTROL_CLEAR)
        for tor in {min(tor, bench.tors - 1) for tor in hot}:
            assert (await bench.tell(CONTROL_READ, tor)).found == 0
        for tor in set(hot):
            assert (await bench.ask(READ, tor))[2:] == (0, NO_UTILISATION, 0)
        bench.judge()
        await bench.run(100 + random.randrange(20), hot, 0.2, 0.2, 0.3)
        await bench.reset()
        for _ in range(20):
            await bench.run(1, hot, 0.1)
        await bench.until_swept()
        await bench.run(50, hot, 0.2)
        await bench.settle()
        bench.judge()
    assert bench.seen["unswept"] > 10 and bench.seen["read"] > 3


@cocotb.test()
async def the_list_is_kept_by_the_rules(dut):
    """Cases by hand, from the page."""
    bench = Bench(dut)
    await bench.start(on_time=True)
    k, ports = bench.k, bench.ports
    bench.fail_ticks = bench.rules.limit
    tor = random.randrange(bench.tors)
    # k entries when k ports are live, sorted; the last is pushed out, and stays alive.
    order = random.sample(range(ports), ports)
    for port in order:
        listed = await bench.probe(tor, port, 100 + port)
    assert listed == [(port, 100 + port) for port in range(min(k, ports))]
    assert (await bench.ask(READ, tor))[4] == 2**ports - 1
    # Better or worse, a probe of a listed port is taken; an incumbent wins a tie.
    assert (await bench.probe(tor, 0, 90))[0] == (0, 90)
    if k > 1 and ports > 2:
        listed = await bench.probe(tor, 0, 101)
        assert listed[:2] == [(1, 101), (0, 101)]
    # 255 is refused, and so is a port that does not exist.
    before = await bench.ask(READ, tor)
    assert await bench.ask(PROBE, tor, 0, NO_UTILISATION) == before
    if 2**bench.port_bits > ports:
        assert await bench.ask(PROBE, tor, ports, 0) == before
    # Nothing is older than the time-out.
    bench.fail_ticks = short = 1 + (32 >> bench.tick_bits)
    await bench.pause(short + 1)
    await bench.probe(tor, 1 % ports, 200)
    assert await bench.ask(READ, tor) == (
        1 % ports,
        int.from_bytes(bytes([200] + [255] * (k - 1)), "little"),
        1,
        200,
        1 << 1 % ports,
    )
    await bench.pause(short + 1)
    assert (await bench.ask(READ, tor))[2:] == (0, NO_UTILISATION, 0)
    bench.judge()


@cocotb.test()
async def hula_fig_3b_keeps_the_lowest(dut):
    """cfg_literal bit 0: the entry stays at the lowest utilisation it has seen, from whatever port, until it fails."""
    bench = Bench(dut)
    await bench.start(on_time=True)
    bench.literal = ONLY_BETTER
    bench.fail_ticks = fail_ticks = 100 >> bench.tick_bits
    tor = random.randrange(bench.tors)
    hop, utilisation, time, lived = None, 0, 0, 0
    for _ in range(150 * SCALE):
        port, load = random.randrange(bench.ports), random.randint(20, 254)
        listed = await bench.probe(tor, port, load)
        # Fig. 3b, line by line: take it if it is better, or if the entry is older than the time-out.
        if hop is None or load < utilisation or bench.now - time > fail_ticks:
            lived += hop is not None and load >= utilisation
            hop, utilisation, time = port, load, bench.now
        assert listed[0] == (hop, utilisation)
    assert lived > 3
    # Without the bit a probe of the best port is taken, though it is worse.
    await bench.tell(CONTROL_CLEAR)
    assert await bench.probe(tor, 0, 10) == [(0, 10)]
    assert await bench.probe(tor, 0, 50) == [(0, 10)]
    if bench.ports > 1:
        assert (await bench.ask(PROBE, tor, 1, 30))[4] == 1  # not even alive
    bench.literal = 0
    assert await bench.probe(tor, 0, 50) == [(0, 50)]


@cocotb.test()
async def mp_hula_as_printed(dut):
    """cfg_literal bits 1 and 2."""
    bench = Bench(dut)
    await bench.start(on_time=True)
    bench.fail_ticks = bench.rules.limit
    tor, other = random.sample(range(bench.tors), 2)
    bench.literal = LESSER_UTILISATION
    await bench.probe(tor, 0, 65)
    listed = await bench.probe(tor, 1 % bench.ports, 67)
    assert all(utilisation == 65 for _, utilisation in listed)  # the best's value stands for all
    assert (await bench.probe(tor, 0, 99))[0][1] == 65  # and never grows
    bench.literal = PORT_IN_SEVERAL
    await bench.probe(other, 0, 40)
    listed = await bench.probe(other, 0, 30)
    assert listed == [(0, 30), (0, 40)][: bench.k]
    bench.literal = 0
    assert await bench.probe(other, 0, 50) == [(0, 50)]
    bench.judge()


SETS = [
    {"TORS": 5, "K": 4, "PORTS": 4, "TOR_BITS": 4, "PORT_BITS": 3, "TIME_BITS": 5, "TICK_BITS": 3, "LAG_CYCLES": 8},
    {"TORS": 9, "K": 1, "PORTS": 3, "TOR_BITS": 4, "PORT_BITS": 2, "TIME_BITS": 8, "TICK_BITS": 6, "LAG_CYCLES": 100,
     "READ_CYCLES": 2},
    {"TORS": 11, "K": 2, "PORTS": 5, "TOR_BITS": 24, "PORT_BITS": 8, "TIME_BITS": 6, "TICK_BITS": 3, "LAG_CYCLES": 0,
     "READ_CYCLES": 3, "BANK_ROWS": 4, "LATENCY_CYCLES": 12},
    {"TORS": 16, "K": 8, "PORTS": 9, "TOR_BITS": 4, "PORT_BITS": 8, "TIME_BITS": 9, "TICK_BITS": 0, "LAG_CYCLES": 20},
    {"TORS": 100, "K": 3, "PORTS": 32, "TOR_BITS": 8, "PORT_BITS": 5, "TIME_BITS": 12, "TICK_BITS": 4},
    {"TORS": 10240},
]  # fmt: skip


def run(given, **more):
    widths = {"TOR_BITS": 24, "PORT_BITS": 8, "TIME_BITS": 16, "K": 4, "PORTS": 4}
    twin = oracle.build_twin({name: given.get(name, default) for name, default in widths.items()})
    runner.run("best_hops", given, packed=False, settings={"TWIN": str(twin)}, **more)


@pytest.mark.parametrize("given", SETS, ids=str)
def test_best_hops(given):
    run(given)


FEW = {"TORS": 5, "TIME_BITS": 5, "TICK_BITS": 3, "LAG_CYCLES": 8}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"TORS": 1}, "ROWS must be from 2 to 65536"),
        ({"K": 0}, "K must be from 1 to 8"),
        ({"K": 9}, "K must be from 1 to 8"),
        ({"PORTS": 0}, "PORTS must be from 1 to 32"),
        ({"PORTS": 33}, "PORTS must be from 1 to 32"),
        ({"TOR_BITS": 13}, "TOR_BITS must be 14 or more"),
        ({"PORT_BITS": 1}, "PORT_BITS must be 2 or more"),
        ({"TORS": 2, "LAG_CYCLES": 0, "TIME_BITS": 3, "TICK_BITS": 8}, "TIME_BITS must be from 4 to 30"),
        ({"TIME_BITS": 31}, "TIME_BITS must be from 4 to 30"),
        ({"TICK_BITS": -1}, "TICK_BITS must be from 0 to 30"),
        ({"TICK_BITS": 31}, "TICK_BITS must be from 0 to 30"),
        ({"LAG_CYCLES": -1}, "LAG_CYCLES must be 0 or more"),
        ({"LATENCY_CYCLES": 8}, "LATENCY_CYCLES must be 9 or more"),
        # 31 cycles of a sweep are 4 ticks of 8, and 8 + 1 + 3 are 2: 6, as many as fit; 30 ticks of time have 7.
        ({**FEW, "TORS": 10}, "must give the sweeper more time"),
        ({**FEW, "LAG_CYCLES": 30}, "must give the sweeper more time"),
    ],
    ids=str,
)
def test_best_hops_refuses(given, sentence):
    runner.refuses("best_hops", given, sentence)
