# SPDX-License-Identifier: Apache-2.0
"""Which calls of externs change nothing, so that nobody can tell whether they were made."""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.blocks import REGISTER_KINDS
from p4sume.hardware.hula_engines import ENGINES

STATELESS_KINDS = frozenset({"lrc", "timestamp", "ip_chksum"})
# Operation codes of P4-NetFPGA's registers that leave the register as it is: READ and NULL.
HARMLESS_OPERATIONS = frozenset({0, 4})
_OPERATION = "opCode"  # what the names of their operation codes begin with


def changes_nothing(extern: g.Extern, known: Sequence[int | None]) -> bool:
    """`known`: the arguments that are constants. True if it is certain for every packet."""
    if extern.kind in STATELESS_KINDS:
        return True
    if extern.kind in ENGINES:
        return not ENGINES[extern.kind].changes_state
    if extern.kind not in REGISTER_KINDS:
        return False
    operations = [
        number for (name, _, _), number in zip(extern.parameters, known, strict=True) if name.startswith(_OPERATION)
    ]
    return bool(operations) and all(number in HARMLESS_OPERATIONS for number in operations)
