# SPDX-License-Identifier: Apache-2.0
"""Computes what is known, and drops what changes nothing.

    1 + 2 -> 3      x & 0 -> 0      {a, b}[…] -> b[…]      c ? a : a -> a      x == 5 (x of 4 bits, 3 known) -> …

Requires: a verified graph. Ensures: no node has constant operands only; no node gives one of its operands unchanged
(the rules are those of `folder` and `identities`).
"""

from __future__ import annotations

from p4sume.hardware import graph as g
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.rewrite import rewrite


def fold(graph: g.Graph) -> g.Graph:
    return rewrite(graph, Folder)
