# SPDX-License-Identifier: Apache-2.0
"""The hash of table_hash, written from its rule: a fold into 64 bits and six rounds of SIMON's network."""

from __future__ import annotations

WORD = 0xFFFFFFFF


def scrambled(x: int) -> int:
    x = (x ^ x >> 16) * 0x7FEB352D & WORD
    x = (x ^ x >> 15) * 0x846CA68B & WORD
    return x ^ x >> 16


class Hash:
    def __init__(self, key_bits: int, ways: int, place_bits: int, seed: int) -> None:
        self.ways, self.place_bits, self.seed = ways, place_bits, seed
        self.columns = [self._column(i) for i in range(key_bits)]
        self.constants = [scrambled(seed + 0x01000193 * (i + 1) & WORD) for i in range(6)]

    def _column(self, i: int) -> int:
        drawn = scrambled(self.seed & WORD ^ i * 0x9E3779B1 & WORD)
        digits = [i >> 3 * octet & 7 for octet in range(3)] + [drawn >> 3 * octet & 7 for octet in range(5)]
        return sum(1 << 8 * octet + digit for octet, digit in enumerate(digits))

    def places(self, key: int) -> tuple[int, ...]:
        state = 0
        for i, column in enumerate(self.columns):
            if key >> i & 1:
                state ^= column
        left, right = state >> 32, state & WORD
        for constant in self.constants:
            turned = {n: (left << n | left >> 32 - n) & WORD for n in (1, 2, 8)}
            left, right = right ^ turned[1] & turned[8] ^ turned[2] ^ constant, left
        state = left << 32 | right

        def bit(number: int) -> int:
            if number < 64:
                return state >> number & 1
            a, b, c, d = (state >> (number + step) % 64 & 1 for step in (0, 19, 37, 50))
            return a ^ b ^ (c & d)

        return tuple(
            sum(bit(way * self.place_bits + i) << i for i in range(self.place_bits)) for way in range(self.ways)
        )
