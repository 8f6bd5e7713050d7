# SPDX-License-Identifier: Apache-2.0
"""Finds the SystemVerilog files a module needs; rests on the rule that a file is named after its module.

Modules stand in hw/. What the P4 compiler has generated stands in build/p4 and can be named like them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from flow.paths import BUILD, HW

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
GENERATED = BUILD / "p4"
_WORD = re.compile(r"[A-Za-z_]\w*")


class UnknownModuleError(Exception):
    """A module was asked for that no file is named after."""

    def __init__(self, name: str) -> None:
        near = sorted(m for m in all_modules() if name in m or m in name)
        hint = f"; near it: {', '.join(near)}" if near else ""
        super().__init__(f"no module {name!r} below hw/, and make p4 has made none{hint}")


@cache
def all_units() -> dict[str, Path]:
    """Name of each module and package of hw/ to its file."""
    return {path.stem: path for path in sorted(HW.rglob("*.sv"))}


def generated_units(folder: Path = GENERATED) -> dict[str, Path]:
    """The same for what the compiler has made: `make p4`, or somebody else into another folder."""
    return {path.stem: path for path in sorted(folder.rglob("*.sv"))}


def all_modules() -> list[str]:
    return [name for name in all_units() if not name.endswith("_pkg")]


def module_file(name: str, generated: Path = GENERATED) -> Path:
    found = {**generated_units(generated), **all_units()}.get(name)
    if found is None or name.endswith("_pkg"):
        raise UnknownModuleError(name)
    return found


def words_of(path: Path) -> frozenset[str]:
    return _words(path, path.stat().st_mtime_ns)


@cache
def _words(path: Path, changed_ns: int) -> frozenset[str]:
    return frozenset(_WORD.findall(_COMMENT.sub(" ", path.read_text())))


def closure(tops: Iterable[str], generated: Path = GENERATED) -> list[Path]:
    """Every file that the modules need, each after the files it needs itself; what is not in hw/ in `generated`."""
    units = {**generated_units(generated), **all_units()}
    ordered: list[Path] = []
    entered: set[str] = set()

    def visit(name: str) -> None:
        if name in entered:
            return
        entered.add(name)
        for needed in sorted(words_of(units[name]) & units.keys()):
            visit(needed)
        ordered.append(units[name])

    for top in tops:
        module_file(top, generated)
        visit(top)
    return ordered
