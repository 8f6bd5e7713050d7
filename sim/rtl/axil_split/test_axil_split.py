# SPDX-License-Identifier: Apache-2.0
"""axil_split

Behind either side stands a memory of this file, which notes what it is asked and what it answers. The channels' valid
and ready come and go as each mood wants, what a channel carries while it is not valid is random, and a monitor holds
all channels that leave the module to their contract: valid stays and the payload holds until ready; a side's answer
is taken only if that side owes one.

- Writes and reads at the window's edges (one below, first, last, one above), at the ends of the addresses and
  anywhere else are carried out where they belong and nowhere else, and once; strobes, protection, data and responses,
  errors too, pass unchanged.
- Writes and reads under way at once, in every mood: each is one request of its own side, in order, and its answer is
  that side's.
- Address and data of a write come in either order and far apart; nothing is passed on before both are there.
- A side takes address and data in either order and far apart, and answers late; the other side's ready changes nothing.
- A write that is not answered does not hold up reads, nor a read writes.
- An access takes as many cycles as the header says.
- After a reset in any moment of an access nothing of it is left.
- Each parameter check fires.
"""

import itertools
import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from bench import runner
from bench.stream import CLOCK_NS, parameters

OKAY, SLVERR, DECERR = 0, 2, 3
FIELDS = {"aw": ("addr", "prot"), "w": ("data", "strb"), "b": ("resp",), "ar": ("addr", "prot"), "r": ("data", "resp")}
SIDES = ("window", "rest")
PATIENCE_CYCLES = 2000

# Share of pauses of what the test sends and of what it takes, and whether its ready waits for valid.
MOODS = {
    "flowing": (0, 0, False),
    "idle": (0.6, 0, False),
    "backpressure": (0, 0.6, False),
    "idle_and_backpressure": (0.5, 0.5, False),
    "ready_after_valid": (0.2, 0, True),
    "slow": (0.9, 0.9, False),
}
every_mood = cocotb.parametrize(mood=list(MOODS))


class Channel:
    def __init__(self, dut, prefix, name):
        self.name = f"{prefix}_{name}"
        self.valid = getattr(dut, f"{self.name}valid")
        self.ready = getattr(dut, f"{self.name}ready")
        self.fields = [getattr(dut, f"{self.name}{field}") for field in FIELDS[name]]
        self.paused = False  # for good
        self.pause = 0.0
        self.passed = []  # cycles in which a beat passed


class Sender(Channel):
    """A channel into the module: a beat, once sent, stays until it is taken."""

    def __init__(self, dut, prefix, name):
        super().__init__(dut, prefix, name)
        self.queue = deque()
        self.clear()

    def clear(self):
        self.queue.clear()
        self.now = False
        self.valid.value = 0

    def step(self, cycle):
        if self.now:
            if not self.ready.value:
                return
            self.passed.append(cycle)
        self.now = bool(self.queue) and not self.paused and random.random() >= self.pause
        beat = self.queue.popleft() if self.now else [random.getrandbits(len(field)) for field in self.fields]
        for field, value in zip(self.fields, beat, strict=True):
            field.value = value
        self.valid.value = self.now


class Taker(Channel):
    """A channel out of the module, and its monitor."""

    def __init__(self, dut, prefix, name, taken, broken):
        super().__init__(dut, prefix, name)
        self.taken, self.broken = taken, broken
        self.after_valid = False
        self.clear()

    def clear(self):
        self.held = None
        self.is_ready = False
        self.ready.value = 0

    def step(self, cycle):
        beat = tuple(int(field.value) for field in self.fields) if self.valid.value else None
        if self.held is not None and beat != self.held:
            self.broken.append(f"{self.name}: {self.held} became {beat} in cycle {cycle}")
        self.held = None if self.is_ready else beat
        if beat is not None and self.is_ready:
            self.passed.append(cycle)
            self.taken(*beat)
        waits = self.after_valid and self.held is None
        self.is_ready = not waits and not self.paused and random.random() >= self.pause
        self.ready.value = self.is_ready


