# SPDX-License-Identifier: Apache-2.0
"""header_window

The judge is a slice of Python: the packet's first WINDOW_BYTES bytes, filled up with zeros.

- Packets of every length from one byte to beyond the window, and long ones, in random order, with and without pauses:
  one window each, in order, all its fields.
- The window comes exactly one cycle after the beat that fills it or ends the packet.
- A beat waits only if its window would come less than SPACING_CYCLES after the one before, and no longer: packets of
  one beat, of two and of any number.
- Nothing of a packet shows in the next one's window; lanes that are not kept never show.
- A reset forgets the packet that was coming in.
- Each parameter check fires.
"""

import itertools
import random

import cocotb
import pytest

from bench import runner
from bench.packets.beats import to_beats
from bench.stream import parameters
from rtl.axis_traffic.traffic import Mood, finish, started, watch


def lanes():
    return parameters()["DATA_BYTES"]


def window_bytes():
    return parameters()["WINDOW_BYTES"]


def window_beats():
    return -(-window_bytes() // lanes())


def beats(form, packet, user):
    """The beats of a packet; tuser is another one on the later beats, and bytes that are not kept are random."""
    made = to_beats(packet, lanes(), format=form, unused=random.randrange(1, 256))
    return [
        one | form.pack(user=user if number == 0 else random.getrandbits(parameters()["USER_BITS"]))
        for number, one in enumerate(made)
    ]


def expected(form, packet, user):
    size = window_bytes()
    seen = packet[:size]
    return form.pack(
        data=int.from_bytes(seen.ljust(size, b"\0"), "big"),
        length=len(seen),
        ended=int(len(packet) <= size),
        user=user,
    )


def when_taken(lengths):
    """The cycles in which the beats of packets are taken that come one behind the other, the first in cycle 0."""
    taken, cycle, made = [], -1, None
    for length in lengths:
        count = -(-length // lanes())
        for number in range(count):
            cycle += 1
            if number == min(count, window_beats()) - 1:
                if made is not None:
                    cycle = max(cycle, made + parameters()["SPACING_CYCLES"])
                made = cycle
            taken.append(cycle)
    return taken


def packets():
    long = window_bytes() + 2 * lanes() + 2
    lengths = [*range(1, long), *range(1, long), *(random.randint(1, 4 * long) for _ in range(60))]
    random.shuffle(lengths)
    return [(random.randbytes(length), random.getrandbits(parameters()["USER_BITS"])) for length in lengths]


@cocotb.test()
@cocotb.parametrize(mood=[Mood.flowing, Mood.idle])
async def each_packet_gives_one_window(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["window"]
    sent = packets()
    for packet in sent:
        source.send(beats(source.format, *packet))
    assert await sink.wait_for(len(sent)) == [expected(sink.format, *packet) for packet in sent]
    await source.wait_idle()
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(mood=[Mood.flowing, Mood.idle])
async def a_window_comes_one_cycle_after_the_beat_that_makes_it(dut, mood):
    bench = await started(dut, mood)
    source, sink = bench.source["s_axis"], bench.sink["window"]
    accepted, came = watch(bench, "s_axis", "window")
    sent = packets()
    for packet in sent:
        source.send(beats(source.format, *packet))
    await sink.wait_for(len(sent))
    await source.wait_idle()
    await bench.cycles(3)
    made = []
    start = 0
    for packet, _ in sent:
        count = -(-len(packet) // lanes())
        made.append(accepted[start + min(count, window_beats()) - 1])
        start += count
    assert came == [cycle + 1 for cycle in made]
    await finish(bench)


@cocotb.test()
@cocotb.parametrize(most=[1, 2, 3, 20])
async def a_beat_waits_only_for_the_window_before_its_own(dut, most):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["window"]
    accepted, came = watch(bench, "s_axis", "window")
    # Of one beat, and then also of `most`.
    lengths = [(random.choice((1, most)) - 1) * lanes() + random.randint(1, lanes()) for _ in range(100)]
    sent = [(random.randbytes(length), random.getrandbits(parameters()["USER_BITS"])) for length in lengths]
    for packet in sent:
        source.send(beats(source.format, *packet))
    assert await sink.wait_for(len(sent)) == [expected(sink.format, *packet) for packet in sent]
    await source.wait_idle()
    assert [cycle - accepted[0] for cycle in accepted] == when_taken(lengths)
    assert min(later - earlier for earlier, later in itertools.pairwise(came)) >= parameters()["SPACING_CYCLES"]
    await finish(bench)


@cocotb.test()
async def packets_of_two_beats_and_more_never_wait(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["window"]
    accepted, _ = watch(bench, "s_axis", "window")
    lengths = [random.randint(lanes() + 1, random.choice((2, 4)) * lanes()) for _ in range(100)]
    for length in lengths:
        source.send(beats(source.format, random.randbytes(length), 0))
    await sink.wait_for(len(lengths))
    await source.wait_idle()
    assert accepted == list(range(accepted[0], accepted[0] + len(accepted)))
    await finish(bench)


@cocotb.test()
async def a_reset_forgets_the_packet_that_was_coming_in(dut):
    bench = await started(dut)
    source, sink = bench.source["s_axis"], bench.sink["window"]
    long = random.randbytes(window_bytes() + 3 * lanes())
    for count in range(1, -(-len(long) // lanes()) + 2):
        for _ in range(2):
            source.send(beats(source.format, long, 0)[:count])
            await bench.cycles(count + random.choice((0, 1, 5)))
            await bench.reset()
            await bench.cycles(3)
            assert not sink.beats
        packet = (random.randbytes(lanes() + 1), 1)
        source.send(beats(source.format, *packet))
        assert await sink.wait_for(1) == [expected(sink.format, *packet)]
        await source.wait_idle()
        await bench.cycles(3)
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {"DATA_BYTES": 4, "USER_BITS": 3, "WINDOW_BYTES": 14},
        {"DATA_BYTES": 4, "USER_BITS": 1, "WINDOW_BYTES": 8},
        {"DATA_BYTES": 1, "USER_BITS": 2, "WINDOW_BYTES": 3},
        {"DATA_BYTES": 3, "USER_BITS": 9, "WINDOW_BYTES": 3},
        {"DATA_BYTES": 5, "USER_BITS": 2, "WINDOW_BYTES": 1},
        {"DATA_BYTES": 4, "USER_BITS": 3, "WINDOW_BYTES": 14, "SPACING_CYCLES": 2},
        {"DATA_BYTES": 3, "USER_BITS": 9, "WINDOW_BYTES": 3, "SPACING_CYCLES": 2},
        {},
    ],
    ids=str,
)
def test_header_window(parameters):
    runner.run("header_window", parameters)


@pytest.mark.parametrize("parameter", ["DATA_BYTES", "USER_BITS", "WINDOW_BYTES"])
def test_header_window_refuses(parameter):
    runner.refuses("header_window", {parameter: 0}, f"{parameter} must be 1 or more")


@pytest.mark.parametrize("value", [0, 3])
def test_header_window_refuses_a_spacing(value):
    runner.refuses("header_window", {"SPACING_CYCLES": value}, "SPACING_CYCLES must be 1 or 2")
