# SPDX-License-Identifier: Apache-2.0
"""Integer literals: `255`, `0xFF`, `8w0b1111_0000`, `8s-`less signed ones like `4s7`."""

from __future__ import annotations

from typing import NamedTuple

_BASES = {"x": 16, "d": 10, "o": 8, "b": 2}
MAX_DIGITS = 4000


class Number(NamedTuple):
    value: int
    width: int | None
    signed: bool


def parse_number(text: str) -> Number | str:
    """The number, or a sentence that says why it is none."""
    width: int | None = None
    signed = False
    if len(text) > MAX_DIGITS:
        return "the number has too many digits"
    digits = text.lower()
    for letter in "ws":
        before, found, after = digits.partition(letter)
        if found:
            width, signed, digits = int(before), letter == "s", after
            break
    base = 10
    if len(digits) > 1 and digits[0] == "0" and digits[1] in _BASES:
        base, digits = _BASES[digits[1]], digits[2:]
    digits = digits.replace("_", "")
    if not digits:
        return "the number has no digits"
    return Number(int(digits, base), width, signed)
