# SPDX-License-Identifier: Apache-2.0
"""digest_insert

- Random packets that want themselves, their digest, both or neither, with and without pauses: each one comes out as it
  should, in order, or is counted; with pauses that make up for the digests nothing is dropped.
- At a beat every cycle, each packet with a digest, packets are dropped whole and counted, and no more than has to be.
- After a reset nothing old comes out. Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from rtl.axis_traffic.traffic import finish, pauses, split, started
from rtl.switch_traffic.pulses import Pulses, frame, payload


class Way:
    def __init__(self, bench):
        self.bench = bench
        self.source, self.sink = bench.source["s_axis"], bench.sink["m_axis"]
        self.pulses = Pulses(bench, ["status_dropped"])
        self.sent = []  # (bytes, digest alone, tuser) of each one that is wanted

    def send(self, beats, copy, digest):
        lane = parameters()["DATA_BYTES"]
        data = random.randbytes((beats - 1) * lane + random.randint(1, lane))
        text = random.randbytes(lane)
        user = random.getrandbits(parameters()["USER_BITS"])
        form = self.source.format
        fields = {
            "user": user,
            "digest": int.from_bytes(text, "little"),
            "tell": int(digest),
            "copy": int(copy),
        }
        packed = []
        for one in frame(form, data):
            values = form.unpack(one)
            packed.append(form.pack(**{**values, **fields}))
        self.source.send(packed)
        if copy or digest:
            self.sent.append((text * digest + data * copy, int(not copy), user))

    async def check(self):
        await self.source.wait_idle(100_000)
        await self.bench.cycles(100)
        beats, self.sink.beats = self.sink.beats, []
        form = self.sink.format
        came = []
        for packet in split(form, beats):
            [(alone, user)] = {(form.field(one, "alone"), form.field(one, "user")) for one in packet}
            came.append((payload(form, packet), alone, user))
        wanted = iter(self.sent)
        assert all(one in wanted for one in came), "a packet that was not sent, or out of order"
        dropped = len(self.sent) - len(came)
        assert self.pulses.of("status_dropped") == dropped
        self.sent = []
        self.pulses.count["status_dropped"].clear()
        return dropped, len(came)


@cocotb.test()
@cocotb.parametrize(share=[0, 0.5])
async def each_one_comes_out_as_wanted(dut, share):
    bench = await started(dut)
    way = Way(bench)
    way.source.pause = pauses(share) if share else None
    for _ in range(300):
        way.send(random.choice((1, 2, 3, 9)), random.random() < 0.6, random.random() < 0.4)
    dropped, came = await way.check()
    assert came > 150 and (share or not dropped or dropped < 60)
    for _ in range(60):
        way.send(2, True, True)
        await way.source.wait_idle()
        await bench.cycles(3)
    assert await way.check() == (0, 60)
    await finish(bench)


@cocotb.test()
async def what_does_not_fit_is_dropped_whole(dut):
    bench = await started(dut)
    way = Way(bench)
    for _ in range(300):
        way.send(2, True, True)
    dropped, came = await way.check()
    room = parameters()["START_WORDS"]
    assert 300 * 2 // 3 - 2 <= came <= 300 * 2 // 3 + room + 8, "a packet of two beats takes three cycles"
    assert dropped
    await finish(bench)


@cocotb.test()
async def after_a_reset_nothing_old_comes_out(dut):
    bench = await started(dut)
    way = Way(bench)
    for pause in range(8):
        for _ in range(5):
            way.send(3, True, True)
        await bench.cycles(3 + 2 * pause)
        await bench.reset()
        way.sent = []
        way.pulses.count["status_dropped"].clear()
        way.send(2, pause % 2, True)
        assert await way.check() == (0, 1)
    await finish(bench)


@pytest.mark.parametrize("parameters", [{"START_WORDS": 3, "DATA_BYTES": 4, "USER_BITS": 3}, {}], ids=str)
def test_digest_insert(parameters):
    runner.run("digest_insert", parameters)


@pytest.mark.parametrize("value", [0, 57])
def test_digest_insert_refuses(value):
    runner.refuses("digest_insert", {"START_WORDS": value}, "START_WORDS must be 1 to 56")
