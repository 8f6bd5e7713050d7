# SPDX-License-Identifier: Apache-2.0
"""A capture through a program: what comes out of each port, and how many packets were dropped for what."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.packets import pcap
from p4sume.cases.ports import bits_of, port_name
from p4sume.cases.target import Stimulus, Target

SCHEMA = 1
NS_PER_CYCLE = 5


@dataclass(frozen=True)
class Summary:
    received: int
    sent: int
    digest_only: int
    drops: dict[str, int]

    def to_json(self) -> dict[str, object]:
        return {
            "schema": SCHEMA,
            "in": self.received,
            "out": self.sent,
            "digest_only": self.digest_only,
            "drops": dict(sorted(self.drops.items())),
        }


def run_capture(frames: Sequence[pcap.Captured], port: int, target: Target, directory: Path) -> Summary:
    """Writes port<N>.pcap for each wire, cpu<N>.pcap for each CPU side that sent, and result.json.

    A packet's time in the program counts from the first of the capture; a packet leaves at the time it came.
    """
    begin = frames[0].time_ns if frames else 0
    stimuli = [Stimulus(port, f.data, max(f.time_ns - begin, 0) // NS_PER_CYCLE) for f in frames]
    outcome = target.process(stimuli)
    out: dict[int, list[pcap.Captured]] = {bit: [] for bit in range(0, target.port_bits, 2)}
    for packet in outcome.emitted:
        for bit in bits_of(packet.ports):
            time_ns = begin + packet.cycle * NS_PER_CYCLE
            out.setdefault(bit, []).append(pcap.Captured(time_ns, packet.data, len(packet.data)))
    directory.mkdir(parents=True, exist_ok=True)
    for bit, packets in out.items():
        name = port_name(bit).replace("nf", "port")
        pcap.write(directory / f"{name}.pcap", packets)
    sent = sum(1 for e in outcome.emitted if e.ports)
    summary = Summary(len(frames), sent, len(outcome.emitted) - sent, outcome.drops)
    _write_json(directory / "result.json", summary.to_json())
    return summary


def _write_json(path: Path, content: dict[str, object]) -> None:
    """Whole or not at all."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    partial.replace(path)
