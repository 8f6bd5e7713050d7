# SPDX-License-Identifier: Apache-2.0
"""axis_memory

- Every word that was written is read back, from every address, whatever the reader does, with two clocks.
- A word that is overwritten is read anew.
- A word every cycle, one cycle after its address with distributed RAM, two with block RAM.
- A reset of the reader forgets what was asked for; the words stay.
- Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import StreamBench, parameters
from rtl.axis_traffic.traffic import Mood, finish, set_mood, watch

READ_CYCLES = {16: 1, 64: 1, 128: 2, 512: 2}  # by depth: distributed RAM up to 64 words, block RAM above


async def benches(dut, mood=Mood.flowing, write_ns=5, read_ns=6.4):
    writer = StreamBench(dut, clock="s_clk", reset="m_rst", streams=["s_write"])
    reader = StreamBench(dut, clock="m_clk", reset="m_rst", streams=["s_read", "m_read"])
    await writer.start(write_ns)
    await reader.start(read_ns)
    set_mood(reader, mood)
    return writer, reader


async def fill(writer):
    """Random words at every address, in random order."""
    source = writer.source["s_write"]
    depth, bits = parameters()["DEPTH_WORDS"], parameters()["WORD_BITS"]
    words = [random.getrandbits(bits) for _ in range(depth)]
    source.send(source.format.pack(address=a, word=words[a]) for a in random.sample(range(depth), depth))
    await source.wait_idle()
    await writer.cycles(8)
    return words


async def ask(reader, words, count):
    addresses = [*range(len(words)), *(random.randrange(len(words)) for _ in range(count))]
    reader.source["s_read"].send(addresses)
    assert await reader.sink["m_read"].wait_for(len(addresses)) == [words[a] for a in addresses]


@cocotb.test()
@cocotb.parametrize(mood=list(Mood))
async def every_word_is_read_back(dut, mood):
    writer, reader = await benches(dut, mood)
    for _ in range(3):
        await ask(reader, await fill(writer), 300)
    await finish(reader)


@cocotb.test()
@cocotb.parametrize((("write_ns", "read_ns"), [(5, 6.4), (6.4, 5), (2, 20), (20, 2)]))
async def clocks_may_have_any_ratio(dut, write_ns, read_ns):
    writer, reader = await benches(dut, Mood.flowing, write_ns, read_ns)
    await ask(reader, await fill(writer), 100)
    await finish(reader)


@cocotb.test()
async def a_word_comes_every_cycle(dut):
    writer, reader = await benches(dut)
    words = await fill(writer)
    asked, came = watch(reader, "s_read", "m_read")
    await ask(reader, words, 100)
    assert asked == list(range(asked[0], asked[0] + len(words) + 100))
    assert came == [cycle + READ_CYCLES[len(words)] for cycle in asked]
    await finish(reader)


@cocotb.test()
async def a_reset_forgets_requests_and_keeps_words(dut):
    writer, reader = await benches(dut)
    words = await fill(writer)
    for pause in range(6):
        reader.source["s_read"].send(range(len(words)))
        await reader.cycles(3 + pause)
        await reader.reset()
        await reader.cycles(10)
        assert not reader.sink["m_read"].beats
        await ask(reader, words, 10)
    await finish(reader)


@pytest.mark.parametrize(
    "parameters",
    [
        {"DEPTH_WORDS": 16, "WORD_BITS": 7},
        {"DEPTH_WORDS": 128, "WORD_BITS": 1},
        {"DEPTH_WORDS": 64, "WORD_BITS": 40},
        {},
    ],
    ids=str,
)
def test_axis_memory(parameters):
    runner.run("axis_memory", parameters)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"DEPTH_WORDS": 1}, "DEPTH_WORDS must be a power of two, 2 or more"),
        ({"DEPTH_WORDS": 24}, "DEPTH_WORDS must be a power of two, 2 or more"),
        ({"WORD_BITS": 0}, "WORD_BITS must be 1 or more"),
    ],
    ids=str,
)
def test_axis_memory_refuses(parameters, sentence):
    runner.refuses("axis_memory", parameters, sentence)
