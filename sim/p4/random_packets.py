# SPDX-License-Identifier: Apache-2.0
"""Random packets through a program on model and RTL, while its own cases set tables and registers up.

A case is a sequence of changes and packets. Wherever it sends packets, this sends many more, made of them: with every
bit and length in doubt, so that tables are hit as the case means it and as it does not. What the case expects is not
asked; RTL and model have to agree on every packet: data, tuser, digest, drops and their reasons, order.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.packets.factory import PacketFactory
from bench.packets.malformed import malformed
from p4sume.cases import stf
from p4sume.cases.both_target import BothTarget
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.rtl_build import BuiltRtl, build_core
from p4sume.cases.rtl_target import RtlTarget
from p4sume.cases.runner import run_case
from p4sume.cases.target import Outcome, Stimulus
from p4sume.frontend import Options
from p4sume.model.build import build_model
from p4sume.model.library import Model

LONGEST_BYTES = 1514
HEAD_BYTES = 128  # where headers are, and so most of the changes
PACES = ((0, 0), (30, 0), (0, 40), (30, 40))  # percent of gaps at the input and stalls at the output
LONGEST_BURST = 2000
FRAMES = 64  # valid and malformed ones that a round draws from


@dataclass
class Result:
    """What was sent, what it reached in the model, and the first differences."""

    packets: int = 0
    cycles: int = 0
    counters: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


class Program:
    """A program on both sides, and its cases."""

    def __init__(self, source: Path, cases: Path) -> None:
        self.core: BuiltRtl = build_core(source, Options("sume"))
        self._library = build_model(source).library
        self._cases = [(path, stf.parse_file(path)) for path in sorted(cases.glob("*.stf"))]

    def fresh(self, seed: int = 1) -> BothTarget:
        """Two new switches; the seed is that of the RTL's state before its reset."""
        return BothTarget(ModelTarget(Model(self._library)), RtlTarget(self.core, seed))

    def run(self, packets: int, seed: int) -> Result:
        """Sends at least `packets`; stops at the first case with a difference."""
        rng = random.Random(seed)
        result = Result()
        bursts = sum(_bursts(statements) for _, statements in self._cases)
        while result.packets < packets and not result.differences:
            each = -(-(packets - result.packets) // max(1, bursts))
            for path, statements in self._cases:
                model, rtl = Model(self._library), RtlTarget(self.core, rng.randrange(1, 1 << 31))
                both = BothTarget(ModelTarget(model), rtl)
                storm = Storm(both, rtl, rng, min(each, LONGEST_BURST))
                run_case(statements, storm, str(path))
                result.packets += storm.sent
                result.cycles += rtl.device.cycle
                result.counters.update(model.counters())
                result.differences += [f"{path}: {text}" for text in both.differences]
                if result.differences:
                    break
        return result

    def unreached(self, result: Result) -> list[str]:
        """Counters that have to be more than zero, and are not."""
        drops = [f"drop.{reason}" for reason in self.core.manifest["possible_drops"]]
        wanted = [name for name in result.counters if not name.startswith("drop.")]
        keyless = {f"table.{t['name']}.hit" for t in self.core.manifest["tables"] if not t["keys"]}
        return [name for name in sorted({*wanted, *drops} - keyless) if not result.counters[name]]


def _bursts(statements: Sequence[stf.Statement]) -> int:
    """How often the runner lets a case's packets through: in front of each statement that is about something else."""
    sends = [isinstance(s, stf.SendPacket) for s in statements if isinstance(s, (stf.SendPacket, *_CHANGES))]
    return sum(1 for now, before in zip(sends, [False, *sends], strict=False) if now and not before)


_CHANGES = (stf.TableChange, stf.SetDefault, stf.RemoveAll, stf.WriteRegister, stf.Configure, stf.Check, stf.Wait)


class Storm:
    """Stands between a case and the two: each burst of the case becomes a longer one."""

    name = "storm"

    def __init__(self, both: BothTarget, rtl: RtlTarget, rng: random.Random, packets: int) -> None:
        """`packets`: of each burst, the case's own included."""
        self._both = both
        self._rtl = rtl
        self._rng = rng
        self._packets = packets
        self._mutator = Mutator(rng, both.port_bits, both.metadata_widths)
        self.sent = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._both, name)

    def process(self, packets: Sequence[Stimulus]) -> Outcome:
        self._rtl.device.set_pace(*self._rng.choice(PACES))
        burst = [*packets, *self._mutator.made_of(packets, self._packets - len(packets))]
        self.sent += len(burst)
        return self._both.process(burst)


