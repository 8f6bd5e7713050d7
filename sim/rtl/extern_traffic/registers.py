# SPDX-License-Identifier: Apache-2.0
"""What the tests of the register externs share: the rules, requests that collide, commands, and the judge.

The rules are P4-NetFPGA's: operations READ 0, WRITE 1, ADD 2, SUB 3, NULL 4, READ_WRITE 5, ADD_SAT 6, SUB_SAT 7;
relations EQ 0, NEQ 1, GT 2, LT 3; requests one after the other.

The bench writes down what it asked and what came back; the judge goes through that record afterwards. What a register
can hold is a set: one value, but while a CLEAR is under way also zero, since that comes to each register at an instant
that is not told. A WRITE has one place among the requests; a READ has to give what the register held at some time
between its command and its answer.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from bench.stream import CLOCK_NS, parameters

READ, WRITE, ADD, SUB, NULL, READ_WRITE, ADD_SAT, SUB_SAT = range(8)
EQ, NEQ, GT, LT = range(4)
CONTROL_READ, CONTROL_WRITE, CONTROL_CLEAR = range(3)
UNKNOWN = (8, 9, 130, 255)


def operate(code: int, old: int, new: int, increment: int, bits: int) -> tuple[int, int]:
    """What the register holds afterwards, and what reg_raw shows of it."""
    top = (1 << bits) - 1
    if code == READ:
        return old, old
    if code == WRITE:
        return new, new
    if code == ADD:
        return (old + increment) & top, (old + increment) & top
    if code == SUB:
        return (old - increment) & top, (old - increment) & top
    if code == READ_WRITE:
        return new, old
    if code == ADD_SAT:
        return min(old + increment, top), min(old + increment, top)
    if code == SUB_SAT:
        return max(old - increment, 0), max(old - increment, 0)
    return old, 0


def holds(relation: int, compared: int, value: int) -> bool:
    return {EQ: compared == value, NEQ: compared != value, GT: compared > value, LT: compared < value}.get(
        relation, False
    )


Arguments = dict[str, int]
Outcome = tuple[int, int, dict[str, int]]  # the register that is stored, its value, the results


@dataclass(frozen=True)
class Kind:
    """An extern: its arguments by sort, the registers a request looks at, and what it does to them."""

    arguments: dict[str, str]  # name to index, value, operation or relation
    results: tuple[str, ...]
    indices: Callable[[Arguments], list[int]]
    rule: Callable[[Arguments, dict[int, int], int], Outcome]


def _rw(a: Arguments, held: dict[int, int], bits: int) -> Outcome:
    code = a["opCode"] if a["opCode"] in (READ, WRITE, READ_WRITE) else NULL
    after, shown = operate(code, held[a["index"]], a["newVal"], 0, bits)
    return a["index"], after, {"result_result": shown}


def _raw(a: Arguments, held: dict[int, int], bits: int) -> Outcome:
    after, shown = operate(a["opCode"], held[a["index"]], a["newVal"], a["incVal"], bits)
    return a["index"], after, {"result_result": shown}


def _praw(a: Arguments, held: dict[int, int], bits: int) -> Outcome:
    old = held[a["index"]]
    if not holds(a["relOp"], a["compVal"], old):
        return a["index"], old, {"result_result": old, "boolean_result": 0}
    after, shown = operate(a["opCode"], old, a["newVal"], a["incVal"], bits)
    return a["index"], after, {"result_result": shown, "boolean_result": 1}


def _if_else(a: Arguments, held: dict[int, int], bits: int) -> Outcome:
    first = holds(a["relOp"], a["compVal"], held[a["index_comp"]])
    n = "1" if first else "2"
    index = a[f"index_{n}"]
    after, _ = operate(a[f"opCode_{n}"], held[index], a[f"newVal_{n}"], a[f"incVal_{n}"], bits)
    return index, after, {"result_result": after, "boolean_result": int(first)}


_ONE = {"index": "index", "newVal": "value", "incVal": "value", "opCode": "operation"}
_COMPARED = {"compVal": "value", "relOp": "relation"}
_TWO = {
    "index_2": "index", "newVal_2": "value", "incVal_2": "value", "opCode_2": "operation",
    "index_1": "index", "newVal_1": "value", "incVal_1": "value", "opCode_1": "operation",
    "index_comp": "index", **_COMPARED,
}  # fmt: skip

RW = Kind({k: v for k, v in _ONE.items() if k != "incVal"}, ("result_result",), lambda a: [a["index"]], _rw)
RAW = Kind(_ONE, ("result_result",), lambda a: [a["index"]], _raw)
PRAW = Kind({**_ONE, **_COMPARED}, ("result_result", "boolean_result"), lambda a: [a["index"]], _praw)
IF_ELSE = Kind(
    _TWO,
    ("result_result", "boolean_result"),
    lambda a: [a["index_2"], a["index_1"], a["index_comp"]],
    _if_else,
)


def engine_kind(reads: int, index_bits: int, result_after: bool) -> Kind:
    """register_engine itself, whose registers stand side by side in one argument."""

    def indices(a: Arguments) -> list[int]:
        return [a["index"] >> i * index_bits & (1 << index_bits) - 1 for i in range(reads)]

    def rule(a: Arguments, held: dict[int, int], bits: int) -> Outcome:
        chosen = indices(a)
        first = holds(a["relation"], a["compared"], held[chosen[-1]])
        n, index = ("1", chosen[min(1, reads - 1)]) if first else ("2", chosen[0])
        after, shown = operate(a[f"operation_{n}"], held[index], a[f"new_value_{n}"], a[f"increment_{n}"], bits)
        return index, after, {"result": after if result_after else shown, "holds_result": int(first)}

    arguments = {"index": "indices", "compared": "value", "relation": "relation"}
    for n in "12":
        arguments |= {f"new_value_{n}": "value", f"increment_{n}": "value", f"operation_{n}": "operation"}
    return Kind(arguments, ("result", "holds_result"), indices, rule)


@dataclass
class Asked:
    cycle: int
    live: bool  # the registers were swept
    arguments: Arguments
    results: dict[str, int]


@dataclass
class Told:
    op: int
    index: int
    value: int
    taken: int  # cycle
    answered: int = -1
    found: int = 0


class RegisterBench:
    def __init__(self, dut: Any, kind: Kind) -> None:
        p = parameters()
        self.dut, self.kind = dut, kind
        self.index_bits, self.bits = p["INDEX_BITS"], p["VALUE_BITS"]
        self.reads = len(kind.indices(dict.fromkeys(kind.arguments, 0)))
        self.block = 2**self.index_bits > p["DISTRIBUTED_WORDS"]
        self.least = 4 if self.block else 3  # cycles from a request to a result, as README.md says
        self.latency = p["LATENCY_CYCLES"]
        self.cycle = 0
        self.asked: list[Asked] = []
        self.told: list[Told] = []
        self.hot = [0]
        self.seen: Counter[str] = Counter()
        self.swept_at = -1
        self._telling: Told | None = None
        self._waiting: Told | None = None
        self.same_index = False
        top = (1 << self.bits) - 1
        self.edges = [v & top for v in (0, 1, 2, top, top - 1, 1 << self.bits - 1)]

    # ---- stimulus

    async def start(self) -> None:
        Clock(self.dut.clk, CLOCK_NS, "ns", impl="gpi").start()
        self.dut.input_valid.value = 0
        self.dut.control_valid.value = 0
        await self.reset()

    async def reset(self, cycles: int = 3) -> None:
        """Forgets everything; what was under way is never answered."""
        self.dut.rst.value = 1
        self.dut.input_valid.value = 0
        self.dut.control_valid.value = 0
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.cycle = 0
        self.swept_at = -1
        self.asked, self.told = [], []
        self._telling = self._waiting = None

    def a_value(self) -> int:
        return random.choice(self.edges) if random.random() < 0.5 else random.getrandbits(self.bits)

    def side_by_side(self, indices: list[int]) -> int:
        return sum(index << place * self.index_bits for place, index in enumerate(indices))

    def a_request(self) -> Arguments:
        one = random.choice(self.hot)
        draw = {
            "index": lambda: one if self.same_index else random.choice(self.hot),
            "indices": lambda: self.side_by_side(
                [one if self.same_index else random.choice(self.hot) for _ in range(self.reads)]
            ),
            "value": self.a_value,
            "operation": lambda: random.choice(UNKNOWN) if random.random() < 0.05 else random.randrange(8),
            "relation": lambda: random.choice(UNKNOWN) if random.random() < 0.05 else random.randrange(4),
        }
        return {name: draw[sort]() for name, sort in self.kind.arguments.items()}

    def a_command(self, clear: float = 0.0) -> tuple[int, int, int]:
        op = CONTROL_CLEAR if random.random() < clear else random.choice([CONTROL_READ, CONTROL_WRITE])
        return op, random.choice(self.hot), self.a_value()

    async def step(self, request: Arguments | None = None, command: tuple[int, int, int] | None = None) -> None:
        """One cycle: drives it, and at its end reads what the module shows in it."""
        dut = self.dut
        dut.input_valid.value = int(request is not None)
        for name, value in (request or self.a_request()).items():
            getattr(dut, name).value = value
        if command is not None:
            assert self._telling is None and self._waiting is None
            self._telling = Told(*command, taken=-1)
        told = self._telling
        dut.control_valid.value = int(told is not None)
        dut.control_op.value = told.op if told else random.randrange(4)
        dut.control_index.value = told.index if told else random.choice(self.hot)
        dut.control_value.value = told.value if told else random.getrandbits(self.bits)
        await RisingEdge(dut.clk)
        ready = bool(dut.control_ready.value)
        if ready and self.swept_at < 0:
            self.swept_at = self.cycle
        if request is not None:
            self.asked.append(Asked(self.cycle, self.swept_at >= 0, request, {}))
        self._look_at_results()
        if dut.status_valid.value:
            assert self._waiting is not None, "an answer to no command"
            self._waiting.answered, self._waiting.found = self.cycle, int(dut.status_value.value)
            if self._waiting.op != CONTROL_CLEAR:
                assert self.cycle - self._waiting.taken <= self.reads + 3, "a command waits"
            self._waiting = None
        if told and ready:
            assert self._waiting is None
            told.taken = self.cycle
            self.told.append(told)
            self._telling, self._waiting = None, told
        self.cycle += 1

    def _look_at_results(self) -> None:
        for asked in reversed(self.asked):
            if asked.cycle <= self.cycle - self.latency:
                if asked.cycle == self.cycle - self.latency:
                    asked.results = {name: int(getattr(self.dut, name).value) for name in self.kind.results}
                return

    @property
    def idle(self) -> bool:
        return self._telling is None and self._waiting is None

    async def run(self, cycles: int, gap: float = 0.0, commands: float = 0.0, clear: float = 0.0) -> None:
        for _ in range(cycles):
            request = None if random.random() < gap else self.a_request()
            command = self.a_command(clear) if self.idle and random.random() < commands else None
            await self.step(request, command)

    async def settle(self) -> None:
        """Without requests, until results and answers are there."""
        while not self.idle:
            await self.step()
        for _ in range(self.latency + 1):
            await self.step()

    async def until_swept(self) -> int:
        while self.swept_at < 0:
            await self.step()
        return self.cycle - 1

    async def tell(self, op: int, index: int = 0, value: int = 0) -> int:
        await self.step(None, (op, index, value))
        while not self.idle:
            await self.step()
        return self.told[-1].found

    async def look_at(self, indices: list[int]) -> None:
        """Reads these registers; the judge compares."""
        for index in indices:
            await self.tell(CONTROL_READ, index)

    # ---- the judge

    def judge(self) -> None:
        """Goes through the record; fails where no order of commands among the requests explains it."""
        held: dict[int, set[int]] = {}  # by register
        changes: dict[int, list[tuple[float, set[int]]]] = {}
        # Places of commands among the requests: a WRITE goes before the request of this cycle.
        delay = 0 if self.block else 1
        writes = [(t.taken + delay - 0.5, t) for t in self.told if t.op == CONTROL_WRITE]
        clears = [
            (t.taken - 0.5, t.answered + 0.5 if t.answered >= 0 else 1e9) for t in self.told if t.op == CONTROL_CLEAR
        ]
        clearing: dict[int, set[int]] = {}  # values that the register can have while its clearing is still to come

        def change(at: float, index: int, values: set[int]) -> None:
            held[index] = values
            changes.setdefault(index, []).append((at, values | clearing.get(index, set())))

        events: list[tuple[float, str, Any]] = [(a.cycle, "request", a) for a in self.asked if a.results]
        events += [(at, "write", t) for at, t in writes]
        events += [(begin, "clear", None) for begin, _ in clears] + [(end, "cleared", None) for _, end in clears]
        events.sort(key=lambda event: event[0])
        everything = {i for a in self.asked for i in self.kind.indices(a.arguments)} | {t.index for t in self.told}
        before: list[list[int]] = []
        for at, what, about in events:
            if what == "clear":
                clearing = {i: held.get(i, {0}) for i in everything}
                for i in everything:
                    change(at, i, {0})
            elif what == "cleared":
                clearing = {}
                for i in everything:
                    change(at, i, held.get(i, {0}))
            elif what == "write":
                assert not clearing
                change(at, about.index, {about.value})
            else:
                self._judge_request(about, held, clearing, change)
                self._count_distances(about, before)
        for told in self.told:
            if told.op == CONTROL_READ and told.answered >= 0:
                self._judge_read(told, changes.get(told.index, []))

    def _judge_request(
        self, asked: Asked, held: dict[int, set[int]], clearing: dict[int, set[int]], change: Callable[..., None]
    ) -> None:
        indices = list(dict.fromkeys(self.kind.indices(asked.arguments)))
        if not asked.live:
            _, _, results = self.kind.rule(asked.arguments, dict.fromkeys(indices, 0), self.bits)
            assert asked.results == results, f"before the sweep has ended: {asked} is not {results}"
            self.seen["unswept"] += 1
            return
        # Each register: (value, whether its clearing is still to come).
        choices = [
            [(v, False) for v in held.get(i, {0})] + [(v, True) for v in clearing.get(i, set())] for i in indices
        ]
        kept: dict[int, set[tuple[int, bool]]] = {i: set() for i in indices}
        wrong = []
        for chosen in itertools.product(*choices):
            values = dict(zip(indices, (value for value, _ in chosen), strict=True))
            index, after, results = self.kind.rule(asked.arguments, values, self.bits)
            if asked.results != results:
                wrong.append(results)
                continue
            for i, (value, to_come) in zip(indices, chosen, strict=True):
                kept[i].add((after if i == index else value, to_come))
            self.seen["changed"] += after != values[index]
        assert any(kept.values()), f"{asked} could be {wrong} of {choices}"
        for i in indices:
            if i in clearing:
                clearing[i] = {v for v, to_come in kept[i] if to_come}
            values_now = {v for v, to_come in kept[i] if not to_come}
            if i in clearing and clearing[i]:
                values_now.add(0)  # cleared right after this request
            change(asked.cycle, i, values_now)
        for name, sort in self.kind.arguments.items():
            if sort in ("operation", "relation"):
                self.seen[f"{name} {min(asked.arguments[name], 8 if sort == 'operation' else 4)}"] += 1
        for name, value in asked.results.items():
            if name in self.kind.results[1:]:
                self.seen[f"{name} {value}"] += 1

    def _count_distances(self, asked: Asked, before: list[list[int]]) -> None:
        """How far ahead the latest request to one of these registers was, in cycles."""
        while len(before) < asked.cycle:
            before.append([])
        mine = self.kind.indices(asked.arguments)
        for distance in range(1, 8):
            if distance <= len(before) and set(before[-distance]) & set(mine):
                self.seen[f"distance {distance}"] += 1
                break
        before.append(mine)

    def _judge_read(self, told: Told, changes: list[tuple[float, set[int]]]) -> None:
        early, late = told.taken - self.least, told.answered - self.least - 1
        allowed: set[int] = {0}
        for at, values in changes:
            if at <= early:
                allowed = set(values)
            elif at <= late:
                allowed |= values
        assert told.found in allowed, f"{told} is not one of {allowed}"
        self.seen["read"] += 1


# ---- what every register extern is put through


async def one_after_the_other(dut: Any, kind: Kind) -> None:
    bench = RegisterBench(dut, kind)
    await bench.start()
    await bench.until_swept()
    everything = 2**bench.index_bits
    for hot in (1, 2, 3, 5, 9, 16):
        bench.hot = random.sample(range(everything), min(hot, everything))
        await bench.run(250)
        await bench.run(150, gap=0.4)
    await bench.settle()
    await bench.look_at(sorted({i for a in bench.asked for i in kind.indices(a.arguments)}))
    bench.judge()
    for name, sort in kind.arguments.items():
        for code in range({"operation": 9, "relation": 5}.get(sort, 0)):
            assert bench.seen[f"{name} {code}"] > 20, bench.seen
    for distance in range(1, 6 if everything > 8 else 3):
        assert bench.seen[f"distance {distance}"] > 5, bench.seen
    assert bench.seen["changed"] > 100
    for name in kind.results[1:]:
        assert min(bench.seen[f"{name} 0"], bench.seen[f"{name} 1"]) > 100


async def commands_come_between(dut: Any, kind: Kind) -> None:
    bench = RegisterBench(dut, kind)
    await bench.start()
    await bench.until_swept()
    everything = 2**bench.index_bits
    for gap in (0.0, 0.0, 0.3, 0.9):
        for hot in (1, 2, 4, 8):
            bench.hot = random.sample(range(everything), min(hot, everything))
            await bench.run(200, gap=gap, commands=0.5)
    await bench.settle()
    bench.judge()
    assert bench.seen["read"] > 100
    assert sum(t.op == CONTROL_WRITE for t in bench.told) > 100


async def a_packet_every_cycle_starves_no_command(dut: Any, kind: Kind) -> None:
    """Requests go round all registers, so that no access can be saved and none is to the command's."""
    bench = RegisterBench(dut, kind)
    await bench.start()
    await bench.until_swept()
    everything = 2**bench.index_bits
    apart = random.randrange(everything)
    for cycle in range(300):
        at = (apart + 1 + cycle % max(1, everything - 1)) % everything
        request = bench.a_request()
        for name, sort in kind.arguments.items():
            if sort == "index":
                request[name] = at
            elif sort == "indices":
                request[name] = bench.side_by_side([at] * bench.reads)
        command = (random.choice([CONTROL_READ, CONTROL_WRITE]), apart, bench.a_value()) if bench.idle else None
        await bench.step(request, command)
    await bench.settle()
    bench.judge()
    assert len(bench.told) > 30


