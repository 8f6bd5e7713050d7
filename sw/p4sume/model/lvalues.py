# SPDX-License-Identifier: Apache-2.0
"""Places that can be assigned, as C++.

hdr.ipv4.ttl = v;         if (hdr.ipv4.valid_) hdr.ipv4.ttl = v;           an invalid header stays zero
x[7:4] = v;               x = x.with_slice<7, 4>(v);
u.ipv6 = v;               u.ipv6 = v; if (u.ipv6.valid_) u.keep_(&u.ipv6);  one member of a union is valid
hs[i].f = v;              hs.at(i).f = v, with i evaluated once, before the value
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """`path`: a C++ lvalue. `guard`: what has to hold for an assignment to have an effect. `union`: the header_union
    that the header at `path` is a member of. `root`: the variable it is in; `direct` when `path` is only that
    variable and fields of structs, so that a reference to it can stand for it."""

    path: str
    root: str
    direct: bool
    guard: str = ""
    union: str = ""

    def read(self) -> str:
        return self.path

    def assign(self, value: str) -> list[str]:
        if self.union:
            lines = [f"{self.path} = {value};", f"if ({self.path}.valid_) {self.union}.keep_(&{self.path});"]
            return [f"if ({self.guard}) {{", *(f"  {line}" for line in lines), "}"] if self.guard else lines
        line = f"{self.path} = {value};"
        return [f"if ({self.guard}) {line}" if self.guard else line]


@dataclass(frozen=True)
class SlicePlace:
    """Bits of a place; `high` is empty when `low` is an expression, and `width` then says how many bits."""

    base: Place | SlicePlace
    low: str
    high: str
    width: int
    signed: bool

    @property
    def root(self) -> str:
        return self.base.root

    @property
    def direct(self) -> bool:
        return False

    def read(self) -> str:
        if self.high:
            return f"{self.base.read()}.slice<{self.high}, {self.low}>()"
        raw = ".raw" if self.signed else ""
        return f"{self.base.read()}{raw}.shift_right({self.low}).resize<{self.width}>()"

    def assign(self, value: str) -> list[str]:
        if self.high:
            return self.base.assign(f"{self.base.read()}.with_slice<{self.high}, {self.low}>({value})")
        return self.base.assign(f"{self.base.read()}.with_bits<{self.width}>({self.low}, {value})")