class Memory:
    """One side: words of 4 bytes by number, and a note of each access as it was carried out."""

    def __init__(self, dut, side, broken):
        prefix = f"m_axil_{side}"
        self.broken = broken
        self.words = {}
        self.answers = {}  # responses by number of the word, if not OKAY
        self.b, self.r = Sender(dut, prefix, "b"), Sender(dut, prefix, "r")
        self.aw = Taker(dut, prefix, "aw", lambda *beat: self._asked(self.addresses, beat), broken)
        self.w = Taker(dut, prefix, "w", lambda *beat: self._asked(self.data, beat), broken)
        self.ar = Taker(dut, prefix, "ar", self._read, broken)
        self.clear()

    @property
    def channels(self):
        return (self.aw, self.w, self.ar, self.b, self.r)

    def clear(self):
        self.addresses, self.data = deque(), deque()
        self.writes, self.reads = [], []
        for channel in self.channels:
            channel.clear()

    def step(self, cycle):
        # Before the channels: what they take now is owed from now on.
        for channel, owed in ((self.b, self.b.queue or self.b.now), (self.r, self.r.queue or self.r.now)):
            if channel.ready.value and not owed:
                self.broken.append(f"{channel.name}: an answer is awaited that is not owed, in cycle {cycle}")
        for channel in self.channels:
            channel.step(cycle)

    def _asked(self, queue, beat):
        queue.append(beat)
        if self.addresses and self.data:
            (address, protection), (data, strobe) = self.addresses.popleft(), self.data.popleft()
            response = self.answers.get(address // 4, OKAY)
            old = self.words.get(address // 4, 0)
            if response == OKAY:
                self.words[address // 4] = merged(old, data, strobe)
            self.writes.append((address, protection, data, strobe, response))
            self.b.queue.append((response,))

    def _read(self, address, protection):
        response = self.answers.get(address // 4, OKAY)
        data = self.words.get(address // 4, 0)
        self.reads.append((address, protection, data, response))
        self.r.queue.append((data, response))


def merged(old, data, strobe):
    mask = sum(0xFF << 8 * lane for lane in range(4) if strobe >> lane & 1)
    return old & ~mask | data & mask


class Bench:
    def __init__(self, dut):
        self.dut = dut
        self.base, size = (int(parameters()[name]) for name in ("WINDOW_BASE", "WINDOW_BITS"))
        self.size = 1 << size
        self.space = 1 << int(parameters()["ADDRESS_BITS"])
        self.broken = []
        self.side = {side: Memory(dut, side, self.broken) for side in SIDES}
        self.aw, self.w, self.ar = (Sender(dut, "s_axil", name) for name in ("aw", "w", "ar"))
        self.written, self.read = [], []
        self.b = Taker(dut, "s_axil", "b", lambda *beat: self.written.append(beat), self.broken)
        self.r = Taker(dut, "s_axil", "r", lambda *beat: self.read.append(beat), self.broken)
        self.own = (self.aw, self.w, self.ar, self.b, self.r)
        self.channels = (*self.own, *(channel for memory in self.side.values() for channel in memory.channels))
        self.cycle = 0

    async def start(self, mood="flowing"):
        self.behave(mood)
        self.dut.rst.value = 1
        cocotb.start_soon(Clock(self.dut.clk, CLOCK_NS, "ns").start())
        await self.reset(4)

    def behave(self, mood):
        sent, taken, after_valid = MOODS[mood]
        for channel in self.channels:
            channel.pause = sent if isinstance(channel, Sender) else taken
            channel.after_valid = after_valid

    async def reset(self, cycles=1):
        self.dut.rst.value = 1
        for channel in self.own:
            channel.clear()
        for memory in self.side.values():
            memory.clear()
        self.written.clear()
        self.read.clear()
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)
        self.dut.rst.value = 0

    async def run(self, cycles):
        for _ in range(cycles):
            await RisingEdge(self.dut.clk)
            self.cycle += 1
            for channel in self.own:
                channel.step(self.cycle)
            for memory in self.side.values():
                memory.step(self.cycle)

    async def until(self, done):
        for _ in range(PATIENCE_CYCLES):
            if done():
                return
            await self.run(1)
        raise AssertionError(f"nothing happened in {PATIENCE_CYCLES} cycles; " + "; ".join(self.broken[:5]))

    async def write(self, address, data, strobe=0xF, protection=0):
        """One write; its response."""
        self.aw.queue.append((address, protection))
        self.w.queue.append((data, strobe))
        await self.until(lambda: self.written)
        return self.written.pop()[0]

    async def fetch(self, address, protection=0):
        """One read; data and response."""
        self.ar.queue.append((address, protection))
        await self.until(lambda: self.read)
        return self.read.pop()

    def check(self):
        assert not self.broken, "; ".join(self.broken[:5])
        assert not self.written and not self.read, "more answers than accesses"

    def place(self, address):
        """The side that an address belongs to, and the address there."""
        if self.base <= address < self.base + self.size:
            return "window", address - self.base
        return "rest", address

    def edges(self):
        places = (self.base - 1, self.base, self.base + self.size - 1, self.base + self.size)
        return [a for a in (*places, 0, self.space - 1) if 0 <= a < self.space]

    def address(self):
        anywhere = random.randrange(self.space)
        inside = self.base + random.randrange(self.size)
        # What differs from an address of the window in one bit is the easiest to take for it.
        neighbour = inside ^ 1 << random.randrange(self.space.bit_length() - 1)
        return random.choice([anywhere, inside, neighbour, random.choice(self.edges())])

    def noted(self, kind):
        return {side: list(getattr(memory, kind)) for side, memory in self.side.items()}


@cocotb.test()
@every_mood
async def writes_and_reads_are_carried_out_where_they_belong(dut, mood):
    bench = Bench(dut)
    await bench.start(mood)
    expected, answers = {}, {}
    for side in SIDES:
        bench.side[side].answers = answers[side] = {}
    addresses = bench.edges() * 3 + [bench.address() for _ in range(30)]
    for count, address in enumerate(random.sample(addresses, len(addresses))):
        side, there = bench.place(address)
        response = answers[side][there // 4] = random.choice([OKAY, OKAY, SLVERR, DECERR])
        data, strobe, protection = random.getrandbits(32), random.getrandbits(4), random.getrandbits(3)
        assert await bench.write(address, data, strobe, protection) == response
        if response == OKAY:
            expected[side, there // 4] = merged(expected.get((side, there // 4), 0), data, strobe)
        assert bench.side[side].writes[-1] == (there, protection, data, strobe, response)
        address = random.choice(addresses)
        side, there = bench.place(address)
        assert await bench.fetch(address, protection) == (
            expected.get((side, there // 4), 0),
            answers[side].get(there // 4, OKAY),
        )
        assert bench.side[side].reads[-1][:2] == (there, protection)
        assert sum(len(memory.writes) for memory in bench.side.values()) == count + 1
        assert sum(len(memory.reads) for memory in bench.side.values()) == count + 1
    await bench.run(20)
    for side, memory in bench.side.items():
        assert memory.words == {number: word for (place, number), word in expected.items() if place == side}
    bench.check()


@cocotb.test()
@every_mood
async def accesses_under_way_at_once_end_on_their_own_sides_in_order(dut, mood):
    bench = Bench(dut)
    await bench.start(mood)
    for memory in bench.side.values():
        memory.words = {number: random.getrandbits(32) for number in range(min(bench.size, 64))}
        memory.answers = {number: random.choice([OKAY, SLVERR, DECERR]) for number in range(min(bench.size, 64))}
    count = 40
    writes, reads = {side: [] for side in SIDES}, {side: [] for side in SIDES}
    order = {"writes": [], "reads": []}
    for _ in range(count):
        write, read = bench.address(), bench.address()
        protection, data, strobe = random.getrandbits(3), random.getrandbits(32), random.getrandbits(4)
        bench.aw.queue.append((write, protection))
        bench.w.queue.append((data, strobe))
        bench.ar.queue.append((read, protection))
        side, there = bench.place(write)
        writes[side].append((there, protection, data, strobe))
        order["writes"].append(side)
        side, there = bench.place(read)
        reads[side].append((there, protection))
        order["reads"].append(side)
    await bench.until(lambda: len(bench.written) == len(bench.read) == count)
    await bench.run(20)
    assert {side: [note[:4] for note in notes] for side, notes in bench.noted("writes").items()} == writes
    assert {side: [note[:2] for note in notes] for side, notes in bench.noted("reads").items()} == reads
    noted = {side: iter(notes) for side, notes in bench.noted("writes").items()}
    assert bench.written == [next(noted[side])[4:] for side in order["writes"]]
    noted = {side: iter(notes) for side, notes in bench.noted("reads").items()}
    assert bench.read == [next(noted[side])[2:] for side in order["reads"]]
    bench.written.clear()
    bench.read.clear()
    bench.check()


@cocotb.test()
@cocotb.parametrize(first=["aw", "w"], side=SIDES)
async def address_and_data_of_a_write_come_in_either_order_and_far_apart(dut, first, side):
    bench = Bench(dut)
    await bench.start()
    address = next(a for a in bench.edges() if bench.place(a)[0] == side)
    channels = {"aw": bench.aw, "w": bench.w}
    for distance in (1, 2, 3, 4, 5, 40):
        late = next(channel for name, channel in channels.items() if name != first)
        before, data = bench.cycle, random.getrandbits(32)
        late.paused = True
        asked = sum(len(memory.writes) for memory in bench.side.values())
        bench.aw.queue.append((address, 0))
        bench.w.queue.append((data, 0xF))
        await bench.run(distance)
        # The module has taken the first as soon as it came.
        assert channels[first].passed[-1:] == [before + 2] or distance == 1
        for memory in bench.side.values():
            assert not any(cycle > before for channel in (memory.aw, memory.w) for cycle in channel.passed)
            assert not memory.aw.valid.value and not memory.w.valid.value
        late.paused = False
        await bench.until(lambda: bench.written)
        assert bench.written.pop() == (OKAY,)
        assert sum(len(memory.writes) for memory in bench.side.values()) == asked + 1
        assert bench.side[side].words[bench.place(address)[1] // 4] == data
    bench.check()


@cocotb.test()
@cocotb.parametrize(last=["aw", "w", "ar", "b", "r"], side=SIDES)
async def a_side_takes_its_time(dut, last, side):
    bench = Bench(dut)
    await bench.start()
    asked = bench.side[side]
    slow = getattr(asked, last)
    for distance in (1, 2, 3, 4, 5, 40):
        address = random.choice([a for a in bench.edges() if bench.place(a)[0] == side])
        data, before = random.getrandbits(32), len(slow.passed)
        slow.paused = True
        bench.aw.queue.append((address, 0))
        bench.w.queue.append((data, 0xF))
        bench.ar.queue.append((address, 0))
        await bench.run(12 + distance)
        assert len(slow.passed) == before
        for channel in (asked.aw, asked.w, asked.ar):
            if channel is slow:
                assert channel.held
            else:
                assert not channel.valid.value
        # Only the direction that is held up waits.
        assert (len(bench.written), len(bench.read)) == ((1, 0) if last in ("ar", "r") else (0, 1))
        slow.paused = False
        await bench.until(lambda: bench.written and bench.read)
        assert bench.written.pop() == (OKAY,)
        assert bench.read.pop() == asked.reads[-1][2:]
        assert asked.words[bench.place(address)[1] // 4] == data
    bench.check()


@cocotb.test()
@cocotb.parametrize(stuck=["write", "read"], side=SIDES)
async def what_is_not_answered_does_not_hold_up_the_other_direction(dut, stuck, side):
    bench = Bench(dut)
    await bench.start()
    address = next(a for a in bench.edges() if bench.place(a)[0] == side)
    answer = bench.side[side].b if stuck == "write" else bench.side[side].r
    answer.paused = True
    bench.aw.queue.append((address, 0))
    bench.w.queue.append((1, 0xF))
    bench.ar.queue.append((address, 0))
    await bench.run(20)
    (bench.read if stuck == "write" else bench.written).clear()
    for other in bench.edges():
        if stuck == "write":
            assert await bench.fetch(other) == (bench.side[bench.place(other)[0]].reads[-1][2], OKAY)
        else:
            assert await bench.write(other, 5) == OKAY
    # The stuck direction takes nothing more, for neither side.
    for other in bench.edges():
        if stuck == "write":
            bench.aw.queue.append((other, 0))
            bench.w.queue.append((2, 0xF))
        else:
            bench.ar.queue.append((other, 0))
    await bench.run(20)
    assert not bench.written and not bench.read
    answer.paused = False
    answers = bench.written if stuck == "write" else bench.read
    await bench.until(lambda: len(answers) == 1 + len(bench.edges()))
    answers.clear()
    bench.check()


@cocotb.test()
@cocotb.parametrize(side=SIDES)
async def an_access_takes_as_many_cycles_as_the_header_says(dut, side):
    bench = Bench(dut)
    await bench.start()
    address = next(a for a in bench.edges() if bench.place(a)[0] == side)
    for _ in range(5):
        bench.aw.queue.append((address, 0))
        bench.w.queue.append((1, 0xF))
        bench.ar.queue.append((address, 0))
    await bench.until(lambda: len(bench.written) == len(bench.read) == 5)
    asked = bench.side[side]
    for path in ((bench.aw, asked.aw, asked.b, bench.b), (bench.w, asked.w), (bench.ar, asked.ar, asked.r, bench.r)):
        assert all(len(channel.passed) == 5 for channel in path)
        for one, other in itertools.pairwise(path):
            assert [b - a for a, b in zip(one.passed, other.passed, strict=True)] == [1] * 5
    for channel in bench.own:
        assert {b - a for a, b in itertools.pairwise(channel.passed)} == {4}
    bench.written.clear()
    bench.read.clear()
    bench.check()


@cocotb.test()
async def after_a_reset_nothing_of_an_access_is_left(dut):
    bench = Bench(dut)
    await bench.start()
    reached, rounds = set(), 0
    everything = {channel.name for channel in bench.channels}
    while rounds < 400 or (reached != everything and rounds < 10_000):
        rounds += 1
        bench.behave(random.choice(list(MOODS)))
        # Halves of a write, too.
        for queue, beat in (
            (bench.aw.queue, (bench.address(), 1)),
            (bench.w.queue, (random.getrandbits(32), 0xF)),
            (bench.ar.queue, (bench.address(), 2)),
        ):
            if random.random() < 0.8:
                queue.append(beat)
        await bench.run(random.randrange(1, 24))
        reached |= {channel.name for channel in bench.channels if channel.valid.value}
        await bench.reset(random.choice([1, 2]))
        await bench.run(random.choice([0, 1, 12]))
        assert not bench.written and not bench.read
        address, data = bench.address(), random.getrandbits(32)
        side, there = bench.place(address)
        assert await bench.write(address, data, protection=4) == OKAY
        assert await bench.fetch(address, 5) == (data, OKAY)
        assert bench.noted("writes") == {s: [(there, 4, data, 0xF, OKAY)] if s == side else [] for s in SIDES}
        assert bench.noted("reads") == {s: [(there, 5, data, OKAY)] if s == side else [] for s in SIDES}
    assert reached == everything, "a state was not met"
    bench.check()


@pytest.mark.parametrize(
    "sizes",
    [
        {},
        {"ADDRESS_BITS": 8, "WINDOW_BITS": 4, "WINDOW_BASE": 0x70},
        {"ADDRESS_BITS": 3, "WINDOW_BITS": 2, "WINDOW_BASE": 4},
        {"ADDRESS_BITS": 6, "WINDOW_BITS": 5, "WINDOW_BASE": 0},
        {"ADDRESS_BITS": 40, "WINDOW_BITS": 30, "WINDOW_BASE": 0x4000_0000},
    ],
    ids=str,
)
def test_axil_split(sizes):
    runner.run("axil_split", sizes, packed=False)


@pytest.mark.parametrize(
    ("sizes", "sentence"),
    [
        ({"WINDOW_BITS": 1}, "WINDOW_BITS must be"),
        ({"ADDRESS_BITS": 18, "WINDOW_BITS": 18, "WINDOW_BASE": 0}, "WINDOW_BITS must be"),
        ({"WINDOW_BASE": 0x20800}, "WINDOW_BASE must be a multiple"),
        ({"WINDOW_BASE": 1 << 23}, "WINDOW_BASE must be an address"),
        ({"ADDRESS_BITS": 40, "WINDOW_BASE": -4096}, "WINDOW_BASE must be an address"),
    ],
    ids=str,
)
def test_checks(sizes, sentence):
    runner.refuses("axil_split", sizes, sentence)
