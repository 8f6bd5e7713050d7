# SPDX-License-Identifier: Apache-2.0
"""serial_rows

- The rule is this test: a row holds a number, to which a request does arithmetic that depends on the order, and the
  cycle in which it was shown last, which sweeps change too. Requests come every second cycle, at random distances, and
  to so few rows that every distance to the last request of the same row occurs. What each is shown, exactly
  READ_CYCLES + 2 later, is what a Python dictionary says that one request after the other has changed; and the cycle in
  it is no longer ago than the bound that users rest on, with requests every second cycle, to one row only, to none.
- READ shows a row as it was between command and answer; CLEAR clears each row once between the two; both are answered
  in time while requests come every second cycle. READ at ROWS and above shows zeros.
- After a reset, amid all this and with anything in the memory, rows are found to be zero, before and after
  control_ready; before it nothing is left.
- Requests in two cycles that follow one another, and to rows that do not exist, stop the simulation.
- Each parameter check fires.
"""

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

READ, WRITE, CLEAR, OTHER = range(4)
STAMP_BITS = 24


@dataclass
class Request:
    cycle: int
    row: int
    argument: int
    live: bool
    found: int | None = None
    stamp: int = 0


@dataclass
class Command:
    op: int
    row: int
    taken: int = -1
    answered: int = -1
    found: int = 0


