# SPDX-License-Identifier: Apache-2.0
"""nf_sume_sdnet around a program that sees the switch, which P4-NetFPGA's tells nothing of.

- What leaves for a wire counts for that wire and no other, all of its beats: held against HULA's formula, whose average
  is read some cycles later.
- Every port is up, but for those that the program's register takes out.
"""

import json
from pathlib import Path

import cocotb
from cocotb.task import bridge
from cocotb.triggers import ClockCycles, with_timeout
from cocotbext.axi import AxiStreamFrame

from bench import runner
from flow.paths import BUILD
from flow.sources import closure
from p4.test_wrapper import MODULE, Bus, compiled, started, user
from p4sume.control.registers import Registers

FOLDER = BUILD / "test" / "wrapper_sidebands"
# Shows what it sees, and sends to the ports that the packet names.
TEXT = """
#include <core.p4>
#include <sume_switch.p4>
header shown_t { bit<8> ports; bit<8> up; bit<32> utilisations; }
struct headers_t { shown_t shown; }
struct user_metadata_t { bit<8> unused; }
struct digest_data_t { bit<256> unused; }
extern void wires_port_up(out bit<4> up);
extern void wires_link_util(out bit<32> utilisations);
parser TopParser(packet_in b, out headers_t hdr, out user_metadata_t meta, out digest_data_t digest,
                 inout sume_metadata_t sume) {
    state start { b.extract(hdr.shown); transition accept; }
}
control TopPipe(inout headers_t hdr, inout user_metadata_t meta, inout digest_data_t digest,
                inout sume_metadata_t sume) {
    apply {
        bit<4> up;
        wires_port_up(up);
        wires_link_util(hdr.shown.utilisations);
        hdr.shown.up = (bit<8>)up;
        sume.dst_port = hdr.shown.ports;
    }
}
control TopDeparser(packet_out b, in headers_t hdr, in user_metadata_t meta, inout digest_data_t digest,
                    inout sume_metadata_t sume) {
    apply { b.emit(hdr.shown); }
}
SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
"""
TAU_LOG2 = 10
BYTES_A_CYCLE = 6.25  # of a link of 10 Gb/s
OVERHEAD_BYTES = 24
READ_LATER_CYCLES = 160  # at most, from a packet's last beat out until another one has seen it


@cocotb.test()
async def what_leaves_counts_for_its_wire(dut):
    master, source, sink = await started(dut)
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    registers, drive = Registers(Bus(master), manifest["registers"]), bridge(lambda call: call())
    groups = {extern["kind"]: extern["settings"] for extern in manifest["externs"]}
    await drive(lambda: registers.write(f"{groups['link_util']}.tau_log2", TAU_LOG2))

    async def send(ports, length):
        """What the packet has seen: who was up, and the utilisation of each wire."""
        await source.send(AxiStreamFrame(bytes([ports]) + bytes(length - 1), tuser=user(0x01, length)))
        seen = bytes((await with_timeout(sink.recv(), 5, "us")).tdata)
        assert len(seen) == length
        return seen[1], list(seen[5:1:-1])

    await ClockCycles(dut.axis_aclk, 100)
    assert await send(0x02, 60) == (0xF, [0, 0, 0, 0])
    for wire in range(4):
        for length in (64, 95, 1500):
            await ClockCycles(dut.axis_aclk, 2 << TAU_LOG2)
            assert (await send(1 << 2 * wire, length))[1] == [0, 0, 0, 0], "it sees what left before it"
            await ClockCycles(dut.axis_aclk, 60)
            _, seen = await send(0x02, 60)  # to a CPU side: no wire sends
            full = (length + OVERHEAD_BYTES) / (1 << TAU_LOG2) / BYTES_A_CYCLE * 254
            assert full * (1 - READ_LATER_CYCLES / (1 << TAU_LOG2)) - 1 <= seen[wire] <= full + 1, (wire, length, seen)
            assert all(seen[other] == 0 for other in range(4) if other != wire)
    await drive(lambda: registers.write(f"{groups['port_up']}.down", 0b0101))
    assert (await send(0x02, 60))[0] == 0b1010


def test_a_program_sees_what_leaves_the_wrapper(tmp_path):
    program = Path(tmp_path / "seeing.p4")
    program.write_text(TEXT)
    compiled(program, FOLDER)
    runner.run(MODULE, {}, sources=closure([MODULE], FOLDER), packed=False)
