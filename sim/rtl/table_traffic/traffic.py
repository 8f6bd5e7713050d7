# SPDX-License-Identifier: Apache-2.0
"""What the tests of hw/rtl/table share: commands, lookups in every cycle, and the judge of their answers.

The judge knows a history: what each key had to give after each command, by the rule. An answer is right if it is the
one of some version between the last command that had been answered when the lookup was made and the last one that had
been given when the answer came; and over all lookups, in their order, versions never go back.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from bench.stream import StreamBench, parameters

SET, DELETE, READ, CLEAR, NODE, SWAP = range(6)
OK, FULL, NOT_FOUND, BAD_REQUEST = range(4)

MISS = None
Answer = int | None
Version = Callable[[int], Answer]  # the right answer to a key, in one version of the table


class TableBench:
    """A table with a command interface, lookups as they are wanted, and the history that judges the answers."""

    def __init__(self, dut: Any) -> None:
        self.bench = StreamBench(dut)
        self.control = self.bench.source["control"]
        self.status = self.bench.sink["status"]
        self.result = self.bench.sink["result"]
        self.lookup = self.bench.source["lookup"]
        self.latency = parameters()["LATENCY_CYCLES"]
        self.result.arrivals = []
        self.status.arrivals = []
        self.asked: list[int] = []
        self.versions: list[Version] = [lambda key: MISS]
        self.given: list[int] = [0]  # cycle in which each version's command was given, and was answered
        self.answered: list[float] = [0]
        self.pick: Callable[[], int] | None = None
        self.bench.on_cycle(self._feed)

    async def start(self, swept: bool = True) -> None:
        await self.bench.start()
        if swept:
            await self.until_ready()

    @property
    def cycle(self) -> int:
        return self.result.cycle

    async def until_ready(self, cycles: int = 30_000) -> None:
        for _ in range(cycles):
            if self.bench.dut.control_ready.value:
                return
            await self.bench.cycles(1)
        raise AssertionError(f"control_ready is not up after {cycles} cycles")

    def _feed(self) -> None:
        if self.pick is not None:
            while len(self.lookup.queue) < 2:
                self.ask(self.pick())

    def ask(self, *keys: int) -> None:
        self.asked += keys
        self.lookup.send(keys)

    async def command(self, op: int, version: Version | None = None, **fields: int) -> dict[str, int]:
        """Gives a command, waits for its answer; `version` is the table after it, if it changes what lookups find."""
        values = {name: random.getrandbits(width) for name, (_, width) in self.control.format.fields.items()}
        if version is not None:
            self.versions.append(version)
            self.given.append(self.cycle)
            self.answered.append(float("inf"))
        self.control.send([self.control.format.pack(**{**values, "op": op, **fields})])
        [beat] = await self.status.wait_for(1, 30_000)
        assert self.status.arrivals is not None
        if version is not None:
            self.answered[-1] = self.status.arrivals[-1]
        return self.status.format.unpack(beat)

    def entries(self) -> int:
        """status_entries as it stands now."""
        return self.status.format.field(self.status._read(), "entries")

    async def judge(self) -> int:
        """Lets all lookups end, judges their answers; how many there were."""
        self.pick = None
        await self.lookup.wait_idle()
        await self.bench.cycles(self.latency + 2)
        beats, self.result.beats = self.result.beats, []
        arrivals, self.result.arrivals = self.result.arrivals, []
        asked, self.asked = self.asked, []
        assert arrivals is not None
        assert len(beats) == len(asked) == len(arrivals), f"{len(asked)} lookups, {len(beats)} answers"
        hit_place, _ = self.result.format.fields["hit"]
        value_place, value_bits = self.result.format.fields["value"]
        seen = 0  # the version that the last lookup must have found
        last = len(self.versions) - 1
        for key, beat, cycle in zip(asked, beats, arrivals, strict=True):
            found = beat >> value_place & ((1 << value_bits) - 1) if beat >> hit_place & 1 else MISS
            while seen < last and self.answered[seen + 1] <= cycle - self.latency:
                seen += 1
            tried = []
            for version in range(seen, last + 1):
                if self.given[version] > cycle:
                    break
                right = self.versions[version](key)
                tried.append(right)
                if right == found:
                    seen = version
                    break
            else:
                version = last + 1
            if not tried or tried[-1] != found:
                raise AssertionError(f"cycle {cycle}: key {key:#x} gave {found}, right were {tried}")
        return len(asked)

    async def reset(self) -> None:
        """Resets the table; what was asked and not answered is forgotten with it."""
        pick, self.pick = self.pick, None
        await self.bench.reset()
        self.result.beats, self.asked = [], []
        self.result.arrivals, self.status.arrivals = [], []
        self.versions, self.given, self.answered = [lambda key: MISS], [0], [0]
        self.pick = pick

    def end(self) -> None:
        self.bench.check()
