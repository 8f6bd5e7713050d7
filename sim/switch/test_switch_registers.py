# SPDX-License-Identifier: Apache-2.0
"""The registers of a whole switch over AXI-Lite: those of hw/regs/switch.rdl and of hw/regs/switch_counters.rdl.

- Every register has a sentence and is read by its name: after reset it holds its reset value. Every bit that can be
  written keeps what is written, all others do not, and no other register changes.
- An address between and behind the registers is answered with an error, reading and writing; the next access works.
- Counters: read while packets pass they never go back and low and high word fit; afterwards they are exact.
  Clearing clears them.
- Queue sizes, link and port state show what is; rate limits and enable do what they say.
- Probes, where there are any: they leave as the registers say, and are counted, none lost, in two words that fit.
- For 1, 4 and 32 ports the register files elaborate, and no two registers share an address. Those of a switch with
  probes have the addresses that they have without.
"""

import itertools
import os
import random
from dataclasses import dataclass
from pathlib import Path

import cocotb
import pytest
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
from systemrdl.node import AddressableNode, RegNode

from bench import runner
from bench.stream import StreamBench
from flow.sources import closure
from p4sume.frontend import Options, run_front_end
from p4sume.hardware import registers
from p4sume.hardware.build import REGISTER_SOURCES, build
from p4sume.hardware.switch import COUNTERS_BASE, PROGRAM_BASE, REGISTERS_VERSION
from rtl.axis_traffic.traffic import stall
from rtl.switch_traffic.pulses import frame, payloads

PROGRAM = Path(__file__).parent / "cross.p4"
PORTS = 4
PROBE = PORTS + 1  # among the sources
HAS_PROBES = bool(os.environ.get("HAS_PROBES"))
REVISION = 0x1234ABCD
FIXED = {"identity.version": REGISTERS_VERSION, "identity.revision": REVISION, "identity.ports": PORTS}


@dataclass(frozen=True)
class Register:
    address: int
    bits: int
    description: str
    writable: int  # which bits keep what is written
    reset: int


def described(ports, probes):
    """Every register by its path, `port[1].control`, from hw/regs alone."""
    found = {}

    def walk(node, path, base):
        for child in node.children(unroll=True):
            if not isinstance(child, AddressableNode):
                continue
            index = f"[{child.current_idx[0]}]" if child.current_idx else ""
            name = f"{path}.{child.inst_name}{index}" if path else f"{child.inst_name}{index}"
            if not isinstance(child, RegNode):
                walk(child, name, base)
                continue
            writable = reset = 0
            for field in child.fields():
                mask = (1 << field.width) - 1 << field.low
                writable |= mask if field.is_sw_writable and field.is_sw_readable else 0
                reset |= (field.get_property("reset") or 0) << field.low
            bits, sentence = child.get_property("regwidth"), child.get_property("desc") or ""
            found[name] = Register(base + child.absolute_address, bits, sentence, writable, reset)

    for file, base, settings in (
        ("switch.rdl", 0, {"VERSION": REGISTERS_VERSION, "HAS_PROBES": probes}),
        ("switch_counters.rdl", COUNTERS_BASE, {}),
    ):
        walk(registers.elaborate(REGISTER_SOURCES / file, REGISTER_SOURCES, N_PORTS=ports, **settings).top, "", base)
    return found


