# SPDX-License-Identifier: Apache-2.0
"""How fast each program is: four 10 Gb/s ports at every size, and the cycles from first beat in to first beat out.

The packets are those that a case of the program lets through, filled up to the size. What arrives is taken without a
queue that grows, and all of it leaves. The latency is that of packets that come alone; the manifest says what it is
where the window is full.
"""

import pytest

from p4.programs import CASES, NAMES, program
from p4sume.cases import stf
from p4sume.cases.runner import run_case
from p4sume.cases.target import Outcome, Stimulus

PORTS = 4
CYCLES_PER_BYTE = 0.16  # of one port of 10 Gb/s, in cycles of 5 ns
ETHERNET_GAP_BYTES = 20  # preamble and gap
FCS_BYTES = 4
SIZES = [*range(64, 132), 159, 160, 161, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 1279, 1500, 1516, 1517, 1518]
PACKETS = 250  # of each size
LONGEST_WAIT_CYCLES = 8  # of a packet that has come, until its first beat is taken
APART_CYCLES = 200
LARGE_BYTES = 256  # fills the window of every program
BARS = {"ecmp": 40}


class Recorder:
    """Notes the packets that a case sends."""

    name = "rtl"

    def __init__(self, target):
        self.target = target
        self.packets = []

    def __getattr__(self, name):
        return getattr(self.target, name)

    def process(self, packets):
        self.packets += packets
        self.target.process(packets)
        return Outcome(())


def busiest(name):
    """A switch as a case leaves it, and those of the case's packets that it then lets through; most of all cases."""
    found = (None, [])
    for path in sorted((CASES / name).glob("*.stf")):
        recorder = Recorder(program(name).fresh().rtl)
        run_case(stf.parse_file(path), recorder, str(path))
        outcome = recorder.target.process(recorder.packets)
        through = [
            packet
            for packet, fate in zip(recorder.packets, outcome.fates, strict=True)
            if fate.reason is None and fate.emitted.ports
        ]
        if len(through) > len(found[1]):
            found = (recorder.target, through)
    assert found[1], f"no case of {name} lets a packet through when it is done"
    return found


def filled(packet, length):
    return Stimulus(packet.port, packet.data.ljust(length, b"\0"), 0, packet.metadata)


def measured(target, packets, begins):
    """(wait, latency) of each packet, in cycles."""
    device = target.device
    start = device.cycle
    for packet, begin in zip(packets, begins, strict=True):
        metadata = {"src_port": 1 << packet.port, "pkt_len": len(packet.data), **packet.metadata}
        device.send(packet.data, target.pack_metadata(metadata), start + begin)
    device.drain()
    outputs, verdicts = list(device.outputs()), list(device.verdicts())
    assert [v.reason for v in verdicts] == [0] * len(packets)
    assert len(outputs) == len(packets)
    return [
        (verdict.entered - start - begin, output.first - verdict.entered)
        for verdict, output, begin in zip(verdicts, outputs, begins, strict=True)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_four_ports_at_every_size(name):
    target, packets = busiest(name)
    worst = 0
    for size in SIZES:
        length = size - FCS_BYTES
        fitting = [p for p in packets if len(p.data) <= length]
        assert fitting, f"no packet of {name} is so short: {length}"
        sent = [filled(fitting[i % len(fitting)], length) for i in range(PACKETS)]
        apart = (size + ETHERNET_GAP_BYTES) * CYCLES_PER_BYTE / PORTS
        waits = [wait for wait, _ in measured(target, sent, [int(i * apart) for i in range(PACKETS)])]
        worst = max(worst, *waits)
        assert worst <= LONGEST_WAIT_CYCLES, f"{size} bytes: a packet waits for {worst} cycles"
    print(f"{name}: {len(SIZES)} sizes from {SIZES[0]} to {SIZES[-1]}, longest wait {worst} cycles")


@pytest.mark.parametrize("name", NAMES)
def test_latency_is_what_the_manifest_says(name):
    target, packets = busiest(name)
    large = [filled(p, LARGE_BYTES) for p in packets]
    found = [latency for _, latency in measured(target, large, [i * APART_CYCLES for i in range(len(large))])]
    said = program(name).core.manifest["first_beat_cycles"]
    print(f"{name}: {min(found)} to {max(found)} cycles, by the manifest {said}")
    assert max(found) == said
    assert said <= BARS.get(name, said)
