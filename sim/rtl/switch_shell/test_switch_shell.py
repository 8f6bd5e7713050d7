# SPDX-License-Identifier: Apache-2.0
"""switch_shell

The program between the streams is Python: it sends each packet where the test wants it.

- Random packets of all sources to all sets of ports, good, bad and too long: all copies leave, whole; every counter,
  read by the name and place that hw/regs gives it, is what the test expects, all others are zero.
- in = out + counted, per source and queue, also under overload of one port and while links flap.
- The program sees source and queue sizes; the meter reports every packet that leaves a wire.
- A port is up when link and enable are; clearing the counters clears them all; the CPU's two rate limits work.
- A reset in mid traffic leaves a working switch. Each parameter check fires.
"""

import random

import cocotb
import pytest

from bench import runner
from bench.stream import parameters
from p4sume.hardware import registers
from p4sume.hardware.build import REGISTER_SOURCES
from rtl.axis_traffic.traffic import Mood, finish, set_mood, started
from rtl.switch_traffic.shell import Switch

UNLIMITED = 65535


class Shell(Switch):
    """With the window of the counters."""

    def __init__(self, bench):
        p = parameters()
        super().__init__(bench, p["N_PORTS"], p["DATA_BYTES"])
        self.dut = bench.dut
        self.limit = p["MAX_PACKET_BYTES"]
        root = registers.elaborate(REGISTER_SOURCES / "switch_counters.rdl", REGISTER_SOURCES, N_PORTS=self.ports)
        every = {r["name"]: r["address"] for r in registers.register_map(root)}
        self.words = {n.removeprefix("counters."): a // 4 for n, a in every.items() if n.startswith("counters.")}

    async def word(self, address):
        self.dut.window_address.value = address
        self.dut.window_request.value = 1
        await self.bench.cycles(1)
        self.dut.window_request.value = 0
        for _ in range(400):
            await self.bench.cycles(1)
            if self.dut.window_done.value:
                return int(self.dut.window_data.value)
        raise AssertionError("the counters do not answer")

    async def counters(self):
        await self.bench.cycles(300)
        found = {}
        for name, address in self.words.items():
            low = await self.word(address)
            found[name] = low | await self.word(address + 1) << 32
        return found

    def wanted(self):
        """Every counter by its full name, zero where nothing is expected."""
        made = dict.fromkeys(self.words, 0)
        for name, values in self.expected.items():
            for index, value in values.items():
                full = name if name in made else f"{name}[{index}]"
                assert full in made, full
                made[full] = value
        return made


async def begin(dut, mood=Mood.flowing):
    ports = 2 ** parameters()["N_PORTS"] - 1
    for name, value in (("link_up", ports), ("cfg_enable", ports), ("window_clear", 0), ("window_request", 0),
                        ("window_write", 0), ("window_address", 0)):  # fmt: skip
        getattr(dut, name).value = value
    for way in ("from", "to"):
        getattr(dut, f"cfg_{way}_cpu_rate").value = UNLIMITED
        getattr(dut, f"cfg_{way}_cpu_burst").value = 4000
    bench = await started(dut, mood)
    return bench, Shell(bench)


def some_destination(ports):
    return random.choice((0, 1, 2, random.getrandbits(2 * ports), 2 ** (2 * ports) - 1))


@cocotb.test()
@cocotb.parametrize(mood=[Mood.flowing, Mood.idle_and_backpressure])
async def every_packet_goes_its_way_and_every_counter_is_right(dut, mood):
    bench, switch = await begin(dut, mood)
    lane = switch.lanes
    for _ in range(15 * len(switch.sources)):
        source = random.randrange(len(switch.sources))
        length = random.choice((5, lane, lane + 1, 2 * lane, switch.limit, random.randint(5, switch.limit)))
        kind = random.random()
        bad = int(kind < 0.1 and source <= switch.ports)
        long = 0.1 <= kind < 0.2
        destination = some_destination(switch.ports)
        data = switch.send(source, switch.limit + 1 if long and not bad else max(5, length), destination, bad)
        if bad or long:
            switch.expected["rx_bad" if bad else "rx_long"][source] += 1
        else:
            switch.expect(source, data, destination)
        await bench.cycles(3 * (len(data) // lane + 2))
    await switch.settle()
    for queue, left in enumerate(switch.took()):
        assert sorted(left) == sorted(switch.copies[queue]), f"queue {queue}"
    assert await switch.counters() == switch.wanted()
    switch.bench.dut.window_clear.value = 1
    await bench.cycles(1)
    switch.bench.dut.window_clear.value = 0
    assert set((await switch.counters()).values()) == {0}
    await finish(bench)


@cocotb.test()
async def the_program_sees_source_and_sizes(dut):
    bench, switch = await begin(dut)
    for source in range(len(switch.sources)):
        bits = 0 if source > switch.ports else 2 if source == switch.ports else 1 << 2 * source
        switch.sinks[0].pause = (True for _ in iter(int, 1))
        units = -(-switch.lanes // 32)
        for waiting in range(3):
            data = switch.send(source, switch.lanes, 1)
            await bench.cycles(40)
            sizes = -(-waiting * switch.lanes // 32) if units else 0
            assert switch.user[data[:5]] == len(data) | bits << 16 | sizes << 32 + 4 * switch.ports
        switch.sinks[0].pause = None
        await switch.settle()
        switch.took()
    await finish(bench)


@cocotb.test()
async def what_goes_in_goes_out_or_is_counted(dut):
    bench, switch = await begin(dut)
    all_up = 2**switch.ports - 1
    sent = [0] * len(switch.sources)
    switch.sinks[0].pause = (random.random() < 0.8 for _ in iter(int, 1))
    for number in range(400):
        if number % 100 == 50:
            dut.link_up.value = 0
        source = random.randrange(len(switch.sources))
        length = random.randint(5, switch.limit + 5)
        destination = random.choice((1, 1, some_destination(switch.ports)))
        switch.send(source, length, destination, int(random.random() < 0.05))
        sent[source] += 1
        await bench.cycles(random.randint(0, 20))
        if random.random() < 0.05:
            dut.link_up.value = random.getrandbits(switch.ports)
        if random.random() < 0.05:
            dut.cfg_enable.value = random.getrandbits(switch.ports)
    dut.link_up.value = dut.cfg_enable.value = all_up
    switch.sinks[0].pause = None
    await switch.settle()
    left = switch.took()
    got = await switch.counters()
    for source, count in enumerate(sent):
        reasons = ("rx_packets", "rx_bad", "rx_long", "rx_full")
        assert sum(got[f"{reason}[{source}]"] for reason in reasons) == count, f"source {source}"
    for queue, packets in enumerate(left):
        c = {name: got[f"{name}[{queue}]"] for name in ("queue_packets", "queue_discarded", "tx_packets")}
        assert c["tx_packets"] == len(packets) == c["queue_packets"] - c["queue_discarded"]
        assert len(set(packets)) == len(packets), "a packet has left twice"
        copies = sum(got[f"{name}[{queue}]"] for name in ("queue_packets", "queue_full", "queue_share", "queue_down"))
        bits = 1 << 2 * queue if queue < switch.ports else sum(2 << 2 * port for port in range(switch.ports))
        assert copies == sum(bool(switch.destination[key] & bits) for key in switch.user)
    assert sum(got[f"queue_down[{p}]"] for p in range(switch.ports)) > 0
    assert sum(got[f"rx_packets[{s}]"] for s in range(len(sent))) == len(switch.user)
    assert got["queue_nowhere"] == sum(not switch.destination[key] for key in switch.user)
    await finish(bench)


@cocotb.test()
async def a_port_is_up_when_link_and_enable_are(dut):
    bench, switch = await begin(dut)
    for _ in range(20):
        link, enable = random.getrandbits(switch.ports), random.getrandbits(switch.ports)
        dut.link_up.value, dut.cfg_enable.value = link, enable
        await bench.cycles(3)
        assert int(dut.port_up.value) == link & enable
    await finish(bench)


@cocotb.test()
async def both_limits_of_the_cpu_work(dut):
    bench, switch = await begin(dut)
    for way, source, destination in (("from", switch.ports, 1), ("to", 0, 2)):
        getattr(dut, f"cfg_{way}_cpu_rate").value = 0
        await bench.cycles(5)
        switch.send(source, 20, destination)
        await bench.cycles(300)
        assert not any(switch.took())
        getattr(dut, f"cfg_{way}_cpu_rate").value = UNLIMITED
        await switch.settle()
        assert sum(map(len, switch.took())) == 1
    await finish(bench)


@cocotb.test()
async def a_reset_leaves_a_working_switch(dut):
    bench, switch = await begin(dut, Mood.idle_and_backpressure)
    for pause in range(2):
        for source in range(len(switch.sources)):
            for _ in range(3):
                switch.send(source, random.randint(5, switch.limit), some_destination(switch.ports))
        await bench.cycles(20 + 50 * pause)
        await bench.reset()
        switch._packet = []
        switch.expected.clear()
        switch.copies = [[] for _ in switch.sinks]
        await bench.cycles(3)
        for source in range(len(switch.sources)):
            data = switch.send(source, 30, 2 ** (2 * switch.ports) - 1)
            switch.expect(source, data, 2 ** (2 * switch.ports) - 1)
        await switch.settle()
        assert [sorted(left) for left in switch.took()] == [sorted(copies) for copies in switch.copies]
        assert await switch.counters() == switch.wanted()
    set_mood(bench, Mood.flowing)
    await finish(bench)


@pytest.mark.parametrize(
    "parameters",
    [
        {
            "N_PORTS": 2,
            "INPUT_WORDS": 64,
            "OUTPUT_WORDS": 256,
            "MAX_PACKET_BYTES": 120,
            "MAX_GROWTH_BYTES": 0,
            "QUANTUM_BYTES": 200,
            "CREDIT_WORDS": 16,
            "DATA_BYTES": 8,
        },
        {},
    ],
    ids=str,
)
def test_switch_shell(parameters):
    runner.run("switch_shell", parameters)


def test_switch_shell_refuses():
    runner.refuses("switch_shell", {"MAX_GROWTH_BYTES": -1}, "MAX_GROWTH_BYTES must be 0 or more")
