# SPDX-License-Identifier: Apache-2.0
"""The checker: one walk over the program, in the order in which names become visible.

    Program  ->  Checked

Requires: a Program without syntax errors. Ensures: if no error was reported, every rule of the language holds
and the tables of the result are complete; with errors, what could not be typed is UNKNOWN.
"""

from __future__ import annotations

from p4sume.diagnostics import Diagnostics
from p4sume.semantics.annotations import Annotations
from p4sume.semantics.checked import Checked
from p4sume.syntax import ast


class Checker(Annotations):
    def run(self) -> Checked:
        for node in self.program.declarations:
            self._declaration(node)
        self.check_top_level_names()
        self._report_deferred()
        return self.checked

    def _report_deferred(self) -> None:
        """Errors that count only in parsers and controls that are part of the running program."""
        used = self._used_blocks()
        for owner, item in self.deferred:
            symbol = self.checked.symbols.get(owner) if isinstance(owner, (ast.Function, ast.Action)) else None
            if owner is None or owner in used or (symbol is not None and symbol.used):
                self.diagnostics.error(item.id, item.span, item.message, item.hint)
            else:
                self.diagnostics.warning(item.id, item.span, item.message, item.hint)

    def _used_blocks(self) -> set[ast.Declaration]:
        """What the top-level instances instantiate, directly or through others."""
        made: dict[ast.Declaration | None, set[ast.Declaration]] = {}
        for owner, target in self.instantiated:
            made.setdefault(owner, set()).add(target)
        used: set[ast.Declaration] = set()
        todo = list(made.get(None, ()))
        while todo:
            block = todo.pop()
            if block not in used:
                used.add(block)
                todo.extend(made.get(block, ()))
        return used

    def _declaration(self, node: ast.Declaration) -> None:
        if node.name.text == "main" and not isinstance(node, (ast.Instantiation, ast.Function, ast.Action)):
            self.error("bad-main", node.name, "'main' is an instance of a package", "rename the declaration")
        match node:
            case ast.Constant():
                self.constant(node)
            case ast.Aggregate():
                self.aggregate(node)
            case ast.Enum():
                self.enum(node)
            case ast.ErrorMembers():
                self.error_members(node)
            case ast.MatchKinds():
                self.match_kind_members(node)
            case ast.Typedef():
                self.typedef(node)
            case ast.Extern():
                self.extern(node)
            case ast.Function():
                self.function(node)
            case ast.Action():
                self.action(node)
            case ast.ParserType() | ast.ControlType():
                self.block_type(node)
            case ast.Parser():
                self.parser(node)
            case ast.Control():
                self.control(node)
            case ast.PackageType():
                self.package(node)
            case ast.Instantiation():
                self.instantiation(node)
            case _:
                raise AssertionError(node)


def check(program: ast.Program, diagnostics: Diagnostics) -> Checked:
    return Checker(program, diagnostics).run()
