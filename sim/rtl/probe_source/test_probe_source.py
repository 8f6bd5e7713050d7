# SPDX-License-Identifier: Apache-2.0
"""probe_source

The judges are scapy, for a frame, and the times at which probes are due, for when they leave.

- With a consumer that never stalls each first beat has its cycle: each uplink has its probe every period, exactly, and
  the uplinks follow one another at equal distances. Periods that uplinks divide and others, one uplink, all.
- Every frame is what scapy makes of the settings, for addresses whose checksum carries twice too.
- A consumer that stalls for periods: each uplink is owed one probe, those leave without a gap, the others are counted,
  and the times afterwards are those from before. Random stalls: what is due leaves or is counted.
- Settings that change at random: every frame is made of the settings of one moment; the next probe comes in time after
  a shorter period; no probe for a port that is no uplink, with cfg_enable low, with a period of 0. A period that is too
  short for all gives one frame after the other, and the rest is counted.
- After a reset, amid frames and stalls, it begins anew. Each parameter check fires.
- The twin offers the same beats in the same cycles and counts the same, whatever the settings, whenever they change and
  the consumer stalls; passing over time changes nothing of it. Alone it is judged as the module is.
"""

import itertools
import random

import cocotb
import pytest
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether

from bench import runner
from bench.packets import hula, protocols
from bench.packets.hula import HulaProbe
from bench.stream import StreamBench, parameters
from rtl.axis_traffic.traffic import finish, pauses, split, stall
from rtl.probe_source.probe_twin import Twin
from rtl.switch_traffic.pulses import Pulses, payload

FIRST_CYCLES = 9  # from writing cfg_enable to the cycle in which the first beat is taken
OWED_CYCLES = 1  # before its first beat can be there a probe is owed: what begins no later is not in its way
SETTLING_CYCLES = 8  # until a change of the settings has come through


def random_fields():
    return {
        "cfg_tor": random.choice((0, 1, 2**24 - 1, random.getrandbits(24))),
        "cfg_mac": random.choice((0, 2**48 - 1, random.getrandbits(48))),
        # With the rest of the header these sums carry once, twice and not at all.
        "cfg_ipv4": random.choice((0, 1, 2**32 - 1, 0x7AE9FFFF, 0x7AEA0000, 0x7AE80000, random.getrandbits(32))),
    }


def frame_of(port, fields):
    """The frame as the standards have it, by scapy."""
    mac, address = fields["cfg_mac"].to_bytes(6, "big"), fields["cfg_ipv4"].to_bytes(4, "big")
    headers = (
        Ether(dst=f"02:00:00:00:00:{port:02x}", src=mac.hex(":"), type=protocols.ETHERTYPE_IPV4)
        / IP(
            src=".".join(map(str, address)),
            dst="255.255.255.255",
            id=0,
            flags="DF",
            ttl=64,
            proto=protocols.IP_PROTOCOL_HULA,
        )
        / HulaProbe(tor_id=fields["cfg_tor"], min_util=0)
    )
    return bytes(headers).ljust(hula.PROBE_STREAM_BYTES, b"\0")


class Watch:
    """When frames begin, to which port, and when there is none."""

    def __init__(self, bench):
        self.bench = bench
        self.handle = bench.dut.m_axis_beat._handle
        self.format = bench.sink["m_axis"].format
        self.forget()
        bench.on_cycle(self.step)

    def forget(self):
        self.begins, self.idle = [], set()
        self.first = False

    @property
    def until(self):
        return self.bench.cycle + 1

    def step(self):
        beat = self.handle.get_signal_val_binstr()
        was_first = self.first
        self.first = False
        if beat[0] == "0":
            self.idle.add(self.bench.cycle)
            return
        number = int(beat[1:], 2)
        self.first = not self.format.field(number, "last")
        if self.first and not was_first:
            self.begins.append((self.bench.cycle, self.format.field(number, "data") >> 40 & 0xFF))


