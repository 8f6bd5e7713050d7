# SPDX-License-Identifier: Apache-2.0
"""What a control plane sees of a program: its tables with their keys and actions, and what stands in an entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

Named = TypeVar("Named")


@dataclass(frozen=True)
class Field:
    name: str
    width: int


@dataclass(frozen=True)
class KeyField:
    name: str
    width: int
    match: str


@dataclass(frozen=True)
class ActionInfo:
    name: str
    parameters: tuple[Field, ...]
    in_entries: bool
    as_default: bool


@dataclass(frozen=True)
class TableInfo:
    name: str
    size: int
    keys: tuple[KeyField, ...]
    actions: tuple[ActionInfo, ...]
    constant_entries: bool
    constant_default: bool

    def action(self, name: str) -> ActionInfo | None:
        """By name, with or without the control's name before it."""
        for action in self.actions:
            if name == action.name or name.endswith("." + action.name) or action.name.endswith("." + name):
                return action
        return None


@dataclass(frozen=True)
class KeyValue:
    """One field of an entry's key: a value and, as the kind of match wants it, a mask, upper end or prefix length.

    `value` None matches everything.
    """

    value: int | None
    second: int | None = None
    prefix: int | None = None


def by_name(all_: Mapping[str, Named], name: str, what: str) -> Named:
    if name in all_:
        return all_[name]
    fitting = [full for full in all_ if full.endswith("." + name)]
    if len(fitting) != 1:
        known = ", ".join(all_) or "none"
        raise KeyError(f"{len(fitting) or 'no'} {what} is called {name}; there are: {known}")
    return all_[fitting[0]]
