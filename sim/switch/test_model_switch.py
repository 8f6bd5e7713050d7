# SPDX-License-Identifier: Apache-2.0
"""The switch around a program's model, held against the same program's plain model and against its RTL.

- Every packet case of every program, its tables set over AXI-Lite: each frame ends as the plain model says, digests
  included.
- Random frames, damaged and too long ones among them, from all wires and the CPU, while links flap and ports take
  nothing, in the tables of a program's cases: each leaves in the cycle in which it leaves the RTL, and all is counted
  as there. So it is under overload, with rate limits, and with frames of a few bytes.
- Where externs take a request every second cycle, frames of one beat come to the program no faster, in both.
- Wires of other rates, frames whose beats come one a cycle, frames that a wire spoils.
- A reset in the midst of traffic leaves both as they were at first.
- Registers: the same words at the same addresses, before and after, and errors at the same ones.
- Windows: random commands, of use or not, are answered as the RTL answers them.
- Longest prefixes: a tree that the control plane has written finds what the plain model finds.
- Probes: as other frames, whatever their settings and when they change; they are counted.
- Time that is passed over at once gives the same as cycle by cycle, with probes too.
- Twenty switches run some milliseconds in seconds.
"""

import ipaddress
import os
import random
import time
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from bench.packets.factory import Flow, Link, PacketFactory
from flow.paths import HW
from p4sume.cases import stf
from p4sume.cases.model_switch import build_model_switch
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.runner import run_case
from p4sume.cases.target import Stimulus
from p4sume.control import Code, Command, Op
from p4sume.control.plane import KeyValue
from p4sume.control.registers import BusError
from p4sume.control.windows import TableWindow
from p4sume.frontend import Options
from p4sume.model.build import build_model
from p4sume.model.library import Model
from switch.cases import CaseSwitch
from switch.library import CPU, SimulatedSwitch
from switch.pair import Pair, Sending, Write, probing, storm
from switch.switch_bench import each_to_one
from switch.traffic import Frames, Setup, Traffic

SEED = int(os.environ.get("SEED", "1"))
CASES = HW / "p4" / "cases"
# On a wire no packet can come in that has no source: the switch makes those itself.
FILES = sorted(path for path in CASES.glob("*/*.stf") if path.stem != "own_probes")
ECMP = HW / "p4" / "ecmp.p4"
CROSS = Path(__file__).parent / "cross.p4"  # from wire 0 to wire 1, from elsewhere to the CPU
SETUP = Setup()
GATEWAY_MAC = "02:00:00:00:00:01"  # of its case
GATEWAY = int(GATEWAY_MAC.replace(":", ""), 16)
WIRES = range(4)


def program(name):
    return HW / "p4" / f"{name}.p4"


@cache
def built(name):
    return build_model_switch(program(name), Options("sume")), build_model(program(name)).library


def configure(switch):
    SETUP.apply(switch.program)


def fresh(name):
    """A switch, and what judges it."""
    made, library = built(name)
    return CaseSwitch(ModelTarget(Model(library)), SimulatedSwitch(made))


@pytest.fixture(scope="module")
def pair():
    made = Pair(ECMP, SEED)
    made.each(configure)
    return made


@pytest.fixture(scope="module")
def probed():
    """Of a program that is made as if it had an extern which takes a request every second cycle, and needs probes."""
    return Pair(CROSS, SEED, as_with=["best_hops"])


@pytest.fixture
def rng():
    return random.Random(SEED)


# ---- the program


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}-{path.stem}" for path in FILES])
def test_case(path):
    judge = fresh(path.parent.name)
    report = run_case(stf.parse_file(path), judge, str(path))
    assert not report.failures, "\n".join(report.failures)
    assert not judge.differences, "\n".join(judge.differences)
    if (path.parent.name, path.stem) == ("l2_switch", "learning"):
        assert judge.digests