class Mutator:
    """Packets like those of a case, and unlike them."""

    def __init__(self, rng: random.Random, port_bits: int, widths: dict[str, int]) -> None:
        self._rng = rng
        self._port_bits = port_bits
        self._widths = widths
        factory = PacketFactory(rng)
        frames = [m.frame for m in malformed(rng)]
        self._frames = rng.sample(frames, min(FRAMES, len(frames))) + [factory.any_frame() for _ in range(FRAMES)]
        self._ways = (
            self._truncated,
            self._flipped,
            self._flipped,
            self._with_a_byte,
            self._spliced,
            self._lengthened,
            self._readdressed,
            self._garbage,
            self._again,
        )

    def made_of(self, packets: Sequence[Stimulus], count: int) -> list[Stimulus]:
        """First every packet cut at every byte, as far as `count` goes; then any."""
        cut = [p for p in packets for p in self._cut_everywhere(p)]
        chosen = self._rng.sample(cut, min(len(cut), max(0, count) // 4))
        return chosen + [self._one(packets) for _ in range(count - len(chosen))]

    def _cut_everywhere(self, packet: Stimulus) -> list[Stimulus]:
        return [
            Stimulus(packet.port, packet.data[:length], packet.cycle, packet.metadata)
            for length in range(1, min(len(packet.data), HEAD_BYTES))
        ]

    def _one(self, packets: Sequence[Stimulus]) -> Stimulus:
        packet = self._rng.choice(packets)
        data = self._rng.choice(self._ways)(packet.data)[:LONGEST_BYTES] or b"\0"
        port = self._rng.randrange(self._port_bits) if self._rng.random() < 0.3 else packet.port
        return Stimulus(port, data, packet.cycle, packet.metadata | self._metadata(len(data)))

    def _metadata(self, length: int) -> dict[str, int]:
        """Mostly as it comes; sometimes a length that is not the packet's, or anything at all."""
        dice = self._rng.random()
        if dice < 0.85:
            return {}
        if dice < 0.91:
            return {"pkt_len": (length + self._rng.randrange(-4, 5)) & 0xFFFF}
        if dice < 0.95:
            name = self._rng.choice(list(self._widths))
            return {name: self._rng.choice((0, (1 << self._widths[name]) - 1))}
        return {name: self._rng.getrandbits(width) for name, width in self._widths.items() if self._rng.random() < 0.3}

    def _truncated(self, data: bytes) -> bytes:
        return data[: self._rng.randint(1, max(1, len(data)))]

    def _flipped(self, data: bytes) -> bytes:
        made = bytearray(data)
        for _ in range(self._rng.choice((1, 1, 2, 3, 8))):
            bit = self._rng.randrange(8 * min(len(made), HEAD_BYTES))
            made[bit // 8] ^= 1 << bit % 8
        return bytes(made)

    def _with_a_byte(self, data: bytes) -> bytes:
        made = bytearray(data)
        made[self._rng.randrange(min(len(made), HEAD_BYTES))] = self._rng.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF))
        return bytes(made)

    def _spliced(self, data: bytes) -> bytes:
        other = self._rng.choice(self._frames)
        place = self._rng.randrange(min(len(data), HEAD_BYTES))
        return data[:place] + other[place:]

    def _lengthened(self, data: bytes) -> bytes:
        return data + self._rng.randbytes(self._rng.choice((1, 4, 31, 32, 33, self._rng.randrange(LONGEST_BYTES))))

    def _readdressed(self, data: bytes) -> bytes:
        """Another frame, to the station that the case's packet is for."""
        return data[:12] + self._rng.choice(self._frames)[12:]

    def _garbage(self, data: bytes) -> bytes:
        return self._rng.randbytes(self._rng.choice((1, 14, 31, 32, 33, 60, 64, 65, 96, 128, 300)))

    def _again(self, data: bytes) -> bytes:
        return data
