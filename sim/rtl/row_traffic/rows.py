# SPDX-License-Identifier: Apache-2.0
"""What tests of externs with rows of timed entries share: requests that collide, time that wraps, commands, judges.

The bench writes down what it asked and what came back. Afterwards the record goes to two judges: the rule in Python,
one request after the other with times that never wrap, and the extern's twin.

A request has one place among the commands if its result was there when the command was taken, or if it came after
that; else it may be before or after. So a READ may show what the row was at any time between, and during a CLEAR
each row is cleared at an instant that is not told: the judge keeps what a row can be, and each result has to fit.
What is older than any time-out may be in a row or have been swept from it.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.triggers import RisingEdge

from bench.stream import CLOCK_NS, parameters
from rtl.row_traffic.twin import Twin

CONTROL_READ, CONTROL_WRITE, CONTROL_CLEAR = range(3)
SPACING_CYCLES = 2  # between two requests, at least

TWIN_CALL, TWIN_RESET, TWIN_READ = range(3)
LIMB = (1 << 64) - 1

Row = Hashable
State = tuple[Row, bool]  # what a row can be, and whether a clearing of it is still to come
Arguments = dict[str, int]
Parameters = dict[str, int]


def limbs(word: int, count: int) -> tuple[int, ...]:
    """64 bits each, the lowest first."""
    assert not word >> 64 * count
    return tuple(word >> 64 * place & LIMB for place in range(count))


@dataclass(frozen=True)
class Kind:
    """An extern whose state is rows of timed entries."""

    row: str  # the argument that names the row
    early: dict[str, str | int]  # arguments that come with input_valid, but for `now`: the parameter with their width
    late: dict[str, str | int]  # those that come LATE_CYCLES later
    results: tuple[str, ...]
    setting: str
    stays_cycles: int  # from a request's result until a command is taken that comes after it
    empty: Callable[[Parameters], Row]
    rule: Callable[[Parameters, Row, Arguments, int, int], tuple[Row, tuple[int, ...]]]  # row, arguments, tick, setting
    pack: Callable[[Parameters, Row], int]  # the word that the control port shows
    shows: Callable[[Parameters, Row, int, int], bool]  # whether that word may stand for the row at that tick
    twin: Callable[[Parameters], Twin]  # an entry: one of TWIN_*, cycle or row, setting, arguments, now


@dataclass(eq=False)
class Asked:
    cycle: int
    live: bool  # the rows were swept
    arguments: Arguments
    tick: int
    setting: int
    results: tuple[int, ...] = ()


@dataclass(eq=False)
class Told:
    op: int
    index: int
    taken: int = -1
    answered: int = -1
    found: int = 0
    rows: set[State] = field(default_factory=set)  # what the row was in the meantime

    @property
    def cycle(self) -> float:
        return self.taken + 0.5 if self.op == CONTROL_CLEAR else self.answered - 0.5


@dataclass
class Record:
    """From one reset to the next."""

    asked: list[Asked] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)


class RowBench:
    def __init__(self, dut: Any, kind: Kind) -> None:
        self.dut, self.kind = dut, kind
        self.p = p = parameters()
        self.latency = p["LATENCY_CYCLES"]
        self.done_cycles = self.latency + kind.stays_cycles
        self.late_cycles = p.get("LATE_CYCLES", 0)
        self.time_bits, self.tick_bits = p["TIME_BITS"], p["TICK_BITS"]
        self.greatest = 2 ** (self.time_bits - 1) - 1
        self.wrap_cycles = 1 << self.time_bits + self.tick_bits
        self.record = Record()
        self.seen: Counter[str] = Counter()
        self.hot = [0]
        self.setting = 0
        self.lag_cycles = 0  # how long ago a packet was given its time
        self.cycle = 0
        self.swept_at = -1
        self.slowest_answer = 0
        self.make: Callable[[RowBench], Arguments] = lambda _: {}
        self._handles = {n: getattr(dut, n) for n in (*kind.early, *kind.late, "now", kind.setting, "input_valid")}
        self._early, self._late_bits = (
            {name: p[width] if isinstance(width, str) else width for name, width in names.items()}
            for names in (kind.early, kind.late)
        )
        self._results = [getattr(dut, n) for n in kind.results]
        self._due: deque[Asked] = deque()
        self._late: deque[tuple[int, Arguments]] = deque()
        self._telling: Told | None = None
        self._waiting: Told | None = None
        self._next = 0
        self._tick = 0

    # ---- stimulus

    async def start(self) -> None:
        # Before the clock's first edge, which its random state may bring at time 0.
        self.dut.rst.value = Immediate(1)
        self._handles["input_valid"].value = Immediate(0)
        Clock(self.dut.clk, CLOCK_NS, "ns", impl="gpi").start()
        await self.reset()

    async def reset(self, cycles: int = 3) -> None:
        """Forgets everything, what was under way too."""
        self.dut.rst.value = 1
        self.dut.control_valid.value = 0
        self._handles["input_valid"].value = 0
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.record = Record()
        self._due.clear()
        self._late.clear()
        self._telling = self._waiting = None
        self.cycle = self._next = self._tick = 0
        self.swept_at = -1

    def _drive(self, names: dict[str, int], values: Arguments | None) -> None:
        """Arguments, or anything where there are none."""
        for name, width in names.items():
            self._handles[name].value = values[name] if values is not None else random.getrandbits(width)

    async def step(self, request: Arguments | None = None, command: tuple[int, int] | None = None) -> None:
        """One cycle: drives it, and at its end reads what the module shows in it."""
        dut, cycle = self.dut, self.cycle
        asked = None
        if request is not None:
            assert cycle >= self._next, "requests are too near"
            self._next = cycle + SPACING_CYCLES
            self._tick = max(self._tick, max(0, cycle - self.lag_cycles) >> self.tick_bits)
            asked = Asked(cycle, False, request, self._tick, self.setting)
            self._late.append((cycle + self.late_cycles, request))
            self._handles["now"].value = self._tick & (1 << self.time_bits) - 1
        else:
            self._handles["now"].value = random.getrandbits(self.time_bits)
        self._handles["input_valid"].value = int(asked is not None)
        self._drive(self._early, request)
        late = self._late.popleft()[1] if self._late and self._late[0][0] == cycle else None
        self._drive(self._late_bits, late)
        self._handles[self.kind.setting].value = self.setting
        if command is not None:
            assert self.idle
            self._telling = Told(*command)
        told = self._telling
        dut.control_valid.value = int(told is not None)
        if told is not None:
            dut.control_op.value = told.op
            dut.control_index.value = told.index
        await RisingEdge(dut.clk)
        ready = bool(dut.control_ready.value)
        if ready and self.swept_at < 0:
            self.swept_at = cycle
        if asked is not None:
            asked.live = self.swept_at >= 0
            self.record.asked.append(asked)
            self._due.append(asked)
        if self._due and self._due[0].cycle + self.latency == cycle:
            self._due.popleft().results = tuple(int(handle.value) for handle in self._results)
        if dut.status_valid.value:
            waiting = self._waiting
            assert waiting is not None, "an answer to no command"
            waiting.answered, waiting.found = cycle, int(dut.status_value.value)
            if waiting.op != CONTROL_CLEAR:
                self.slowest_answer = max(self.slowest_answer, cycle - waiting.taken)
            self._waiting = None
        if told is not None and ready:
            assert self._waiting is None, "a command is taken while one is under way"
            told.taken = cycle
            self.record.told.append(told)
            self._telling, self._waiting = None, told
        self.cycle += 1

    @property
    def idle(self) -> bool:
        return self._telling is None and self._waiting is None

    async def run(
        self, requests: int, gaps: Callable[[], int], commands: float = 0.0, clear: float = 0.0, change: float = 0.0
    ) -> None:
        """Requests, `gaps` cycles apart; with some share of cycles that begin a command, of requests that change the
        setting."""
        for _ in range(requests):
            due = max(self._next, self.cycle - 1 + gaps())
            while self.cycle < due:
                await self.step(None, self._maybe_command(commands, clear))
            if random.random() < change:
                self.setting = self.a_setting()
            await self.step(self.make(self), self._maybe_command(commands, clear))

    def _maybe_command(self, commands: float, clear: float) -> tuple[int, int] | None:
        if not self.idle or random.random() >= commands:
            return None
        if random.random() < clear:
            return CONTROL_CLEAR, random.choice(self.hot)
        return CONTROL_READ, random.choice(self.hot)

    def a_setting(self) -> int:
        top = (1 << self.time_bits) - 1
        edges = [0, 1, 2, self.greatest - 1, self.greatest, self.greatest + 1, top]
        return random.choice(edges) if random.random() < 0.4 else random.randint(0, self.greatest)

    def gaps(self) -> int:
        """Mostly as near as may be, with pauses up to beyond a wrap of the time."""
        draw = random.random() * max(1, self.wrap_cycles / 256)
        if draw < 0.02:
            return random.randint(SPACING_CYCLES, self.wrap_cycles * 5 // 4)
        if draw < 0.1:
            return random.randint(SPACING_CYCLES, self.wrap_cycles // 3)
        return SPACING_CYCLES if random.random() < 0.6 else random.randint(SPACING_CYCLES, 9)

    def oldest(self) -> int:
        """How many cycles ago a packet may have got its time, at most: until its result a quarter of the range."""
        return (self.wrap_cycles >> 2) - (1 << self.tick_bits) - self.latency

    async def until_swept(self) -> None:
        while self.swept_at < 0:
            await self.step()

    async def settle(self) -> None:
        """Without requests, until results and answers are there."""
        while not self.idle or self._due:
            await self.step()
        for _ in range(self.latency + 1):
            await self.step()

    async def tell(self, op: int, index: int = 0) -> int:
        await self.step(None, (op, index))
        while not self.idle:
            await self.step()
        return self.record.told[-1].found

    # ---- the judges

    def judge(self) -> None:
        self._judge_by_rule()
        self._judge_by_twin()

    def _judge_by_rule(self) -> None:
        kind, p = self.kind, self.p
        empty = kind.empty(p)
        clearing = False

        def cleared(states: set[State]) -> set[State]:
            return {(empty if to_come else state, False) for state, to_come in states}

        can: dict[int, set[State]] = {}
        reading: list[Told] = []  # their requests in between overlap
        last: dict[int, int] = {}
        events: list[tuple[float, Any]] = [(a.cycle, a) for a in self.record.asked]
        for told in self.record.told:
            assert told.answered >= 0, f"{told} has no answer"
            events += [(told.taken - self.done_cycles + 0.5, told), (told.answered - 0.5, told)]
        for at, subject in sorted(events, key=lambda e: e[0]):
            if isinstance(subject, Asked):
                self._judge_request(subject, can, clearing, reading, last)
            elif at < subject.taken and subject.op == CONTROL_CLEAR:
                clearing = True
                can = {row: {(s, True) for s, _ in states} for row, states in can.items()}
            elif subject.op == CONTROL_CLEAR:
                clearing = False
                can = {row: cleared(states) for row, states in can.items()}
                for read in reading:
                    read.rows = cleared(read.rows)
                self.seen["clear"] += 1
            elif at < subject.taken:
                reading.append(subject)
                subject.rows = set(can.get(subject.index, {(empty, clearing)}))
            else:
                reading.remove(subject)
                tick = subject.answered >> self.tick_bits
                assert any(kind.shows(p, row, subject.found, tick) for row, _ in subject.rows), f"{subject} at {tick}"
                self.seen["read"] += 1
                self.seen["read of something"] += subject.found != 0

    def _judge_request(
        self, asked: Asked, can: dict[int, set[State]], clearing: bool, reading: list[Told], last: dict[int, int]
    ) -> None:
        kind, p = self.kind, self.p
        empty = kind.empty(p)
        row = asked.arguments[kind.row]
        states = can.get(row, {(empty, clearing)}) if asked.live else {(empty, False)}
        if any(to_come for _, to_come in states):
            states = states | {(empty, False)}
        fitting, wrong = set(), []
        for state, to_come in states:
            after, results = kind.rule(p, state, asked.arguments, asked.tick, asked.setting)
            if results == asked.results:
                fitting.add((after, to_come))
            else:
                wrong.append((state, results))
        assert fitting, f"{asked} could be {wrong}"
        if not asked.live:
            self.seen["unswept"] += 1
            return
        can[row] = fitting
        for read in reading:
            if read.index == row:
                read.rows |= fitting
        if row in last:
            self.seen[f"distance {asked.cycle - last[row]}"] += 1
        last[row] = asked.cycle
        self.seen["requests"] += 1
        self.seen["wraps"] = max(self.seen["wraps"], asked.tick >> self.time_bits)
        for name, value in zip(kind.results, asked.results, strict=True):
            self.seen[f"{name} {value}"] += 1

    def _judge_by_twin(self) -> None:
        """The twin has no instant between: a record with requests amid a CLEAR is not put to it."""
        kind, asked, told = self.kind, self.record.asked, self.record.told

        def apart(t: Told) -> bool:
            return not any(t.taken - self.done_cycles < a.cycle < t.answered for a in asked)

        clears = [t for t in told if t.op == CONTROL_CLEAR]
        if not all(apart(t) for t in clears):
            return
        reads = [t for t in told if t.op != CONTROL_CLEAR and len(t.rows) == 1 and apart(t)] if len(told) < 200 else []
        twin = kind.twin(self.p)
        names = (*kind.early, *kind.late)
        trace: list[int] = []
        expected: list[tuple[Any, tuple[int, ...]]] = []
        blank = [0] * (len(names) + 3)
        for subject in sorted([*asked, *clears, *reads], key=lambda s: s.cycle):
            if isinstance(subject, Told):
                clear = subject.op == CONTROL_CLEAR
                trace += [TWIN_RESET if clear else TWIN_READ, subject.index, *blank[1:]]
                [row] = [0] if clear else [kind.pack(self.p, row) for row, _ in subject.rows]
                expected.append((subject, limbs(row, 0 if clear else twin.outs)))
                continue
            values = [subject.arguments[name] for name in names]
            now = subject.tick & (1 << self.time_bits) - 1
            trace += [TWIN_CALL, subject.cycle, subject.setting, *values, now]
            expected.append((subject, subject.results))
            if not subject.live:  # nothing is kept
                trace += [TWIN_RESET, *blank]
                expected.append((subject, ()))
        answers = twin.answers(trace)
        for place, (subject, right) in enumerate(expected):
            start = place * twin.outs
            said = tuple(answers[start : start + len(right)])
            assert said == right, f"{subject}: the twin says {said}, not {right}"
        self.seen["put to the twin"] += len(asked)
        self.seen["rows of the twin"] += len(reads)