def test_a_tree_of_prefixes_finds_what_the_plain_model_finds(rng):
    both = fresh("ecmp")
    table = {4: both.table("ipv4_route"), 6: both.table("ipv6_route")}
    both.change("add", both.table("router_mac"), [KeyValue(GATEWAY)], 0, "NoAction", [])
    for hop in range(8):
        sent = [1 << 2 * (hop % 4), 0x020000000100 + hop, 0x020000000200 + hop]  # the hop is seen in the addresses
        both.change("add", both.table("next_hops"), [KeyValue(hop)], 0, "send", sent)
    roots = {4: [rng.getrandbits(32) for _ in range(4)], 6: [0xFD << 120 | rng.getrandbits(120) for _ in range(4)]}
    bits = {4: 32, 6: 128}
    present = {4: [], 6: []}
    for round_ in range(6):
        for version in (4, 6):
            for _ in range(60):
                length = rng.randint(0, bits[version])
                place = rng.choice(roots[version]) ^ rng.getrandbits(max(1, rng.randint(0, bits[version])))
                shift = bits[version] - length
                key = KeyValue(place >> shift << shift, prefix=length)
                if key not in present[version]:
                    present[version].append(key)
                    both.change("add", table[version], [key], 0, "route_to_next_hop", [rng.randrange(8)])
            for _ in range(15 if round_ else 0):
                key = present[version].pop(rng.randrange(len(present[version])))
                both.change("delete", table[version], [key], 0, "", [])
        factory, packets = PacketFactory(rng), []
        for version, make in ((4, ipaddress.IPv4Address), (6, ipaddress.IPv6Address)):
            for _ in range(100):
                near = rng.choice(present[version]).value if rng.random() < 0.8 else rng.choice(roots[version])
                target = near ^ (1 << rng.randrange(bits[version])) if rng.random() < 0.5 else near
                flow = Flow(str(make(roots[version][0])), 1, str(make(target)), 2)
                packets.append(Stimulus(0, factory.udp(flow, link=Link(dst_mac=GATEWAY_MAC)), 0))
        both.process(packets)
    assert not both.differences, both.differences[0]
    hits = both.model.model.counters()
    assert all(hits[f"table.TopPipe.ipv{version}_route.hit"] > 200 for version in (4, 6)), hits


# ---- against the RTL


@pytest.mark.parametrize(
    ("name", "frames", "as_with"),
    [("ecmp", 100, ()), ("hula", 60, ()), ("l2_switch", 150, ()), ("tunnel", 300, ())],
)
def test_random_frames_leave_in_the_same_cycles(name, frames, as_with):
    pair = storm(program(name), CASES / name, frames, SEED, as_with)
    assert not pair.differences, pair.differences[0]
    assert pair.left > 1000
    print(f"{name}: {pair.frames} frames, {pair.left} departures in {pair.cycles} cycles, all the same")


def frames_of(rng, count, sizes, targets, wires=WIRES, gap=0):
    made, serials = Frames(SETUP, SEED), iter(range(1 << 30))
    for wire in wires:
        for number in range(count):
            yield Sending(wire, made.make(wire, targets(wire), sizes(), next(serials)), gap * number)


def settle(pair):
    """Both as at first, with their tables."""
    pair.each(lambda switch: switch.reset())
    pair.each(configure)
    pair.differences.clear()


def seen(pair, *names):
    """What counters say of both, since the reset."""
    counts = [[sum(s.counter(n) for n in s.counter_names if n.partition("[")[0] == name) for name in names]
              for s in pair.both]  # fmt: skip
    pair.align()
    assert counts[0] == counts[1]
    return counts[0]


def test_many_frames_without_overload(pair, rng):
    settle(pair)
    pair.run(frames_of(rng, 2500, lambda: rng.choice((64, 65, 128, 300)), lambda wire: ((wire + 1) % 4,)))
    cpu = Frames(SETUP, SEED + 1)
    sendings = list(frames_of(rng, 300, lambda: rng.randrange(64, 1519), lambda wire: (rng.randrange(4),), gap=1000))
    sendings += [Sending(CPU, cpu.make(0, (1,), 200, n), 900 * n, from_port=n % 4) for n in range(300)]
    pair.run(sendings)
    assert not pair.differences, pair.differences[0]
    received, left = seen(pair, "rx_packets", "tx_packets")
    assert received == left == 4 * 2500 + 5 * 300