class Tor:
    def __init__(self, dut):
        self.dut = dut
        self.ports = parameters()["PORTS"]
        self.fields = {}
        self.bench = None

    async def start(self):
        self.set(cfg_enable=0, cfg_period_cycles=0, cfg_uplinks=0, **random_fields())
        self.bench = StreamBench(self.dut)
        await self.bench.start()
        self.sink = self.bench.sink["m_axis"]
        self.sink.arrivals = []
        self.watch = Watch(self.bench)
        self.pulses = Pulses(self.bench, ["status_sent", "status_missed"])
        await self.bench.cycles(SETTLING_CYCLES)

    def set(self, **values):
        self.fields |= values
        for name, value in values.items():
            getattr(self.dut, name).value = value

    def set_uplinks(self, uplinks):
        self.set(cfg_uplinks=sum(1 << port for port in uplinks))

    def some_uplinks(self):
        return sorted(random.sample(range(self.ports), random.randint(1, self.ports)))

    async def off(self):
        """No more probes; what is under way leaves."""
        self.set(cfg_enable=0)
        await self.bench.cycles(SETTLING_CYCLES)

    async def end(self):
        """The same, and forgets what was counted; returns the frames."""
        await self.off()
        frames, _ = self.take()
        self.missed()
        return frames

    def take(self):
        """The frames that have left since the last time, and the cycles of their first beats.

        One that is leaving now is taken the next time.
        """
        form, beats = self.sink.format, self.sink.beats
        whole = max((i for i, beat in enumerate(beats, 1) if form.field(beat, "last")), default=0)
        frames = [payload(form, packet) for packet in split(form, beats[:whole])]
        cycles = self.sink.arrivals[:whole:2]
        self.sink.beats, self.sink.arrivals = beats[whole:], self.sink.arrivals[whole:]
        self.watch.forget()
        assert len(frames) == len(cycles)
        return frames, cycles

    def missed(self):
        count = self.pulses.of("status_missed")
        self.pulses.count["status_missed"].clear()
        return count

    def sent(self):
        count = self.pulses.of("status_sent")
        self.pulses.count["status_sent"].clear()
        return count


def ports_of(frames):
    return [frame[5] for frame in frames]


def due(number, period, uplinks):
    """When a probe is due, counted from the first."""
    return number * period // len(uplinks)


@cocotb.test()
async def each_uplink_gets_a_probe_every_period(dut):
    tor = Tor(dut)
    await tor.start()
    for _ in range(12):
        uplinks = random.choice((list(range(tor.ports)), tor.some_uplinks(), [random.randrange(tor.ports)]))
        period = random.randint(2 * len(uplinks), 40 * len(uplinks))
        tor.set_uplinks(uplinks)
        tor.set(cfg_enable=1, cfg_period_cycles=period, **random_fields())
        begun = tor.sink.cycle
        rounds = 6
        await tor.bench.cycles(rounds * period)
        await tor.off()
        frames, cycles = tor.take()
        assert frames == [frame_of(uplinks[i % len(uplinks)], tor.fields) for i in range(len(frames))]
        assert [cycle - cycles[0] for cycle in cycles] == [due(i, period, uplinks) for i in range(len(cycles))]
        assert cycles[0] - begun == FIRST_CYCLES
        # What was due when all was off need not have left.
        assert rounds * len(uplinks) - len(uplinks) <= len(frames) <= rounds * len(uplinks) + 1
        assert tor.missed() == 0 and tor.sent() == len(frames)
    await finish(tor.bench)


