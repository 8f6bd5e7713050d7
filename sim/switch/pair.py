# SPDX-License-Identifier: Apache-2.0
"""The same traffic through two switches of one program, one made of RTL and one around the program's model, cycle by
cycle: what leaves when, what the program decides, what is counted."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from p4.random_packets import Mutator
from p4sume.cases import stf
from p4sume.cases.both_target import BothTarget
from p4sume.cases.model_switch import build_model_switch
from p4sume.cases.rtl_build import build_switch
from p4sume.cases.runner import run_case
from p4sume.cases.target import Outcome, Stimulus
from p4sume.frontend import Options
from switch.library import CPU, Departure, SimulatedSwitch

CHUNK_CYCLES = 2000
LONGEST_BYTES = 2000  # of a frame in a burst: more than a switch takes
# From the beginning of an access to the cycle in which a register of switch.rdl has its new value.
RTL_CHANGE_CYCLES = 4
MODEL_CHANGE_CYCLES = 12
PROBE_COUNTS = ("probes.sent", "probes.missed")


@dataclass(frozen=True)
class Sending:
    """A frame for a wire or the CPU's side, so many cycles from now."""

    port: int
    data: bytes
    after: int = 0
    damaged: bool = False
    from_port: int = 0
    paced: bool = False


@dataclass(frozen=True)
class Write:
    """A register of hw/regs/switch.rdl gets a value, in both switches in the same cycle."""

    register: str
    value: int


Event = tuple[int, Callable[[SimulatedSwitch], None] | Write]  # in which cycle from now at the earliest, what


class Pair:
    """`differences` has what was not the same. `as_with`: as hardware.build has it."""

    def __init__(self, program: Path, seed: int, as_with: Collection[str] = ()) -> None:
        options = Options("sume")
        self.rtl = SimulatedSwitch(build_switch(program, options, as_with=as_with), seed)
        self.model = SimulatedSwitch(build_model_switch(program, options, as_with=as_with))
        self.both = (self.rtl, self.model)
        self.differences: list[str] = []
        self.frames = self.cycles = self.left = 0

    def each(self, action: Callable[[SimulatedSwitch], None]) -> None:
        for switch in self.both:
            action(switch)

    def align(self) -> int:
        """Register accesses take other times: the one that is behind waits. The cycle that it then is."""
        last = max(switch.device.cycle for switch in self.both)
        for switch in self.both:
            switch.device.run(last - switch.device.cycle)
        return last

    def write(self, register: str, value: int) -> None:
        self.align()
        self.rtl.device.run(MODEL_CHANGE_CYCLES - RTL_CHANGE_CYCLES)
        self.each(lambda switch: switch.registers.write(register, value))
        self.align()

    def run(self, sendings: Iterable[Sending], events: Sequence[Event] = (), quiet: int = CHUNK_CYCLES) -> None:
        """Until nothing has left either for so long."""
        sendings = list(sendings)
        begun = self.align()
        for one in sendings:
            at = begun + one.after
            self.each(lambda s, n=one, at=at: s.device.send(n.port, n.data, at, n.damaged, n.from_port, n.paced))  # type: ignore[misc]
        for at, action in sorted(events, key=lambda event: event[0]):
            self._pass(max(0, begun + at - self.align()))
            if isinstance(action, Write):
                self.write(action.register, action.value)
            else:
                self.each(action)
        still = 0
        while still < quiet:
            self._pass(CHUNK_CYCLES)
            still = 0 if self._compare() or self.rtl.device.waiting else still + CHUNK_CYCLES
        self._compare_counters()
        self.frames += len(sendings)
        self.cycles += self.align() - begun

    def _pass(self, cycles: int) -> None:
        self.each(lambda switch: switch.device.run(cycles))

    def _compare(self) -> bool:
        """What has left and was decided since the last time; whether there was any."""
        moved = False
        for way in (*range(self.rtl.device.ports), CPU):
            ours, theirs = (list(switch.device.received(way)) for switch in self.both)
            moved |= bool(ours or theirs)
            self.left += len(ours)
            if ours != theirs:
                self.differences.append(f"{'CPU' if way == CPU else way}: {_first_difference(ours, theirs)}")
        decided = [list(switch.device.decisions()) for switch in self.both]
        if decided[0] != decided[1]:
            self.differences.append(f"the programs decided {len(decided[0])} and {len(decided[1])} times, or otherwise")
        if self.rtl.device.waiting != self.model.device.waiting:
            self.differences.append("frames wait in one of the two")
        return moved

    def _compare_counters(self) -> None:
        found = [{name: switch.counter(name) for name in switch.counter_names} for switch in self.both]
        for counts, switch in zip(found, self.both, strict=True):
            counts |= {name: switch.registers.read(name) for name in PROBE_COUNTS if switch.registers.has(name)}
        if found[0] != found[1]:
            told = {name: (found[0][name], found[1][name]) for name in found[0] if found[0][name] != found[1][name]}
            self.differences.append(f"counters, RTL and model: {told}")
        self.align()


