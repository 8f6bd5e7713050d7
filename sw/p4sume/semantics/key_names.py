# SPDX-License-Identifier: Apache-2.0
"""What the control plane calls a field of a table's key: its `@name`, or the expression as the program writes it.

One rule for everybody who talks to a control plane. `h.isValid()` is `h.$valid$`, as in p4c's files.
"""

from __future__ import annotations

from p4sume.semantics.checked import Checked
from p4sume.syntax import ast


def key_name(element: ast.KeyElement, checked: Checked) -> str:
    for annotation in element.annotations:
        value = checked.annotation_values.get(annotation)
        if annotation.name == "name" and isinstance(value, str):
            return value
    return _spelled(element.value, checked)


def _spelled(node: ast.Expression, checked: Checked) -> str:
    def spelled(part: ast.Expression) -> str:
        return _spelled(part, checked)

    match node:
        case ast.PathExpression(name=name):
            return name
        case ast.Member(base=base, name=name):
            return f"{spelled(base)}.{name.text}"
        case ast.Index(base=base, index=index):
            return f"{spelled(base)}[{spelled(index)}]"
        case ast.Slice(base=base, high=high, low=low) if high is not None:
            return f"{spelled(base)}[{spelled(high)}:{spelled(low)}]"
        case ast.Call(callee=ast.Member(base=base)):
            return f"{spelled(base)}.$valid$"
        case ast.Binary(operator=operator, left=left, right=right):
            return f"{spelled(left)} {operator} {spelled(right)}"
    value = checked.constants.get(node)
    return str(value) if value is not None else "key"
