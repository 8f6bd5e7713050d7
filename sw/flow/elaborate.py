# SPDX-License-Identifier: Apache-2.0
"""Asks slang about a module: its ports and parameters as they are for given parameter values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyslang import driver

from flow.sources import closure

Parameters = Mapping[str, int | str]


@dataclass(frozen=True)
class Port:
    name: str
    is_input: bool
    width: int  # bits


@dataclass(frozen=True)
class Elaborated:
    module: str
    ports: tuple[Port, ...]
    parameters: Mapping[str, str]  # the ones that can be set, with the value each has


class ElaborationError(Exception):
    """slang refused the module with these parameters."""


def elaborate(module: str, parameters: Parameters, sources: Sequence[Path] | None = None) -> Elaborated:
    """`sources` replaces the files of the tree."""
    slang = driver.Driver()
    slang.addStandardArgs()
    files = " ".join(str(path) for path in (sources or closure([module])))
    settings = " ".join(f"-G{name}={value}" for name, value in parameters.items())
    if not slang.parseCommandLine(f"slang --top {module} {settings} {files}"):
        raise ElaborationError(f"slang does not take the parameters {settings} of {module}")
    if not (slang.processOptions() and slang.parseAllSources()):
        raise ElaborationError(f"slang cannot read {module}")
    compilation = slang.createCompilation()
    tops = compilation.getRoot().topInstances
    if len(tops) != 1:
        raise ElaborationError(f"slang cannot elaborate {module} with {settings or 'its defaults'}")
    body = tops[0].body
    ports = tuple(
        Port(port.name, "In" in str(port.direction) and "InOut" not in str(port.direction), port.type.bitWidth)
        for port in body.portList
    )
    settable = {p.name: str(p.value) for p in body.parameters if p.isPortParam and not p.isLocalParam}
    if unknown := parameters.keys() - settable.keys():
        raise ElaborationError(f"{module} has no parameter {', '.join(sorted(unknown))}")
    return Elaborated(module, ports, settable)
