# SPDX-License-Identifier: Apache-2.0
"""What docs/hula.md says of link_util, cycle by cycle and visit by visit, in whole numbers and fractions."""

from __future__ import annotations

from collections.abc import Sequence

SHOWN_CYCLES = 10
MOST = 254


def visit_cycles(ports: int) -> int:
    cycles = 16
    while cycles < ports:
        cycles *= 2
    return cycles


def nearest(above: int, below: int) -> int:
    """The fraction as the nearest whole number, a half upwards."""
    return (2 * above + below) // (2 * below)


class Port:
    def __init__(self) -> None:
        self.waiting: list[int] = []  # bytes on the wire of each packet since the last visit
        self.event: int | None = None  # when the average was
        self.average = 0
        self.shown = 0

    def now(self, cycle: int, tau: int) -> int:
        if self.event is None or cycle - self.event >= tau:
            return 0
        return nearest(self.average * (tau - (cycle - self.event)), tau)


class Rules:
    """`step` is a cycle: what has left in it, the settings in it; its result is what a request in it is told."""

    def __init__(self, ports: int, overhead_bytes: int, max_tau_log2: int) -> None:
        self.ports, self.overhead, self.longest = ports, overhead_bytes, max_tau_log2
        self.turn = visit_cycles(ports)
        self.reset()

    def reset(self) -> None:
        self.cycle = 0
        self.state = [Port() for _ in range(self.ports)]
        self.coming: list[tuple[int, int, int]] = []  # cycle, port, what it shows from then on

    def step(self, sent: dict[int, int], tau_log2: int, scale: Sequence[int]) -> list[int]:
        tau = 2 ** min(max(tau_log2, 10), self.longest)
        byte = 2 ** (self.longest + 8)  # a byte a cycle
        number = self.cycle % self.turn
        if number < self.ports:
            port = self.state[number]
            average = port.now(self.cycle, tau)
            if port.waiting:
                average = min(average + sum(port.waiting) * byte // tau, 128 * byte - 1)
                port.waiting, port.event, port.average = [], self.cycle, average
            coarse = average * 2**17 // byte
            shown = min(nearest(coarse * scale[number], 2**25), MOST)
            self.coming.append((self.cycle + SHOWN_CYCLES, number, shown))
        while self.coming and self.coming[0][0] <= self.cycle:
            _, place, value = self.coming.pop(0)
            self.state[place].shown = value
        for place, count in sent.items():
            self.state[place].waiting.append(count + self.overhead)
        self.cycle += 1
        return [port.shown for port in self.state]