class Bench:
    def __init__(self, dut) -> None:
        p = parameters()
        self.dut = dut
        self.rows = p["ROWS"]
        self.read_cycles = p["READ_CYCLES"]
        self.value_bits = p["ROW_BITS"] - STAMP_BITS
        self.row_cycles = self.read_cycles + 2
        self.left_cycles = self.read_cycles + 4
        self.late = p["LATE_CYCLES"]
        self.bound = 4 * self.rows + 1 + 2 * (self.read_cycles + 4)
        self.seen: Counter[str] = Counter()
        self.oldest = 0
        self.requests: list[Request] = []
        self.under_way: dict[int, Request] = {}
        self.commands: list[Command] = []

    def after(self, value: int, argument: int) -> int:
        return (5 * value + argument) % 2**self.value_bits

    async def start(self) -> None:
        self.dut.rst.value = Immediate(1)  # the clock may have an edge at time 0, before anything else is written
        Clock(self.dut.clk, 5, "ns", impl="gpi").start()
        await self.reset()

    async def reset(self) -> None:
        self.dut.rst.value = 1
        self.dut.request_valid.value = 0
        self.dut.control_valid.value = 0
        for _ in range(random.randint(1, 3)):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0
        self.cycle = 0
        self.swept_at = -1
        self.requests, self.commands, self.under_way = [], [], {}
        self.telling: Command | None = None
        self.waiting: Command | None = None
        self.last_request = -2
        self.changed = 0
        self.left: list[int | None] = [None, None]

    @property
    def idle(self) -> bool:
        return self.telling is None and self.waiting is None

    async def step(self, row: int | None = None, command: Command | None = None) -> None:
        dut = self.dut
        if row is not None and self.cycle - self.last_request < 2:
            row = None
        if command is not None:
            assert self.idle
            self.telling = command
        dut.request_valid.value = int(row is not None)
        dut.request_row.value = random.randrange(self.rows) if row is None else row
        dut.changed_row.value = self.changed
        dut.control_valid.value = int(self.telling is not None)
        dut.control_op.value = self.telling.op if self.telling else random.randrange(4)
        dut.control_index.value = self.telling.row if self.telling else random.randrange(self.rows)
        await RisingEdge(dut.clk)

        ready = bool(dut.control_ready.value)
        if ready and self.swept_at < 0:
            self.swept_at = self.cycle
        if row is not None:
            self.last_request = self.cycle
            made = Request(
                self.cycle, row, random.randrange(2**self.value_bits), 0 <= self.swept_at <= self.cycle - self.late
            )
            self.requests.append(made)
            self.under_way[self.cycle + self.row_cycles] = made
        if dut.status_valid.value:
            assert self.waiting is not None, "an answer to no command"
            self.waiting.answered, self.waiting.found = self.cycle, int(dut.status_value.value)
            self.waiting = None
        if self.telling and ready:
            self.telling.taken = self.cycle
            self.commands.append(self.telling)
            self.telling, self.waiting = None, self.telling

        # The rule: the row of this cycle is changed in the next one, and stands in left_row in the one after.
        if self.left[0] is not None:
            assert int(dut.left_row.value) == self.left[0]
        shown = int(dut.row.value)
        value, stamp = shown % 2**self.value_bits, shown >> self.value_bits
        request = self.under_way.pop(self.cycle, None)
        assert bool(dut.row_request.value) == (request is not None)
        if request is not None:
            request.found, request.stamp = value, stamp
            value = self.after(value, request.argument)
            if stamp:
                self.oldest = max(self.oldest, self.cycle - stamp)
        self.changed = value | (self.cycle % 2**STAMP_BITS if request or stamp else 0) << self.value_bits
        self.left = [self.left[1], self.changed if request else None]
        self.cycle += 1

    async def run(
        self, cycles: int, hot: list[int], gap: float = 0.0, commands: float = 0.0, clear: float = 0.0
    ) -> None:
        for _ in range(cycles):
            row = None if random.random() < gap else random.choice(hot)
            command = None
            if self.idle and random.random() < commands:
                op = CLEAR if random.random() < clear else random.choice([READ, READ, READ, WRITE, OTHER])
                command = Command(op, random.choice(hot))
            await self.step(row, command)

    async def settle(self) -> None:
        while not self.idle:
            await self.step()
        for _ in range(self.left_cycles + 1):
            await self.step()

    async def tell(self, op: int, row: int = 0) -> int:
        await self.step(None, Command(op, row))
        while not self.idle:
            await self.step()
        return self.commands[-1].found % 2**self.value_bits

    async def until_swept(self) -> None:
        while self.swept_at < 0:
            await self.step()

    def judge(self) -> None:
        """One request after the other; a row that CLEAR may come to yet has two states."""
        held: dict[int, set[tuple[int, bool]]] = {}  # value, and whether CLEAR is still to come
        changes: dict[int, list[tuple[int, set[int]]]] = {}
        clearing = False
        last: dict[int, int] = {}
        events: list[tuple[float, Request | Command, str]] = [(r.cycle, r, "request") for r in self.requests]
        for command in self.commands:
            if command.op == CLEAR and command.answered >= 0:
                events += [(command.taken + 0.5, command, "clear"), (command.answered - 0.5, command, "cleared")]
        rows = {r.row for r in self.requests} | {c.row for c in self.commands}
        for _, about, what in sorted(events, key=lambda event: event[0]):
            if what == "clear":
                clearing = True
                for row in rows:
                    held[row] = {(value, True) for value, _ in held.get(row, {(0, False)})} | {(0, False)}
            elif what == "cleared":
                clearing = False
                for row in rows:
                    held[row] = {(value, False) for value, pending in held[row] if not pending}
                    assert held[row], f"row {row} was not cleared"
                    # Zero is in the memory well before the answer, and maybe what requests have made of it.
                    known = changes.setdefault(row, [])
                    at = about.answered - self.left_cycles - 1
                    place = sum(time <= at for time, _ in known)
                    known.insert(place, (at, {0} | (known[place - 1][1] if place < len(known) and place else set())))
                    known[-1] = (known[-1][0], {value for value, _ in held[row]})
            elif about.found is not None:
                if not about.live:
                    assert about.found == 0, f"before the rows are cleared: {about}"
                    self.seen["unswept"] += 1
                    continue
                states = {state for state in held.get(about.row, {(0, False)}) if state[0] == about.found}
                assert states, f"{about} should find one of {held.get(about.row)}"
                self.seen["either"] += clearing and len(held[about.row]) > 1
                if about.stamp:
                    age = about.cycle + self.row_cycles - about.stamp
                    assert 0 < age <= self.bound, f"{about} finds what was shown {age} cycles ago"
                after = {(self.after(value, about.argument), pending) for value, pending in states}
                if any(pending for _, pending in after):
                    after.add((0, False))
                held[about.row] = after
                changes.setdefault(about.row, []).append((about.cycle, {value for value, _ in after}))
                self.seen[f"distance {about.cycle - last.get(about.row, -100)}"] += 1
                last[about.row] = about.cycle
        for command in self.commands:
            if command.answered < 0:
                continue
            if command.op == CLEAR:
                assert command.answered - command.taken <= 4 * self.rows + self.read_cycles + 7
                self.seen["clear"] += 1
                continue
            assert command.answered - command.taken <= self.read_cycles + 6
            early, late = command.taken - self.left_cycles, command.answered - self.left_cycles - 1
            allowed = {0}
            for at, values in changes.get(command.row, []):
                if at <= early:
                    allowed = set(values)
                elif at <= late:
                    allowed |= values
            assert command.found % 2**self.value_bits in allowed, f"{command} is not one of {allowed}"
            self.seen["read"] += 1


