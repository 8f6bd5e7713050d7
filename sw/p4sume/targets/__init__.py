# SPDX-License-Identifier: Apache-2.0
"""What a target demands beyond the language.

A target is a list of checks. Each takes the checked program and the diagnostics, and reports; the hardware back
end adds its own refusals here, by appending to the list.
"""

from __future__ import annotations

from collections.abc import Callable

from p4sume.diagnostics import Diagnostics
from p4sume.semantics.checked import Checked
from p4sume.targets import sume

Check = Callable[[Checked, Diagnostics], None]

TARGETS: dict[str, list[Check]] = {
    "core": [],
    "sume": [sume.check_main, sume.check_extern_functions],
}


def check_target(name: str, checked: Checked, diagnostics: Diagnostics) -> None:
    for check in TARGETS[name]:
        check(checked, diagnostics)
