# SPDX-License-Identifier: Apache-2.0
"""Commands of the match tables, as hw/rtl/table/table_pkg.sv numbers them, and why a request is refused."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Op(IntEnum):
    SET = 0
    DELETE = 1
    READ = 2
    CLEAR = 3
    NODE = 4
    SWAP = 5
    DEFAULT = 6  # of a table's window: tables never see it


class Code(IntEnum):
    OK = 0
    FULL = 1
    NOT_FOUND = 2
    BAD_REQUEST = 3


@dataclass(frozen=True)
class Command:
    """One command; a field that the table or the operation does not have is zero."""

    op: Op
    key: int = 0
    mask: int = 0
    value: int = 0
    index: int = 0
    target: int = 0


class TableError(Exception):
    """A request that is refused; the message is a sentence for the user."""


class FullError(TableError):
    pass


class DuplicateError(TableError):
    pass


class NotFoundError(TableError):
    pass


class PrefixError(TableError):
    pass


class WidthError(TableError):
    pass


class ConstantError(TableError):
    pass


class ActionError(TableError):
    pass


class ArgumentsError(TableError):
    pass


def check_width(what: str, number: int, bits: int) -> None:
    if number < 0 or number >> bits:
        raise WidthError(f"{what} {number:#x} does not fit in {bits} bits")
