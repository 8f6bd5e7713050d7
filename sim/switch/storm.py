# SPDX-License-Identifier: Apache-2.0
"""Random frames through a whole switch, judged by the model of its program.

The cases of a program set its tables up. Wherever one sends packets, a storm of many more goes through the switch:
from all wires and the CPU, as fast as wires are or with pauses, damaged and too long ones among them. Meanwhile
registers are read, tables are changed without effect (`table_churn`), links flap, ports take nothing for a while. The
model says what becomes of each frame. Then, for each way out:

- what has left is what the model says, whole, each frame once, in the order in which frames came to the program;
- what is missing is as many as the counters of that queue say were lost;
- and the counters of sources, program and queues add up.

In which order frames of several sources meet is the switch's own; what it decided tells it, as long as the program
leaves `src_port` as it is. Each source's frames come in their order.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from p4.random_packets import Mutator
from p4sume.cases.both_target import BothTarget, shown
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.target import Fate, Outcome, Stimulus
from p4sume.control.plane import KeyValue, TableInfo
from switch.library import CPU, Departure, SimulatedSwitch
from switch.table_churn import TableChurn

LONGEST_BYTES = 1600  # that the switch takes
LONG_BYTES = 1514
CHUNK_CYCLES = (20, 400)
QUIET_CYCLES = 2000  # without a frame: nothing is under way any more
LOST = ("queue_full", "queue_share", "queue_down", "queue_discarded")


@dataclass
class Tally:
    """What a soak has seen."""

    frames: int = 0
    cycles: int = 0
    departures: int = 0
    counters: Counter[str] = field(default_factory=Counter)  # of the switch, by name without index
    reasons: Counter[str] = field(default_factory=Counter)  # of the program's drops
    events: Counter[str] = field(default_factory=Counter)


class SwitchStorm:
    """Stands where a case has its target."""

    name = "storm"

    def __init__(
        self, model: ModelTarget, switch: SimulatedSwitch, rng: random.Random, frames: int, tally: Tally
    ) -> None:
        """`frames`: of each burst."""
        self._model = model
        self._switch = switch
        self._device = switch.device
        self._both = BothTarget(model, switch.program)  # type: ignore[arg-type]
        self._rng = rng
        self._churn = TableChurn(switch.program, rng)
        self._frames = frames
        self._tally = tally
        self._mutator = Mutator(rng, model.port_bits, model.metadata_widths)
        self._reasons: list[str] = switch.program.manifest["drop_reasons"]

    def __getattr__(self, name: str) -> object:
        return getattr(self._both, name)

    @property
    def differences(self) -> list[str]:
        return self._both.differences

    def change(
        self,
        operation: str,
        table: TableInfo,
        key: Sequence[KeyValue],
        priority: int,
        action: str,
        arguments: Sequence[int],
    ) -> None:
        self._both.change(operation, table, key, priority, action, arguments)
        self._churn.follow(operation, table, key, priority, action, arguments)

    def process(self, packets: Sequence[Stimulus]) -> Outcome:
        before = self._counters()
        long = self._rng.random() < 0.2
        burst = [self._one(packet, long) for packet in self._mutator.made_of(packets, self._frames)]
        taken, gone = self._split(burst)
        begun = self._device.cycle
        self._send(burst, gone)
        came = self._weather()
        taken, reasons = self._in_their_order(taken)
        fates = self._model.process(taken).fates
        self._tally.frames += len(burst)
        self._tally.cycles += self._device.cycle - begun
        count = self._counters()
        count.subtract(before)
        for packet, fate, reason in zip(taken, fates, reasons, strict=True):
            if fate.reason != reason:
                self.differences.append(f"the model {fate.reason}, the switch {reason}: {shown(packet)}")
        self._judge(taken, fates, gone, came, count)
        return Outcome(())

    # ---- what goes in

    def _one(self, packet: Stimulus, long: bool) -> Stimulus:
        """From anywhere; a `long` one, of which few fit into a queue, with so much behind it."""
        port = self._rng.randrange(self._model.port_bits)
        if port % 2 and self._rng.random() < 0.7:
            port -= 1
        behind = self._rng.randbytes(max(0, self._rng.randint(1000, LONG_BYTES) - len(packet.data))) if long else b""
        return Stimulus(port, packet.data + behind, 0)

    def _split(self, burst: list[Stimulus]) -> tuple[list[Stimulus], dict[int, str]]:
        """Those that the switch takes; and why not, by their number, the others: some are made so here."""
        gone: dict[int, str] = {}
        for number, packet in enumerate(burst):
            dice = self._rng.random()
            if dice < 0.01:
                gone[number] = "rx_bad"
            elif dice < 0.02:
                longer = packet.data + self._rng.randbytes(LONGEST_BYTES + self._rng.randint(1, 300))
                burst[number] = Stimulus(packet.port, longer, 0)
                gone[number] = "rx_long"
        return [packet for number, packet in enumerate(burst) if number not in gone], gone

    def _send(self, burst: list[Stimulus], gone: dict[int, str]) -> None:
        pause = self._rng.choice((0, 0, 50, 300))
        at = [self._device.cycle] * (self._device.ports + 1)
        for number, packet in enumerate(burst):
            source = self._source(packet)
            at[source] += self._rng.randint(0, pause)
            damaged = gone.get(number) == "rx_bad"
            if packet.port % 2:
                self._device.send(CPU, packet.data, at[source], damaged, packet.port // 2)
            else:
                self._device.send(packet.port // 2, packet.data, at[source], damaged)

    def _source(self, packet: Stimulus) -> int:
        return self._device.ports if packet.port % 2 else packet.port // 2

    # ---- what happens meanwhile

    def _weather(self) -> dict[int, list[Departure]]:
        """Lets everything pass; what has left by each wire and, last, to the CPU."""
        ways = (*range(self._device.ports), CPU)
        came: dict[int, list[Departure]] = {way: [] for way in ways}
        quiet = 0
        rough = self._rng.random() < 0.7
        while quiet < QUIET_CYCLES:
            cycles = self._rng.randint(*CHUNK_CYCLES)
            if rough and self._device.waiting:
                self._event()
            elif not self._device.waiting:
                self._calm()
            self._device.run(cycles)
            moved = self._device.waiting > 0
            for way in ways:
                news = list(self._device.received(way))
                came[way] += news
                moved |= bool(news)
            quiet = 0 if moved else quiet + cycles
        self._churn.settle()
        return came

    def _event(self) -> None:
        rng, device = self._rng, self._device
        wire = rng.randrange(device.ports)
        match rng.choice(("read", "read", "table", "table", "link", "hold", "hold the CPU", "nothing", "calm")):
            case "read":
                name = rng.choice(self._switch.counter_names)
                assert self._switch.counter(name) <= self._switch.counter(name)
                self._tally.events["register read"] += 1
            case "table":
                if done := self._churn.disturb():
                    self._tally.events[done] += 1
            case "link":
                device.set_link(wire, rng.random() < 0.6)
                self._tally.events["link changed"] += 1
            case "hold":
                device.hold(wire, rng.random() < 0.5)
                self._tally.events["port held or released"] += 1
            case "hold the CPU":
                device.hold(CPU, rng.random() < 0.5)
                self._tally.events["CPU held or released"] += 1
            case "calm":
                self._calm()

    def _calm(self) -> None:
        for wire in range(self._device.ports):
            self._device.set_link(wire, True)
            self._device.hold(wire, False)
        self._device.hold(CPU, False)

    # ---- what came of it

    def _counters(self) -> Counter[str]:
        return Counter({name: self._switch.counter(name) for name in self._switch.counter_names})

    def _judge(
        self,
        taken: list[Stimulus],
        fates: Sequence[Fate],
        gone: dict[int, str],
        came: dict[int, list[Departure]],
        count: Counter[str],
    ) -> None:
        ports = self._device.ports
        told = self.differences
        sent = Counter(self._source(packet) for packet in taken)
        for source in range(ports + 1):
            if count[f"rx_packets[{source}]"] != sent[source] or count[f"rx_full[{source}]"]:
                told.append(f"source {source}: {sent[source]} good frames, counted {count[f'rx_packets[{source}]']}")
        for why in ("rx_bad", "rx_long"):
            found = sum(count[f"{why}[{source}]"] for source in range(ports + 1))
            if found != Counter(gone.values())[why]:
                told.append(f"{why} counts {found}, {Counter(gone.values())[why]} were sent")
        for queue, way in enumerate((*range(ports), CPU)):
            told += list(self._judge_way(queue, self._copies(queue, taken, fates), came[way], count))
        for name, number in count.items():
            self._tally.counters[name.partition("[")[0]] += number
        self._tally.departures += sum(map(len, came.values()))
        self._tally.reasons += Counter(fate.reason for fate in fates if fate.reason)

    def _in_their_order(self, taken: list[Stimulus]) -> tuple[list[Stimulus], list[str | None]]:
        """As they came to the program, and why it dropped each."""
        waiting: dict[int, deque[Stimulus]] = {source: deque() for source in range(self._device.ports + 1)}
        for packet in taken:
            waiting[self._source(packet)].append(packet)
        ordered: list[Stimulus] = []
        reasons: list[str | None] = []
        for reason, from_ports in self._device.decisions():
            packet = waiting[self._source_of(from_ports)].popleft()
            assert from_ports == 1 << packet.port, f"{shown(packet)} came to the program as from {from_ports:#x}"
            ordered.append(packet)
            reasons.append(self._reasons[reason] if reason else None)
        assert not any(waiting.values()), "the program has not seen all that came in"
        return ordered, reasons

    def _source_of(self, from_ports: int) -> int:
        bit = from_ports.bit_length() - 1
        return self._device.ports if bit % 2 else bit // 2

    def _copies(self, queue: int, taken: list[Stimulus], fates: Sequence[Fate]) -> deque[tuple[bytes, Stimulus]]:
        """What a queue should be given. The CPU's queue has a copy for all odd bits of dst_port together."""
        cpu_sides = sum(2 << 2 * port for port in range(self._device.ports))
        bits = cpu_sides if queue == self._device.ports else 1 << 2 * queue
        return deque(
            (fate.emitted.data, packet)
            for packet, fate in zip(taken, fates, strict=True)
            if fate.reason is None and fate.emitted is not None and fate.emitted.ports & bits
        )

    def _judge_way(
        self,
        queue: int,
        copies: deque[tuple[bytes, Stimulus]],
        departures: list[Departure],
        count: Counter[str],
    ) -> Iterator[str]:
        total, missing = len(copies), 0
        for departure in departures:
            while copies and copies[0][0] != departure.data:
                copies.popleft()
                missing += 1
            if not copies:
                yield f"queue {queue}: a frame left that the model does not send there and then: {departure.data.hex()}"
                return
            copies.popleft()
        missing += len(copies)
        lost = sum(count[f"{why}[{queue}]"] for why in LOST)
        if missing != lost:
            example = f"; the last of them {shown(copies[-1][1])}" if copies else ""
            yield f"queue {queue}: {missing} of {total} frames are missing, {lost} are counted as lost{example}"
        if count[f"tx_packets[{queue}]"] != len(departures):
            yield f"queue {queue}: {len(departures)} frames left, {count[f'tx_packets[{queue}]']} are counted"
