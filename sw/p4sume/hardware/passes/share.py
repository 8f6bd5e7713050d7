# SPDX-License-Identifier: Apache-2.0
"""Makes equal nodes one.

    v1 = a + b          v1 = a + b
    v2 = b + a     ->   … v1 … v1
    … v1 … v2

Requires: a verified graph. Ensures: no two nodes of one kind have the same operands, but for lookups and externs,
which have a state of their own.
"""

from __future__ import annotations

from p4sume.hardware import graph as g
from p4sume.hardware.passes.maker import Maker
from p4sume.hardware.passes.rewrite import rewrite


def share(graph: g.Graph) -> g.Graph:
    return rewrite(graph, Maker)
