# SPDX-License-Identifier: Apache-2.0
"""Packet cases through a whole switch, one frame after the other: each has to end as the plain model says, its copies
at the wires and at the CPU, its digest in front of the CPU's copy or alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from p4sume.cases.both_target import BothTarget, shown
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.target import Emitted, Fate, Outcome, Stimulus
from switch.library import CPU, SimulatedSwitch

DIGEST_BYTES = 32
PATIENCE_CYCLES = 400  # of a frame beside its time on wires
ALONE = 2  # to_ports of a digest without its packet: port 0's CPU side


class CaseSwitch:
    """Stands where a case has its target; `differences` has what the switch did otherwise. What a case sets of a
    packet's metadata cannot come in on a wire and is left out."""

    name = "switch"

    def __init__(self, model: ModelTarget, switch: SimulatedSwitch) -> None:
        self._model = model
        self._switch = switch
        self._both = BothTarget(model, switch.program)  # type: ignore[arg-type]
        self._reasons: list[str] = switch.program.manifest["drop_reasons"]
        digest = switch.program.manifest["digest"]
        self._digest = [(field["name"], field["bits"]) for field in digest]
        self.frames = 0
        self.digests = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._both, name)

    @property
    def differences(self) -> list[str]:
        return self._both.differences

    def process(self, packets: Sequence[Stimulus]) -> Outcome:
        return Outcome(tuple(self._one(Stimulus(packet.port, packet.data, packet.cycle)) for packet in packets))

    def _one(self, packet: Stimulus) -> Fate:
        [fate] = self._model.process([packet]).fates
        device = self._switch.device
        if packet.port % 2:
            device.send(CPU, packet.data, from_port=packet.port // 2)
        else:
            device.send(packet.port // 2, packet.data)
        device.run(PATIENCE_CYCLES + len(packet.data))
        self.frames += 1
        told = list(self._wrong(packet, fate))
        if told:
            self.differences.append(f"{shown(packet)}: {'; '.join(told)}")
        return fate

    def _wrong(self, packet: Stimulus, fate: Fate) -> Iterator[str]:
        device = self._switch.device
        reason, wires, cpu = fate.reason, Counter[tuple[int, bytes]](), []
        if reason is None and fate.emitted is not None:
            wires, cpu = self._copies(fate.emitted)
        came = Counter((wire, left.data) for wire in range(device.ports) for left in device.received(wire))
        if came != wires:
            yield f"at the wires {came}, not {wires}"
        at_cpu = [(left.data, left.to_ports) for left in device.received(CPU)]
        if at_cpu != cpu:
            yield f"at the CPU {at_cpu}, not {cpu}"
        decided = [self._reasons[number] if number else None for number, _ in device.decisions()]
        if decided != [None if reason == "empty" else reason]:
            yield f"it decided {decided}, not {reason}"

    def _copies(self, sent: Emitted) -> tuple[Counter[tuple[int, bytes]], list[tuple[bytes, int]]]:
        ports = self._switch.device.ports
        wires = Counter({(wire, sent.data): 1 for wire in range(ports) if sent.ports >> 2 * wire & 1})
        to_cpu = sent.ports & sum(2 << 2 * port for port in range(ports))
        if not sent.metadata["send_dig_to_cpu"] & 1:
            return wires, [(sent.data, to_cpu)] if to_cpu else []
        self.digests += 1
        number = 0
        for name, bits in self._digest:
            number = number << bits | sent.digest[name]
        digest = number.to_bytes(DIGEST_BYTES, "little")
        return wires, [(digest + sent.data, to_cpu) if to_cpu else (digest, ALONE)]
