# SPDX-License-Identifier: Apache-2.0
"""What a driver needs to keep the tables of hw/rtl/table: from entries to commands, whatever carries these.

Each kind of table is an object that knows what its hardware holds. `add`, `modify`, `delete` and `clear` check the
request, change what the object knows and give the commands, to be carried out in their order; a request that is
refused raises an error and changes nothing. `dump` says what is in.
"""

from p4sume.control.commands import (
    ActionError,
    ArgumentsError,
    Code,
    Command,
    ConstantError,
    DuplicateError,
    FullError,
    NotFoundError,
    Op,
    PrefixError,
    TableError,
    WidthError,
)
from p4sume.control.exact import ExactTable
from p4sume.control.lpm import LpmTable
from p4sume.control.ternary import TernaryTable

__all__ = [
    "ActionError",
    "ArgumentsError",
    "Code",
    "Command",
    "ConstantError",
    "DuplicateError",
    "ExactTable",
    "FullError",
    "LpmTable",
    "NotFoundError",
    "Op",
    "PrefixError",
    "TableError",
    "TernaryTable",
    "WidthError",
]
