# SPDX-License-Identifier: Apache-2.0
"""bit<W> and int<W> of sim/model/bits.hpp against Python's integers.

Each operation, at widths around the limb of 64 bits; operands random, and often the extremes.
"""

import subprocess
from pathlib import Path

from p4sume.tests.model.support import compile_driver, rng

WIDTHS = (1, 2, 9, 32, 63, 64, 65, 127, 128, 200, 256)
ROUNDS = 12


def signed(value, width):
    return value - (1 << width) if value >> (width - 1) else value


def clamp(value, low, high):
    return max(low, min(high, value))


def unsigned_result(op, a, b, w):
    """The value and its width."""
    ones, half, low = (1 << w) - 1, (w + 1) // 2, w // 3
    part = ones >> low << low
    return {
        "+": lambda: (a + b, w),
        "-": lambda: (a - b, w),
        "*": lambda: (a * b, w),
        "&": lambda: (a & b, w),
        "|": lambda: (a | b, w),
        "^": lambda: (a ^ b, w),
        "~": lambda: (~a, w),
        "neg": lambda: (-a, w),
        "==": lambda: (a == b, 1),
        "<": lambda: (a < b, 1),
        "<=": lambda: (a <= b, 1),
        ">": lambda: (a > b, 1),
        ">=": lambda: (a >= b, 1),
        "|+|": lambda: (min(a + b, ones), w),
        "|-|": lambda: (max(a - b, 0), w),
        "<<": lambda: (a << b if b < w else 0, w),
        ">>": lambda: (a >> b if b < w else 0, w),
        "/": lambda: (a // b if b else 0, w),
        "%": lambda: (a % b if b else 0, w),
        "++": lambda: (a << w | b, 2 * w),
        "wider": lambda: (a, w + 70),
        "narrower": lambda: (a, half),
        "slice": lambda: (a >> low, w - low),
        "with_slice": lambda: (a & ~part | b & part, w),
        "with_bits": lambda: (
            (a & ~(((1 << half) - 1) << b) | (b & ((1 << half) - 1)) << b) if b < w else a,
            w,
        ),
    }[op]()


def signed_result(op, a, b, w):
    x, y = signed(a, w), signed(b, w)
    low, high = -(1 << (w - 1)), (1 << (w - 1)) - 1
    return {
        "+": lambda: (x + y, w),
        "-": lambda: (x - y, w),
        "*": lambda: (x * y, w),
        "&": lambda: (x & y, w),
        "|": lambda: (x | y, w),
        "^": lambda: (x ^ y, w),
        "~": lambda: (~x, w),
        "neg": lambda: (-x, w),
        "==": lambda: (x == y, 1),
        "<": lambda: (x < y, 1),
        "<=": lambda: (x <= y, 1),
        ">": lambda: (x > y, 1),
        ">=": lambda: (x >= y, 1),
        "|+|": lambda: (clamp(x + y, low, high), w),
        "|-|": lambda: (clamp(x - y, low, high), w),
        "<<": lambda: (x << b if b < w else 0, w),
        ">>": lambda: (x >> min(b, w), w),
        "wider": lambda: (x, w + 70),
        "narrower": lambda: (x, (w + 1) // 2),
    }[op]()


UNSIGNED = "+ - * & | ^ ~ neg == < <= > >= |+| |-| << >> / % ++ wider narrower slice with_slice with_bits".split()
SIGNED = "+ - * & | ^ ~ neg == < <= > >= |+| |-| << >> wider narrower".split()


def operand(random, width):
    ones = (1 << width) - 1
    return random.choice([0, 1, ones, ones >> 1, (ones >> 1) + 1, random.randrange(width + 3)] + 4 * [None])


def test_every_operation_agrees_with_python():
    random = rng("bits")
    lines, wanted = [], []
    for width in WIDTHS:
        ones = (1 << width) - 1
        for prefix, operations in (("", UNSIGNED), ("i:", SIGNED)):
            for op in operations:
                for _ in range(ROUNDS):
                    a, b = (operand(random, width) for _ in range(2))
                    a = random.getrandbits(width) if a is None else a & ones
                    b = random.getrandbits(width) if b is None else b & ones
                    if op in ("<<", ">>", "with_bits") and random.random() < 0.7:
                        b = random.randrange(width + 1) & ones
                    value, size = (signed_result if prefix else unsigned_result)(op, a, b, width)
                    lines.append(f"{width} {prefix}{op} {a:x} {b:x}")
                    wanted.append(int(value) & ((1 << size) - 1))
    driver = compile_driver(Path(__file__).parent / "bits_driver.cpp")
    ran = subprocess.run([driver], input="\n".join(lines), capture_output=True, text=True, check=True)
    found = ran.stdout.split()
    assert len(found) == len(lines)
    for line, value, result in zip(lines, wanted, found, strict=True):
        assert result != "?" and int(result, 16) == value, f"{line} gives {result}, not {value:x}"
