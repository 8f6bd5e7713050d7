# SPDX-License-Identifier: Apache-2.0
"""Ranges as prefixes, which is how a ternary table takes them.

1..6 of 3 bits  ->  001, 01x, 10x, 110
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from p4sume.control.commands import WidthError, check_width

Match = tuple[int, int]  # key and mask


def prefixes(low: int, high: int, bits: int) -> list[Match]:
    """The fewest prefixes that together are low..high, both included: at most 2 * bits - 2, or 1 for one bit."""
    check_width("low end", low, bits)
    check_width("high end", high, bits)
    if low > high:
        raise WidthError(f"the range {low:#x}..{high:#x} is empty")
    every = (1 << bits) - 1
    found = []
    while low <= high:
        size = low & -low or 1 << bits
        while low + size - 1 > high:
            size >>= 1
        found.append((low, every & ~(size - 1)))
        low += size
    return found


def joined(fields: Sequence[tuple[int, Sequence[Match]]]) -> list[Match]:
    """All combinations of what the fields of a key may match; a field is its bits and its matches, the first field
    is the most significant."""
    found = []
    for choice in product(*(matches for _, matches in fields)):
        key = mask = 0
        for (bits, _), (field_key, field_mask) in zip(fields, choice, strict=True):
            key, mask = key << bits | field_key, mask << bits | field_mask
        found.append((key, mask))
    return found
