# SPDX-License-Identifier: Apache-2.0
"""The core as an object: what simulators and targets rely on.

- A reset in the middle of traffic forgets packets, entries and counts; the same case passes after it.
- Gaps and stalls change when packets pass, and nothing else; a packet comes no earlier than it is told to.
- An address of nothing is an error, and so are packets that never leave; behind an error nothing moves.
- A second on one core simulates 50 000 cycles of ecmp or more.
"""

import time

import pytest

from p4.programs import CASES, program
from p4sume.cases import stf
from p4sume.cases.runner import run_case
from p4sume.cases.target import DeviceError
from p4sume.control.registers import BusError

CASE = CASES / "ecmp" / "routing_ipv4.stf"
CYCLES_PER_SECOND = 50_000


@pytest.fixture
def rtl():
    return program("ecmp").fresh().rtl


def case_packets():
    return [s for s in stf.parse_file(CASE) if isinstance(s, stf.SendPacket)]


def send_all(rtl, packets):
    for packet in packets:
        rtl.device.send(packet.data, rtl.pack_metadata({"src_port": 1, "pkt_len": len(packet.data)}))


def passed(rtl):
    """What the case's packets become, with the case's entries in."""
    assert run_case(stf.parse_file(CASE), rtl, str(CASE)).passed
    send_all(rtl, case_packets())
    rtl.device.drain()
    return [(o.data, o.user) for o in rtl.device.outputs()], [v.reason for v in rtl.device.verdicts()]


def test_a_reset_forgets_everything(rtl):
    first = passed(rtl)
    assert rtl.counter("packets") == 2 * len(case_packets())
    send_all(rtl, case_packets())
    rtl.device.run(20)
    rtl.reset()
    assert list(rtl.device.outputs()) == [] and list(rtl.device.verdicts()) == []
    assert rtl.counter("packets") == 0
    assert passed(rtl) == first


def test_after_a_reset_registers_are_asked_anew(rtl):
    rtl.write_register("hash_seed_reg_rw", 1, 0x1234)
    rtl.reset()
    rtl.write_register("hash_seed_reg_rw", 1, 0x1234)
    assert [rtl.read_register("hash_seed_reg_rw", index) for index in (0, 1)] == [0, 0x1234]


@pytest.mark.parametrize("pace", [(50, 0), (0, 70), (60, 60)])
def test_the_pace_changes_nothing_but_time(rtl, pace):
    at_full_rate = passed(rtl)
    begun = rtl.device.cycle
    send_all(rtl, case_packets())
    rtl.device.drain()
    quick = rtl.device.cycle - begun
    outputs = [(o.data, o.user) for o in rtl.device.outputs()]
    list(rtl.device.verdicts())
    rtl.device.set_pace(*pace)
    begun = rtl.device.cycle
    send_all(rtl, case_packets())
    rtl.device.drain()
    assert [(o.data, o.user) for o in rtl.device.outputs()] == outputs == at_full_rate[0]
    assert rtl.device.cycle - begun > quick


def test_a_packet_waits_for_its_time(rtl):
    packet = case_packets()[0]
    when = rtl.device.cycle + 500
    rtl.device.send(packet.data, rtl.pack_metadata({"src_port": 1}), when)
    rtl.device.drain(100)
    [verdict] = rtl.device.verdicts()
    assert verdict.entered == when


def test_an_address_of_nothing(rtl):
    for access in (lambda: rtl.device.read(0xFFC), lambda: rtl.device.write(0xFFC, 1)):
        with pytest.raises(BusError, match="0xffc was answered with (SLVERR|DECERR)"):
            access()
    assert rtl.counter("packets") == 0


def test_packets_that_never_leave(rtl):
    assert run_case(stf.parse_file(CASE), rtl, str(CASE)).passed
    rtl.device.set_pace(0, 100)
    send_all(rtl, case_packets())
    with pytest.raises(DeviceError, match="packets have neither left nor been dropped after 500 cycles"):
        rtl.device.drain(500)
    with pytest.raises(DeviceError):
        rtl.device.run(1)


def test_speed(rtl):
    assert run_case(stf.parse_file(CASE), rtl, str(CASE)).passed
    packets = case_packets()
    for _ in range(200):
        send_all(rtl, packets)
    begun, at = rtl.device.cycle, time.process_time()
    rtl.device.drain()
    rate = (rtl.device.cycle - begun) / (time.process_time() - at)
    print(f"ecmp: {rate:.0f} cycles in a second of one core")
    assert rate >= CYCLES_PER_SECOND
