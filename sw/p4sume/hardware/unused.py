# SPDX-License-Identifier: Apache-2.0
"""Names the bits of generated modules that nobody reads, so that a linter finds nothing to say about them.

An engine gives more than a program asks for, a hash has more bits than a bucket's number: what is not read is put
into one wire called `unused`, as in the modules written by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_DECLARED = re.compile(
    r"^\s*(?:input\s+)?(?:wire\s+)?logic\s+(?:\[[^\]]*\]\s+)?([\w, ]+?)\s*(?:=.*)?[;,]?\s*(?://.*)?$"
)
# A name that is written down whole: not the name of a port in a connection, not only some of its bits.
_WHOLE = re.compile(r"(?<![\w.'$])([A-Za-z_]\w*)(?![\w\[(.])|\.([A-Za-z_]\w*)(?=\s*[,)]|$)")

# What gives a name its value: the left side of an assignment, the output of a delay line.
_DRIVEN = re.compile(r"^\s*(?:assign\s+)?(\w+)\s*<?=(?!=)|\.out\(\{([^}]*)\}\)")


def unused_names(lines: Sequence[str], ports: Sequence[str] = ()) -> list[str]:
    """Names that are declared and then not read as a whole, in the order of their declaration.

    `lines` are those of a module's body; `ports` the inputs among its ports.
    """
    declared = list(ports)
    for line in lines:
        match = _DECLARED.match(line)
        if match is not None and not line.lstrip().startswith("output"):
            declared += [name.strip() for name in match[1].split(",")]
    written: Counter[str] = Counter(ports)
    for line in lines:
        code = line.partition("//")[0]
        written.update(first or second for first, second in _WHOLE.findall(code))
        for assigned, delayed in _DRIVEN.findall(code):
            written.subtract(name.strip() for name in (assigned or delayed).split(","))
    return [name for name in dict.fromkeys(declared) if written[name] < 2 and "unused" not in name]


def unused_wire(lines: Sequence[str], ports: Sequence[str] = ()) -> list[str]:
    """The declaration of the wire, if there is anything to put into it."""
    names = unused_names(lines, ports)
    return [f"  wire unused = &{{1'b0, {', '.join(names)}}};"] if names else []