@pytest.mark.parametrize("size", [64, 256, 1518])
def test_overload_costs_the_same_frames(pair, rng, size):
    settle(pair)
    pair.run(frames_of(rng, 300_000 // (size + 100), lambda: size, lambda wire: (0,)))
    assert not pair.differences, pair.differences[0]
    share, left = seen(pair, "queue_share", "tx_packets")
    assert share > left / 2 > 50


def test_held_wires_links_and_the_cpu(pair, rng):
    settle(pair)
    for switch in pair.both:
        control = switch.program
        control.change("add", control.table("ipv4_route"), [KeyValue(0x0A000300, prefix=25)], 0, "route_to_cpu", [])
        switch.registers.write("queues.cpu.rate", 300)
        switch.registers.write("queues.cpu.burst", 2000)
        switch.registers.write("arbiter.cpu.rate", 100)
        switch.registers.write("arbiter.cpu.burst", 1000)
    sendings = list(frames_of(rng, 150, lambda: rng.randrange(64, 1519), lambda wire: rng.choice(SETUP.to(wire))))
    cpu = Frames(SETUP, SEED + 1)
    sendings += [Sending(CPU, cpu.make(0, (1,), rng.randrange(64, 1519), n), 15 * n, from_port=2) for n in range(60)]
    events = [
        (1000, lambda s: s.device.hold(2, True)),
        (2000, lambda s: s.device.set_link(1, False)),
        (2700, lambda s: s.device.set_link(1, True)),
        (3000, lambda s: s.device.hold(CPU, True)),
        (4001, lambda s: s.device.set_link(0, False)),
        (20_000, lambda s: s.device.hold(2, False)),
        (22_000, lambda s: s.device.hold(CPU, False)),
        (22_001, lambda s: s.device.set_link(0, True)),
    ]
    pair.run(sendings, events, quiet=10_000)
    assert not pair.differences, pair.differences[0]
    assert all(seen(pair, "queue_down", "queue_discarded", "queue_share"))


def test_frames_of_any_length_damaged_or_not(pair, rng):
    settle(pair)
    few = [Sending(wire, rng.randbytes(rng.randint(1, 70))) for wire in WIRES for _ in range(300)]
    few += [Sending(CPU, rng.randbytes(rng.randint(1, 70)), from_port=rng.randrange(4)) for _ in range(2000)]
    pair.run(few)
    lengths = (100, 1599, 1600, 1601, 3000, 20_000)
    pair.run(
        Sending(port, rng.randbytes(rng.choice(lengths)), 0, rng.random() < 0.3, rng.randrange(4))
        for port in (*WIRES, CPU)
        for _ in range(30)
    )
    assert not pair.differences, pair.differences[0]
    assert all(seen(pair, "rx_bad", "rx_long", "rx_full"))


def test_frames_of_one_beat_come_to_the_program_every_second_cycle(probed, rng):
    probed.each(lambda switch: switch.reset())
    start = probed.align()
    for _ in range(300):
        data, port = rng.randbytes(rng.randint(1, 32)), rng.randrange(4)
        probed.each(lambda s, d=data, p=port: s.device.send(CPU, d, start, from_port=p))
    probed.each(lambda switch: switch.device.run(2000))
    at_cpu = [list(switch.device.received(CPU)) for switch in probed.both]
    assert at_cpu[0] == at_cpu[1]
    assert [after.first - before.first for before, after in pairwise(at_cpu[0])] == [2] * 299
    sendings = [Sending(CPU, rng.randbytes(rng.randint(1, 70)), from_port=rng.randrange(4)) for _ in range(1000)]
    sendings += [Sending(wire, rng.randbytes(rng.randint(1, 100))) for wire in WIRES for _ in range(200)]
    probed.run(sendings)
    assert not probed.differences, probed.differences[0]


def test_probes_among_frames(probed, rng):
    # In the last round more are due than can leave.
    crowd = [Write("probes.uplinks", 15), Write("probes.period", 3), Write("probes.control", 1)]
    last = [*((0, write) for write in crowd), (2000, Write("probes.control", 0))]
    for round_ in range(13):
        if round_ % 4 == 0:
            probed.each(lambda switch: switch.reset())
        sendings = [Sending(CPU, rng.randbytes(rng.randint(1, 70)), from_port=rng.randrange(4)) for _ in range(100)]
        longest = rng.choice((100, 1500))
        sendings += [Sending(wire, rng.randbytes(rng.randint(1, longest))) for wire in WIRES for _ in range(100)]
        probed.run(sendings, last if round_ == 12 else probing(rng, 4, rng.choice((500, 20_000))))
        assert not probed.differences, probed.differences[0]
    for switch in probed.both:
        sent, missed = (switch.registers.read(f"probes.{name}") for name in ("sent", "missed"))
        assert switch.counter("rx_packets[5]") == sent > 300 < missed


def test_wires_of_other_rates_and_frames_that_come_at_once_or_are_spoiled(pair, rng):
    settle(pair)
    pair.each(lambda switch: switch.device.set_rate(0, 1000))
    pair.each(lambda switch: switch.device.set_rate(1, 3333))
    rounds, each = 30, 8
    for _ in range(rounds):
        frames = frames_of(rng, each, lambda: rng.randrange(64, 1519), lambda wire: (rng.randrange(3),), gap=260)
        sendings = [replace(one, paced=one.port % 2 == 0 or rng.random() < 0.5) for one in frames]
        events = [(rng.randrange(each * 260), lambda s, wire=wire: s.device.spoil(wire)) for wire in WIRES]
        pair.run(sendings, events, quiet=6000)
    assert not pair.differences, pair.differences[0]
    taken, bad, left = seen(pair, "rx_packets", "rx_bad", "tx_packets")
    assert taken + bad == rounds * each * len(WIRES) and min(taken, bad) > taken / 4
    assert left == taken
    settle(pair)
    pair.run(frames_of(rng, 30, lambda: 1518, lambda wire: ((wire + 1) % 4,)))
    assert not pair.differences, "a reset gives wires their rate again"


def test_a_reset_in_the_midst_of_traffic(pair, rng):
    for _ in range(3):
        start = pair.align()
        for one in frames_of(rng, 100, lambda: rng.randrange(64, 1519), lambda wire: (rng.randrange(4),)):
            pair.each(lambda switch, one=one, start=start: switch.device.send(one.port, one.data, start))
        cycles = rng.randrange(500, 5000)
        pair.each(lambda switch, cycles=cycles: switch.device.run(cycles))
        settle(pair)
        pair.each(lambda switch: list(switch.device.decisions()))
        assert not any(seen(pair, "rx_packets", "tx_packets", "queue_packets"))
        pair.run(frames_of(rng, 50, lambda: rng.randrange(64, 1519), lambda wire: (3 - wire,)))
        assert not pair.differences, pair.differences[0]


# ---- registers and windows


def listed(switch):
    around = switch.program.manifest["switch"]
    own = [{**r, "name": f"program.{r['name']}"} for r in switch.program.manifest["registers"]]
    return around["registers"] + [{**r, "address": around["program_base"] + r["address"]} for r in own]


def words_of(register):
    return [register["address"] + 4 * word for word in range(-(-max(f[1] + f[2] for f in register["fields"]) // 32))]


def test_registers_read_and_keep_the_same(pair, rng):
    settle(pair)
    pair.run(frames_of(rng, 20, lambda: 300, lambda wire: (0, 1, 2, 3) if wire == 0 else (wire,)))
    # Nobody has set what READ shows before there was one, nor how a command went.
    unset = (".status", ".found_key", ".found_mask", ".found_value")
    registers = [r for r in listed(pair.rtl) if not r["name"].partition("[")[0].endswith(unset) or "port" in r["name"]]
    assert len(registers) > 100

    def all_words():
        found = [{r["name"]: [s.device.read(a) for a in words_of(r)] for r in registers} for s in pair.both]
        assert found[0] == found[1]
        return found[0]

    before = all_words()
    assert sum(map(sum, before.values())) > 0
    commands = [r for r in registers if r["name"].endswith("command")]
    for register in registers:
        if register not in commands:
            for value in (0xFFFFFFFF, rng.getrandbits(32)):
                pair.each(lambda s, r=register, v=value: [s.device.write(a, v) for a in words_of(r)])  # noqa: B023
                assert len({tuple(s.device.read(a) for a in words_of(register)) for s in pair.both}) == 1, register
    assert all_words() != before
    pair.each(lambda s: s.registers.write("counting.command", 1))
    after = all_words()
    assert not any(sum(value) for name, value in after.items() if name.startswith("counters."))
    settle(pair)


def test_registers_of_probes_keep_the_same(probed, rng):
    probed.each(lambda switch: switch.reset())
    group = [r for r in listed(probed.rtl) if r["name"].startswith("probes.")]
    assert len(group) == 9
    for register in group:
        for value in (0xFFFFFFFF, rng.getrandbits(32) | 1, 0):  # so there are never an enable and a period
            probed.each(lambda s, r=register, v=value: [s.device.write(a, v) for a in words_of(r)])  # noqa: B023
            kept = [[s.device.read(a) for a in words_of(register)] for s in probed.both]
            assert kept[0] == kept[1], register
            assert any(kept[0]) == (value != 0 and register["name"] not in ("probes.sent", "probes.missed")), register
    used = {address for register in listed(probed.rtl) for address in words_of(register)}
    for address in sorted({words_of(r)[0] + 4 * step for r in group for step in range(-4, 8)} - used):
        for switch in probed.both:
            with pytest.raises(BusError):
                switch.device.read(address)
    probed.each(lambda switch: switch.reset())


def test_nothing_is_at_the_same_addresses(pair, rng):
    used = {address for register in listed(pair.rtl) for address in words_of(register)}
    picked = [0x1FFFC, 0x20FFC, 0x21000, 0x3FFFC, 0x7FFFFC, 0x400FFC, 0x401000]
    picked += [rng.randrange(0, 1 << 23) for _ in range(150)] + [address + 4 for address in used]
    errors = 0
    for address in picked:
        answers = []
        for switch in pair.both:
            try:
                switch.device.read(address)
                answers.append("there")
            except BusError:
                answers.append("nothing")
                with pytest.raises(BusError):
                    switch.device.write(address, 1)
        assert answers[0] == answers[1], hex(address)
        assert (answers[0] == "nothing") == (address & ~3 not in used), hex(address)
        errors += answers[0] == "nothing"
    assert errors > 100


def windows(switch):
    """By table: what the manifest says of it, and its window."""
    tables = [table for table in switch.program.manifest["tables"] if table["window"]]
    return [(table, TableWindow(switch.program.registers, table["window"])) for table in tables]


def answer(switch, table, window, command):
    """Of a command: how it went, how many entries there are, and of READ what it shows."""
    registers, at = switch.program.registers, table["window"]
    code = window.run(command)
    shown = []
    if command.op is Op.READ and code is Code.OK:
        shown.append(registers.read_field(f"{at}.status", "found"))
        wanted = ("found_value",) if table["module"] == "table_lpm" else ("found_key", "found_mask", "found_value")
        shown += [registers.read_long(f"{at}.{w}") for w in wanted if shown[0] and registers.has(f"{at}.{w}[0]")]
    return code, registers.read_field(f"{at}.occupancy", "entries"), shown


def a_command(rng, table, present):
    bits = sum(key["bits"] for key in table["keys"])
    kind = table["module"]
    op = rng.choice((Op.SET, Op.SET, Op.SET, Op.DELETE, Op.READ, Op.NODE, Op.SWAP, Op.DEFAULT))
    if rng.random() < 0.02:
        op = Op.CLEAR
    key = rng.choice(present) if present and rng.random() < 0.5 else rng.getrandbits(bits)
    index = rng.randrange(table["size"] + 3)
    if kind == "table_exact" and op is Op.READ:
        index = 1 << 19  # behind all rows: where a key lies is the hardware's own
    if op is Op.NODE:
        index = rng.getrandbits(20) if rng.random() < 0.5 else rng.randrange(3) << 17 | rng.randrange(18) << 12
    return Command(op, key, rng.getrandbits(bits), rng.getrandbits(31), index, rng.getrandbits(16))


@pytest.mark.parametrize("name", ["ecmp", "l2_switch", "tunnel"])
def test_windows_answer_alike(name, rng):
    pair = Pair(program(name), SEED)
    kinds, outcomes = set(), set()
    for (table, of_rtl), (_, of_model) in zip(*map(windows, pair.both), strict=True):
        kinds.add(table["module"])
        present, written = [], set()
        for _ in range(120):
            command = a_command(rng, table, present)
            if command.op is Op.SET:
                present.append(command.key)
                written.add(command.index)
            # A value of an lpm table that nobody has written is anything.
            if command.op is Op.READ and table["module"] == "table_lpm" and command.index not in written:
                continue
            answers = [
                answer(switch, table, window, command)
                for switch, window in zip(pair.both, (of_rtl, of_model), strict=True)
            ]
            assert answers[0] == answers[1], (table["name"], command, answers)
            outcomes.add(answers[0][0])
    assert "table_exact" in kinds
    assert {Code.OK, Code.NOT_FOUND, Code.BAD_REQUEST} <= outcomes


def test_a_register_extern_is_written_read_and_cleared(pair, rng):
    settle(pair)
    for name in ("hash_seed_reg_rw", "verdict_count_reg_raw"):
        for _ in range(10):
            index, value = rng.randrange(2), rng.getrandbits(32)
            pair.each(lambda s, n=name, i=index, v=value: s.program.write_register(n, i, v))
            assert [s.program.read_register(name, index) for s in pair.both] == [value, value]
    settle(pair)
    assert [s.program.read_register("verdict_count_reg_raw", 1) for s in pair.both] == [0, 0]


# ---- time


@pytest.mark.parametrize("as_with", [(), ("best_hops",)])
def test_passing_over_time_changes_nothing(rng, as_with):
    results = []
    plan = list(frames_of(rng, 200, lambda: rng.randrange(64, 1519), lambda wire: (rng.randrange(3),), gap=700))
    for chunks in ([200_000], [1] * 200_000):
        switch = SimulatedSwitch(build_model_switch(ECMP, Options("sume"), as_with=as_with))
        configure(switch)
        if as_with:
            for name, value in (("uplinks", 0b1011), ("period", 1234), ("control", 1)):
                switch.registers.write(f"probes.{name}", value)
        switch.device.run(10_000 - switch.device.cycle)
        for one in plan:
            switch.device.send(one.port, one.data, 10_000 + one.after)
        for cycles in chunks:
            switch.device.run(cycles)
        left = [list(switch.device.received(wire)) for wire in WIRES]
        results.append((left, list(switch.device.decisions())))
        if as_with:
            due = (switch.device.cycle - 10_000) * 3 // 1234
            assert due <= switch.registers.read("probes.sent") <= due + 30
    assert results[0] == results[1]
    assert sum(map(len, results[0][0])) == len(plan)


def test_speed():
    """Of a switch with all wires at line rate, and of twenty for a millisecond."""
    made, count = Frames(SETUP, SEED), 5000
    for size in (64, 256, 1518):
        switch = SimulatedSwitch(built("ecmp")[0])
        configure(switch)
        for wire in WIRES:
            for number in range(count):
                switch.device.send(wire, made.make(wire, ((wire + 1) % 4,), size, number))
        begun, first = time.process_time(), switch.device.cycle
        while switch.device.waiting:
            switch.device.run(10_000)
        took, cycles = time.process_time() - begun, switch.device.cycle - first
        print(f"{size} bytes: {cycles / took:.0f} cycles/s, {len(WIRES) * count / took:.0f} frames/s")
        assert cycles / took > 300_000
    traffic = [Traffic(SimulatedSwitch(built("ecmp")[0]), seed) for seed in range(20)]
    configure(traffic[0].switch)
    begun = time.process_time()
    for one in traffic:
        one.device.run(200_000)
    idle = time.process_time() - begun
    case = traffic[0].run("speed", 20_000, lambda: 256, each_to_one(traffic[0]))
    assert case.loss == 0
    print(f"20 switches for a millisecond in which nothing happens: {idle * 1000:.1f} ms")
    assert idle < 1
    probes = SimulatedSwitch(build_model_switch(ECMP, Options("sume"), as_with=["best_hops"]))
    for name, value in (("uplinks", 0b1111), ("period", 200_000), ("control", 1)):
        probes.registers.write(f"probes.{name}", value)
    begun = time.process_time()
    probes.device.run(100 * 200_000)
    alone = time.process_time() - begun
    print(f"a switch for 100 milliseconds with four probes in each, and nothing else: {alone * 1000:.1f} ms")
    assert alone < 1
    assert probes.registers.read("probes.sent") == 401  # the one that is due at the end has left
