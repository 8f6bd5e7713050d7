# SPDX-License-Identifier: Apache-2.0
"""What stands around a pipeline goes by the kinds of externs that its program has.

- With an extern that takes a request every second cycle, and only then, windows are two cycles apart.
- With best_hops, and only then, the switch has a probe source and registers for it; all others lie where they were.
"""

from typing import Any

import pytest

from flow.paths import HW
from p4sume.cases.rtl_build import generate
from p4sume.frontend import Options
from p4sume.hardware.blocks import has_probes, spacing_cycles

PROGRAM = HW / "p4" / "firewall.p4"


def made(*as_with: str) -> tuple[dict[str, str], dict[str, Any]]:
    files, manifest = generate(PROGRAM, Options("sume"), whole_switch=True, as_with=as_with)
    return {name: content.decode() for name, content in files.items()}, manifest


@pytest.mark.parametrize("kind", ["best_hops", "flowlet_table", "probe_gate"])
def test_windows_are_two_cycles_apart(kind: str) -> None:
    assert spacing_cycles(["timestamp", kind]) == 2
    files, manifest = made(kind)
    assert ".SPACING_CYCLES(2)" in files["firewall_core.sv"]
    assert manifest["spacing_cycles"] == 2


def test_windows_come_every_cycle() -> None:
    assert spacing_cycles([]) == spacing_cycles(["reg_raw", "link_util"]) == 1
    files, manifest = made("link_util")
    assert "SPACING_CYCLES" not in files["firewall_core.sv"]
    assert manifest["spacing_cycles"] == 1


def test_a_switch_makes_probes() -> None:
    assert has_probes(["timestamp", "best_hops"]) and not has_probes(["flowlet_table", "probe_gate"])
    without, plain = made("flowlet_table")
    files, manifest = made("flowlet_table", "best_hops")
    assert "probe_source" not in without["firewall_switch.sv"].partition("module firewall_switch")[2]
    assert "  probe_source #(" in files["firewall_switch.sv"]
    assert not any("s_axis_probe" in line and "input" in line for line in files["firewall_switch.sv"].splitlines())
    before, after = ({r["name"]: r for r in one["switch"]["registers"]} for one in (plain, manifest))
    group = {name for name in after if name.startswith("probes.")}
    assert {"probes.control", "probes.sent", "probes.missed"} < group
    assert before == {name: after[name] for name in after.keys() - group}
