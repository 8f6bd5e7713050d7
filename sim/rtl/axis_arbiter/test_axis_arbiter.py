# SPDX-License-Identifier: Apache-2.0
"""axis_arbiter

- Packets of all ports come out whole, unchanged, in the order of their port, with its number in tid, whatever
  sources and sink do; packets of two ports never mix. In all of that no waiting port sees more than N_PORTS-1
  packets of others begin.
- At full load a beat leaves every cycle and the ports take turns by number, with packets of one beat and of several.
- Two ports that are busy keep the full rate, a single one too.
- Latency is one cycle for the chosen port, two for another.
- A reset in the middle of packets leaves nothing behind; port 0 is chosen.
- Each parameter check fires.
"""

import itertools
import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import (
    Mood,
    finish,
    joined,
    lengths,
    packet,
    packet_of_beats,
    set_mood,
    split,
    stall,
    started,
    watch,
)


def sources(bench):
    count = parameters()["N_PORTS"]
    return [bench.source["s_axis" if count == 1 else f"s_axis_{i}"] for i in range(count)]


def from_port(bench, port, beats):
    """Beats of a port as the output shows them."""
    form, out = bench.source[next(iter(bench.source))].format, bench.sink["m_axis"].format
    return [out.pack(**form.unpack(one), id=port) for one in beats]


def ports(bench, packets):
    """The port each packet came from; a packet that has two is torn."""
    form = bench.sink["m_axis"].format
    found = [{form.field(one, "id") for one in p} for p in packets]
    assert all(len(ids) == 1 for ids in found), "a packet has beats of two ports"
    return [ids.pop() for ids in found]


class Turns:
    """Counts for each port how many packets of others begin while its own waits."""

    def __init__(self, bench, sent):
        self.sources = sources(bench)
        form = self.sources[0].format
        self.begins = [iter([True, *(bool(form.field(b, "last")) for b in beats)]) for beats in sent]
        self.first = [next(b) for b in self.begins]  # whether the port's next beat begins a packet
        self.sent = [s.sent for s in self.sources]
        self.valid = [False] * len(self.sources)
        self.seen = [0] * len(self.sources)
        self.most = 0
        bench.on_cycle(self.step)

    def step(self):
        moved = [i for i, s in enumerate(self.sources) if s.sent != self.sent[i]]
        for i in moved:
            self.sent[i] += 1
            if self.first[i]:
                self.seen[i] = 0
                for j in range(len(self.sources)):
                    if j != i and self.valid[j] and self.first[j]:
                        self.seen[j] += 1
                        self.most = max(self.most, self.seen[j])
            self.first[i] = next(self.begins[i], True)
        self.valid = [bool(s._now) for s in self.sources]


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def packets_of_all_ports_come_out_whole_in_order_and_in_turn(dut, mood):
    bench = await started(dut, mood)
    form, sink = sources(bench)[0].format, bench.sink["m_axis"]
    sent = [joined([packet(form, n) for n in lengths(form, 40)]) for _ in sources(bench)]
    turns = Turns(bench, sent)
    for source, beats in zip(sources(bench), sent, strict=True):
        source.send(beats)
    out = split(sink.format, await sink.wait_for(sum(map(len, sent)), 50_000))
    came_from = ports(bench, out)
    for port, beats in enumerate(sent):
        assert joined([p for p, i in zip(out, came_from, strict=True) if i == port]) == from_port(bench, port, beats)
    assert turns.most <= len(sent) - 1
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(beats=[1, 3])
async def at_full_load_a_beat_leaves_every_cycle_and_the_ports_take_turns(dut, beats):
    bench = await started(dut)
    form, sink = sources(bench)[0].format, bench.sink["m_axis"]
    count, rounds = len(sources(bench)), 20
    watch(bench, next(iter(bench.source)))
    for source in sources(bench):
        source.send(joined([packet_of_beats(form, beats) for _ in range(rounds)]))
    out = split(sink.format, await sink.wait_for(count * rounds * beats, 5_000))
    assert ports(bench, out) == list(range(count)) * rounds
    assert sink.arrivals == list(range(sink.arrivals[0], sink.arrivals[0] + count * rounds * beats))
    await finish(bench)


