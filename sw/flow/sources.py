# SPDX-License-Identifier: Apache-2.0
"""Finds the SystemVerilog files a module needs; rests on the rule that a file is named after its module."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from flow.paths import HW

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_WORD = re.compile(r"[A-Za-z_]\w*")


class UnknownModuleError(Exception):
    """A module was asked for that no file is named after."""

    def __init__(self, name: str) -> None:
        near = sorted(m for m in all_modules() if name in m or m in name)
        hint = f"; near it: {', '.join(near)}" if near else ""
        super().__init__(f"no module {name!r} below hw/{hint}")


@cache
def all_units() -> dict[str, Path]:
    """Name of each module and package to its file."""
    return {path.stem: path for path in sorted(HW.rglob("*.sv"))}


def all_modules() -> list[str]:
    return [name for name in all_units() if not name.endswith("_pkg")]


def module_file(name: str) -> Path:
    if name not in all_modules():
        raise UnknownModuleError(name)
    return all_units()[name]


@cache
def words_of(path: Path) -> frozenset[str]:
    return frozenset(_WORD.findall(_COMMENT.sub(" ", path.read_text())))


def closure(tops: Iterable[str]) -> list[Path]:
    """Every file that the modules need, each after the files it needs itself."""
    ordered: list[Path] = []
    entered: set[str] = set()

    def visit(name: str) -> None:
        if name in entered:
            return
        entered.add(name)
        for needed in sorted(words_of(all_units()[name]) & all_units().keys()):
            visit(needed)
        ordered.append(all_units()[name])

    for top in tops:
        module_file(top)
        visit(top)
    return ordered
