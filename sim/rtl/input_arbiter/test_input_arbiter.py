# SPDX-License-Identifier: Apache-2.0
"""input_arbiter

Each packet begins with its source and a number, so that the output alone says what came from where.

- Random packets, good, bad, too long, from all sources at once, whatever sink and sources do: what is neither comes out
  whole, in the order of its source, with its length, its source bit and the queue sizes of its first beat in TUSER and
  zero elsewhere; what does not is counted, for its source and reason. In = out + counted.
- A CPU packet carries the bit of the CPU side it names, one that names no port is bad; a probe has no source bit.
- With all sources full of packets of two beats a beat leaves every cycle; with one source as well.
- At line rate on all wires, every size around a beat and up to 1518 bytes, nothing is lost.
- With all sources overloaded and packets of other sizes from each, all get the same bytes within 5 %; a wire that stays
  below its share loses nothing and does not wait long.
- The CPU's rate limit holds, wherever it is set, and holds up nobody else.
- A reset in mid traffic leaves a working arbiter.
- Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import Mood, finish, pauses, set_mood, split, started
from rtl.switch_traffic.pulses import Pulses, every, frame, numbered, payload

REASONS = ("taken", "dropped_bad", "dropped_long", "dropped_full")
UNLIMITED = 65535
WIRE_GAP_BYTES = 24  # preamble, checksum and gap, which a packet takes on the wire besides its own bytes
CYCLE_BYTES_10G = 6.25


class Arbiter:
    """All ways in, the way out, and what each packet that went in was."""

    def __init__(self, bench):
        self.bench, self.dut = bench, bench.dut
        self.ports = parameters()["N_PORTS"]
        names = ["s_axis_wire"] if self.ports == 1 else [f"s_axis_wire_{i}" for i in range(self.ports)]
        self.sources = [bench.source[name] for name in (*names, "s_axis_cpu", "s_axis_probe")]
        self.sink = bench.sink["m_axis"]
        self.pulses = Pulses(bench, [f"status_{reason}" for reason in REASONS])
        self.number = 0
        self.expected = [[] for _ in self.sources]  # (bytes, CPU port) of what has to come out
        self.dropped = [dict.fromkeys(REASONS, 0) for _ in self.sources]
        self.limit(UNLIMITED)
        self.sizes(0)

    def limit(self, rate):
        self.dut.cfg_cpu_rate.value = rate

    def sizes(self, value):
        self.dut.queue_size.value = value
        self.queue_size = value

    @property
    def cpu(self):
        return self.ports

    @property
    def probe(self):
        return self.ports + 1

    def send(self, source, length, bad=0, index=None):
        """One packet; a packet that must come out joins the expected ones."""
        self.number += 1
        data = numbered(source, self.number, length)
        index = random.randrange(self.ports) if index is None else index
        first = {"user": index} if source == self.cpu else {}
        form = self.sources[source].format
        last = {"bad": bad} if "bad" in form.fields else {}
        beats = frame(form, data, first, **last)
        if source == self.cpu:
            place, width = form.fields["user"]
            beats = [one & ~(((1 << width) - 1) << place) | index << place for one in beats]
            bad = bad or index >= self.ports
        if source == self.probe:
            bad = 0
        self.sources[source].send(beats)
        if bad:
            self.dropped[source]["dropped_bad"] += 1
        elif length > parameters()["MAX_PACKET_BYTES"]:
            self.dropped[source]["dropped_long"] += 1
        else:
            self.expected[source].append((data, index))
            return data
        return None

    async def settle(self, cycles=200_000):
        for source in self.sources:
            await source.wait_idle(cycles)
        quiet = 0
        had = -1
        while quiet < 300:  # a sink may pause for long
            quiet = quiet + 1 if len(self.sink.beats) == had else 0
            had = len(self.sink.beats)
            await self.bench.cycles(1)

    def user(self, source, length, index):
        """TUSER without the queue sizes."""
        bit = 0 if source == self.probe else 1 << (2 * index + 1) if source == self.cpu else 1 << 2 * source
        return length | bit << 16

    def take(self):
        """(bytes, TUSER, where the queue sizes begin) of each packet that came out whole, per source."""
        form = self.sink.format
        ends = [i for i, one in enumerate(self.sink.beats) if form.field(one, "last")]
        whole = ends[-1] + 1 if ends else 0
        beats, self.sink.beats = self.sink.beats[:whole], self.sink.beats[whole:]
        low = 32 + 4 * self.ports
        came = [[] for _ in self.sources]
        for packet in split(form, beats):
            data = payload(form, packet)
            users = {form.field(one, "user") for one in packet}
            assert len(users) == 1, "TUSER changes inside a packet"
            came[data[0]].append((data, users.pop(), low))
        return came

    def check(self, full=False):
        """Everything that came out, against what went in; with `full` packets may be missing, and are counted."""
        for source, packets in enumerate(self.take()):
            wanted = iter(self.expected[source])
            for data, user, low in packets:
                index = next((i for d, i in wanted if d == data), None)
                assert index is not None, f"source {source}: a packet that did not go in, or out of order"
                assert user & ((1 << low) - 1) == self.user(source, len(data), index)
            missing = len(self.expected[source]) - len(packets)
            assert full or not missing, f"source {source}: {missing} packets are missing"
            counted = {reason: self.pulses.of(f"status_{reason}", source) for reason in REASONS}
            sent = {**self.dropped[source], "taken": len(packets), "dropped_full": missing}
            assert sum(counted.values()) == sum(sent.values()), f"source {source}: {counted}, {sent}"
            assert counted["taken"] == len(packets), f"source {source}"
            # What is bad or too long may also not fit, and counts as that.
            assert counted["dropped_full"] >= missing
            assert full or counted == sent, f"source {source}: {counted}, {sent}"


async def begin(dut, mood=Mood.flowing):
    dut.queue_size.value = 0
    dut.cfg_cpu_rate.value = UNLIMITED
    dut.cfg_cpu_burst.value = parameters()["MAX_PACKET_BYTES"]
    bench = await started(dut, mood)
    return bench, Arbiter(bench)


def some_length():
    limit, lane = parameters()["MAX_PACKET_BYTES"], parameters()["DATA_BYTES"]
    edge = random.choice((5, lane, lane + 1, 2 * lane, limit - 1, limit, limit + 1, limit + 2 * lane))
    return max(5, random.choice((edge, random.randint(5, limit))))


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def what_goes_in_comes_out_or_is_counted(dut, mood):
    bench, arbiter = await begin(dut, mood)
    for source in range(len(arbiter.sources)):
        for _ in range(60):
            arbiter.send(source, some_length(), bad=int(random.random() < 0.15))
    await arbiter.settle()
    full = sum(len(e) for e in arbiter.expected)
    arbiter.check(full=True)
    lost = [arbiter.pulses.of("status_dropped_full", source) for source in range(len(arbiter.sources))]
    assert sum(lost) < full
    assert lost[arbiter.cpu :] == [0, 0], "CPU and probe source wait"
    await finish(bench)


@cocotb.test()
async def metadata_says_source_and_sizes(dut):
    bench, arbiter = await begin(dut)
    width = 16 * (arbiter.ports + 1)
    for source in range(len(arbiter.sources)):
        for index in range(arbiter.ports if source == arbiter.cpu else 1):
            arbiter.sizes(random.getrandbits(width))
            await bench.cycles(2)
            data = arbiter.send(source, 70 if parameters()["MAX_PACKET_BYTES"] >= 70 else 20, index=index)
            beats = -(-len(data) // parameters()["DATA_BYTES"])
            while not arbiter.sink.beats:
                await bench.cycles(1)
            then = arbiter.queue_size
            arbiter.sizes(random.getrandbits(width))
            while len(arbiter.sink.beats) < beats:
                await bench.cycles(1)
            [(came, user, low)] = arbiter.take()[source]
            assert came == data
            assert user == arbiter.user(source, len(data), index) | then << low
            arbiter.expected[source].clear()
    wrong = 2 ** arbiter.sources[arbiter.cpu].format.fields["user"][1] - 1
    arbiter.send(arbiter.cpu, 20, index=wrong)
    await arbiter.settle()
    assert len(arbiter.sink.beats) == (0 if wrong >= arbiter.ports else -(-20 // parameters()["DATA_BYTES"]))
    arbiter.sink.beats.clear()
    assert arbiter.pulses.of("status_dropped_bad", arbiter.cpu) == int(wrong >= arbiter.ports)
    await finish(bench)


@cocotb.test()
async def no_cycle_is_lost_while_packets_wait(dut):
    bench, arbiter = await begin(dut)
    lane = parameters()["DATA_BYTES"]
    for active in (range(len(arbiter.sources)), [0], [arbiter.cpu]):
        arbiter.sink.pause = (True for _ in iter(int, 1))
        count = min(30, parameters()["QUEUE_WORDS"] // 4)
        for source in active:
            for _ in range(count):
                arbiter.send(source, 2 * lane)
        await bench.cycles(4 * count + 20)
        arbiter.sink.pause = None
        arbiter.sink.arrivals = []
        await arbiter.settle()
        span = arbiter.sink.arrivals[-1] - arbiter.sink.arrivals[0] + 1
        assert len(arbiter.sink.arrivals) == 2 * count * len(active)
        assert span - len(arbiter.sink.arrivals) <= 2, "cycles were lost"
    arbiter.check()
    await finish(bench)


@cocotb.test()
async def wires_at_line_rate_lose_nothing(dut):
    bench, arbiter = await begin(dut)
    if parameters()["DATA_BYTES"] != 32 or arbiter.ports > 4:
        return
    for length in (60, 61, 64, 65, 96, 97, 128, 129, 511, 1514):
        count = max(12, 6000 // length)
        period = (length + WIRE_GAP_BYTES) / CYCLE_BYTES_10G
        for port in range(arbiter.ports):
            arbiter.sources[port].pause = every(period, -(-length // 32))
            for _ in range(count):
                arbiter.send(port, length)
        await arbiter.settle()
    arbiter.check()
    await finish(bench)


@cocotb.test()
async def all_get_the_same_under_overload(dut):
    bench, arbiter = await begin(dut)
    limit, lane, turn = (parameters()[name] for name in ("MAX_PACKET_BYTES", "DATA_BYTES", "QUANTUM_BYTES"))
    if arbiter.ports < 3:
        return
    kinds = [[60], [limit], [64, limit], [61, 200]]
    light = 1  # a wire that asks for less than its share
    arbiter.sources[light].pause = pauses(0.95)
    supply = []
    for source, sender in enumerate(arbiter.sources):
        for _ in range(10):
            arbiter.send(source, random.choice(kinds[source % len(kinds)]))
        supply.append(list(sender.queue))

    def refill():
        for sender, beats in zip(arbiter.sources, supply, strict=True):
            if len(sender.queue) < 100:
                sender.send(beats)

    bench.on_cycle(refill)
    await bench.cycles(1000)
    arbiter.take()
    fulls = arbiter.pulses.of("status_dropped_full", light)
    turns = 40
    await bench.cycles(turns * len(arbiter.sources) * (turn + limit) // lane)
    got = [sum(len(data) for data, _, _ in came) for came in arbiter.take()]
    heavy = [g for source, g in enumerate(got) if source != light]
    assert max(heavy) - min(heavy) <= 0.05 * max(heavy), got
    assert 0 < got[light] < 0.8 * min(heavy), got
    assert arbiter.pulses.of("status_dropped_full", light) == fulls == 0
    assert all(arbiter.pulses.of("status_dropped_full", port) for port in range(arbiter.ports) if port != light)
    bench._steps.remove(refill)
    for source in arbiter.sources:
        source.queue.clear()
    await arbiter.settle()
    arbiter.sink.forget()
    await finish(bench)


@cocotb.test()
async def the_cpu_keeps_its_limit(dut):
    bench, arbiter = await begin(dut)
    limit = parameters()["MAX_PACKET_BYTES"]
    for rate in (0, 64, 512, 2000):
        arbiter.limit(rate)
        begun = bench.cycle
        await bench.cycles(3)
        for _ in range(40):
            arbiter.send(arbiter.cpu, random.choice((20, limit)))
        before = len(arbiter.expected[0])
        arbiter.sources[0].pause = pauses(0.7)
        for _ in range(20):
            arbiter.send(0, limit)
            while arbiter.sources[0].queue:
                await bench.cycles(1)
        cycles = 3000
        await bench.cycles(cycles)
        came = arbiter.take()
        assert len(came[0]) == len(arbiter.expected[0]) - before
        passed = sum(len(d) for d, _, _ in came[arbiter.cpu])
        spent = bench.cycle - begun
        leftover = 2 * UNLIMITED / 256  # two cycles of the rate before
        assert passed <= rate / 256 * spent + 3 * limit + leftover
        if rate == 0:
            assert passed == 0
        elif rate == 64:
            assert passed >= rate / 256 * spent - 2 * limit or passed == sum(
                len(d) for d, _ in arbiter.expected[arbiter.cpu][-40:]
            )
        arbiter.limit(UNLIMITED)
        await arbiter.settle()
        arbiter.sink.beats.clear()
    await finish(bench)


@cocotb.test()
async def a_reset_leaves_a_working_arbiter(dut):
    bench, arbiter = await begin(dut, Mood.idle_and_backpressure)
    for pause in range(6):
        for source in range(len(arbiter.sources)):
            for _ in range(4):
                arbiter.send(source, some_length())
        await bench.cycles(10 + 7 * pause)
        await bench.reset()
        for count in arbiter.pulses.count.values():
            count.clear()
        arbiter.expected = [[] for _ in arbiter.sources]
        arbiter.dropped = [dict.fromkeys(REASONS, 0) for _ in arbiter.sources]
        for source in range(len(arbiter.sources)):
            for _ in range(2):
                arbiter.send(source, 40 if parameters()["MAX_PACKET_BYTES"] > 40 else 10)
        await arbiter.settle()
        arbiter.check()
    set_mood(bench, Mood.flowing)
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"N_PORTS": 1, "QUEUE_WORDS": 32, "MAX_PACKET_BYTES": 60, "QUANTUM_BYTES": 70, "DATA_BYTES": 8},
        {"N_PORTS": 3, "QUEUE_WORDS": 100, "MAX_PACKET_BYTES": 300, "QUANTUM_BYTES": 400, "DATA_BYTES": 16},
        {},
    ],
    ids=str,
)
def test_input_arbiter(parameters):
    runner.run("input_arbiter", parameters)


@pytest.mark.parametrize("value", [0, 33])
def test_input_arbiter_refuses(value):
    runner.refuses("input_arbiter", {"N_PORTS": value}, "N_PORTS must be 1 to 32")
