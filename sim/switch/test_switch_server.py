# SPDX-License-Identifier: Apache-2.0
"""A switch on a socket, as docs/socket.md promises it.

- The command of the page starts it; registers by name, tables, frames at wires and the CPU's side work through it.
- Frames wait for the CPU until somebody listens; two clients hear the same; one that goes away takes nothing with it.
- What is no request is answered with a sentence, and the next one works; so is an address of nothing.
- Time passes by itself, or with --paused by requests only. A case or program that is none ends the command.
"""

import json
import re
import socket
import subprocess
import sys
import time

import pytest

from driver.remote_switch import RemoteError, RemoteSwitch
from flow.paths import HW, tool_environment
from p4sume.cases.rtl_control import RtlControl
from p4sume.control.plane import KeyValue
from p4sume.control.registers import BusError, Registers
from switch.traffic import PROGRAM, Frames, Setup

CASE = HW / "p4" / "cases" / "ecmp" / "line_rate.stf"
DEADLINE_S = 120


def command(*options):
    return [sys.executable, "-m", "switch.server", *map(str, options)]


@pytest.fixture
def start():
    """Starts servers; where they listen."""
    running = []

    def one(*options):
        process = subprocess.Popen(
            command(PROGRAM, "--listen", "127.0.0.1:0", *options),
            env=tool_environment() | {"PYTHONPATH": ":".join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        said = process.stdout.readline()
        assert (match := re.fullmatch(r"listening on (\S+)\n", said)), said
        return match[1]

    yield one
    for process in running:
        process.terminate()
        process.wait(30)


def a_frame(target, serial=1):
    return Frames(Setup(), 1).make(0, (target,), 300, serial)


def until(client, count, cycles=2000):
    """Frames, as many as that."""
    came = []
    deadline = time.monotonic() + DEADLINE_S
    while len(came) < count:
        assert time.monotonic() < deadline, f"{len(came)} of {count} frames have come"
        client.run(cycles)
        came += client.frames()
    return came


@pytest.mark.parametrize("backend", ["rtl", "model"])
def test_registers_tables_and_frames(start, backend):
    with RemoteSwitch(start("--paused", "--on", backend)) as switch:
        around = switch.manifest["switch"]
        registers = Registers(switch, around["registers"])
        assert registers.read("identity.id") == int.from_bytes(b"MPHU", "big")
        switch.listen("nf1")
        switch.listen("cpu")
        control = RtlControl(switch, switch.manifest, around["program_base"])
        Setup(case=CASE).apply(control)
        switch.send("nf0", a_frame(1))
        assert until(switch, 1)[0].port == "nf1"
        with pytest.raises(LookupError):
            control.table("no_such_table")
        control.change("add", control.table("ipv4_route"), [KeyValue(0x0A000100, prefix=25)], 0, "route_to_cpu", [])
        switch.send("nf0", a_frame(1))
        [frame] = until(switch, 1)
        assert (frame.port, frame.data, frame.from_ports) == ("cpu", a_frame(1), 1)
        assert frame.to_ports & 0xAA
        assert registers.read("counters.rx_packets[0]") == 2
        switch.send("cpu1", a_frame(2))
        assert until(switch, 1)[0].data == a_frame(2)


def test_links_and_a_cpu_at_which_nobody_listens(start):
    place = start("--paused", "--case", CASE)
    with RemoteSwitch(place) as first:
        around = first.manifest["switch"]
        control = RtlControl(first, first.manifest, around["program_base"])
        control.change("add", control.table("ipv4_route"), [KeyValue(0x0A000100, prefix=25)], 0, "route_to_cpu", [])
        for serial in range(5):
            first.send("nf0", a_frame(1, serial))
        first.run(3000)
        first.run(3000)
        assert first.frames() == []
        with RemoteSwitch(place) as second:
            second.listen("cpu")
            first.listen("cpu")
            assert [f.data for f in until(second, 5)] == [a_frame(1, serial) for serial in range(5)]
            assert [f.data for f in first.frames()] == [a_frame(1, serial) for serial in range(5)]
            registers = Registers(first, around["registers"])
            first.set_link("nf2", False)
            first.run(10)
            assert registers.fields("port[2].status", registers.read("port[2].status")) == {"link": 0, "up": 0}
        first.send("nf0", a_frame(1, 9))
        assert [f.data for f in until(first, 1)] == [a_frame(1, 9)], "the other client's going has taken nothing away"


def test_time_goes_on_by_itself_unless_it_is_paused(start):
    with RemoteSwitch(start()) as switch:
        begun = switch.run()
        deadline = time.monotonic() + DEADLINE_S
        while switch.run() < begun + 5000:
            assert time.monotonic() < deadline
    with RemoteSwitch(start("--paused")) as switch:
        begun = switch.run()
        time.sleep(0.3)
        assert switch.run() == begun
        assert switch.run(777) == begun + 777


def test_what_is_no_request_is_told_so(start):
    place = start("--paused")
    host, port = place.split(":")
    lines = {
        b"nonsense": "not a line of JSON",
        b"[1, 2]": "a request is an object",
        b'"read"': "a request is an object",
        b"{}": "'do' is missing",
        b'{"do": "fly"}': "a request is an object whose 'do' is one of describe, read",
        b'{"do": "read"}': "'address' is a number",
        b'{"do": "read", "address": true}': "'address' is a number",
        b'{"do": "read", "address": 2}': "a multiple of 4",
        b'{"do": "read", "address": -4}': "'address' is a number",
        b'{"do": "write", "address": 0, "value": 4294967296}': "'value' is a number",
        b'{"do": "run", "cycles": 1e3}': "'cycles' is a number",
        b'{"do": "run", "cycles": 1000000000000}': "'cycles' is a number",
        b'{"do": "send", "port": "nf4", "frame": "00"}': "there is no port nf4",
        b'{"do": "send", "port": "eth0", "frame": "00"}': "'eth0' is not a port",
        b'{"do": "send", "port": "nf0", "frame": "0g"}': "not hex",
        b'{"do": "send", "port": "nf0", "frame": ""}': "a frame has from 1",
        b'{"do": "listen", "port": "cpu1"}': "the CPU sides share one queue",
        b'{"do": "link", "port": "nf1", "up": 1}': "'up' true or false",
        b"\xff\xfe": "not a line of JSON",
    }
    with socket.create_connection((host, int(port)), 60) as plain, plain.makefile("rb") as answers:
        for line, told in lines.items():
            plain.sendall(line + b"\n")
            answer = json.loads(answers.readline())
            assert told in answer["error"], (line, answer)
        plain.sendall(b'{"do": "read", "address": 0}\n{"do": "read", "address": 4}\n')
        assert json.loads(answers.readline()) == {"value": int.from_bytes(b"MPHU", "big")}
        assert "value" in json.loads(answers.readline())
        plain.sendall(b'{"do": "read", "address": 131068}\n')
        answer = json.loads(answers.readline())
        assert answer["response"] == "SLVERR" and "0x1fffc" in answer["error"]
        plain.sendall(b" " * (1 << 21) + b"\n")
        assert "a line has more than" in json.loads(answers.readline())["error"]
        assert answers.readline() == b""
    with RemoteSwitch(place) as switch:
        with pytest.raises(BusError):
            switch.read(0x1FFFC)
        with pytest.raises(RemoteError, match="multiple of 4"):
            switch.write(1, 1)
        assert switch.read(0) == int.from_bytes(b"MPHU", "big")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["no_such.p4"], "no_such.p4"),
        ([PROGRAM, "--case", "no_such.stf"], "no_such.stf"),
        ([PROGRAM, "--listen", "nowhere"], "'nowhere' is not HOST:PORT"),
        ([PROGRAM, "--listen", "192.0.2.1:1"], "cannot listen there"),
    ],
)
def test_what_cannot_be_served_is_told_so(options, told):
    ran = subprocess.run(
        command(*options),
        env=tool_environment() | {"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode in (1, 2) and told in ran.stderr and "Traceback" not in ran.stderr, ran.stderr
