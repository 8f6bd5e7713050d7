# SPDX-License-Identifier: Apache-2.0
"""Puts a whole trace to an extern's twin: a few lines of C++ around its class, compiled once for each set of widths.

The C++ gives it a `step(const uint64_t* in, uint64_t* out)`; an entry of a trace is `ins` words, its answer `outs`.
"""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
from array import array
from pathlib import Path

from filelock import FileLock

from flow.paths import BUILD, ROOT, tool_environment

RUNTIME = ROOT / "sim" / "model"
FOLDER = BUILD / "test" / "twin"

_FRAME = """
#include <cstdint>
{body}
extern "C" void run(const uint64_t* in, uint64_t* out, uint64_t entries) {{
  static Twin twin;
  twin.reset();
  for (uint64_t i = 0; i < entries; ++i) twin.step(in + i * {ins}, out + i * {outs});
}}
"""


class Twin:
    def __init__(self, body: str, ins: int, outs: int) -> None:
        self.ins, self.outs = ins, outs
        text = _FRAME.format(body=body, ins=ins, outs=outs)
        key = hashlib.sha256(text.encode())
        for header in sorted(RUNTIME.glob("*.hpp")):
            key.update(header.read_bytes())
        FOLDER.mkdir(parents=True, exist_ok=True)
        library = FOLDER / f"{key.hexdigest()[:16]}.so"
        with FileLock(library.with_suffix(".lock")):
            if not library.exists():
                source = library.with_suffix(".cpp")
                source.write_text(text)
                partial = library.with_suffix(".partial")
                flags = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{RUNTIME}"]
                subprocess.run(["g++", *flags, str(source), "-o", str(partial)], check=True, env=tool_environment())
                Path(partial).rename(library)
        self._run = ctypes.CDLL(str(library)).run

    def answers(self, trace: list[int]) -> array[int]:
        """The answers to a trace, from an empty state."""
        entries, rest = divmod(len(trace), self.ins)
        assert rest == 0
        given, made = array("Q", trace), array("Q", bytes(8 * entries * self.outs))
        pointers = [ctypes.c_void_p(a.buffer_info()[0]) for a in (given, made)]
        self._run(*pointers, ctypes.c_uint64(entries))
        return made