def _first_difference(ours: list[Departure], theirs: list[Departure]) -> str:
    for number, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        if one != other:
            return f"departure {number} is {one} of the RTL, {other} of the model"
    return f"{len(ours)} have left the RTL, {len(theirs)} the model"


class PairStorm:
    """Stands where a case has its target: bursts of frames like those of the case, in its tables, through a pair."""

    name = "pair"

    def __init__(self, pair: Pair, rng: random.Random, frames: int) -> None:
        self._pair = pair
        self._rng = rng
        self._frames = frames
        self._both = BothTarget(pair.rtl.program, pair.model.program)  # type: ignore[arg-type]
        program = pair.rtl.program
        self._mutator = Mutator(rng, program.port_bits, program.metadata_widths)

    def __getattr__(self, name: str) -> object:
        return getattr(self._both, name)

    def process(self, packets: Sequence[Stimulus]) -> Outcome:
        rng, ports = self._rng, self._pair.rtl.device.ports
        burst = [*packets, *self._mutator.made_of(packets, self._frames)]
        pause = rng.choice((0, 0, 50, 300))
        longer = rng.choice((0, 0, 1000))
        at = [0] * (ports + 1)
        sendings = []
        for packet in burst:
            source = ports if packet.port % 2 else packet.port // 2
            at[source] += rng.randint(0, pause)
            data = (packet.data + rng.randbytes(rng.randint(0, longer)))[:LONGEST_BYTES]
            port = CPU if packet.port % 2 else packet.port // 2
            sendings.append(Sending(port, data, at[source], rng.random() < 0.01, packet.port // 2))
        events: list[Event] = [(rng.randrange(8000), self._event()) for _ in range(rng.randrange(6))]
        events.append((8000, lambda switch: _calm(switch)))
        if self._pair.rtl.registers.has("probes.control"):
            events += probing(rng, ports, 8000)
        self._pair.run(sendings, events)
        self._pair.differences += self._both.differences
        self._both.differences.clear()
        return Outcome(())

    def _event(self) -> Callable[[SimulatedSwitch], None]:
        wire, yes = self._rng.randrange(self._pair.rtl.device.ports), self._rng.random() < 0.4
        match self._rng.choice(("link", "hold", "hold the CPU")):
            case "link":
                return lambda switch: switch.device.set_link(wire, yes)
            case "hold":
                return lambda switch: switch.device.hold(wire, yes)
            case _:
                return lambda switch: switch.device.hold(CPU, yes)


def probing(rng: random.Random, ports: int, cycles: int) -> list[Event]:
    """Probes for so many cycles, and settings that change meanwhile."""
    periods = (rng.randint(0, 3 * ports), rng.randint(10, 300), rng.randint(300, 10_000), 2**32 - 1)
    bits = {"uplinks": ports, "tor": 24, "mac_low": 32, "mac_high": 16, "ipv4": 32}
    settings = [(f"probes.{name}", rng.getrandbits(width)) for name, width in bits.items()]
    settings += [("probes.control", 1), ("probes.period", rng.choice(periods))]
    events: list[Event] = [(0, Write(*one)) for one in settings]
    for _ in range(rng.randrange(10)):
        name = rng.choice((*bits, "control", "control", "period"))
        value = {"control": rng.randrange(2), "period": rng.choice(periods)}.get(name)
        value = rng.getrandbits(bits[name]) if value is None else value
        events.append((rng.randrange(cycles), Write(f"probes.{name}", value)))
    return [*events, (cycles, Write("probes.control", 0))]


def _calm(switch: SimulatedSwitch) -> None:
    for wire in range(switch.device.ports):
        switch.device.set_link(wire, True)
        switch.device.hold(wire, False)
    switch.device.hold(CPU, False)


def storm(program: Path, cases: Path, frames: int, seed: int, as_with: Collection[str] = ()) -> Pair:
    """Bursts of so many frames wherever a case of the program sends some; ends at the first difference."""
    rng = random.Random(seed)
    pair = Pair(program, rng.randrange(1, 1 << 31), as_with)
    for path in sorted(cases.glob("*.stf")):
        pair.each(lambda switch: switch.reset())
        run_case(stf.parse_file(path), PairStorm(pair, rng, frames), str(path))  # type: ignore[arg-type]
        if pair.differences:
            pair.differences = [f"{path.name}: {text}" for text in pair.differences]
            break
    return pair
