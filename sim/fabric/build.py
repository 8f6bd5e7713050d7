# SPDX-License-Identifier: Apache-2.0
"""The libraries of a fabric: its own, and a switch for each program, backend and number of ports."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from filelock import FileLock

from bench.packets import protocols
from flow.paths import BUILD, SIM
from p4sume.cases.model_switch import build_model_switch
from p4sume.cases.rtl_build import build_switch
from p4sume.frontend import Options
from p4sume.model.build import run_compiler
from switch.library import BuiltSwitch

CORE = SIM / "fabric" / "core"
FOLDERS = (CORE, SIM / "fabric", SIM / "switch")
PROTOCOLS = ("ETHERTYPE_VLAN", "ETHERTYPE_QINQ", "ETHERTYPE_IPV4", "IP_PROTOCOL_HULA")
FLAGS = (
    "-shared",
    *(f"-DFABRIC_{name}={getattr(protocols, name)}" for name in PROTOCOLS),
    *(f"-I{folder}" for folder in FOLDERS),
)
BACKENDS: dict[str, Callable[[Path, Options], BuiltSwitch]] = {"model": build_model_switch, "rtl": build_switch}


@cache
def build_fabric(builds: Path = BUILD / "sim" / "fabric") -> Path:
    source = CORE / "fabric_api.cpp"
    key = hashlib.sha256(repr(FLAGS).encode())
    for path in [source, *(file for folder in FOLDERS for file in sorted(folder.glob("*.h*")))]:
        key.update(path.name.encode() + path.read_bytes())
    folder = builds / key.hexdigest()[:16]
    library = folder / "libfabric.so"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not library.is_file():
            partial = library.with_suffix(".partial")
            run_compiler(*FLAGS, str(source), "-o", str(partial))
            partial.replace(library)
    return library


@cache
def build_node(program: Path, backend: str, ports: int) -> BuiltSwitch:
    return BACKENDS[backend](program, Options("sume", defines=(f"N_PORTS={ports}",)))
