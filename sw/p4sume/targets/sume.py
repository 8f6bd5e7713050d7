# SPDX-License-Identifier: Apache-2.0
"""The rules of the SimpleSumeSwitch architecture, as P4-NetFPGA has it.

Requires: a program without errors. Ensures: `main` is a SimpleSumeSwitch whose metadata has the fields of TUSER
in their order, whose digest has 256 bits, and whose extern functions follow the naming and annotations from
which engines are made.
"""

from __future__ import annotations

from p4sume.diagnostics import Diagnostics
from p4sume.semantics.checked import Checked
from p4sume.semantics.types import (
    VOID,
    Aggregate,
    Bits,
    Block,
    Bool,
    Signature,
    Type,
    is_struct,
    min_max_width,
    strip_new,
)
from p4sume.source import Span
from p4sume.syntax import ast
from p4sume.syntax.numbers import parse_number

PACKAGE = "SimpleSumeSwitch"
METADATA = "sume_metadata_t"
DIGEST_BITS = 256
LENGTH_BITS = 16
FLAG_BITS = 8
MAX_PORTS = 32
MAX_CONTROL_WIDTH = 32
# Declared by core.p4; the language gives them their meaning.
_CORE_FUNCTIONS = frozenset(("verify", "static_assert"))

# Parameters of the extern kinds that P4-NetFPGA ships, as (direction, name); the generator goes by these names.
_REGISTER = ("in index", "in newVal")
STOCK_KINDS: dict[str, tuple[str, ...]] = {
    "reg_rw": (*_REGISTER, "in opCode", "out result"),
    "reg_raw": (*_REGISTER, "in incVal", "in opCode", "out result"),
    "reg_praw": (
        *_REGISTER,
        "in incVal",
        "in opCode",
        "in compVal",
        "in relOp",
        "out result",
        "out boolean",
    ),
    "timestamp": ("in valid", "out result"),
}
_NUMBERED = {"Xilinx_MaxLatency": (1, 1 << 16), "Xilinx_ControlWidth": (0, MAX_CONTROL_WIDTH)}
ENGINE = "engine"  # @engine[name=number]: options of the module behind an extern function


def metadata_fields(ports: int) -> list[tuple[str, int]]:
    """The fields of sume_metadata_t and their widths for a number of ports, the first in the upper bits."""
    queues = ["dma", *(f"nf{i}" for i in reversed(range(ports)))]
    return [
        *((f"{queue}_q_size", LENGTH_BITS) for queue in queues),
        ("send_dig_to_cpu", FLAG_BITS),
        ("drop", FLAG_BITS),
        ("dst_port", 2 * ports),
        ("src_port", 2 * ports),
        ("pkt_len", LENGTH_BITS),
    ]


def check_main(checked: Checked, diagnostics: Diagnostics) -> None:
    main = checked.main
    if main is None:
        end = checked.program.span
        diagnostics.error(
            "sume-no-main",
            Span(end.file, end.end, end.end),
            "the program has no 'main'",
            f"end it with {PACKAGE}(TopParser(), TopPipe(), TopDeparser()) main;",
        )
        return
    type_ = checked.declared_types.get(main)
    if not isinstance(type_, Block) or type_.info.name != PACKAGE or len(type_.arguments) != 3:
        diagnostics.error(
            "sume-main",
            main.name.span,
            f"'main' is a {type_.show() if type_ else 'package'}, not a {PACKAGE}",
            "#include <sume_switch.p4> and instantiate its package, or check with --target core",
        )
        return
    headers, _, digest = type_.arguments
    _check_headers(headers, main, diagnostics)
    _check_digest(digest, main, diagnostics)
    _check_metadata(checked, type_, main, diagnostics)


def _check_headers(type_: Type, main: ast.Instantiation, diagnostics: Diagnostics) -> None:
    if not is_struct(type_):
        diagnostics.error(
            "sume-headers",
            main.name.span,
            f"the parsed headers are a struct of headers, not {type_.show()}",
        )


def _check_digest(type_: Type, main: ast.Instantiation, diagnostics: Diagnostics) -> None:
    width = min_max_width(type_)
    node = type_.info.node if isinstance(type_, Aggregate) else None
    span = node.name.span if node is not None else main.name.span
    if not is_struct(type_) or width != (DIGEST_BITS, DIGEST_BITS):
        found = f"has {width[1]} bits" if width is not None and width[0] == width[1] else "has no fixed width"
        diagnostics.error(
            "sume-digest-width",
            span,
            f"the digest {type_.show()} {found}, and the switch carries a struct of {DIGEST_BITS}",
            f"fill it up with a field of bit<…> to {DIGEST_BITS} bits",
        )


def _check_metadata(checked: Checked, type_: Block, main: ast.Instantiation, diagnostics: Diagnostics) -> None:
    symbol = checked.top_level.get(METADATA)
    metadata = symbol.type if symbol is not None else None
    if not isinstance(metadata, Aggregate) or metadata.info.node is None:
        diagnostics.error(
            "sume-metadata",
            main.name.span,
            f"struct {METADATA} is missing",
            "#include <sume_switch.p4>",
        )
        return
    span = metadata.info.node.name.span
    fields = [(name, min_max_width(t)) for name, t in metadata.fields().items()]
    ports = dict(fields).get("dst_port")
    count = ports[0] // 2 if ports is not None else 0
    if ports is None or ports[0] % 2 or not 1 <= count <= MAX_PORTS:
        diagnostics.error(
            "sume-port-width",
            span,
            f"a port has one bit for each of 1 to {MAX_PORTS} wires and one for each CPU side",
            "include the tool's sume_switch.p4, and set the number of ports with -D N_PORTS=…",
        )
        return
    wanted = [(name, (width, width)) for name, width in metadata_fields(count)]
    for (name, width), (right, bits) in zip(fields, wanted, strict=False):
        if name != right or width != bits:
            diagnostics.error(
                "sume-metadata",
                _field_span(metadata, name),
                f"with {count} ports, '{right}' of {bits[0]} bits stands here in the switch's metadata, not '{name}'",
                "the fields and their order are those of TUSER: include the tool's sume_switch.p4",
            )
            return
    if len(fields) != len(wanted):
        diagnostics.error(
            "sume-metadata",
            span,
            f"with {count} ports the switch's metadata has {len(wanted)} fields, not {len(fields)}",
            "include the tool's sume_switch.p4",
        )


