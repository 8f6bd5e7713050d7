# SPDX-License-Identifier: Apache-2.0
"""A checked program as one C++ source file.

    Checked  ->  libSTEM_model.cpp, or refusals

Requires: a program without errors. Ensures: the same program gives the same bytes; each line that comes from P4
says from where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from p4sume.diagnostics import Diagnostics
from p4sume.model.architecture import Architecture, architecture_of
from p4sume.model.blocks import BlockWriter, parameter
from p4sume.model.cpp_types import CORE_ERRORS, CppTypes, packable
from p4sume.model.effects import Effects, walk
from p4sume.model.literals import Literals
from p4sume.model.names import Names, cpp_name, maybe_macro
from p4sume.model.refusal import RefusedError
from p4sume.model.statements import Statements
from p4sume.model.writer import Writer, broken
from p4sume.semantics.checked import CallTarget, Checked
from p4sume.semantics.types import Signature, Type, Variable, Void, resolve, substitute
from p4sume.syntax import ast


@dataclass
class Generated:
    """`source` is None when something was refused."""

    source: str | None
    includes: list[str] = field(default_factory=list)


class Program:
    def __init__(self, checked: Checked, stem: str, make_architecture: Callable[[Program], Architecture]) -> None:
        self.checked = checked
        self.stem = stem
        self.namespace = cpp_name(_identifier(stem)) + "_p4"
        self._names = Names()
        self.types = CppTypes(self.namespace, self._names)
        self.literals = Literals(self.types)
        self.effects = Effects(checked)
        self.includes: set[str] = set()
        self.definitions: list[Writer] = []
        self._functions: dict[tuple[ast.Node, tuple[Type, ...]], str] = {}
        self._blocks: dict[ast.Node, str] = {}
        self.errors = self._error_names()
        self.architecture = make_architecture(self)

    def _error_names(self) -> list[str]:
        found = list(CORE_ERRORS)
        for item in self.checked.program.declarations:
            if isinstance(item, ast.ErrorMembers):
                found += [m.name.text for m in item.members if m.name.text not in found]
        return found

    def error_number(self, name: str) -> int:
        return self.errors.index(name)

    def packable(self, type_: Type) -> bool:
        return packable(type_)

    def control_plane_name(self, node: ast.Declaration) -> str:
        for annotation in node.annotations:
            value = self.checked.annotation_values.get(annotation)
            if annotation.name == "name" and isinstance(value, str):
                return value
        return node.name.text

    # ---- functions, actions, blocks: each written before what uses it

    def function(self, node: ast.Function, types: tuple[Type, ...]) -> str:
        key = (node, types)
        if key not in self._functions:
            name = self._names.take(node.name.text)
            self._functions[key] = f"{self.namespace}::{name}"
            signature_types = dict(zip(_type_variables(self.checked, node), types, strict=True))
            body = Statements(self, Names(), {}, ("return;", ""), signature_types)
            assert node.body is not None and node.result is not None
            result = self._result(body, node)
            self._write_function(body, name, result, node.parameters, node.body)
        return self._functions[key]

    def _result(self, body: Statements, node: ast.Function) -> str:
        signature = self.checked.declared_types[node]
        assert isinstance(signature, Signature)
        result = resolve(substitute(signature.result, body.mapping))
        return "void" if isinstance(result, Void) else body.cpp(result, node)

    def action(self, node: ast.Action, known: dict[ast.Node, str], at: ast.Node) -> str:
        """The C++ name of an action: a lambda of the control, or a function for one outside controls."""
        if node in known:
            return known[node]
        key = (node, ())
        if key not in self._functions:
            if not any(item is node for item in self.checked.program.declarations):
                raise RefusedError(at, f"action '{node.name.text}' is not known here", id_="model-internal")
            name = self._names.take(node.name.text)
            self._functions[key] = f"{self.namespace}::{name}"
            exits = self.effects.may_exit(node)
            leave = ("return false;", "return true;") if exits else ("return;", "")
            body = Statements(self, Names(), {}, leave, {})
            self._write_function(body, name, "bool" if exits else "void", node.parameters, node.body)
        return self._functions[key]

    def _write_function(
        self, body: Statements, name: str, result: str, parameters: tuple[ast.Parameter, ...], block: ast.Block
    ) -> None:
        texts: list[str] = []
        for param in parameters:
            known = body.names.take(param.name.text)
            body.known[param] = known
            texts.append(f"{parameter(body, body.declared_type(param), param, known)}")
        body.out.source(block)
        with body.out.block(broken(f"inline {result} {name}", texts, "")):
            for param in parameters:
                if param.direction == "out":
                    body.line(f"{body.known[param]} = {{}};")
            body.statements(block.body)
            if result == "bool" and body.on_exit:
                body.line("return false;")
            elif result != "void":
                body.line("__builtin_unreachable();")
        self.definitions.append(body.out)

    def block(self, node: ast.Parser | ast.Control) -> str:
        """The C++ class of a parser or control."""
        if node not in self._blocks:
            name = self._names.take(node.name.text)
            self._blocks[node] = f"{self.namespace}::{name}"
            self.definitions.append(BlockWriter(self, node).write(name))
        return self._blocks[node]

    def direct_instance(self, owner: object, node: ast.Call, target: CallTarget) -> str:
        if not isinstance(owner, BlockWriter):
            raise RefusedError(node, "a parser or control cannot be applied here")
        return owner.direct_instance(target)

    # ---- the file

    def text(self) -> str:
        model = self.architecture.model_class()
        out = Writer()
        out.line("// SPDX-License-Identifier: Apache-2.0")
        out.line(f"// The packet model of {self.stem}.p4, written by p4sume: do not edit.")
        for header in ["<string>", "<tuple>", "<vector>"]:
            out.line(f"#include {header}")
        out.line()
        for name in sorted(self.includes | {"model.hpp"}):
            out.line(f'#include "{name}"')
        out.line()
        for name in self._macros():
            out.line(f"#undef {name}")
        for what in ("variable", "parameter", "but-set-variable", "but-set-parameter"):
            out.line(f'#pragma GCC diagnostic ignored "-Wunused-{what}"')
        out.line('#pragma GCC diagnostic ignored "-Wtautological-compare"')
        out.line()
        out.line(f"namespace {self.namespace} {{")
        self._own_errors(out)
        for definition in (*self.types.definitions, *self.definitions, model):
            out.line()
            out.extend(definition)
        out.line()
        out.line(f"}}  // namespace {self.namespace}")
        out.line()
        out.line(
            f"std::unique_ptr<p4::Model> p4::create_model() {{ return std::make_unique<{self.namespace}::Model_>(); }}"
        )
        return out.text()

    def _macros(self) -> list[str]:
        """Names of the program that a system header may have made a macro of."""
        names = (n.text for d in self.checked.program.declarations for n in walk(d) if isinstance(n, ast.Name))
        return sorted(set(filter(maybe_macro, names)))

    def _own_errors(self, out: Writer) -> None:
        own = self.errors[len(CORE_ERRORS) :]
        if own:
            with out.block("namespace error_", "}  // namespace error_"):
                for number, name in enumerate(own):
                    value = f"static_cast<uint32_t>(p4::error_t::FIRST_OWN) + {number}"
                    out.line(f"constexpr p4::error_t {cpp_name(name)} = static_cast<p4::error_t>({value});")


def generate(
    checked: Checked,
    stem: str,
    diagnostics: Diagnostics,
    make_architecture: Callable[[Program], Architecture] = architecture_of,
) -> str | None:
    """The C++ source, or None with diagnostics for what is not supported."""
    try:
        return Program(checked, stem, make_architecture).text()
    except RefusedError as refused:
        diagnostics.error(refused.id, refused.node.span, refused.message, refused.hint)
        return None


def _identifier(stem: str) -> str:
    made = "".join(c if c.isalnum() and c.isascii() else "_" for c in stem)
    return made if not made[:1].isdigit() else f"p{made}"


def _type_variables(checked: Checked, node: ast.Function) -> tuple[Variable, ...]:
    signature = checked.declared_types[node]
    assert isinstance(signature, Signature)
    return signature.type_parameters
