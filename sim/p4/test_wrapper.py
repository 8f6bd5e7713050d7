# SPDX-License-Identifier: Apache-2.0
"""nf_sume_sdnet: a generated core with the ports of P4-NetFPGA's wrapper.

- Its ports are those that P4-NetFPGA's tree connects, by name, direction and width.
- Over S_AXI_*, with a clock of its own: the program's hash reads as in the manifest, an address of nothing is answered
  with an error, an entry goes in as a driver puts it there.
- A packet that no entry lets through is dropped and counted; one that an entry lets through leaves with the metadata's
  lower 48 bits and the digest above them in TUSER.
- A program whose digest is another has no wrapper.
"""

import json
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import Immediate
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiResp,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

from bench import runner
from flow.elaborate import elaborate
from flow.paths import BUILD, ROOT
from flow.sources import closure
from p4sume.control.entries import Entries
from p4sume.control.plane import ActionInfo, Field, KeyField, KeyValue, TableInfo
from p4sume.control.registers import BusError, Registers
from p4sume.control.windows import TableWindow
from p4sume.frontend import Options, run_front_end
from p4sume.hardware.build import build

PROGRAM = ROOT / "sw" / "p4sume" / "tests" / "cases" / "switch.p4"
FOLDER = BUILD / "test" / "wrapper"
MODULE = "nf_sume_sdnet"
KEPT_BITS = 48

# Facts of the P4-NetFPGA tree: (name, into the module, bits).
PORTS = {
    ("axis_aclk", True, 1), ("axis_resetn", True, 1),
    ("m_axis_tdata", False, 256), ("m_axis_tkeep", False, 32), ("m_axis_tuser", False, 304),
    ("m_axis_tvalid", False, 1), ("m_axis_tready", True, 1), ("m_axis_tlast", False, 1),
    ("s_axis_tdata", True, 256), ("s_axis_tkeep", True, 32), ("s_axis_tuser", True, 128),
    ("s_axis_tvalid", True, 1), ("s_axis_tready", False, 1), ("s_axis_tlast", True, 1),
    ("S_AXI_ACLK", True, 1), ("S_AXI_ARESETN", True, 1),
    ("S_AXI_AWADDR", True, 12), ("S_AXI_AWVALID", True, 1), ("S_AXI_AWREADY", False, 1),
    ("S_AXI_WDATA", True, 32), ("S_AXI_WSTRB", True, 4), ("S_AXI_WVALID", True, 1), ("S_AXI_WREADY", False, 1),
    ("S_AXI_BRESP", False, 2), ("S_AXI_BVALID", False, 1), ("S_AXI_BREADY", True, 1),
    ("S_AXI_ARADDR", True, 12), ("S_AXI_ARVALID", True, 1), ("S_AXI_ARREADY", False, 1),
    ("S_AXI_RDATA", False, 32), ("S_AXI_RRESP", False, 2), ("S_AXI_RVALID", False, 1), ("S_AXI_RREADY", True, 1),
}  # fmt: skip
PARAMETERS = {
    "C_M_AXIS_DATA_WIDTH": "256", "C_S_AXIS_DATA_WIDTH": "256", "C_M_AXIS_TUSER_WIDTH": "304",
    "C_S_AXIS_TUSER_WIDTH": "128", "C_S_AXI_DATA_WIDTH": "32", "C_S_AXI_ADDR_WIDTH": "12",
    "SDNET_ADDR_WIDTH": "12", "DIGEST_WIDTH": "256",
}  # fmt: skip


