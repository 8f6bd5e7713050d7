# SPDX-License-Identifier: Apache-2.0
"""What docs/hula.md says of best_hops, in Python; times are plain integers. And the twin, loaded from C++."""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from flow.paths import BUILD, SIM, tool_environment

READ, PROBE = 0, 1
ONLY_BETTER, LESSER_UTILISATION, PORT_IN_SEVERAL = 1, 2, 4
NO_UTILISATION = 255

Hop = tuple[int, int, int]  # port, utilisation, time
Answer = tuple[int, int, int, int, int]  # ports, utilisations, count, best, alive


@dataclass(frozen=True)
class Row:
    hops: tuple[Hop, ...] = ()
    last: tuple[tuple[int, int], ...] = ()  # port, time


@dataclass(frozen=True)
class Rules:
    k: int
    ports: int
    port_bits: int
    limit: int  # of the time-out

    def after(self, row: Row, port: int, utilisation: int, now: int, fail_ticks: int, literal: int) -> Row:
        """The row after a PROBE."""
        if port >= self.ports or utilisation == NO_UTILISATION:
            return row
        live = [hop for hop in row.hops if now - hop[2] <= min(fail_ticks, self.limit)]
        best = min((hop[1] for hop in live), default=None)
        if literal & ONLY_BETTER and best is not None and utilisation >= best:
            return row
        if literal & LESSER_UTILISATION and best is not None:
            utilisation = min(utilisation, best)
        if not literal & PORT_IN_SEVERAL:
            live = [hop for hop in live if hop[0] != port]
        better = [hop for hop in live if hop[1] <= utilisation]
        worse = [hop for hop in live if hop[1] > utilisation]
        hops = [*better, (port, utilisation, now), *worse][: self.k]
        return Row(tuple(hops), tuple(sorted({**dict(row.last), port: now}.items())))

    def answer(self, row: Row, now: int, fail_ticks: int) -> Answer:
        live = [hop for hop in row.hops if now - hop[2] <= min(fail_ticks, self.limit)]
        ports = sum(hop[0] << rank * self.port_bits for rank, hop in enumerate(live))
        utilisations = [hop[1] for hop in live] + [NO_UTILISATION] * (self.k - len(live))
        alive = sum(1 << port for port, time in row.last if now - time <= min(fail_ticks, self.limit))
        return ports, int.from_bytes(bytes(utilisations), "little"), len(live), utilisations[0], alive


def limit(time_bits: int, tick_bits: int, lag_cycles: int) -> int:
    """The longest time-out: three quarters of all times, less what a request's time may be late."""
    return 3 * 2**time_bits // 4 - 1 - -(-lag_cycles // 2**tick_bits)


class Twin:
    def __init__(self, library: str, tors: int, tick_bits: int, lag_cycles: int) -> None:
        self._library = ctypes.CDLL(library)
        self._library.twin_new.restype = ctypes.c_void_p
        new = ctypes.c_void_p(self._library.twin_new(ctypes.c_uint64(tors), tick_bits, ctypes.c_uint64(lag_cycles)))
        self._self = new
        self._library.twin_call.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint]
        self._library.twin_call.argtypes += [ctypes.c_uint64] * 5 + [ctypes.POINTER(ctypes.c_uint64)]
        self._out = (ctypes.c_uint64 * 5)()

    def reset(self) -> None:
        self._library.twin_reset(self._self)

    def call(self, cycle: int, fail_ticks: int, literal: int, *arguments: int) -> Answer:
        self._library.twin_call(self._self, cycle, fail_ticks, literal, *arguments, self._out)
        ports, utilisations, count, best, alive = self._out
        return ports, utilisations, count, best, alive


def build_twin(widths: dict[str, int]) -> Path:
    """Compiles the twin for these widths, unless it was."""
    source = Path(__file__).parent / "twin.cpp"
    flags = ["-std=c++20", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", f"-I{SIM / 'model'}"]
    flags += [f"-DTWIN_{name}={value}" for name, value in sorted(widths.items())]
    key = hashlib.sha256(repr(flags).encode())
    for path in [source, *sorted((SIM / "model").glob("*.hpp"))]:
        key.update(path.read_bytes())
    built = BUILD / "test" / "best_hops" / f"twin_{key.hexdigest()[:12]}.so"
    if not built.is_file():
        built.parent.mkdir(parents=True, exist_ok=True)
        partial = built.with_suffix(f".{id(widths)}")
        subprocess.run(["g++", *flags, str(source), "-o", str(partial)], env=tool_environment(), check=True)
        partial.replace(built)
    return built
