# SPDX-License-Identifier: Apache-2.0
"""The ports of the modules that stand for extern functions, and whether a program's prototype fits them.

Names and order are P4-NetFPGA's; results at the end of the list may be left out. Where P4-NetFPGA goes by the order
alone, so that its programs use names of their own, the names do not count. Of kinds that are not listed here the module
itself has the last word.
"""

from __future__ import annotations

from p4sume.hardware import graph as g
from p4sume.hardware import hula_engines

# Widths of ports: the index, the value and the result of an instance, or a number.
INDEX, VALUE, RESULT, ANY = "index", "value", "result", "any"
Ports = tuple[tuple[str, str | int], ...]

_REG_RAW: Ports = (("index", INDEX), ("newVal", VALUE), ("incVal", VALUE), ("opCode", 8))
_COMPARE: Ports = (("compVal", VALUE), ("relOp", 8))
_TWO_OPERATIONS: Ports = (
    *((f"{name}_{number}", width) for number in (2, 1) for name, width in _REG_RAW),
    ("index_comp", INDEX),
    *_COMPARE,
)
_VALUE_RESULT: Ports = (("result", VALUE),)
_BOOLEAN_TOO: Ports = (*_VALUE_RESULT, ("boolean", 1))

# In and out parameters of each kind, as hw/rtl/extern has them.
PORTS: dict[str, tuple[Ports, Ports]] = {
    "reg_rw": ((("index", INDEX), ("newVal", VALUE), ("opCode", 8)), _VALUE_RESULT),
    "reg_raw": (_REG_RAW, _VALUE_RESULT),
    "reg_praw": ((*_REG_RAW, *_COMPARE), _BOOLEAN_TOO),
    "reg_ifElseRaw": (_TWO_OPERATIONS, _BOOLEAN_TOO),
    "reg_sub": (_TWO_OPERATIONS, _BOOLEAN_TOO),
    "lrc": ((("data", ANY),), (("result", RESULT),)),
    "timestamp": ((("valid", 1),), (("result", RESULT),)),
    "ip_chksum": (
        (
            ("version", 4), ("ihl", 4), ("tos", 8), ("totalLen", 16), ("identification", 16), ("flags", 3),
            ("fragOffset", 13), ("ttl", 8), ("protocol", 8), ("hdrChecksum", 16), ("srcAddr", 32), ("dstAddr", 32),
        ),
        (("result", 16),),
    ),
}  # fmt: skip
BY_PLACE = frozenset({"lrc", "ip_chksum"})


def misfit(extern: g.Extern) -> str:
    """How a program's prototype differs from its module's ports, as the rest of a sentence; empty if it does not."""
    if extern.kind in hula_engines.ENGINES:
        return hula_engines.misfit(extern)
    for name, _ in extern.options:
        return f"has the option '{name}', and its engine knows none"
    if extern.kind not in PORTS:
        return ""
    inputs, outputs = PORTS[extern.kind]
    given = [*((name, width) for name, width, _ in extern.parameters), *extern.outputs]
    if len(extern.parameters) != len(inputs) or not 1 <= len(extern.outputs) <= len(outputs):
        return f"has {len(extern.parameters)} in and {len(extern.outputs)} out parameters"
    widths = {VALUE: extern.outputs[0][1], RESULT: extern.outputs[0][1]}
    for (name, width), (port, wanted) in zip(given, (*inputs, *outputs), strict=False):
        if name != port and extern.kind not in BY_PLACE:
            return f"has a parameter '{name}' where its engine has '{port}'"
        bits = width if wanted == ANY else wanted if isinstance(wanted, int) else widths.setdefault(wanted, width)
        if width != bits:
            return f"has {width} bits in parameter '{name}', and its engine has {bits}"
    return ""


def port_names(extern: g.Extern) -> dict[str, str]:
    """The module's port of each parameter."""
    given = [*(name for name, _, _ in extern.parameters), *(name for name, _ in extern.outputs)]
    if extern.kind not in BY_PLACE:
        return {name: name for name in given}
    inputs, outputs = PORTS[extern.kind]
    return dict(zip(given, (name for name, _ in (*inputs, *outputs)), strict=False))


def prototype(kind: str) -> str:
    """What the parameters of a kind are, in a sentence."""
    if kind in hula_engines.ENGINES:
        engine = hula_engines.ENGINES[kind]
        shown = [f"in {name}" for name in engine.inputs] + [f"out {name}" for name in engine.outputs]
    else:
        inputs, outputs = PORTS[kind]
        shown = [f"in {name}" for name, _ in inputs] + [f"out {name}" for name, _ in outputs]
    return f"the parameters of {kind} are, in this order: {', '.join(shown)}"


def left_out(extern: g.Extern) -> tuple[tuple[str, int], ...]:
    """Results that the module has and the prototype does not, with their bits."""
    outputs = PORTS.get(extern.kind, ((), ()))[1][len(extern.outputs) :]
    return tuple((name, bits) for name, bits in outputs if isinstance(bits, int))