class Board:
    def __init__(self, dut):
        self.dut = dut
        self.bench = StreamBench(dut)
        self.axi = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        self.map = described(PORTS, HAS_PROBES)

    async def start(self):
        self.dut.link_up.value = 2**PORTS - 1
        await self.bench.start()
        await self.bench.cycles(5)

    async def read(self, name):
        register = self.map[name]
        value = 0
        for word in range(register.bits // 32):
            answer = await self.axi.read(register.address + 4 * word, 4)
            assert answer.resp == AxiResp.OKAY, name
            value |= int.from_bytes(answer.data, "little") << 32 * word
        return value

    async def write(self, name, value):
        answer = await self.axi.write(self.map[name].address, value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY, name

    async def all(self):
        return {name: await self.read(name) for name in self.map}

    def send(self, wire, length, bad=0):
        source = self.bench.source[f"s_axis_wire_{wire}"]
        data = random.randbytes(length)
        source.send(frame(source.format, data, bad=bad))
        return data


async def begin(dut):
    board = Board(dut)
    await board.start()
    return board


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def every_register_is_there_and_keeps_what_it_should(dut):
    board = await begin(dut)
    assert all(r.description.endswith(".") for r in board.map.values()), "a register without its sentence"
    first = await board.all()
    for name, value in first.items():
        shown = {f"port[{i}].status": 3 for i in range(PORTS)}
        assert value == {**FIXED, **shown}.get(name, board.map[name].reset), name
    for name, register in board.map.items():
        if name == "counting.command" or name.startswith("counters."):
            continue
        for value in (0xFFFFFFFF, 0, 0xA5A5A5A5):
            await board.write(name, value)
            kept = value & register.writable | first[name] & ~register.writable
            assert await board.read(name) == kept, name
        await board.write(name, first[name])
    assert await board.all() == first


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def an_address_that_is_none_is_an_error(dut):
    board = await begin(dut)
    places = {r.address + 4 * word for r in board.map.values() for word in range(r.bits // 32)}
    wrong = [place + 4 for place in places if place + 4 not in places]
    wrong += [PROGRAM_BASE + 0xFFC, PROGRAM_BASE + 0x1000, 0x7FFFFC]
    wrong += [random.randrange(0, 2**23, 4) for _ in range(20)]
    for place in wrong:
        if place in places:
            continue
        assert (await board.axi.read(place, 4)).resp == AxiResp.SLVERR, hex(place)
        assert (await board.axi.write(place, bytes(4))).resp == AxiResp.SLVERR, hex(place)
    assert await board.read("identity.ports") == PORTS


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def counters_are_exact_and_never_go_back(dut):
    board = await begin(dut)
    sent = [board.send(0, random.randint(60, 600)) for _ in range(150)]
    board.send(0, 100, bad=1)
    sink = board.bench.sink["m_axis_wire_1"]
    last = 0
    while len(payloads_so_far(sink)) < len(sent):
        now = await board.read("counters.rx_bytes[0]")
        assert last <= now <= sum(map(len, sent))
        last = now
    await board.bench.cycles(200)
    assert payloads(sink.format, sink.beats) == sent
    total = sum(map(len, sent))
    wanted = {
        "rx_packets[0]": len(sent), "rx_bytes[0]": total, "rx_bad[0]": 1,
        "queue_packets[1]": len(sent), "tx_packets[1]": len(sent), "tx_bytes[1]": total,
    }  # fmt: skip
    for name in board.map:
        if name.startswith("counters."):
            assert await board.read(name) == wanted.get(name.removeprefix("counters."), 0), name
    await board.write("counters.rx_bytes[0]", 5)
    assert await board.read("counters.rx_bytes[0]") == total
    await board.write("counting.command", 1)
    assert await board.read("counters.rx_bytes[0]") == 0 == await board.read("counters.tx_packets[1]")


def payloads_so_far(sink):
    return [one for one in sink.beats if sink.format.field(one, "last")]


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def settings_do_and_states_show(dut):
    board = await begin(dut)
    board.bench.sink["m_axis_wire_1"].pause = stall()
    board.send(0, 100)
    await board.bench.cycles(60)
    assert await board.read("queues.size[1]") == 4
    await board.write("queues.cpu.rate", 0)
    board.send(2, 100)
    await board.bench.cycles(100)
    assert await board.read("queues.size[4]") == 4 and not board.bench.sink["m_axis_cpu"].beats
    await board.write("queues.cpu.rate", 0xFFFF)
    await board.bench.cycles(60)
    assert await board.read("queues.size[4]") == 0 and board.bench.sink["m_axis_cpu"].beats
    for port in range(PORTS):
        dut.link_up.value = 2**PORTS - 1 - (1 << port)
        await board.bench.cycles(3)
        assert await board.read(f"port[{port}].status") == 0
        dut.link_up.value = 2**PORTS - 1
        await board.write(f"port[{port}].control", 0)
        assert await board.read(f"port[{port}].status") == 1
        assert int(dut.port_up.value) == 2**PORTS - 1 - (1 << port)
        await board.write(f"port[{port}].control", 1)
        assert await board.read(f"port[{port}].status") == 3


@cocotb.test(timeout_time=20, timeout_unit="ms", skip=not HAS_PROBES)
async def probes_leave_and_are_counted(dut):
    board = await begin(dut)
    sink = board.bench.sink["m_axis_cpu"]

    async def counts():
        return [await board.read(f"probes.{name}") for name in ("sent", "missed")]

    sent = missed = 0
    for period, some, many in ((100, True, False), (2, True, True), (0, False, False)):
        uplinks, tor, mac = random.choice((0b1111, 0b0110)), random.getrandbits(24), random.getrandbits(48)
        address = random.getrandbits(32)
        for name, value in (
            ("period", period),
            ("uplinks", uplinks),
            ("tor", tor),
            ("mac_low", mac & 0xFFFFFFFF),
            ("mac_high", mac >> 32),
            ("ipv4", address),
            ("control", 1),
        ):
            await board.write(f"probes.{name}", value)
        last = sent
        for _ in range(30):
            now = await board.read("probes.sent")
            assert last <= now <= last + 100
            last = now
            await board.bench.cycles(20)
        await board.write("probes.control", 0)
        await board.bench.cycles(2000)
        left = payloads(sink.format, sink.beats)
        sink.beats.clear()
        ports = itertools.cycle(port for port in range(PORTS) if uplinks >> port & 1)
        for data, port in zip(left, ports, strict=False):
            assert data[:14] == bytes((2, 0, 0, 0, 0, port)) + mac.to_bytes(6, "big") + b"\x08\x00"
            assert (data[26:30], data[34:37]) == (address.to_bytes(4, "big"), tor.to_bytes(3, "big"))
        missed_before = missed
        sent, missed = sent + len(left), (await counts())[1]
        assert await counts() == [sent, missed]
        assert (len(left) > 10) == some and (missed - missed_before > 100) == many
        assert await board.read(f"counters.rx_packets[{PROBE}]") == sent
    # Nobody writes them, and the command to the other counters leaves them alone.
    await board.write("probes.sent", 5)
    await board.write("counting.command", 1)
    assert await counts() == [sent, missed]
    assert await board.read(f"counters.rx_packets[{PROBE}]") == 0


@pytest.mark.parametrize("probes", [False, True], ids=["without probes", "with probes"])
def test_switch_registers(tmp_path, monkeypatch, probes):
    # PeakRDL's block asserts at time 0, before any reset, that nobody answers: a start state in which nobody does.
    monkeypatch.setenv("SEED", "21")
    made = build(run_front_end(PROGRAM, Options("sume")), PROGRAM.stem, tmp_path, ["best_hops"] if probes else [])
    top = made.manifest["switch"]["top"]
    settings = {"HAS_PROBES": "1" if probes else ""}
    runner.run(top, {"REVISION": REVISION}, sources=closure([top], tmp_path), settings=settings)


@pytest.mark.parametrize("ports", [1, 4, 32])
def test_registers_do_not_overlap(ports):
    found = described(ports, True)
    places = [register.address + 4 * word for register in found.values() for word in range(register.bits // 32)]
    assert len(places) == len(set(places))
    without = described(ports, False)
    assert without == {name: register for name, register in found.items() if not name.startswith("probes.")}
    assert without != found