@cocotb.test()
async def frames_are_those_of_the_standards(dut):
    tor = Tor(dut)
    await tor.start()
    for _ in range(60):
        tor.set_uplinks([random.randrange(tor.ports)])
        tor.set(**random_fields())
        await tor.bench.cycles(SETTLING_CYCLES)
        tor.set(cfg_enable=1, cfg_period_cycles=1000)
        await tor.bench.cycles(SETTLING_CYCLES + 4)
        await tor.off()
        frames, _ = tor.take()
        assert frames == [frame_of(tor.fields["cfg_uplinks"].bit_length() - 1, tor.fields)]
        seen = Ether(frames[0])
        assert (seen[HulaProbe].tor_id, seen[HulaProbe].min_util) == (tor.fields["cfg_tor"], 0)
    await finish(tor.bench)


def judge(tor, uplinks, period):
    """Holds what was seen since the settings are these, and the output was free, to the times at which probes are due.

    Times are those of the first beat that a probe would have if nothing else were owed. Returns (sent, missed).
    """
    seen = tor.watch
    origin = seen.begins[0][0]
    number = 0
    owed = {}  # port: since when
    begins = dict(seen.begins)
    missed = []
    # What is missed is told a cycle before a frame in its place could be seen.
    for cycle in range(origin, seen.until + 1):
        while (time := origin + due(number, period, uplinks)) - OWED_CYCLES <= cycle:
            port = uplinks[number % len(uplinks)]
            if port in owed:
                missed.append(time)
            owed.setdefault(port, time)
            number += 1
        if cycle in begins:
            assert owed.pop(begins[cycle], cycle + 1) <= cycle, f"cycle {cycle}: a probe that was not due"
        assert cycle not in seen.idle or min(owed.values(), default=cycle + 1) > cycle, (
            f"cycle {cycle}: idle, but one owed"
        )
    assert len(missed) == tor.missed()
    return len(begins), len(missed)


@cocotb.test()
async def after_a_long_stall_each_uplink_is_owed_one(dut):
    tor = Tor(dut)
    await tor.start()
    for _ in range(10):
        uplinks = tor.some_uplinks()
        period = random.randint(8 * len(uplinks) + 16, 60 * len(uplinks) + 16)
        tor.set_uplinks(uplinks)
        tor.set(cfg_enable=1, cfg_period_cycles=period)
        await tor.bench.cycles(random.randint(2 * SETTLING_CYCLES, 2 * period))
        assert tor.watch.begins
        tor.sink.pause = stall()
        await tor.bench.cycles(random.randint(3 * period, 6 * period))
        left = len(tor.watch.begins)
        tor.sink.pause = None
        await tor.bench.cycles(2 * len(uplinks) + 4)
        burst = tor.watch.begins[left:][: len(uplinks)]
        assert sorted(port for _, port in burst) == uplinks
        assert [cycle - burst[0][0] for cycle, _ in burst] == [2 * i for i in range(len(uplinks))]
        await tor.bench.cycles(3 * period)
        sent, missed = judge(tor, uplinks, period)
        assert missed >= 2 * len(uplinks) - 1 and sent >= 3 * len(uplinks)
        frames = await tor.end()
        assert set(frames) <= {frame_of(port, tor.fields) for port in uplinks}
    await finish(tor.bench)


@cocotb.test()
async def what_is_due_leaves_or_is_counted(dut):
    tor = Tor(dut)
    await tor.start()
    total = 0
    for share in (0.2, 0.5, 0.8, 0.95, 0.99):
        for spread in (1, 2, 3, 10, 40):
            uplinks = tor.some_uplinks()
            period = random.randint(len(uplinks), spread * len(uplinks) + 1)
            tor.sink.pause = None
            tor.set_uplinks(uplinks)
            tor.set(cfg_enable=1, cfg_period_cycles=period)
            await tor.bench.cycles(SETTLING_CYCLES)
            tor.sink.pause = pauses(share)
            await tor.bench.cycles(700)
            _, missed = judge(tor, uplinks, period)
            total += missed
            tor.sink.pause = None
            frames = await tor.end()
            assert set(frames) <= {frame_of(port, tor.fields) for port in uplinks}
    assert total > 100
    await finish(tor.bench)


