# SPDX-License-Identifier: Apache-2.0
"""Sizes and latencies of the match tables: what the functions of hw/rtl/table/table_pkg.sv give, for the compiler.

The tables check the latency that they are given against their own, so the two cannot differ unnoticed.
"""

from __future__ import annotations

DISTRIBUTED_WORDS = 64
HASH_CYCLES = 2
COMPARE_ONCE_BITS = 64
MATCH_CYCLES = 2
RANK_ONCE_BITS = 16
LPM_LEAF_SLOTS = 16
LPM_INNER_SLOTS = 15


def power_of_two(number: int) -> int:
    """The least power of two that is not below."""
    return 1 << (number - 1).bit_length()


def memory_cycles(depth_words: int) -> int:
    return 2 if depth_words > DISTRIBUTED_WORDS else 1


def memory_words(rows: int) -> int:
    return max(2, power_of_two(rows))


def exact_rows(entries: int) -> int:
    """Rows of each way."""
    if entries <= 128:
        return 16 if entries <= 16 else 32 if entries <= 32 else 64
    rows = 1024
    while entries * 4 > rows * 17:
        rows *= 2
    return rows


def exact_ways(entries: int) -> int:
    rows = exact_rows(entries)
    return 3 if entries * 4 <= rows * 9 else 4 if entries * 5 <= rows * 17 else 5


def exact_latency(key_bits: int, entries: int) -> int:
    return HASH_CYCLES + memory_cycles(exact_rows(entries)) + (2 if key_bits > COMPARE_ONCE_BITS else 1) + 1


def ternary_latency(entries: int) -> int:
    priority = 3 if entries > 64 else 2 if entries > 8 else 1
    return MATCH_CYCLES + priority + memory_cycles(memory_words(entries))


def lpm_leaves(entries: int) -> int:
    return max(2, power_of_two((2 * entries + 1 + LPM_LEAF_SLOTS) // (LPM_LEAF_SLOTS + 1)))


def lpm_levels(entries: int) -> int:
    """Levels below the root, the leaves included."""
    leaves = lpm_leaves(entries)
    return 3 if leaves > 256 else 2 if leaves > 16 else 1


def lpm_nodes(entries: int, level: int) -> int:
    return lpm_leaves(entries) >> 4 * (lpm_levels(entries) - level)


def lpm_latency(key_bits: int, entries: int) -> int:
    rank = 2 if key_bits > RANK_ONCE_BITS else 1
    levels = range(1, lpm_levels(entries) + 1)
    tree = rank + sum(memory_cycles(2 * lpm_nodes(entries, level)) + rank for level in levels)
    return tree + 1 + memory_cycles(memory_words(entries))
