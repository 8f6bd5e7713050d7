# SPDX-License-Identifier: Apache-2.0
"""The program's RTL as a target of packet cases: streams for packets, AXI-Lite for everything else."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

from p4sume.cases.core_library import CoreLibrary, Output, Verdict
from p4sume.cases.rtl_build import BuiltRtl
from p4sume.cases.rtl_control import RtlControl
from p4sume.cases.target import Emitted, Fate, Outcome, Stimulus
from p4sume.control.plane import Field
from p4sume.hardware.registers import EMPTY
from p4sume.model.library import unpack


class RtlTarget(RtlControl):
    def __init__(self, core: BuiltRtl, seed: int = 1) -> None:
        manifest = core.manifest
        self.device = CoreLibrary(core.library, seed)
        self._reasons: list[str] = manifest["drop_reasons"]
        self._metadata = [Field(f["name"], f["bits"]) for f in manifest["metadata"]]
        self._digest = [Field(f["name"], f["bits"]) for f in manifest["digest"]]
        self._user_bits = sum(f.width for f in self._metadata)
        super().__init__(self.device, manifest)

    def reset(self) -> None:
        self.device.reset()
        self.restart()

    # ---- packets

    def process(self, packets: Sequence[Stimulus]) -> Outcome:
        for packet in packets:
            metadata = {"src_port": 1 << packet.port, "pkt_len": len(packet.data) & 0xFFFF, **packet.metadata}
            self.device.send(packet.data, self.pack_metadata(metadata))
        self.device.drain()
        outputs = deque(self.device.outputs())
        fates = [
            self._fate(verdict, outputs, packet.cycle)
            for verdict, packet in zip(self.device.verdicts(), packets, strict=True)
        ]
        assert not outputs, "a packet left that nobody sent"
        return Outcome(tuple(fates))

    def pack_metadata(self, values: Mapping[str, int]) -> int:
        """The number that TUSER is: the first field is the most significant."""
        packed = 0
        for field in self._metadata:
            packed = packed << field.width | values.get(field.name, 0)
        return packed

    def _fate(self, verdict: Verdict, outputs: deque[Output], cycle: int) -> Fate:
        """A packet that went on is the next output, unless no byte of it was left; then the next is another's."""
        user, reason = verdict.user, self._reasons[verdict.reason] if verdict.reason else None
        data = b""
        if reason is None:
            if not outputs or outputs[0].user != user:
                return Fate(EMPTY, None)
            data = outputs.popleft().data
        elif reason != "no_port":
            return Fate(reason, None)
        metadata = _fields(self._metadata, user & ((1 << self._user_bits) - 1))
        digest = _fields(self._digest, user >> self._user_bits)
        return Fate(reason, Emitted(metadata["dst_port"], data, metadata, digest, cycle))


def _fields(fields: Sequence[Field], number: int) -> dict[str, int]:
    width = sum(f.width for f in fields)
    padding = -width % 8
    return unpack(fields, (number << padding).to_bytes((width + padding) // 8, "big"))