@cocotb.test()
async def requests_are_done_one_after_the_other(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.until_swept()
    for hot in (1, 2, 3, 5, 9):
        some = random.sample(range(bench.rows), min(hot, bench.rows))
        for gap in (0.0, 0.0, 0.3, 0.8):
            await bench.run(int(os.environ["CYCLES"]), some, gap)
    await bench.settle()
    for row in sorted({r.row for r in bench.requests}):
        await bench.tell(READ, row)
    bench.judge()
    for distance in range(2, 13):
        assert bench.seen[f"distance {distance}"] > 5, bench.seen
    assert bench.seen["read"] > 1


@cocotb.test()
async def commands_come_between_requests(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.until_swept()
    for clear in (0.0, 0.05, 0.5):
        for hot in (1, 2, 5):
            some = random.sample(range(bench.rows), min(hot, bench.rows))
            for gap in (0.0, 0.2, 0.8):
                await bench.run(int(os.environ["CYCLES"]), some, gap, 0.5, clear)
    await bench.settle()
    await bench.tell(CLEAR)
    for row in random.sample(range(bench.rows), min(20, bench.rows)):
        assert await bench.tell(READ, row) == 0
    if bench.rows != 2 ** len(dut.control_index):
        for row in range(bench.rows, min(2 ** len(dut.control_index), bench.rows + 20)):
            assert await bench.tell(READ, row) == 0
            assert bench.commands[-1].found == 0
            bench.commands.pop()
    bench.judge()
    assert bench.seen["read"] > 100 and bench.seen["clear"] > (5 if bench.rows < 1000 else 1), bench.seen
    assert bench.seen["either"] > 0 or bench.rows > 100


@cocotb.test()
async def a_row_is_swept_in_time(dut):
    """Whatever comes to it itself, and to the others; two periods between a row's two requests."""
    bench = Bench(dut)
    await bench.start()
    await bench.until_swept()
    row = random.randrange(bench.rows)
    for kind in ("none", "others", "all", "it"):
        for wait in (bench.bound - 3, 2 * bench.bound + random.randrange(8)):
            await bench.run(3, [row])
            for _ in range(wait):
                other = (row + random.randrange(1, bench.rows)) % bench.rows
                if kind == "it":
                    await bench.run(1, [row], 0.1)
                else:
                    await bench.run(
                        1, [row if kind == "all" and random.random() < 0.01 else other], float(kind == "none"), 0.3
                    )
            await bench.run(3, [row])
    await bench.settle()
    bench.judge()
    # Nothing was shown late, and the bound is not idle talk: a row was once three quarters as old, whatever the phases.
    assert 3 * bench.rows - 2 <= bench.oldest <= bench.bound


@cocotb.test()
async def rows_are_zero_after_a_reset(dut):
    bench = Bench(dut)
    await bench.start()
    for number, pause in enumerate(50 * (0, 3, 9, 40)):
        if number >= 4 and bench.seen["unswept"] > 3:
            break
        some = random.sample(range(bench.rows), min(5, bench.rows))
        gap = random.choice([0.2, 0.9])
        while bench.swept_at < 0:
            await bench.run(1, some, gap)
        assert bench.swept_at <= 2 * bench.rows + bench.left_cycles + 2
        await bench.run(30, some, gap)
        await bench.settle()
        for row in some:
            await bench.tell(READ, row)
        bench.judge()
        await bench.run(pause, some, 0.1, 0.5, 0.3)
        await bench.reset()
    assert bench.seen["unswept"] > 3
    # Two cycles without a request in five clear a row each, whatever comes.
    await bench.until_swept()
    assert bench.swept_at == bench.rows + bench.left_cycles + 1
    bench.judge()


@cocotb.test(skip=os.environ.get("BREAKS") is None)
async def what_the_user_must_not_do(dut):
    bench = Bench(dut)
    await bench.start()
    await bench.until_swept()
    await bench.step(bench.rows - 1)
    if os.environ["BREAKS"] == "distance":
        bench.last_request -= 1
        await bench.step(0)
    else:
        await bench.step()
        await bench.step(bench.rows)
    await bench.settle()


SETS = [
    {"ROWS": 2, "ROW_BITS": 32},
    {"ROWS": 7, "ROW_BITS": 40, "READ_CYCLES": 2},
    {"ROWS": 21, "ROW_BITS": 40, "READ_CYCLES": 3, "BANK_ROWS": 8, "LATE_CYCLES": 1},
    {"ROWS": 200, "ROW_BITS": 36, "LATE_CYCLES": 3},
    {"ROWS": 5000, "ROW_BITS": 36},
]


@pytest.mark.parametrize("given", SETS, ids=str)
def test_serial_rows(given):
    runner.run("serial_rows", given, packed=False, settings={"CYCLES": "300"})


@pytest.mark.parametrize("breaks", ["distance", "existence"])
def test_serial_rows_stops(breaks):
    sentence = {"distance": "a_requests_have_distance", "existence": "a_request_row_exists"}[breaks]
    with pytest.raises(AssertionError, match=sentence):
        runner.run(
            "serial_rows", {"ROWS": 7, "ROW_BITS": 40}, packed=False, only="what_the_user", settings={"BREAKS": breaks}
        )


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"ROWS": 1}, "ROWS must be from 2 to 65536"),
        ({"ROWS": 65537}, "ROWS must be from 2 to 65536"),
        ({"ROW_BITS": 0}, "ROW_BITS must be 1 or more"),
        ({"LATE_CYCLES": -1}, "LATE_CYCLES must be 0 or more"),
        ({"READ_CYCLES": 0}, "READ_CYCLES must be from 1 to 3"),
        ({"READ_CYCLES": 4}, "READ_CYCLES must be from 1 to 3"),
        ({"READ_CYCLES": 3, "BANK_ROWS": 24}, "BANK_ROWS must be a power of two, 2 or more"),
        ({"READ_CYCLES": 3, "BANK_ROWS": 1}, "BANK_ROWS must be a power of two, 2 or more"),
        ({"READ_CYCLES": 3, "ROWS": 16, "BANK_ROWS": 16}, "BANK_ROWS must be less than ROWS"),
    ],
    ids=str,
)
def test_serial_rows_refuses(given, sentence):
    runner.refuses("serial_rows", given, sentence)