@cocotb.test()
async def a_period_too_short_gives_one_frame_after_the_other(dut):
    tor = Tor(dut)
    await tor.start()
    for _ in range(6):
        uplinks = tor.some_uplinks()
        tor.set_uplinks(uplinks)
        tor.set(cfg_enable=1, cfg_period_cycles=random.randint(1, len(uplinks)))
        await tor.bench.cycles(200 + SETTLING_CYCLES)
        cycles = [cycle for cycle, _ in tor.watch.begins]
        assert len(cycles) >= 90 and {b - a for a, b in itertools.pairwise(cycles[2:])} == {2}
        sent, missed = len(cycles), tor.missed()
        # One is due every cycle.
        assert abs(sent + missed - (tor.watch.until - cycles[0])) <= len(uplinks) + 2 * SETTLING_CYCLES
        # That too many were due is forgotten at once.
        period = 50 * len(uplinks)
        tor.set(cfg_period_cycles=period)
        await tor.bench.cycles(3 * len(uplinks) + SETTLING_CYCLES)
        tor.take()
        tor.missed()
        await tor.bench.cycles(4 * period)
        _, cycles = tor.take()
        assert abs(len(cycles) - 4 * len(uplinks)) <= 1 and tor.missed() == 0
        await tor.end()
    await finish(tor.bench)


