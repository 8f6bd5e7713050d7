# SPDX-License-Identifier: Apache-2.0
"""Whole random programs for the SimpleSumeSwitch: `generate(seed)` gives a text and what it uses.

They are legal by construction: what the front end rejects is a fault of one of the two. What a program computes is
made visible: variables are folded into the digest at the end of the pipe.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from p4sume.tests.random_programs.expressions import as_bits
from p4sume.tests.random_programs.kinds import (
    Bits,
    Bool,
    Enum,
    Error,
    Function,
    Header,
    Kind,
    Parameter,
    Place,
    Scope,
    Stack,
    Struct,
    Tuple,
    Union,
    is_scalar,
    width_of,
)
from p4sume.tests.random_programs.tables import Tables

METADATA = Struct(
    "sume_metadata_t",
    (
        *((f"{queue}_q_size", Bits(16)) for queue in ("dma", "nf3", "nf2", "nf1", "nf0")),
        ("send_dig_to_cpu", Bits(8)),
        ("drop", Bits(8)),
        ("dst_port", Bits(8)),
        ("src_port", Bits(8)),
        ("pkt_len", Bits(16)),
    ),
)
DIGEST_BITS = 256
STATELESS = ("lrc", "ip_chksum")
CHECKSUM_FIELDS = (
    *(("version", 4), ("ihl", 4), ("tos", 8), ("totalLen", 16), ("identification", 16), ("flags", 3)),
    *(("fragOffset", 13), ("ttl", 8), ("protocol", 8), ("hdrChecksum", 16), ("srcAddr", 32), ("dstAddr", 32)),
)


@dataclass(frozen=True)
class RandomProgram:
    seed: int
    text: str
    features: Counter[str]


def generate(seed: int) -> RandomProgram:
    made = _Program(random.Random(f"program {seed}"))
    text = made.write(seed)
    return RandomProgram(seed, text, made.features)


class _Program(Tables):
    def write(self, seed: int) -> str:
        self._types()
        self._functions = Scope()
        self.constants: list[tuple[str, Kind]] = []
        constants = self._constants()
        functions = [line for _ in range(self.rng.randint(0, 3)) for line in self.function(self._functions)]
        externs = self._externs()
        sub_parser, subs = self._sub_parser()
        sub_control = self._sub_control()
        lines = [
            "// SPDX-License-Identifier: Apache-2.0",
            f"// A random program, seed {seed}.",
            "#include <core.p4>",
            "#include <sume_switch.p4>",
            *self.declarations,
            *constants,
            *externs,
            *functions,
            *sub_parser,
            *self._parser(subs),
            *sub_control,
            *self._pipe(),
            *self._deparser(),
            "SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;",
        ]
        return "\n".join(lines) + "\n"

    # ---- types

    def _types(self) -> None:
        rng = self.rng
        self.declarations: list[str] = []
        if self.chance(0.6):
            members = ("red", "green", "blue", "black")[: rng.randint(2, 4)]
            self.enums.append(Enum("colour_t", members))
            self.declarations.append(f"enum colour_t {{ {', '.join(members)} }}")
            self.note("enum")
        if self.chance(0.6):
            width = rng.choice((2, 3, 8, 12))
            codes = tuple(rng.sample(range(1 << min(width, 4)), rng.randint(2, 3)))
            members = ("one", "two", "three")[: len(codes)]
            self.enums.append(Enum("code_t", members, width, codes))
            listed = ", ".join(f"{m} = {c}" for m, c in zip(members, codes, strict=True))
            self.declarations.append(f"enum bit<{width}> code_t {{ {listed} }}")
            self.note("serialisable enum")
        self.errors = Error((*self.errors.members, "OddOption", "BadPadding"))
        self.declarations.append("error { OddOption, BadPadding }")
        for number in range(rng.randint(1, 2)):
            fields = tuple((name, self.scalar_kind()) for name in self.member_names("m", rng.randint(1, 3)))
            self._declare(Struct(f"part{number}_t", fields), "struct")
        if self.chance(0.5):
            self.tuples.append(Tuple(tuple(self.scalar_kind() for _ in range(rng.randint(1, 3)))))
        self.headers = [self._header(f"h{i}_t", rng.randint(1, 6)) for i in range(rng.randint(2, 3))]
        self._stacked = rng.choice(self.headers) if self.chance(0.5) else self._header("item_t", rng.randint(1, 3))
        members_: list[tuple[str, Kind]] = []
        for name in self.member_names("h", rng.randint(2, 5)):
            members_.append((name, rng.choice(self.headers)))
        if self.chance(0.6):
            members_.append(("s", Stack(self._stacked, rng.randint(1, 3))))
            self.note("header stack")
        if self.chance(0.2):
            members_.append(("u", self._union()))
            self.note("header_union")
        if self.chance(0.25):
            size = rng.choice((16, 24))
            varied = Header("v_t", self._fields(rng.randint(1, 2)), size)
            self.headers.append(varied)
            self._declare_header(varied)
            members_.append(("v", varied))
        self.hdr = Struct("headers_t", tuple(members_))
        nested = [(f"p{i}", s) for i, s in enumerate(self.structs)]
        plain = [(name, self.scalar_kind()) for name in self.member_names("m", rng.randint(2, 5))]
        tuples = [("pair", self.tuples[0])] if self.tuples else []
        saved = [("saved", dict(members_)["s"])] if "s" in dict(members_) and self.chance(0.4) else []
        self.meta = Struct("meta_t", (*plain, *nested, *tuples, *saved))
        self.digest = Struct("digest_t", self._digest_fields())
        for struct in (self.hdr, self.meta, self.digest):
            self._write_struct(struct, "struct")

    def _union(self) -> Union:
        kinds = self.rng.sample(self.headers, 2)
        union = Union("union_t", tuple((f"u{i}", k) for i, k in enumerate(kinds)))
        fields = " ".join(f"{kind} {name};" for name, kind in union.fields)
        self.declarations.append(f"header_union union_t {{ {fields} }}")
        return union

    def _constants(self) -> list[str]:
        """Constants, a synonym, a new type and a generic function, which every scope then has."""
        lines = []
        for number in range(self.rng.choice((0, 0, 1, 2))):
            kind = self.rng.choice((self.number_kind(), Bool(), *self.tuples))
            self.constants.append((f"C{number}", kind))
            lines.append(f"const {kind} C{number} = {self.constant(kind)};")
            self.note("constant")
        if self.chance(0.3):
            kind = self.number_kind()
            lines.append(f"T first{kind.width}<T>(in T x, inout T y) {{ T old = y; y = x; return old; }}")
            parameters = (Parameter("in", kind, "x"), Parameter("inout", kind, "y"))
            self._functions.functions.append(Function(f"first{kind.width}", parameters, kind, named=True))
            self.note("generic function")
        return lines

    def _scope(self, leaves: bool = False) -> Scope:
        scope = Scope(functions=self._functions.functions, may_exit=leaves, may_return=leaves)
        for name, kind in self.constants:
            scope.declare(name, kind, writable=False, varies=False)
        return scope

    def _digest_fields(self) -> tuple[tuple[str, Kind], ...]:
        fields: list[tuple[str, Kind]] = []
        left = DIGEST_BITS
        while left > 64:
            kind: Kind = self.rng.choice((Bits(8), Bits(16), Bits(33), Bits(64), Bits(16), Bits(7), Bool(), Bits(9)))
            fields.append((f"d{len(fields)}", kind))
            left -= width_of(kind)
        return (*fields, ("rest", Bits(left)))

    def _declare(self, struct: Struct, word: str) -> None:
        self.structs.append(struct)
        self._write_struct(struct, word)

    def _write_struct(self, struct: Struct | Header, word: str) -> None:
        fields = [f"{kind} {name};" for name, kind in struct.fields]
        if isinstance(struct, Header) and struct.varbit:
            fields.append(f"varbit<{struct.varbit}> data;")
        self.declarations.append(f"{word} {struct.name} {{ {' '.join(fields)} }}")

    def _declare_header(self, header: Header) -> None:
        self._write_struct(header, "header")

    def _header(self, name: str, size: int) -> Header:
        header = Header(name, self._fields(size))
        self._declare_header(header)
        return header

    def _fields(self, size: int) -> tuple[tuple[str, Kind], ...]:
        """Fields of odd widths that fill `size` bytes."""
        left = 8 * size
        fields: list[tuple[str, Kind]] = []
        names = self.member_names("f", 5)
        while left:
            kinds: list[Kind] = [Bits(w) for w in (1, 2, 3, 4, 5, 7, 8, 8, 9, 11, 13, 16, 32, 48) if w <= left]
            kinds += [Bits(w, True) for w in (2, 5, 8, 16) if w <= left]
            kinds += [Bool(), *[e for e in self.enums if e.width and e.width <= left]]
            kind = self.rng.choice(kinds) if len(fields) < 4 else Bits(left)
            fields.append((names[len(fields)], kind))
            left -= width_of(kind)
        return tuple(fields)

    # ---- externs

    def _externs(self) -> list[str]:
        """Prototypes of some of P4-NetFPGA's stock externs; each is called once, in the pipe."""
        rng = self.rng
        self.engines: list[Function] = []
        lines = []
        for number in range(rng.choice((0, 0, 1, 1, 2))):
            kind = rng.choice(("reg_rw", "reg_raw", "reg_praw", "reg_ifElseRaw", "reg_sub", "lrc", "ip_chksum"))
            extern = self._extern(f"e{number}_{kind}", kind)
            self.engines.append(extern)
            index = next((p.kind for p in extern.parameters if p.name.startswith("index")), None)
            latency = "" if self.chance(0.5) else f"@Xilinx_MaxLatency({rng.randint(4, 6)}) "
            lines.append(f"{latency}@Xilinx_ControlWidth({width_of(index) if index else 0})")
            lines.append(f"extern void {extern.name}({', '.join(map(str, extern.parameters))});")
            self.note(f"extern {kind}")
        return lines

    def _extern(self, name: str, kind: str) -> Function:
        rng = self.rng
        index, value = Bits(rng.choice((1, 2, 3))), Bits(rng.choice((1, 8, 16, 32, 47, 64)))
        code = Bits(8)

        def given(*names: tuple[str, Kind]) -> tuple[Parameter, ...]:
            return tuple(Parameter("in", k, n) for n, k in names)

        result = (Parameter("out", value, "result"),)
        holds = (Parameter("out", Bits(1), "boolean"),)
        match kind:
            case "lrc":
                narrow = Bits(rng.choice((1, 4, 8, 12, 16)))
                return Function(name, (*given(("data", value)), Parameter("out", narrow, "result")))
            case "ip_chksum":
                words = tuple((field, Bits(width)) for field, width in CHECKSUM_FIELDS)
                return Function(name, (*given(*words), Parameter("out", Bits(16), "result")))
            case "reg_rw":
                return Function(name, given(("index", index), ("newVal", value), ("opCode", code)) + result)
            case "reg_raw" | "reg_praw":
                common = given(("index", index), ("newVal", value), ("incVal", value), ("opCode", code))
                if kind == "reg_raw":
                    return Function(name, common + result)
                return Function(name, common + given(("compVal", value), ("relOp", code)) + result + holds)
        sides: list[tuple[str, Kind]] = []
        for side in ("2", "1"):
            sides += [(f"index_{side}", index), (f"newVal_{side}", value), (f"incVal_{side}", value)]
            sides += [(f"opCode_{side}", code)]
        last: list[tuple[str, Kind]] = [("index_comp", index), ("compVal", value), ("relOp", code)]
        return Function(name, given(*sides, *last) + result + (holds if self.chance(0.5) else ()))

    def _call_engine(self, engine: Function, scope: Scope) -> list[str]:
        arguments = []
        for parameter in engine.parameters:
            if parameter.direction == "out":
                made = self.variable(parameter.kind, scope)
                if made is None:
                    name = self.fresh("r")
                    scope.declare(name, parameter.kind)
                    return [f"{parameter.kind} {name};", *self._call_engine(engine, scope)]
                arguments.append(made)
            elif parameter.name.startswith(("opCode", "relOp")) and self.chance(0.9):
                bits = 3 if parameter.name.startswith("opCode") else 2
                if self.chance(0.5):
                    arguments.append(f"8w{self.rng.randrange(1 << bits)}")
                else:
                    arguments.append(f"(bit<8>)({self.value(Bits(bits), scope, 0)})")
            else:
                arguments.append(self.value(parameter.kind, scope, 1))
        return [f"{engine.name}({', '.join(arguments)});"]

    # ---- parsers

    def _sub_parser(self) -> tuple[list[str], list[str]]:
        if not self.chance(0.3):
            return [], []
        fixed = [(n, k) for n, k in self.hdr.fields if isinstance(k, Header) and not k.varbit]
        name, kind = self.rng.choice(fixed)
        scope = self._scope()
        scope.declare("inner", kind)
        scope.declare("meta", self.meta)
        parameters = f"packet_in p, {self.rng.choice(('out', 'inout'))} {kind} inner, inout meta_t meta"
        made = self.parser("SubParser", parameters, scope, [Place("inner", kind)], [])
        return made, ["SubParser() sub;", f"sub.apply(p, hdr.{name}, meta);"]

    def _parser(self, subs: list[str]) -> list[str]:
        scope = self._scope()
        scope.declare("hdr", self.hdr)
        scope.declare("meta", self.meta)
        scope.declare("digest", self.digest)
        scope.declare("sume", METADATA)
        headers = [Place(f"hdr.{name}", kind) for name, kind in self.hdr.fields if not isinstance(kind, Union)]
        for name, kind in self.hdr.fields:
            if isinstance(kind, Union):
                headers += [Place(f"hdr.{name}.{n}", k) for n, k in kind.fields]
        if self.chance(0.5):
            headers = headers[:1] + self.rng.sample(headers[1:], len(headers) - 1)
        parameters = "packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume"
        return self.parser("TopParser", parameters, scope, headers, subs)

    # ---- controls

    def _sub_control(self) -> list[str]:
        self.sub: Function | None = None
        if not self.chance(0.4):
            return []
        self.note("sub-control")
        kinds: list[Kind] = [self.rng.choice([h for h in self.headers if not h.varbit])] * self.rng.choice((1, 1, 2))
        kinds += [self.scalar_kind() for _ in range(self.rng.randint(1, 2))]
        parameters = tuple(
            Parameter(self.rng.choice(("inout", "inout", "in", "out")), k, self.fresh("q")) for k in kinds
        )
        scope = self._scope(leaves=True)
        for parameter in parameters:
            scope.declare(parameter.name, parameter.kind, parameter.direction != "in")
        tables = self.rng.choice((0, 1, 1))
        made = self._control("SubControl", ", ".join(map(str, parameters)), scope, [], tables=tables, count=3)
        self.sub = Function("sub.apply", parameters)
        self.sub_twice = not tables
        return made

    def _pipe(self) -> list[str]:
        scope = self._scope(leaves=True)
        scope.declare("hdr", self.hdr)
        scope.declare("meta", self.meta)
        scope.declare("digest", self.digest)
        scope.declare("sume", METADATA)
        parameters = "inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume"
        return self._control("TopPipe", parameters, scope, self.engines, tables=self.rng.randint(0, 3), count=8)

    def _control(
        self, name: str, parameters: str, scope: Scope, engines: list[Function], tables: int, count: int
    ) -> list[str]:
        rng = self.rng
        top = name == "TopPipe"
        lines = [f"control {name}({parameters}) {{"]
        for _ in range(rng.randint(0, 3)):
            lines += ["    " + line for line in self.local(scope)]
        made_actions: list[Function] = []
        in_actions = list(engines) if engines and self.chance(0.4) else []
        calls = [e for e in engines if e not in in_actions]
        once: Function | None = None  # an action that may be called at one place
        for number in range(rng.randint(1, 3)):
            text, action = self.action(scope, rng.choice((0, 0, 1, 2)))
            if in_actions and number == 0:
                self.note("extern in action")
                inner = scope.inner()
                engine = in_actions.pop()
                text[-1:] = [*("    " + x for x in self._call_engine(engine, inner)), "}"]
                if engine.name.endswith(STATELESS):
                    self.note("extern in action of several calls")
                else:
                    once = action
            lines += ["    " + line for line in text]
            made_actions.append(action)
            if action is not once:
                scope.actions = [*scope.actions, action]
        calls += in_actions
        made_tables = []
        if top and self.sub is not None:
            lines.append("    SubControl() sub;")
        for _ in range(tables):
            text, table = self.table(scope, made_actions) if made_actions else ([], None)
            if table is not None:
                lines += ["    " + line for line in text]
                made_tables.append(table)
                if once in table.actions:
                    made_actions = [a for a in made_actions if a is not once]
        lines.append("    apply {")
        body: list[str] = []
        items: list[object] = [*made_tables, *calls, *[None] * rng.randint(2, count)]
        if top and self.sub is not None:
            items.append("sub")
            if self.sub_twice and self.chance(0.5):
                self.note("sub-control at two places")
                items.append("sub")
        rng.shuffle(items)
        if top:
            body.append("sume.dst_port = sume.src_port;")
        for item in items:
            body += self._item(item, scope)
        if top and self.chance(0.85):
            body.append("sume.dst_port = sume.dst_port | 1;")
        if top:
            body += self._visible(scope)
        return [*lines, *("        " + line for line in body), "    }", "}"]

    def _item(self, item: object, scope: Scope) -> list[str]:
        if item is None:
            return self.statement(scope, 2)
        inside = self.chance(0.4)
        inner = scope.inner() if inside else scope
        if item == "sub":
            assert self.sub is not None
            call = self.call(self.sub, inner, 1)
            made = [f"{call};"] if call is not None else []
        elif isinstance(item, Function):
            made = self._call_engine(item, inner)
        else:
            made = self.apply_table(item, inner, 1)
        if inside:
            made = [f"if ({self.condition(scope, 1)}) {{", *("    " + x for x in made), "}"]
        return made

    def _visible(self, scope: Scope) -> list[str]:
        """Local variables and metadata end in the digest."""
        lines = []
        targets = [p for p in scope.places if p.text.startswith("digest.") and isinstance(p.kind, Bits)]
        for place in scope.places:
            if is_scalar(place.kind) and not place.text.startswith(("hdr.", "digest.", "sume.")):
                text, width = as_bits(place.text, place.kind)
                target = self.rng.choice(targets)
                wide = target.kind.width
                text = f"({text})" if width == wide else f"(bit<{wide}>)({text})"
                lines.append(f"{target.text} = ({target.text} << 1) ^ {text};")
        return lines

    def _deparser(self) -> list[str]:
        rng = self.rng
        scope = self._scope()
        scope.may_exit, scope.may_return = True, True
        scope.declare("hdr", self.hdr, False)
        scope.declare("meta", self.meta, False)
        scope.declare("digest", self.digest)
        scope.declare("sume", METADATA)
        body: list[str] = []
        if self.chance(0.4):
            self.note("emit of struct")
            body.append("p.emit(hdr);")
        else:
            names = [name for name, _ in self.hdr.fields]
            if self.chance(0.5):
                rng.shuffle(names)
            for name in names:
                if self.chance(0.15):
                    self.note("emit in if")
                    body += [f"if ({self.condition(scope, 1)}) {{", f"    p.emit(hdr.{name});", "}"]
                else:
                    self.note("emit")
                    body.append(f"p.emit(hdr.{name});")
        if self.chance(0.4):
            self.note("statements in deparser")
            place = rng.randint(0, len(body))
            if not any(line.startswith((" ", "}")) for line in body[place : place + 1]):
                body[place:place] = self.statement(scope, 1)
        head = (
            "control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest, "
            "inout sume_metadata_t sume) {"
        )
        return [head, "    apply {", *("        " + line for line in body), "    }", "}"]
