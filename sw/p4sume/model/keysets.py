# SPDX-License-Identifier: Apache-2.0
"""Keysets of entries as the two values a key field that a row has (sim/model/table.hpp)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from p4sume.model.refusal import RefusedError
from p4sume.syntax import ast

if TYPE_CHECKING:
    from p4sume.model.tables import Key, TableParts


def key_row(parts: TableParts, keyset: ast.Expression) -> tuple[list[str], list[str]]:
    from p4sume.model.tables import limbs_of

    items: Sequence[ast.Expression]
    if isinstance(keyset, ast.ListExpression) and (len(parts.keys) > 1 or len(keyset.items) == len(parts.keys)):
        items = keyset.items
    elif isinstance(keyset, ast.DefaultKeyset):
        items = [keyset] * len(parts.keys)
    else:
        items = [keyset]
    first: list[str] = []
    second: list[str] = []
    for key, item in zip(parts.keys, items, strict=True):
        a, b = _field(parts, key, item)
        first += limbs_of(a, key.width)
        second += limbs_of(b, key.width)
    return first, second


def _field(parts: TableParts, key: Key, item: ast.Expression) -> tuple[int, int]:
    ones = (1 << key.width) - 1
    type_ = parts.body.type_of(key.node.value)
    if isinstance(item, ast.DefaultKeyset):
        if key.match == "exact":
            raise RefusedError(item, "an exact key takes one value")
        return 0, ones if key.match == "range" else 0
    if isinstance(item, ast.Mask):
        mask = parts.number(item.mask, type_)
        return parts.number(item.value, type_) & mask, mask
    if isinstance(item, ast.Range):
        return parts.number(item.low, type_), parts.number(item.high, type_)
    value = parts.number(item, type_)
    return value, value if key.match == "range" else ones
