# SPDX-License-Identifier: Apache-2.0
"""P4 names as C++ names. Names that the generator makes up end in exactly one underscore, so none can collide."""

from __future__ import annotations

import re
from pathlib import Path

from p4sume.source import Span

_ROOT = Path(__file__).resolve().parents[3]

# Keywords of C++20, names that the generated source relies on, and macros of the headers that it includes.
_RESERVED = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
    concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete
    do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
    requires return short signed sizeof static static_assert static_cast struct switch template this thread_local throw
    true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
    assert errno stdin stdout stderr offsetof alloca std p4 size_t State
    """.split()
)


def cpp_name(name: str) -> str:
    """The C++ spelling of a P4 name: a reserved word gets an underscore, and so does what ends in one already."""
    if name in _RESERVED or name.endswith("_"):
        return name + "_"
    return name


_MACRO = re.compile(r"[A-Z][A-Z0-9]*(_\w*)?")


def maybe_macro(name: str) -> bool:
    """A name of the form that macros of system headers have."""
    return bool(_MACRO.fullmatch(name))


class Names:
    """The names of one C++ scope and those inside it, all distinct."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._temporaries = 0

    def take(self, wanted: str) -> str:
        """A C++ name for a P4 name; if the name is taken, one with a number."""
        base = name = cpp_name(wanted)
        number = 2
        while name in self._taken:
            name = f"{base}_{number}"
            number += 1
        self._taken.add(name)
        return name

    def reserve(self, name: str) -> None:
        """A C++ name that nothing in this scope may have."""
        self._taken.add(name)

    def temporary(self, what: str = "t") -> str:
        self._temporaries += 1
        return f"{what}{self._temporaries}_"


def place(span: Span) -> str:
    """`file:line`, with the path below the project or, outside it, the bare file name: the same on every machine."""
    file, line, _ = span.location()
    path = Path(file)
    if path.is_absolute():
        path = path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else Path(path.name)
    elif ".." in path.parts:
        path = Path(path.name)
    return f"{path.as_posix()}:{line}"
