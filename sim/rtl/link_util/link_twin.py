# SPDX-License-Identifier: Apache-2.0
"""The C++ twin of link_util, compiled for a number of ports."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from flow.paths import BUILD, SIM, tool_environment

SOURCE = Path(__file__).with_name("twin.cpp")
MODEL = SIM / "model"


def library(ports: int) -> Path:
    """The twin as a shared library, from the store if the same bytes were compiled before."""
    key = hashlib.sha256(repr(ports).encode())
    for path in [SOURCE, *sorted(MODEL.glob("*.hpp"))]:
        key.update(path.read_bytes())
    folder = BUILD / "test" / "link_util"
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"twin-{ports}-{key.hexdigest()[:12]}.so"
    if not made.exists():
        partial = made.with_suffix(f".{os.getpid()}")
        flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-DN_PORTS={ports}"]
        command = ["g++", *flags, "-I", str(MODEL), str(SOURCE), "-o", str(partial)]
        subprocess.run(command, check=True, env=tool_environment())
        partial.replace(made)
    return made


class Twin:
    def __init__(self, ports: int, overhead_bytes: int = 24, max_tau_log2: int = 20):
        self._ports = ports
        self._code = ctypes.CDLL(str(library(ports)))
        word, pointer = ctypes.c_uint64, ctypes.c_void_p
        self._code.twin_new.restype = pointer
        self._code.twin_delete.argtypes = self._code.twin_reset.argtypes = [pointer]
        self._code.twin_configure.argtypes = [pointer, ctypes.c_uint, pointer, word]
        self._code.twin_sent.argtypes = [pointer, ctypes.c_uint, word, word]
        self._code.twin_utilisation.argtypes = [pointer, ctypes.c_uint, word]
        self._code.twin_call.argtypes = [pointer, word, pointer]
        self._twin = self._code.twin_new(overhead_bytes, max_tau_log2)
        self._result = (ctypes.c_uint8 * ports)()

    def __del__(self) -> None:
        self._code.twin_delete(self._twin)

    def reset(self) -> None:
        self._code.twin_reset(self._twin)

    def configure(self, tau_log2: int, scale: Sequence[int], cycle: int) -> None:
        self._code.twin_configure(self._twin, tau_log2, (ctypes.c_uint32 * self._ports)(*scale), cycle)

    def sent(self, port: int, count: int, cycle: int) -> None:
        self._code.twin_sent(self._twin, port, count, cycle)

    def utilisation(self, port: int, cycle: int) -> int:
        return int(self._code.twin_utilisation(self._twin, port, cycle))

    def utilisations(self, cycle: int) -> bytes:
        self._code.twin_call(self._twin, cycle, self._result)
        return bytes(self._result)
