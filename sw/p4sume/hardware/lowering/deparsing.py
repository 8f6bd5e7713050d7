# SPDX-License-Identifier: Apache-2.0
"""The deparser: a control that emits headers, which are put together when all are known."""

from __future__ import annotations

from p4sume.diagnostics import Diagnostics
from p4sume.hardware.lowering.composing import Composer, Emission, Header
from p4sume.hardware.lowering.context import inner
from p4sume.hardware.lowering.layout import LENGTH, VALID, plain, varbit_path
from p4sume.hardware.lowering.state import Bundle, State
from p4sume.hardware.lowering.unroll import Parsed, Unroll
from p4sume.hardware.lowering.worlds import TooManyWorldsError, Worlds
from p4sume.hardware.passes.folder import Folder
from p4sume.semantics import types as t
from p4sume.semantics.checked import CallTarget, Checked
from p4sume.syntax import ast


class Deparsing(Unroll):
    def __init__(self, checked: Checked, diagnostics: Diagnostics, make: Folder) -> None:
        super().__init__(checked, diagnostics, make)
        self.emissions: list[Emission] | None = None  # while the deparser is executed

    def packet_call(self, node: ast.Call, target: CallTarget, state: State) -> Bundle:
        if target.name != "emit" or self.emissions is None:
            return super().packet_call(node, target, state)
        argument = target.bindings[0][1]
        assert argument is not None and target.signature is not None
        type_ = self.actual(target.signature.params[0].type)
        self._emit(argument, self.name_of(argument), type_, self.value(argument, state), state)
        return {}

    def name_of(self, node: ast.Expression) -> str:
        return node.span.file.text[node.span.start : node.span.end]

    def _emit(self, node: ast.Node, name: str, type_: t.Type, bundle: Bundle, state: State) -> None:
        type_ = plain(type_)
        match type_:
            case t.Stack(element, size):
                for index in range(size):
                    self._emit(node, f"{name}[{index}]", element, inner(bundle, index), state)
            case t.Tuple(items, _):
                for index, item in enumerate(items):
                    self._emit(node, f"{name}[{index}]", item, inner(bundle, index), state)
            case t.Aggregate() if type_.kind != "header":
                for member, field in type_.fields().items():
                    self._emit(node, f"{name}.{member}", field, inner(bundle, member), state)
            case _:
                self._emit_header(node, name, type_, bundle, state)

    def _emit_header(self, node: ast.Node, name: str, type_: t.Type, bundle: Bundle, state: State) -> None:
        assert self.emissions is not None
        make = self.make
        make.name = f"{name}.emitted"
        when = make.and_(self.guard, state.path, bundle[(VALID,)])
        fields = self.layouts.fields(type_, node)
        if make.known(when) == 0 or not fields:
            return
        make.name = name
        bits = make.concat(*(bundle[leaf.path] for leaf in fields))
        varbit = varbit_path(type_)
        if varbit is None:
            self.emissions.append(Emission(name, when, bits))
            return
        paths = [leaf.path for leaf in fields]
        place = paths.index(varbit)
        after = sum(leaf.width for leaf in fields[:place])
        self.emissions.append(Emission(name, when, bits, bundle[(*varbit, LENGTH)], after, fields[place].width))

    def compose(self, node: ast.Node, parsed: Parsed) -> Header:
        assert self.emissions is not None
        try:
            return Composer(self.make, self.emissions, parsed.strip_bytes, Worlds(self.make, parsed.facts)).compose()
        except TooManyWorldsError:
            raise self.refuse(
                "too-many-headers",
                node,
                "the headers that may be valid together are too many combinations to build a deparser for",
                "emit fewer headers, or set those that exclude each other invalid in one place",
            ) from None
