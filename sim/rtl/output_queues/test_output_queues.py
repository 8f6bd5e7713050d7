# SPDX-License-Identifier: Apache-2.0
"""output_queues

Each packet begins with its source and a number, so that each output alone says what it got.

- Random packets to random sets of ports, CPU sides and nowhere, whatever the outputs do: each queue's copies leave
  whole, unchanged, in order, or are counted for that queue and reason; the CPU's carry dst_port and src_port.
- With send_dig_to_cpu the CPU gets the digest in front of its copy, or alone; digests at every packet cost copies of
  the CPU only.
- The input never stalls. Broadcast to all queues at a beat every cycle: nothing is lost while the outputs go as fast.
- An output that stands still loses its own copies only; so does a port that is down. The others lose nothing.
- queue_size is what waits, in units of 32 bytes, rounded up.
- Four wires at line rate into one: equal shares within 5 %, while everything to the other ports and the CPU leaves.
- The CPU's rate limit holds. A reset leaves working queues. Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import Mood, finish, set_mood, split, stall, started
from rtl.switch_traffic.pulses import Pulses, every, frame, numbered, payload

REASONS = ("dropped_full", "dropped_share", "dropped_down")
PULSES = (*REASONS, "taken", "left", "discarded")
UNLIMITED = 65535
CYCLE_BYTES_10G = 6.25
WIRE_GAP_BYTES = 24


class Queues:
    def __init__(self, bench):
        self.bench, self.dut = bench, bench.dut
        self.ports = parameters()["N_PORTS"]
        names = ["m_axis_wire"] if self.ports == 1 else [f"m_axis_wire_{i}" for i in range(self.ports)]
        self.sinks = [bench.sink[name] for name in (*names, "m_axis_cpu")]
        self.source = bench.source["s_axis"]
        self.pulses = Pulses(bench, [f"status_{name}" for name in (*PULSES, "dropped_nowhere", "dropped_digest")])
        self.number = 0
        self.nowhere = 0
        self.sent = [[] for _ in self.sinks]  # (bytes, dst_port, src_port) of each copy

    @property
    def cpu(self):
        return self.ports

    def src_port(self, source):
        """One-hot, as a wire, a CPU side or the probe source has it."""
        if source < self.ports:
            return 1 << 2 * source
        return 1 << 2 * random.randrange(self.ports) + 1 if source == self.cpu else 0

    def wire(self, port):
        return 1 << 2 * port

    def all_wires(self):
        return sum(self.wire(port) for port in range(self.ports))

    def send(self, dst_port, length, source=0, digest=False):
        self.number += 1
        data = numbered(source, self.number, length)
        src_port = self.src_port(source)
        form = self.source.format
        place, width = form.fields["user"]
        beats = frame(form, data)
        ports = 2 * self.ports
        tell = 24 + 2 * ports  # where send_dig_to_cpu begins
        known = ((1 << 2 * ports) - 1) << 16 | 1 << tell
        user = random.getrandbits(width) & ~known | src_port << 16 | dst_port << 16 + ports | digest << tell
        beats[0] = beats[0] & ~(((1 << width) - 1) << place) | user << place
        self.source.send(beats)
        cpu_bits = dst_port & sum(2 << 2 * i for i in range(self.ports))
        for port in range(self.ports):
            if dst_port >> 2 * port & 1:
                self.sent[port].append((data, 0, 0))
        text = b""
        if digest:
            place, width = form.fields["digest"]
            text = (beats[0] >> place & ((1 << width) - 1)).to_bytes(width // 8, "little")
        if cpu_bits:
            self.sent[self.cpu].append((text + data, cpu_bits, src_port))
        elif digest:
            self.sent[self.cpu].append((text, 2, 0))
        self.nowhere += dst_port == 0 and not digest

    async def settle(self, cycles=300_000):
        await self.source.wait_idle(cycles)
        quiet, had = 0, -1
        while quiet < 300:  # a sink may pause for long
            now = sum(len(sink.beats) for sink in self.sinks)
            still = now == had and not int(self.dut.queue_size.value)
            quiet, had = (quiet + 1 if still else 0), now
            await self.bench.cycles(1)

    def counts(self, queue):
        return {name: self.pulses.of(f"status_{name}", queue) for name in PULSES}

    def check(self):
        """Compares all copies; returns for each queue what it counted."""
        everything = []
        for queue, sink in enumerate(self.sinks):
            beats, sink.beats = sink.beats, []
            wanted = iter(self.sent[queue])
            came = split(sink.format, beats)
            for packet in came:
                data = payload(sink.format, packet)
                one = next((w for w in wanted if w[0] == data), None)
                assert one, f"queue {queue}: a packet that was not sent to it, or out of order"
                if queue == self.cpu:
                    users = {sink.format.field(beat, "user") for beat in packet}
                    assert users == {one[1] << 2 * self.ports | one[2]}
            counts = self.counts(queue)
            assert counts["left"] == len(came), f"queue {queue}"
            assert counts["taken"] == counts["left"] + counts["discarded"], f"queue {queue}"
            before = self.pulses.of("status_dropped_digest") if queue == self.cpu else 0
            assert len(self.sent[queue]) - before == counts["taken"] + sum(counts[r] for r in REASONS), f"queue {queue}"
            everything.append(counts)
        assert self.pulses.of("status_dropped_nowhere") == self.nowhere
        self.forget()
        return everything

    def forget(self):
        self.sent = [[] for _ in self.sinks]
        self.nowhere = 0
        for count in self.pulses.count.values():
            count.clear()


async def begin(dut, mood=Mood.flowing):
    dut.port_up.value = 2 ** parameters()["N_PORTS"] - 1
    dut.cfg_cpu_rate.value = UNLIMITED
    dut.cfg_cpu_burst.value = 4000
    bench = await started(dut, mood)
    queues = Queues(bench)

    def never_stalls():
        assert int(dut.s_axis_ready.value)

    bench.on_cycle(never_stalls)
    return bench, queues


def drops(counts):
    return sum(counts[reason] for reason in REASONS) + counts["discarded"]


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def each_copy_leaves_or_is_counted(dut, mood):
    bench, queues = await begin(dut, mood)
    lane = parameters()["DATA_BYTES"]
    everywhere = 2 ** (2 * queues.ports) - 1
    for _ in range(300):
        dst_port = random.choice((0, random.getrandbits(2 * queues.ports), everywhere, queues.wire(0), 2))
        queues.send(dst_port, random.randint(5, 8 * lane), random.randrange(queues.ports + 2), random.random() < 0.3)
    turn = 0
    while queues.source.queue:
        await bench.cycles(random.randint(20, 60))
        turn += 1
        dut.port_up.value = random.getrandbits(queues.ports) if turn % 3 else 0
    await bench.cycles(10)
    dut.port_up.value = 2**queues.ports - 1
    await queues.settle()
    counts = queues.check()
    assert all(c["left"] for c in counts)
    assert sum(c["dropped_down"] for c in counts[:-1]) and not counts[-1]["dropped_down"]
    await finish(bench)


@cocotb.test()
async def broadcast_goes_to_all_at_full_rate(dut):
    bench, queues = await begin(dut)
    lane = parameters()["DATA_BYTES"]
    everywhere = 2 ** (2 * queues.ports) - 1
    await bench.cycles(50)
    for sink in queues.sinks:
        sink.arrivals = []
    for _ in range(90):
        queues.send(everywhere, 2 * lane)
    await queues.settle()
    for sink in queues.sinks:
        assert sink.arrivals == list(range(sink.arrivals[0], sink.arrivals[0] + len(sink.arrivals)))
    assert all(drops(c) == 0 and c["left"] == 90 for c in queues.check())
    await finish(bench)


@cocotb.test()
async def digests_cost_nobody_else(dut):
    bench, queues = await begin(dut)
    everywhere = 2 ** (2 * queues.ports) - 1
    for dst_port, digest in ((everywhere, True), (queues.wire(0), True), (0, True), (everywhere, False)):
        queues.send(dst_port, 2 * parameters()["DATA_BYTES"], digest=digest)
    await queues.settle()
    assert [drops(c) for c in queues.check()] == [0] * (queues.ports + 1)
    for _ in range(80):
        queues.send(everywhere, 2 * parameters()["DATA_BYTES"], digest=True)
    await queues.settle()
    crowded = queues.pulses.of("status_dropped_digest")
    counts = queues.check()
    assert crowded > 0 and counts[-1]["left"] == 80 - crowded - drops(counts[-1])
    assert all(drops(c) == 0 for c in counts[:-1])
    await finish(bench)


@cocotb.test()
async def a_port_that_stands_still_or_is_down_is_alone_with_it(dut):
    bench, queues = await begin(dut)
    depth, lane = parameters()["QUEUE_WORDS"], parameters()["DATA_BYTES"]
    victim = queues.ports - 1
    for down in (False, True):
        queues.sinks[victim].pause = stall()
        count = depth // 2 + 40
        for number in range(count):
            queues.send(2 ** (2 * queues.ports) - 1, 2 * lane, random.randrange(queues.ports + 2))
            if down and number == 20:
                await queues.source.wait_idle()
                await bench.cycles(10)
                dut.port_up.value = 2**queues.ports - 1 - (1 << victim)
        await queues.source.wait_idle()
        queues.sinks[victim].pause = None
        await queues.settle()
        dut.port_up.value = 2**queues.ports - 1
        await bench.cycles(2)
        counts = queues.check()
        for queue, counted in enumerate(counts):
            if queue != victim:
                assert drops(counted) == 0 and counted["left"] == count
        lost = counts[victim]
        if down:
            assert lost["dropped_down"] == count - 21 and lost["discarded"] >= 19
        else:
            assert lost["dropped_full"] + lost["dropped_share"] >= 35 and lost["left"] >= depth // 4
    await finish(bench)


@cocotb.test()
async def the_size_of_a_queue_is_what_waits(dut):
    bench, queues = await begin(dut)
    lane = parameters()["DATA_BYTES"]
    for queue in range(queues.ports + 1):
        queues.sinks[queue].pause = stall()
        dst_port = queues.wire(queue) if queue < queues.ports else 2
        for beats in range(1, 8):
            queues.send(dst_port, beats * lane)
            await queues.source.wait_idle()
            await bench.cycles(6)
            units = -(-(beats * (beats + 1) // 2 * lane) // 32)
            assert int(dut.queue_size.value) == units << 16 * queue
        queues.sinks[queue].pause = None
        await queues.settle()
        assert int(dut.queue_size.value) == 0
    queues.check()
    await finish(bench)


@cocotb.test()
async def four_into_one_get_the_same_and_the_others_lose_nothing(dut):
    bench, queues = await begin(dut)
    if queues.ports != 4 or parameters()["DATA_BYTES"] != 32:
        return
    for length in (60, 1514):
        beats = -(-length // 32)
        period = (length + WIRE_GAP_BYTES) / CYCLE_BYTES_10G
        for sink in queues.sinks[:4]:
            sink.pause = every(period, beats)
        queues.source.pause = every(period / 4, beats)
        # Each wire sends at line rate to port 0, in lockstep; one packet in 40 goes to each of the other ports.
        rounds = 250 if length > 100 else 2500
        for number in range(rounds):
            for source in range(4):
                queues.send(queues.wire(0) if number % 40 else queues.all_wires() ^ queues.wire(0) | 2, length, source)
        await queues.settle()
        packets = split(queues.sinks[0].format, queues.sinks[0].beats)
        shares = [0] * 4
        for packet in packets[len(packets) // 3 :]:
            data = payload(queues.sinks[0].format, packet)
            shares[data[0]] += len(data)
        assert max(shares) - min(shares) <= 0.05 * max(shares), shares
        counts = queues.check()
        assert counts[0]["dropped_share"] > rounds and counts[0]["dropped_full"] == 0
        assert all(drops(c) == 0 for c in counts[1:])
    queues.source.pause = None
    await finish(bench)


@cocotb.test()
async def the_cpu_keeps_its_limit(dut):
    bench, queues = await begin(dut)
    lane = parameters()["DATA_BYTES"]
    for rate in (0, 200, 8 * lane):
        dut.cfg_cpu_rate.value = rate
        dut.cfg_cpu_burst.value = 4 * lane
        await bench.cycles(200)
        for _ in range(20):
            queues.send(2 | queues.wire(0), 3 * lane)
        begun = bench.cycle
        await bench.cycles(300)
        passed = sum(
            queues.sinks[queues.cpu].format.field(b, "keep").bit_count() for b in queues.sinks[queues.cpu].beats
        )
        spent = bench.cycle - begun
        assert passed <= rate / 256 * spent + 8 * lane + 2 * UNLIMITED / 256
        assert len(queues.sinks[0].beats) == 60
        dut.cfg_cpu_rate.value = UNLIMITED
        await queues.settle()
        queues.check()
    await finish(bench)


@cocotb.test()
async def a_reset_leaves_working_queues(dut):
    bench, queues = await begin(dut, Mood.idle_and_backpressure)
    everywhere = 2 ** (2 * queues.ports) - 1
    for pause in range(6):
        for _ in range(8):
            queues.send(random.getrandbits(2 * queues.ports), random.randint(5, 6 * parameters()["DATA_BYTES"]))
        await bench.cycles(5 + 6 * pause)
        await bench.reset()
        queues.forget()
        for _ in range(2):
            queues.send(everywhere, random.randint(5, 3 * parameters()["DATA_BYTES"]))
        await queues.settle()
        assert all(c["left"] == 2 for c in queues.check())
    set_mood(bench, Mood.flowing)
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"N_PORTS": 1, "QUEUE_WORDS": 64, "CREDIT_WORDS": 4, "MAX_PACKET_WORDS": 6, "DATA_BYTES": 8},
        {"N_PORTS": 3, "QUEUE_WORDS": 100, "CREDIT_WORDS": 8, "MAX_PACKET_WORDS": 8, "DATA_BYTES": 64},
        {},
    ],
    ids=str,
)
def test_output_queues(parameters):
    runner.run("output_queues", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"N_PORTS": 0}, "N_PORTS must be 1 to 32"),
        ({"N_PORTS": 33}, "N_PORTS must be 1 to 32"),
        ({"QUEUE_WORDS": 2, "CREDIT_WORDS": 1}, "QUEUE_WORDS must be 3 or more"),
        ({"QUEUE_WORDS": 65536}, "QUEUE_WORDS must be .* below 65536"),
        ({"MAX_PACKET_WORDS": 0}, "MAX_PACKET_WORDS must be 1 or more"),
    ],
    ids=str,
)
def test_output_queues_refuses(parameters, sentence):
    runner.refuses("output_queues", parameters, sentence)