@cocotb.test()
async def a_change_takes_effect_in_time(dut):
    tor = Tor(dut)
    await tor.start()
    uplinks = list(range(tor.ports))
    tor.set_uplinks(uplinks)
    for period in (2**32 - 1, 2**31, 100_000):
        tor.set(cfg_enable=1, cfg_period_cycles=period)
        await tor.bench.cycles(random.randint(20, 200))
        short = random.randint(3, 50) * tor.ports
        tor.set(cfg_period_cycles=short)
        tor.take()
        await tor.bench.cycles(2 * short + short // tor.ports + 2 * SETTLING_CYCLES)
        frames, cycles = tor.take()
        assert sorted(set(ports_of(frames))) == uplinks
        assert 2 * tor.ports <= len(frames) <= 2 * tor.ports + 1 + 2 * SETTLING_CYCLES * tor.ports // short + 1
        for change in ({"cfg_enable": 0}, {"cfg_period_cycles": 0}, {"cfg_uplinks": 0}):
            before = {name: tor.fields[name] for name in change}
            tor.set(**change)
            await tor.bench.cycles(SETTLING_CYCLES)
            tor.take()
            await tor.bench.cycles(3 * short)
            assert tor.take() == ([], [])
            tor.set(**before)
            await tor.bench.cycles(2 * SETTLING_CYCLES)
            assert len(tor.take()[0]) >= 1, "the first is due at once"
        assert tor.missed() == 0
        await tor.end()
    await finish(tor.bench)


@cocotb.test()
async def what_is_owed_to_no_uplink_is_forgotten(dut):
    tor = Tor(dut)
    await tor.start()
    for change in ("uplinks", "enable"):
        tor.sink.pause = stall()
        tor.set_uplinks(range(tor.ports))
        tor.set(cfg_enable=1, cfg_period_cycles=10 * tor.ports)
        await tor.bench.cycles(30 * tor.ports)
        [(_, begun)] = tor.watch.begins[-1:]
        if change == "uplinks":
            tor.set_uplinks([tor.ports - 1])
        else:
            tor.set(cfg_enable=0)
        await tor.bench.cycles(2 * SETTLING_CYCLES)
        tor.sink.pause = None
        await tor.bench.cycles(2 * tor.ports + SETTLING_CYCLES)
        frames, _ = tor.take()
        # What has begun leaves.
        assert ports_of(frames)[0] == begun
        assert set(ports_of(frames)[1:]) <= ({tor.ports - 1} if change == "uplinks" else set())
        await tor.end()
    await finish(tor.bench)


@cocotb.test()
async def settings_change_at_random(dut):
    tor = Tor(dut)
    await tor.start()
    count = 0
    for _ in range(150):
        moods = (None, pauses(0.5), pauses(0.9))
        tor.sink.pause = random.choice(moods)
        history = [dict(tor.fields)]
        for _ in range(random.randint(1, 4)):
            change = random_fields()
            change = {name: change[name] for name in random.sample(sorted(change), random.randint(0, 3))}
            tor.set(
                cfg_enable=int(random.random() < 0.9),
                cfg_period_cycles=random.choice((0, 1, 7, 50, 300, 2**32 - 1)),
                cfg_uplinks=random.getrandbits(tor.ports),
                **change,
            )
            history.append(dict(tor.fields))
            await tor.bench.cycles(random.randint(3, 30))
        tor.sink.pause = None
        await tor.off()
        frames, _ = tor.take()
        count += len(frames)
        assert len(frames) == tor.sent()
        for frame in frames:
            seen = {
                "cfg_mac": int.from_bytes(frame[6:12], "big"),
                "cfg_ipv4": int.from_bytes(frame[26:30], "big"),
                "cfg_tor": int.from_bytes(frame[34:37], "big"),
            }
            assert frame == frame_of(frame[5], seen) and frame[5] < tor.ports
            # cfg_ipv4 is seen a few cycles after the others.
            assert any(seen.items() <= {**one, "cfg_ipv4": seen["cfg_ipv4"]}.items() for one in history)
            assert seen["cfg_ipv4"] in {one["cfg_ipv4"] for one in history}
    assert count > 100
    await finish(tor.bench)


@cocotb.test()
async def after_a_reset_it_begins_anew(dut):
    tor = Tor(dut)
    await tor.start()
    for _ in range(12):
        uplinks = tor.some_uplinks()
        period = random.randint(3 * len(uplinks), 20 * len(uplinks))
        tor.set_uplinks(uplinks)
        tor.set(cfg_enable=1, cfg_period_cycles=period)
        tor.sink.pause = pauses(0.7)
        await tor.bench.cycles(random.randint(5, 100))
        tor.sink.pause = None
        await tor.bench.reset()
        tor.sink.arrivals = []
        tor.take()
        tor.missed()
        await tor.bench.cycles(3 * period + SETTLING_CYCLES)
        judge(tor, uplinks, period)
        frames, cycles = tor.take()
        assert ports_of(frames)[: len(uplinks)] == uplinks
        assert [cycle - cycles[0] for cycle in cycles] == [due(i, period, uplinks) for i in range(len(cycles))]
        await tor.end()
    await finish(tor.bench)


def random_settings(ports):
    fields = random_fields()
    return {
        **{name: fields[name] for name in random.sample(sorted(fields), random.randint(0, 3))},
        "cfg_enable": int(random.random() < 0.9),
        "cfg_period_cycles": random.choice((0, 1, ports, random.randint(1, 300), random.randint(1, 300), 2**32 - 1)),
        "cfg_uplinks": random.choice((2**ports - 1, random.getrandbits(ports), 1 << random.randrange(ports))),
    }


class Along:
    """The twin, a cycle with each of the module's, and what it is told."""

    def __init__(self, tor):
        self.tor = tor
        self.twin = Twin()
        self.settings = {name: getattr(tor.dut, name)._handle for name in tor.fields}
        self.handle = tor.bench.dut.m_axis_beat._handle
        self.format = tor.sink.format
        self.beats = 0
        self.twin.set(tor.fields)
        for _ in range(SETTLING_CYCLES):
            self.twin.cycle(True)
        # Before the sink, which decides whether it is ready in the next cycle.
        tor.bench._steps.insert(0, self.step)

    def step(self):
        self.twin.set({name: int(handle.get_signal_val_binstr(), 2) for name, handle in self.settings.items()})
        beat = self.handle.get_signal_val_binstr()
        offered = self.twin.offered()
        if beat[0] == "0":
            assert offered is None
        else:
            fields = self.format.unpack(int(beat[1:], 2))
            count = fields["keep"].bit_length()
            assert offered == (fields["data"].to_bytes(32, "little")[:count], bool(fields["last"]))
            self.beats += 1
        self.twin.cycle(bool(self.tor.sink._ready))


@cocotb.test()
async def the_twin_goes_along(dut):
    tor = Tor(dut)
    await tor.start()
    along = Along(tor)
    for _ in range(100):
        tor.sink.pause = random.choice((None, None, pauses(0.5), pauses(0.9), stall()))
        for _ in range(random.randint(1, 6)):
            tor.set(**random_settings(tor.ports))
            await tor.bench.cycles(random.choice((1, 2, 3, random.randint(1, 30), random.randint(100, 400))))
    tor.sink.pause = None
    await tor.off()
    assert (along.twin.sent, along.twin.missed) == (tor.sent(), tor.missed())
    assert along.beats > 2000 and along.twin.sent > 300 and along.twin.missed > 300
    tor.take()
    await finish(tor.bench)


def settled(fields):
    twin = Twin()
    twin.set({**fields, "cfg_enable": 0})
    for _ in range(SETTLING_CYCLES):
        twin.cycle(True)
    twin.set(fields)
    return twin


@pytest.mark.parametrize("ports", [1, 4, 32])
def test_the_twin_alone_sends_each_uplink_a_probe_every_period(ports):
    for _ in range(20):
        uplinks = sorted(random.sample(range(ports), random.randint(1, ports)))
        period = random.randint(2 * len(uplinks), 40 * len(uplinks))
        fields = {"cfg_enable": 1, "cfg_period_cycles": period, "cfg_uplinks": sum(1 << p for p in uplinks)}
        fields |= random_fields()
        twin = settled(fields)
        begun = []
        for cycle in range(5 * period + SETTLING_CYCLES):
            if (beat := twin.offered()) is not None and not beat[1]:
                assert twin.frame() == frame_of(uplinks[len(begun) % len(uplinks)], fields)
                begun.append(cycle)
            twin.cycle(True)
        assert len(begun) >= 5 * len(uplinks)
        assert [cycle - begun[0] for cycle in begun] == [due(i, period, uplinks) for i in range(len(begun))]
        assert twin.missed == 0


def test_passing_over_time_changes_nothing_of_the_twin():
    passed = 0
    for _ in range(200):
        ports = random.choice((1, 4, 32))
        plan, stalls = [], random.choice((0, 0, 0.5, 0.9))
        fields = {"cfg_enable": 0, "cfg_period_cycles": 0, "cfg_uplinks": 0, **random_fields()}
        for _ in range(6):
            fields = {**fields, **random_settings(ports)}
            plan.append((fields, [random.random() >= stalls for _ in range(random.choice((1, 5, 500)))]))
        step, leap = Twin(), Twin()
        for fields, readies in plan:
            step.set(fields)
            leap.set(fields)
            wait = 0
            for number, ready in enumerate(readies):
                if not wait and (wait := min(leap.still(), len(readies) - number)):
                    leap.cycles(wait)
                    passed += wait
                assert step.offered() == (None if wait else leap.offered())
                step.cycle(ready)
                if wait:
                    wait -= 1
                else:
                    leap.cycle(ready)
        assert (step.sent, step.missed) == (leap.sent, leap.missed)
    assert passed > 10_000


@pytest.mark.parametrize("parameters", [{"PORTS": 1}, {}, {"PORTS": 32}], ids=str)
def test_probe_source(parameters):
    runner.run("probe_source", parameters)


@pytest.mark.parametrize("value", [0, 33])
def test_probe_source_refuses(value):
    runner.refuses("probe_source", {"PORTS": value}, "PORTS must be 1 to 32")