async def clear_clears_each_register_once(dut: Any, kind: Kind) -> None:
    bench = RegisterBench(dut, kind)
    await bench.start()
    await bench.until_swept()
    everything = 2**bench.index_bits
    bench.same_index = True  # each register by itself, since each is cleared at a time of its own
    bench.hot = sorted({0, 1, everything // 2, everything - 1})
    for gap in (0.0, 0.5, 1.0):
        await bench.run(60, gap=gap)
        await bench.step(None, (CONTROL_CLEAR, random.choice(bench.hot), bench.a_value()))
        while not bench.idle:
            await bench.run(1, gap=gap)
        clear = bench.told[-1]
        assert clear.answered - clear.taken <= everything * (bench.reads + 2) + 2
    await bench.settle()
    await bench.look_at(bench.hot)
    bench.judge()


async def registers_are_zero_after_a_reset(dut: Any, kind: Kind) -> None:
    """The memory holds anything at first, then what was written; a reset comes amid requests and commands."""
    bench = RegisterBench(dut, kind)
    await bench.start()
    everything = 2**bench.index_bits
    some = random.sample(range(everything), min(everything, 24))
    bench.hot = some[:3]
    steps = bench.reads + 1 if bench.block else 1
    for pause in (0, 7, 20):
        while bench.swept_at < 0:
            await bench.run(1)
        # The sweep of a register takes a cycle and one for each copy.
        assert bench.swept_at == everything * (steps + 1)
        await bench.run(2 * bench.latency)
        await bench.settle()
        await bench.look_at(some)
        bench.judge()
        assert bench.seen["unswept"] > 2
        for index in some:
            await bench.tell(CONTROL_WRITE, index, bench.a_value())
        await bench.step(None, (random.choice([CONTROL_WRITE, CONTROL_READ, CONTROL_CLEAR]), some[0], bench.a_value()))
        await bench.run(pause, gap=0.2)
        await bench.reset()
    while bench.swept_at < 0:
        await bench.step()
    await bench.look_at(some)
    bench.judge()
