# SPDX-License-Identifier: Apache-2.0
"""Names that mean something elsewhere: in SystemVerilog, C++, P4's own places, or what the compiler writes."""

from __future__ import annotations

AWKWARD = (
    *("wire", "reg", "logic", "module", "begin", "end", "input", "output", "assign", "always", "initial", "case"),
    *("signed", "integer", "time", "packed", "posedge", "task", "endmodule", "string_t", "byte", "real", "generate"),
    *("class", "new", "delete", "namespace", "template", "operator", "public", "auto", "volatile", "inline", "char"),
    *("long", "float", "while", "goto", "throw", "xor", "and", "or", "not", "compl", "nullptr", "NULL", "EOF", "errno"),
    *("main", "std", "p4", "uint8_t", "Model_", "bit_", "valid_", "hdr_h0", "clk", "rst", "window", "window_length"),
    *("drop_reason", "header_length", "key", "state", "type", "entries", "actions", "priority", "value", "index"),
    *("next_", "h0_f0", "a__b", "_x", "x_", "X", "result", "applied_", "arguments_", "context", "packet"),
)
# The program's own main, and what the generator may write itself.
ONLY_FIELDS = frozenset(("main", "p4"))