@cocotb.test()
async def any_one_or_two_busy_ports_have_the_full_rate(dut):
    bench = await started(dut)
    form, sink = sources(bench)[0].format, bench.sink["m_axis"]
    count = len(sources(bench))
    watch(bench, next(iter(bench.source)))
    for busy in random.sample(list(itertools.combinations_with_replacement(range(count), 2)), min(20, count)):
        sink.arrivals.clear()
        for port in busy:
            sources(bench)[port].send(joined([packet_of_beats(form, 1) for _ in range(10)]))
        out = split(sink.format, await sink.wait_for(20, 1_000))
        came_from = ports(bench, out)
        assert sorted(came_from) == sorted(busy * 10)
        assert sink.arrivals == list(range(sink.arrivals[0], sink.arrivals[0] + 20))
        if busy[0] != busy[1]:
            assert all(a != b for a, b in itertools.pairwise(came_from))
    await finish(bench)


@cocotb.test()
async def the_chosen_port_waits_one_cycle_and_another_two(dut):
    bench = await started(dut)
    form, sink = sources(bench)[0].format, bench.sink["m_axis"]
    names = list(bench.source)
    chosen = 0
    sink.arrivals = []
    began = []
    bench.on_cycle(lambda: began.append(sink.cycle) if any(s._now for s in sources(bench)) else None)
    for port in [0, 0, *(random.randrange(len(names)) for _ in range(40))]:
        began.clear()
        sink.arrivals.clear()
        beats = packet_of_beats(form, 2)
        sources(bench)[port].send(beats)
        assert await sink.wait_for(2, 100) == from_port(bench, port, beats)
        # A beat is on the port from the cycle after the one in which the source shows it.
        assert sink.arrivals == [began[0] + 1 + (1 if port == chosen else 2) + i for i in range(2)]
        chosen = port
        await bench.cycles(random.randint(1, 4))
    await finish(bench)


@cocotb.test()
async def a_port_that_pauses_inside_its_packet_keeps_its_turn(dut):
    bench = await started(dut)
    form, sink = sources(bench)[0].format, bench.sink["m_axis"]
    for port, source in enumerate(sources(bench)):
        await bench.cycles(5)
        beats = packet_of_beats(form, 3)
        source.send(beats[:2])
        await bench.cycles(8)
        others = [i for i in range(len(bench.source)) if i != port]
        waiting = {i: packet_of_beats(form, 2) for i in others}
        for i in others:
            sources(bench)[i].send(waiting[i])
        await bench.cycles(10)
        assert len(sink.beats) == 2
        source.send(beats[2:])
        after = [i % len(bench.source) for i in range(port + 1, port + len(bench.source))]
        expected = from_port(bench, port, beats) + joined([from_port(bench, i, waiting[i]) for i in after])
        assert await sink.wait_for(len(expected), 1_000) == expected
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def after_a_reset_nothing_old_comes_out(dut, mood):
    bench = await started(dut, mood)
    form, sink = sources(bench)[0].format, bench.sink["m_axis"]
    for pause in range(10):
        for source in sources(bench):
            source.send(packet_of_beats(form, 30))
        if pause == 9:
            sink.pause = stall()
        await bench.cycles(5 + pause)
        await bench.reset()
        set_mood(bench, Mood.flowing)
        await bench.cycles(3)
        began = sink.cycle
        sink.arrivals = []
        fresh = [packet_of_beats(form, 2) for _ in sources(bench)]
        for source, beats in zip(sources(bench), fresh, strict=True):
            source.send(beats)
        expected = joined([from_port(bench, port, beats) for port, beats in enumerate(fresh)])
        assert await sink.wait_for(len(expected), 1_000) == expected
        assert sink.arrivals[0] == began + 3, "port 0 was not chosen"
        set_mood(bench, mood)
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"N_PORTS": 3, "DATA_BYTES": 2, "USER_BITS": 2},
        {"N_PORTS": 4, "DATA_BYTES": 1, "USER_BITS": 1},
        {"N_PORTS": 1, "DATA_BYTES": 1, "USER_BITS": 3},
        {"N_PORTS": 16, "DATA_BYTES": 1, "USER_BITS": 1},
        {"N_PORTS": 2, "DATA_BYTES": 4, "USER_BITS": 1},
        {},
    ],
    ids=str,
)
def test_axis_arbiter(parameters):
    runner.run("axis_arbiter", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"N_PORTS": 0}, "N_PORTS must be 1 to 16"),
        ({"N_PORTS": 17}, "N_PORTS must be 1 to 16"),
        ({"DATA_BYTES": 0}, "DATA_BYTES must be 1 or more"),
        ({"USER_BITS": 0}, "USER_BITS must be 1 or more"),
    ],
    ids=str,
)
def test_axis_arbiter_refuses(parameters, sentence):
    runner.refuses("axis_arbiter", parameters, sentence)
