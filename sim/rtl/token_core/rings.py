# SPDX-License-Identifier: Apache-2.0
"""What the tests of sha1_ring and sha256_ring share: keys go in at phase 0, the judge is hashlib."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from bench.stream import StreamBench

MASK = (1 << 32) - 1


class RingBench:
    """Counts `phase`, offers a key at each phase 0 and something else at every other, and notes `words`."""

    def __init__(self, dut: Any, cycles_per_key: int) -> None:
        self.dut = dut
        self.every = cycles_per_key
        self.bench = StreamBench(dut)
        self.cycle = 0
        self.taken: list[tuple[int, int]] = []  # cycle, key
        self.words: list[int] = []  # in each cycle
        self._keys: Iterator[int] = iter(())

    async def start(self) -> None:
        self._offer()
        await self.bench.start()
        self.bench.on_cycle(self._step)

    async def send(self, keys: list[int], cycles: int) -> None:
        """Sends keys in successive slots and waits until all have left."""
        self._keys = iter(keys)
        await self.bench.cycles(len(keys) * self.every + cycles)

    def _step(self) -> None:
        self.words.append(int(self.dut.words.value))
        self.cycle += 1
        self._offer()

    def _offer(self) -> None:
        phase = self.cycle % self.every
        self.dut.phase.value = phase
        key = None if phase else next(self._keys, None)
        if key is not None:
            self.taken.append((self.cycle, key))
        self.dut.key.value = random.getrandbits(64) if key is None else key


def special_keys() -> list[int]:
    return [0, (1 << 64) - 1, *(1 << bit for bit in range(64))]


async def judge(
    dut: Any, cycles_per_key: int, latency: int, keys: list[int], wanted: Callable[[int], tuple[int, int, int]]
) -> None:
    """Every key's words stand at `words` exactly `latency` cycles after it was taken."""
    ring = RingBench(dut, cycles_per_key)
    await ring.start()
    await ring.send(keys, latency + 3 * cycles_per_key)
    assert [key for _, key in ring.taken] == keys
    for cycle, key in ring.taken:
        high, middle, low = wanted(key)
        got = ring.words[cycle + latency]
        assert got == high << 64 | middle << 32 | low, f"key {key:016x}: {got:024x} after {latency} cycles"


def words_less(digest: bytes, initial: dict[int, int]) -> tuple[int, ...]:
    """The words of a digest named by the keys of `initial`, each less the standard's initial value."""
    return tuple(
        (int.from_bytes(digest[4 * place : 4 * place + 4], "big") - value) & MASK for place, value in initial.items()
    )
