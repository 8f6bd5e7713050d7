# SPDX-License-Identifier: Apache-2.0
"""Results of measurements, for eval/: JSON with the commit that was measured, written whole or not at all."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from flow.paths import ROOT


def write_result(path: Path, content: Mapping[str, object]) -> None:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps({"schema": 1, "commit": commit, **content}, indent=1) + "\n")
    partial.replace(path)
