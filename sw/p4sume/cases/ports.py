# SPDX-License-Identifier: Apache-2.0
"""Names of ports and their bits: `0` or `nf0` is a wire, `cpu0` its CPU side; as SUME interleaves them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = re.compile(r"(nf|cpu)?(\d+)")


class PortError(ValueError):
    """Not the name of a port."""


def port_bit(name: str, port_bits: int) -> int:
    """The number of the bit in src_port and dst_port."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise PortError(f"'{name}' is not a port: write a number, nf<number> or cpu<number>")
    bit = 2 * int(match[2]) + (match[1] == "cpu")
    if bit >= port_bits:
        raise PortError(f"there is no port {name}; the last is nf{port_bits // 2 - 1}")
    return bit


def port_name(bit: int) -> str:
    return f"{'cpu' if bit % 2 else 'nf'}{bit // 2}"


def bits_of(mask: int) -> Iterator[int]:
    """The numbers of the bits that are set, the lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