class Bus:
    """AXI-Lite for a driver that waits for each answer."""

    def __init__(self, master):
        self.master = master

    @resume
    async def read(self, address):
        answer = await self.master.read(address, 4)
        if answer.resp != AxiResp.OKAY:
            raise BusError(str(answer.resp))
        return int.from_bytes(answer.data, "little")

    @resume
    async def write(self, address, value):
        answer = await self.master.write(address, value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY


def let_through(registers):
    """The entry that sends what begins with 0x10 to ports 1 and 2, as a driver of the table makes it."""
    info = TableInfo(
        "TopPipe.kinds",
        4,
        (KeyField("hdr.first[0].kind", 8, "ternary"), KeyField("hdr.first[0].$valid$", 1, "exact")),
        (ActionInfo("send", (Field("ports", 8), Field("value", 8)), True, True), ActionInfo("drop", (), True, True)),
        False,
        False,
    )
    entries = Entries(info, {"send": 1, "drop": 2}, TableWindow(registers, "TopPipe_kinds"))
    entries.add([KeyValue(0x10, 0xF0), KeyValue(1)], 0, "send", [0x06, 0x99])


def user(port, length):
    """TUSER on the way in: sizes of queues that nobody asked for, source port and length."""
    return 0x1111_2222_3333_4444_5555 << 48 | port << 16 | length


async def started(dut):
    """Clocks run, the reset is over: the control plane's master, the packets' source and sink."""
    # At once, so that it is there at the first edge: a core in the state of power-up promises nothing.
    dut.axis_resetn.value = Immediate(0)
    dut.S_AXI_ARESETN.value = Immediate(0)
    Clock(dut.axis_aclk, 5, "ns").start()
    Clock(dut.S_AXI_ACLK, 10, "ns").start()
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "S_AXI"), dut.S_AXI_ACLK, dut.S_AXI_ARESETN, False)
    source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.axis_aclk, dut.axis_resetn, False)
    sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.axis_aclk, dut.axis_resetn, False)
    await ClockCycles(dut.S_AXI_ACLK, 10)
    dut.axis_resetn.value = dut.S_AXI_ARESETN.value = 1
    await ClockCycles(dut.S_AXI_ACLK, 40)
    return master, source, sink


@cocotb.test()
async def packets_and_registers(dut):
    master, source, sink = await started(dut)
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    registers = Registers(Bus(master), manifest["registers"])
    drive = bridge(lambda call: call())

    words = [await drive(lambda i=i: registers.read(f"hash{i}")) for i in range(4)]
    assert "".join(f"{word:08x}" for word in words) == manifest["hash"]
    assert (await master.read(0xFFC, 4)).resp != AxiResp.OKAY

    async def send(data):
        await source.send(AxiStreamFrame(data, tuser=user(0x10, len(data))))
        await ClockCycles(dut.axis_aclk, 100)

    await send(b"\x12\x00")
    assert sink.empty() and await drive(lambda: registers.read("packets.drop_no_port")) == 1
    await drive(lambda: let_through(registers))
    await send(b"\x12\x00" + bytes(range(70)))
    frame = await with_timeout(sink.recv(), 1, "us")
    assert bytes(frame.tdata) == b"\x12\x99" + bytes(range(70))
    beside = frame.tuser if isinstance(frame.tuser, int) else frame.tuser[0]
    seen = 2  # both packets began with 0x12
    assert beside == seen << KEPT_BITS | 0x06 << 24 | 0x10 << 16 | 72
    assert await drive(lambda: registers.read("packets.received")) == 2


def compiled(program, folder):
    outcome = run_front_end(program, Options("sume"))
    assert build(outcome, program.stem, folder) is not None


def test_it_is_a_module_of_the_p4_netfpga_tree():
    compiled(PROGRAM, FOLDER)
    sources = closure([MODULE], FOLDER)
    made = elaborate(MODULE, {}, sources)
    assert {(p.name, p.is_input, p.width) for p in made.ports} == PORTS
    assert dict(made.parameters) == PARAMETERS
    runner.run(MODULE, {}, sources=sources, packed=False)


def test_another_digest_has_no_wrapper(tmp_path):
    other = Path(tmp_path / "other.p4")
    other.write_text(PROGRAM.read_text().replace("bit<240> unused;", "bit<64> unused;"))
    compiled(PROGRAM, tmp_path / "out")
    compiled(other, tmp_path / "out")
    assert (tmp_path / "out" / "other_core.sv").exists() and not (tmp_path / "out" / f"{MODULE}.sv").exists()
