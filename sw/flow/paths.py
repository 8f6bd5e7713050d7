# SPDX-License-Identifier: Apache-2.0
"""Where things are: the folders of the project that its tools read and write."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HW = ROOT / "hw"
SIM = ROOT / "sim"
BUILD = ROOT / "build"
CACHE = BUILD / "cache"
VENV_BIN = ROOT / ".venv" / "bin"


def tool_environment() -> dict[str, str]:
    """The environment every tool runs in: the project's own programs first, every cache below build/."""
    return {
        **os.environ,
        "PATH": f"{VENV_BIN}{os.pathsep}{os.environ.get('PATH', '')}",
        "CCACHE_DIR": str(CACHE / "ccache"),
        "CCACHE_BASEDIR": str(ROOT),
        "CCACHE_NOHASHDIR": "1",
        "OBJCACHE": "ccache",
        "XDG_CACHE_HOME": str(CACHE),
        "YOWASP_CACHE_DIR": str(CACHE / "yowasp"),
        "PYTHONPYCACHEPREFIX": str(CACHE / "python"),
    }