def _field_span(type_: Aggregate, name: str) -> Span:
    node = type_.info.node
    assert isinstance(node, ast.Aggregate)
    return next(f.span for f in node.fields if f.name.text == name)


def check_extern_functions(checked: Checked, diagnostics: Diagnostics) -> None:
    for node in checked.program.declarations:
        if isinstance(node, ast.Function) and node.body is None and node.name.text not in _CORE_FUNCTIONS:
            signature = checked.declared_types[node]
            assert isinstance(signature, Signature)
            _check_function(node, signature, diagnostics)
            _check_function_annotations(checked, node, diagnostics)


def _check_function(node: ast.Function, signature: Signature, diagnostics: Diagnostics) -> None:
    name = node.name.text
    prefix, _, kind = name.partition("_")
    if not prefix or not kind:
        diagnostics.error(
            "sume-extern-name",
            node.name.span,
            f"extern function '{name}' is not named <name>_<kind>",
            f"the kind says which engine it is: for example {name}_reg_rw",
        )
    if signature.result != VOID:
        diagnostics.error(
            "sume-extern-result",
            node.name.span,
            f"extern function '{name}' returns a value",
            "return void, and give results through out parameters",
        )
    for param in signature.params:
        if param.direction not in ("in", "out"):
            diagnostics.error(
                "sume-extern-parameter",
                param.node.span,
                f"parameter '{param.name}' of extern function '{name}' is neither in nor out",
                "an engine has inputs and outputs only",
            )
        elif not _is_vector(param.type):
            diagnostics.error(
                "sume-extern-parameter",
                param.node.span,
                f"parameter '{param.name}' of extern function '{name}' has type {param.type.show()}",
                "an engine's ports are bit<…>, or structs of them",
            )
    stock = stock_kind(name)
    if stock is not None:
        given = tuple(f"{p.direction} {p.name}" for p in signature.params)
        if given != STOCK_KINDS[stock]:
            diagnostics.error(
                "sume-extern-prototype",
                node.name.span,
                f"extern function '{name}' does not have the parameters of {stock}",
                f"they are ({', '.join(STOCK_KINDS[stock])})",
            )


def stock_kind(name: str) -> str | None:
    """The shipped kind that the name of an extern function ends in."""
    return next((kind for kind in STOCK_KINDS if name.endswith("_" + kind)), None)


def _is_vector(type_: Type) -> bool:
    type_ = strip_new(type_)
    if isinstance(type_, Aggregate):
        return type_.kind == "struct" and all(_is_vector(t) for t in type_.fields().values())
    return isinstance(type_, (Bits, Bool)) or min_max_width(type_) is not None


def _check_function_annotations(checked: Checked, node: ast.Function, diagnostics: Diagnostics) -> None:
    for annotation in node.annotations:
        limits = _NUMBERED.get(annotation.name)
        if limits is not None:
            value = annotation_number(annotation, checked)
            if value is None or not limits[0] <= value <= limits[1]:
                diagnostics.error(
                    "sume-annotation",
                    annotation.span,
                    f"@{annotation.name} takes a number from {limits[0]} to {limits[1]}",
                    f"write @{annotation.name}({max(limits[0], 1)})",
                )
        elif annotation.name == ENGINE and annotation_pairs(annotation, checked) is None:
            diagnostics.error(
                "sume-annotation",
                annotation.span,
                f"@{ENGINE} takes options of the engine by name, each a number or a top-level constant",
                f"write @{ENGINE}[tick_bits=8]",
            )
    for parameter in node.parameters:
        for annotation in parameter.annotations:
            if annotation.name == "late" and (annotation_number(annotation, checked) or 0) < 1:
                diagnostics.error(
                    "sume-annotation",
                    annotation.span,
                    "@late takes the number of cycles after the call at which the argument is needed",
                    "write @late(1) or more",
                )


def annotation_pairs(annotation: ast.Annotation, checked: Checked) -> dict[str, int] | None:
    """The numbers by name in the body of an annotation with brackets; None if it is anything else."""
    found: dict[str, int] = {}
    for pair in annotation.pairs:
        value = pair.value
        number: int | None = None
        if isinstance(value, ast.IntLiteral):
            number = value.value
        elif isinstance(value, ast.PathExpression):
            number = _constant(value.name, checked)
        if number is None:
            return None
        found[pair.name.text] = number
    return found or None


def annotation_number(annotation: ast.Annotation, checked: Checked) -> int | None:
    """The number in the body of an annotation: a literal, or the name of a top-level constant."""
    if len(annotation.tokens) != 1:
        return None
    token = annotation.tokens[0]
    return _number(token.text) if token.kind == "number" else _constant(token.text, checked)


def _number(text: str) -> int | None:
    number = parse_number(text)
    return None if isinstance(number, str) else number.value


def _constant(name: str, checked: Checked) -> int | None:
    symbol = checked.top_level.get(name)
    value = symbol.value if symbol is not None and symbol.kind == "constant" else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
