# SPDX-License-Identifier: Apache-2.0
"""The C++ twin of probe_source, which stands in the switch around a program's model."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from pathlib import Path

from flow.paths import BUILD, SIM, tool_environment

SOURCE = Path(__file__).with_name("twin.cpp")
FOLDERS = (SIM / "switch" / "model", SIM / "fabric")
BEAT_BYTES = 32
NEVER = (1 << 64) - 1


def library() -> Path:
    """The twin as a shared library, from the store if the same bytes were compiled before."""
    key = hashlib.sha256()
    for path in [SOURCE, *(header for folder in FOLDERS for header in sorted(folder.glob("*.hpp")))]:
        key.update(path.read_bytes())
    folder = BUILD / "test" / "probe_source"
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"twin-{key.hexdigest()[:12]}.so"
    if not made.exists():
        partial = made.with_suffix(f".{os.getpid()}")
        flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        flags += [f"-I{one}" for one in FOLDERS]
        subprocess.run(["g++", *flags, str(SOURCE), "-o", str(partial)], check=True, env=tool_environment())
        partial.replace(made)
    return made


class Twin:
    """What is offered in a cycle is there before `cycle`, which is the clock's edge."""

    def __init__(self) -> None:
        self._code = ctypes.CDLL(str(library()))
        pointer, word, long = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64
        self._code.twin_new.restype = pointer
        self._code.twin_set.argtypes = [pointer, ctypes.c_int, word, word, word, long, word]
        self._code.twin_cycle.argtypes = [pointer, ctypes.c_int]
        self._code.twin_cycles.argtypes = [pointer, long]
        self._code.twin_frame.argtypes = [pointer, ctypes.c_char_p]
        for name in ("twin_delete", "twin_offers"):
            getattr(self._code, name).argtypes = [pointer]
        for name in ("twin_next", "twin_sent", "twin_missed"):
            getattr(self._code, name).argtypes, getattr(self._code, name).restype = [pointer], long
        self._twin = self._code.twin_new()

    def __del__(self) -> None:
        self._code.twin_delete(self._twin)

    def set(self, fields: dict[str, int]) -> None:
        """By the names of the module's ports."""
        names = ("enable", "period_cycles", "uplinks", "tor", "mac", "ipv4")
        self._code.twin_set(self._twin, *(fields[f"cfg_{name}"] for name in names))

    def offered(self) -> tuple[bytes, bool] | None:
        """The beat's bytes, and whether it is the last."""
        end = self._code.twin_offers(self._twin)
        if not end:
            return None
        frame = self.frame()
        return frame[(end - 1) // BEAT_BYTES * BEAT_BYTES : end], end > BEAT_BYTES

    def frame(self) -> bytes:
        made = ctypes.create_string_buffer(60)
        self._code.twin_frame(self._twin, made)
        return made.raw

    def cycle(self, ready: bool) -> None:
        self._code.twin_cycle(self._twin, int(ready))

    def still(self) -> int:
        """How many cycles may be passed over, or NEVER."""
        return int(self._code.twin_next(self._twin))

    def cycles(self, count: int) -> None:
        self._code.twin_cycles(self._twin, count)

    @property
    def sent(self) -> int:
        return int(self._code.twin_sent(self._twin))

    @property
    def missed(self) -> int:
        return int(self._code.twin_missed(self._twin))
