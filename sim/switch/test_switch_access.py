# SPDX-License-Identifier: Apache-2.0
"""The registers of a whole switch, and switches of other programs and of other numbers of ports.

- Every register of the switch and of its program has a sentence and is read at the address that the manifest gives.
- Where nothing lies, reading and writing are answered with an error, and the next access works.
- The CPU's side: a frame from the CPU leaves by the wire that the program chooses, one for the CPU reaches it, with the
  port it came from.
- A link that goes down, and a reset in the midst of traffic, leave a switch that works.
- All this for the switch made of RTL and for the one around the program's model.
- Each program of hw/p4 makes a switch without a warning, for 1, 4 and 9 ports.
"""

import os
import random
import subprocess

import pytest

from bench import verilator
from bench.packets.factory import Flow, Link, PacketFactory
from flow.paths import HW, tool_environment
from flow.sources import closure
from p4sume.cases.model_switch import build_model_switch
from p4sume.cases.rtl_build import RULES, build_switch
from p4sume.control.plane import KeyValue
from p4sume.control.registers import BusError
from p4sume.frontend import Options, run_front_end
from p4sume.hardware.build import build
from switch.library import CPU
from switch.traffic import Setup, Traffic, configured

SEED = int(os.environ.get("SEED", "1"))
PROGRAMS = sorted((HW / "p4").glob("*.p4"))
MOST_PORTS = {"hula": 8}  # that a program is for, where it is not for as many as one likes
GATEWAY_MAC = "02:00:00:00:00:01"  # of line_rate.stf, whose network 10.0.T.0/24 is behind wire T


@pytest.fixture(params=[build_switch, build_model_switch], ids=["rtl", "model"])
def switch(request):
    return configured(SEED, build=request.param)


def a_frame(target, length=300):
    flow = Flow("10.1.0.1", 1024, target, 2048)
    return PacketFactory(random.Random(SEED)).udp(flow, link=Link(dst_mac=GATEWAY_MAC), length=length)


def test_every_register_is_read_by_its_name(switch):
    around = switch.program.manifest["switch"]
    listed = [*around["registers"]]
    listed += [{**r, "address": around["program_base"] + r["address"]} for r in switch.program.manifest["registers"]]
    assert all(r["description"].endswith(".") for r in listed), "a register without its sentence"
    assert len({r["address"] for r in listed}) == len(listed) > 100
    words = {r["address"]: switch.device.read(r["address"]) for r in listed}
    by_name = {r["name"]: words[r["address"]] for r in listed}
    assert by_name["identity.id"] == int.from_bytes(b"MPHU", "big")
    assert by_name["identity.ports"] == switch.device.ports
    digest = "".join(f"{by_name[f'hash{i}']:08x}" for i in range(4))
    assert digest == switch.program.manifest["hash"]


def test_an_address_of_nothing_is_an_error(switch):
    around = switch.program.manifest["switch"]
    used = {r["address"] + 4 * word for r in around["registers"] for word in range(2)}
    used |= {around["program_base"] + r["address"] for r in switch.program.manifest["registers"]}
    rng = random.Random(SEED)
    ends = [0x1FFFC, 0x20FFC, 0x21000, 0x3FFFC, 0x7FFFFC]
    nothing = [a for a in ends + [rng.randrange(0, 1 << 23, 4) for _ in range(200)] if a not in used]
    assert len(nothing) > 100
    for address in nothing:
        with pytest.raises(BusError):
            switch.device.read(address)
        with pytest.raises(BusError):
            switch.device.write(address, 1)
        assert switch.device.read(0) == int.from_bytes(b"MPHU", "big")


def test_frames_from_and_to_the_cpu(switch):
    control = switch.program
    control.change("add", control.table("ipv4_route"), [KeyValue(0x0A030000, prefix=16)], 0, "route_to_cpu", [])
    device = switch.device
    device.send(CPU, a_frame("10.0.2.9"), from_port=1)  # ecmp.p4: it leaves by port 1's wire as it is
    device.send(3, a_frame("10.3.0.1"))
    device.run(1000)
    [left] = device.received(1)
    assert left.data == a_frame("10.0.2.9")
    [at_cpu] = device.received(CPU)
    assert at_cpu.from_ports == 1 << 6
    assert at_cpu.to_ports & 0xAA and not at_cpu.to_ports & 0x55
    assert at_cpu.data == a_frame("10.3.0.1")
    assert switch.counter("rx_packets[4]") == switch.counter("tx_packets[4]") == 1


def test_a_link_that_is_down_takes_nothing(switch):
    device = switch.device
    device.set_link(1, False)
    for _ in range(10):
        device.send(0, a_frame("10.0.1.1"))
    device.send(0, a_frame("10.0.2.1"))
    device.run(2000)
    assert [len(list(device.received(wire))) for wire in range(4)] == [0, 0, 1, 0]
    assert switch.counter("queue_down[1]") == 10
    assert switch.registers.read_field("port[1].status", "up") == 0
    device.set_link(1, True)
    device.send(0, a_frame("10.0.1.1"))
    device.run(500)
    assert len(list(device.received(1))) == 1
    assert switch.registers.read_field("port[1].status", "up") == 1


def test_a_damaged_frame_and_one_too_long_are_counted(switch):
    device = switch.device
    device.send(0, a_frame("10.0.1.1"), damaged=True)
    device.send(0, a_frame("10.0.1.1", 1601))
    device.send(0, a_frame("10.0.1.1", 1600))
    device.run(2000)
    assert len(list(device.received(1))) == 1
    assert [switch.counter(f"rx_{why}[0]") for why in ("bad", "long", "packets")] == [1, 1, 1]


def test_a_reset_in_the_midst_of_traffic(switch):
    rng = random.Random(SEED)
    for _ in range(5):
        for wire in range(4):
            for _ in range(40):
                switch.device.send(wire, a_frame(f"10.0.{rng.randrange(4)}.1", rng.randrange(60, 1515)))
        switch.device.run(rng.randrange(500, 3000))
        switch.reset()
    assert all(switch.counter(name) == 0 for name in switch.counter_names)
    switch.device.send(0, a_frame("10.0.1.1"))
    switch.device.run(3000)
    assert not any(list(switch.device.received(wire)) for wire in range(4)), "a route has outlived the reset"
    Setup().apply(switch.program)
    assert Traffic(switch, SEED).run("after", 3000, lambda: 200, lambda source: (3 - source,)).loss == 0


@pytest.mark.parametrize(
    ("program", "ports"),
    [(path, ports) for path in PROGRAMS for ports in (1, 4, MOST_PORTS.get(path.stem, 9))],
    ids=lambda given: getattr(given, "stem", given),
)
def test_each_program_makes_a_switch_without_a_warning(program, ports, tmp_path):
    options = Options("sume", defines=(f"N_PORTS={ports}",))
    made = build(run_front_end(program, options), program.stem, tmp_path)
    assert made is not None
    around = made.manifest["switch"]
    assert around["ports"] == ports
    command = ["verilator", "--lint-only", *verilator.LINT_RULES, "--top-module", around["top"], str(RULES)]
    command += [str(file) for file in closure([around["top"]], tmp_path)]
    ran = subprocess.run(command, env=tool_environment(), capture_output=True, text=True)
    assert ran.returncode == 0 and "%Warning" not in ran.stderr, ran.stderr
