# SPDX-License-Identifier: Apache-2.0
"""What random programs are made of, by the names under which the generator notes it.

A test holds the list against what programs really have, so that nothing falls out of use unseen.
"""

from __future__ import annotations

OPERATORS = ("+", "-", "&", "|", "^", "|+|", "|-|", "<<", ">>", "*")
UNSIGNED = ("/", "%")
SCALARS = ("bits", "bool", "enum", "error")
WHOLES = ("struct", "header", "tuple", "stack")
MATCHES = ("exact", "lpm", "ternary", "range", "optional")
EXTERNS = ("reg_rw", "reg_raw", "reg_praw", "reg_ifElseRaw", "reg_sub", "lrc", "ip_chksum")

FEATURES = frozenset(
    (
        *OPERATORS,
        *(f"signed {o}" for o in OPERATORS),
        *UNSIGNED,
        *(f"unary {o}" for o in ("+", "-", "~")),
        *(f"local {k}" for k in (*SCALARS, *WHOLES)),
        *(f"equality of {k}" for k in ("bool", "enum", "error", *WHOLES)),
        *(f"assignment of {k}" for k in WHOLES),
        *(f"{m} key" for m in MATCHES),
        *(f"{m} key of const entries" for m in MATCHES),
        *(f"extern {k}" for k in EXTERNS),
        *(f"{d} parameter" for d in ("in", "out", "inout")),
        # expressions
        *("++", "?:", "?: of wholes", "&& ||", "comparison", "signed comparison", "signed literal"),
        *("number without width", "constant", "shift by constant", "shift by variable"),
        *("slice", "slice at run time", "slice as l-value", "slice of slice as l-value"),
        *("cast", "cast of sign", "sign extension", "cast to bool", "cast to enum", "cast from bool or enum"),
        *("enum", "serialisable enum", "enum as operand", "enum compared with number"),
        *("struct literal", "named struct literal", "...", "tuple literal", "stack literal", "{#}"),
        *("function in expression", "named arguments", "aliased arguments", "generic function"),
        *("awkward name", "awkward name of field"),
        # headers
        *("isValid", "isValid of run-time index", "isValid of union", "setValid", "setInvalid"),
        *("setValid at run-time index", "setInvalid at run-time index", "header stack", "header_union"),
        *("push_front", "pop_front", "lastIndex", "run-time index as l-value"),
        *("header at run-time index read", "header at run-time index assigned", "varbit"),
        # statements
        *("if", "else", "block", "switch over enum", "switch over number", "switch falls through"),
        *("compound assignment", "uninitialised variable", "call of action", "call of function"),
        *("early return", "return", "exit"),
        # parsers
        *("select", "tuple in select", "select over expression", "select without default", "mask in keyset"),
        *("range in keyset", "signed range", "lookahead", "lookahead of header", "advance", "advance by variable"),
        *("verify", "extract in if", "extract into stack", "extract of nothing", "loop over stack"),
        *("if in parser", "variable of parser", "sub-parser", "sub-parser at two places"),
        # tables, controls
        *("table without key", "const entries", "default action", "default action or entry with arguments"),
        *("action with bound arguments", "hit", "hit as value", "miss", "action_run"),
        *("sub-control", "sub-control at two places", "extern in action", "extern in action of several calls"),
        *("emit", "emit in if", "emit of struct", "statements in deparser"),
    )
)
