# SPDX-License-Identifier: Apache-2.0
"""SimpleSumeSwitch: parser, pipe, deparser; P4-NetFPGA's extern functions by their twins in sim/model.

A packet that the parser rejects is dropped and counted under the error's name; one that leaves with dst_port 0, and
without bit 0 of send_dig_to_cpu, is dropped and counted as no_port. The old field `drop` decides nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from p4sume.hardware import hula_engines
from p4sume.hardware.engines import prototype
from p4sume.hardware.graph import Extern
from p4sume.model.architecture import Architecture
from p4sume.model.cpp_types import packable, plain
from p4sume.model.lvalues import Place
from p4sume.model.names import cpp_name
from p4sume.model.refusal import RefusedError
from p4sume.model.writer import Writer
from p4sume.semantics.checked import CallTarget
from p4sume.semantics.types import Aggregate, Bits, Block, Param, Type, min_max_width, resolve
from p4sume.syntax import ast
from p4sume.targets.sume import ENGINE, annotation_pairs

if TYPE_CHECKING:
    from p4sume.model.calls import Calls

RUNTIME = Path(__file__).resolve().parents[3] / "sim" / "model"


def twin_kinds() -> list[str]:
    return sorted(p.stem.removeprefix("extern_") for p in RUNTIME.glob("extern_*.hpp"))


def kind_of(name: str) -> str | None:
    """The kind of an extern function `<prefix>_<kind>`."""
    fitting = [k for k in twin_kinds() if name == k or name.endswith("_" + k)]
    return max(fitting, key=len) if fitting else None


class SumeArchitecture(Architecture):
    def extern_function(self, body: Calls, node: ast.Call, target: CallTarget) -> str | None:
        from p4sume.model.blocks import BlockWriter, Member

        kind = kind_of(target.name)
        if kind is None:
            raise RefusedError(
                node,
                f"there is no twin for the extern function '{target.name}'",
                "its name ends in _<kind>, and sim/model has an extern_<kind>.hpp; kinds: " + ", ".join(twin_kinds()),
                "no-twin",
            )
        owner = body.owner
        if not isinstance(owner, BlockWriter):
            raise RefusedError(
                node,
                f"'{target.name}' cannot be called from a function or an action outside controls",
                "call it in a control, where each call is one engine",
            )
        assert target.signature is not None
        widths = [_width(p, node) for p in target.signature.params]
        name = owner.names.take(target.name)
        self.program.includes.add(f"extern_{kind}.hpp")
        cpp_type = f"p4::extern_{kind}<{', '.join(str(w) for w in widths)}>"
        extern = self._engine(node, target, kind)
        options = ", ".join(map(str, hula_engines.options(extern).values()))
        settings = "".join(f', {{"{s.name}", {s.count or 1}, {s.reset}}}' for s in hula_engines.settings(extern))
        described = f", {{{settings.removeprefix(', ')}}}" if settings else ""
        owner.add_member(Member(cpp_type, name, options, f'model_.add({name}, path_ + ".{name}"{described});'))
        body.line(f"++{name}.calls;")
        passed = body.pass_arguments(target, closure=True)
        text = f"{name}.call({', '.join(['context_', *passed.arguments])})"
        return body.finish(text, target.signature.result, passed)

    def _engine(self, node: ast.Call, target: CallTarget, kind: str) -> Extern:
        """What stands for the twin in hardware; refused where a module of hw/rtl/hula would not take it."""
        signature = target.signature
        assert signature is not None
        given: tuple[tuple[str, int], ...] = ()
        for annotation in getattr(target.node, "annotations", ()):
            if annotation.name == ENGINE:
                given += tuple((annotation_pairs(annotation, self.program.checked) or {}).items())
        extern = Extern(
            target.name, kind, target.name, 1, 0,
            tuple((p.name, _width(p, node), 0) for p in signature.params if p.direction == "in"),
            tuple((p.name, _width(p, node)) for p in signature.params if p.direction == "out"),
            options=given,
        )  # fmt: skip
        wrong = hula_engines.misfit(extern) if kind in hula_engines.ENGINES else ""
        if wrong:
            raise RefusedError(node, f"extern '{target.name}' {wrong}", prototype(kind), "extern-ports")
        return extern

    def model_class(self) -> Writer:
        checked = self.program.checked
        assert checked.main is not None
        blocks = [a for _, a in checked.instances[checked.main].bindings]
        parser, pipe, deparser = (self._block(b, checked.main) for b in blocks)
        types = [self._parameter_types(b) for b in (parser, pipe, deparser)]
        headers, metadata, digest, sume = types[0]
        for node in (parser, pipe, deparser):
            if node.constructor_parameters:
                raise RefusedError(node, "the blocks of the package take no constructor parameters here")
        classes = [self.program.block(b) for b in (parser, pipe, deparser)]
        names = [b.name.text for b in (parser, pipe, deparser)]
        self._require_layout(parser.parameters[3], digest, "digest_data")
        self._require_layout(parser.parameters[4], sume, "sume_metadata")
        cpp = [self.program.types.name(t, parser) for t in (headers, metadata, digest, sume)]
        out = Writer()
        with out.block("class Model_ final : public p4::Model", "};"):
            out.lines.append(" public:")
            roles = ("parser_", "pipe_", "deparser_")
            initials = ", ".join(f'{r}(*this, "{n}")' for r, n in zip(roles, names, strict=True))
            with out.block(f"Model_() : {initials}"):
                errors = ", ".join(f'"{e}"' for e in self.program.errors)
                out.line(f"describe({{{errors}}});")
            out.line(f'const char* program() const override {{ return "{self.program.stem}"; }}')
            for what, type_ in (("metadata", sume), ("digest", digest)):
                fields = ", ".join(f'{{"{n}", {w}}}' for n, w in flat_fields(type_))
                out.line(f"std::vector<p4::FieldInfo> {what}_fields() const override {{ return {{{fields}}}; }}")
            out.line()
            out.lines.append(" private:")
            head = (
                "size_t run(p4::Context& context_, p4::packet_in& in_, p4::packet_out& out_, "
                "p4::Unpacker metadata_in_,\n             p4::Packer& metadata_out_, p4::Packer& digest_out_) override"
            )
            with out.block(head):
                for name, text in zip(("headers", "metadata", "digest", "sume"), cpp, strict=True):
                    out.line(f"{text} {name}{{}};")
                out.line("sume.unpack_(metadata_in_);")
                out.line("if (!parser_.apply(context_, in_, headers, metadata, digest, sume))")
                out.line("  return FIRST_ERROR + static_cast<size_t>(context_.parser_error);")
                out.line("pipe_.apply(context_, headers, metadata, digest, sume);")
                out.line("deparser_.apply(context_, out_, headers, metadata, digest, sume);")
                out.line("sume.pack_(metadata_out_);")
                out.line("digest.pack_(digest_out_);")
                out.line("const bool told = (sume.send_dig_to_cpu.low() & 1) != 0;")
                out.line("return sume.dst_port.zero() && !told ? NO_PORT : FORWARDED;")
            for role, name in zip(roles, classes, strict=True):
                out.line(f"{name} {role};")
        return out

    def _block(self, node: ast.Expression | None, main: ast.Instantiation) -> ast.Parser | ast.Control:
        target = self.program.checked.calls.get(node) if isinstance(node, ast.Call) else None
        if target is None or not isinstance(target.node, (ast.Parser, ast.Control)):
            raise RefusedError(
                node or main, "a block of the package is written as a constructor call, as in TopParser()"
            )
        return target.node

    def _parameter_types(self, node: ast.Parser | ast.Control) -> list[Type]:
        symbol = self.program.checked.symbols[node]
        assert isinstance(symbol.type, Block)
        signature = symbol.type.apply_signature()
        assert signature is not None
        return [p.type for p in signature.params[1:]]

    def _require_layout(self, node: ast.Parameter, type_: Type, what: str) -> None:
        if not isinstance(resolve(type_), Aggregate) or not packable(resolve(type_)):
            raise RefusedError(
                node,
                f"{what} has type {type_.show()}, which has no fixed layout",
                "make it a struct of bit<…> fields",
            )


def _width(param: Param, node: ast.Call) -> int:
    type_ = plain(param.type)
    if not isinstance(type_, Bits) or type_.signed:
        raise RefusedError(
            node,
            f"parameter '{param.name}' of this extern has type {param.type.show()}",
            "parameters of extern functions are bit<…>",
        )
    return type_.width


def flat_fields(type_: Type, prefix: str = "") -> list[tuple[str, int]]:
    """Names and widths of the bits of a struct, nested ones with dots."""
    found: list[tuple[str, int]] = []
    aggregate = resolve(type_)
    assert isinstance(aggregate, Aggregate)
    for name, field in aggregate.fields().items():
        if isinstance(plain(field), Aggregate):
            found += flat_fields(plain(field), f"{prefix}{name}.")
        else:
            sizes = min_max_width(field)
            assert sizes is not None
            found.append((prefix + name, sizes[0]))
    return found


__all__ = ["SumeArchitecture", "Place", "cpp_name"]
