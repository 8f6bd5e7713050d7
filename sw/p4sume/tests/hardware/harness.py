# SPDX-License-Identifier: Apache-2.0
"""Programs, packets and the two readings of them: the flow graph, evaluated, and the model of the unlowered program.

Packets are made from the graph: where it compares bits of the window with a constant, those bits get that constant
now and then, so that random packets go deep into the parser.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path

from p4sume.control.ranges import prefixes
from p4sume.frontend import Options, run_front_end
from p4sume.hardware import graph as g
from p4sume.hardware.evaluate import default_value, evaluate
from p4sume.hardware.lowering import Lowered, lower
from p4sume.hardware.registers import EMPTY
from p4sume.model.library import KeyValue, Model
from p4sume.tests.hardware.twins import Twin

PROGRAMS = Path(__file__).parent / "programs"
REPOSITORY = Path(__file__).resolve().parents[4]


def lowered(path: Path) -> Lowered:
    outcome = run_front_end(path, Options(target="sume"))
    assert outcome.checked is not None and outcome.accepted, _messages(outcome.diagnostics)
    found = lower(outcome.checked, outcome.diagnostics, path.stem)
    assert found is not None, _messages(outcome.diagnostics)
    return found


SKELETON = """
#include <core.p4>
#include <sume_switch.p4>
{declarations}
struct headers_t {{ {headers} }}
struct meta_t {{ {metadata} }}
struct digest_t {{ bit<248> unused; bit<8> log; }}
parser TopParser(packet_in p, out headers_t hdr, out meta_t meta, out digest_t digest, inout sume_metadata_t sume) {{
    {parser}
}}
control TopPipe(inout headers_t hdr, inout meta_t meta, inout digest_t digest, inout sume_metadata_t sume) {{
    {locals_}
    apply {{ sume.dst_port = 1; {pipe} }}
}}
control TopDeparser(packet_out p, in headers_t hdr, in meta_t meta, inout digest_t digest,
                    inout sume_metadata_t sume) {{
    apply {{ {deparser} }}
}}
SimpleSumeSwitch(TopParser(), TopPipe(), TopDeparser()) main;
"""
BYTE = "header byte_t { bit<8> x; }"
START = "state start { p.extract(hdr.a); transition accept; }"


def write_program(
    directory: Path,
    *,
    declarations: str = BYTE,
    headers: str = "byte_t a; byte_t b;",
    metadata: str = "bit<8> m;",
    parser: str = START,
    locals_: str = "",
    pipe: str = "",
    deparser: str = "p.emit(hdr);",
) -> Path:
    """A small program of which most is as always."""
    path = directory / "small.p4"
    path.write_text(
        SKELETON.format(
            declarations=declarations,
            headers=headers,
            metadata=metadata,
            parser=parser,
            locals_=locals_,
            pipe=pipe,
            deparser=deparser,
        )
    )
    return path


def refused(path: Path) -> list[tuple[str, int]]:
    """Why a program cannot be built: id and line."""
    outcome = run_front_end(path, Options(target="core"))
    assert outcome.checked is not None and outcome.accepted, _messages(outcome.diagnostics)
    before = outcome.diagnostics.error_count
    assert lower(outcome.checked, outcome.diagnostics, path.stem) is None
    assert outcome.diagnostics.error_count > before
    return [(d.id, d.span.location()[1]) for d in outcome.diagnostics if d.severity == "error"]


def _messages(diagnostics: object) -> str:
    return "\n".join(d.render() for d in diagnostics)  # type: ignore[attr-defined]


# ---- tables and externs, in Python


@dataclass
class Row:
    key: tuple[KeyValue, ...]
    priority: int
    value: int
    places: int = 1  # that it takes in the table: a range takes one for each of its prefixes


@dataclass
class Engines:
    """What the lookups and externs of a graph answer."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    missed: dict[g.Table, set[int]] = field(default_factory=dict)
    twins: dict[str, Twin] = field(default_factory=dict)
    cycle: int = 0
    hits: Counter[str] = field(default_factory=Counter)
    defaults: dict[str, int] = field(default_factory=dict)  # set while packets pass

    def lookup(self, table: g.Table, key: int) -> tuple[bool, int]:
        parts = split(key, [k.width for k in table.keys])
        fitting = [r for r in self.rows.get(table.name, ()) if _fits(table, r, parts)]
        self.hits[f"{table.name} {'hit' if fitting else 'miss'}"] += 1
        if not fitting:
            self.missed.setdefault(table, set()).add(key)
            return False, self.defaults.get(table.name, default_value(table))
        if not _by_priority(table):
            best = max(fitting, key=lambda r: sum(k.prefix or 0 for k in r.key))
        else:
            best = min(fitting, key=lambda r: r.priority)
        return True, best.value

    def invoke(self, extern: g.Extern, arguments: Sequence[int]) -> Sequence[int]:
        self.hits[extern.instance] += 1
        return self.twins.setdefault(extern.instance, Twin(extern)).call(arguments, self.cycle)


def _by_priority(table: g.Table) -> bool:
    """Whether the lowest priority decides among entries that match; otherwise the longest prefix does."""
    return not {k.match_kind for k in table.keys} <= {"exact", "lpm"}


def split(bits: int, widths: Sequence[int]) -> list[int]:
    found: list[int] = []
    for width in reversed(widths):
        found.insert(0, bits & (1 << width) - 1)
        bits >>= width
    return found


def _fits(table: g.Table, row: Row, parts: Sequence[int]) -> bool:
    for key, given, part in zip(table.keys, row.key, parts, strict=True):
        if given.value is None:
            continue
        if key.match_kind == "lpm":
            assert given.prefix is not None
            if (part ^ given.value) >> (key.width - given.prefix):
                return False
        elif key.match_kind == "ternary":
            assert given.second is not None
            if (part ^ given.value) & given.second:
                return False
        elif key.match_kind == "range":
            assert given.second is not None
            if not given.value <= part <= given.second:
                return False
        elif part != given.value:
            return False
    return True


# ---- one packet through the graph


@dataclass(frozen=True)
class Passed:
    drop_reason: str | None
    packet: bytes = b""
    metadata: Mapping[str, int] = field(default_factory=dict)
    digest: int = 0


def through(lowered_: Lowered, packet: bytes, metadata: Mapping[str, int], engines: Engines | None = None) -> Passed:
    graph = lowered_.graph
    engines = engines or Engines()
    window = packet[: graph.window_bytes]
    inputs = {
        node.port: metadata.get(node.port.partition(".")[2], 0) for node in graph.nodes if isinstance(node, g.Input)
    }
    inputs["window"] = int.from_bytes(window.ljust(graph.window_bytes, b"\0"), "big")
    inputs["window_length"] = len(window)
    out = evaluate(graph, inputs, engines.lookup, engines.invoke)
    if out["drop"]:
        assert out["drop_reason"]
        return Passed(lowered_.drop_reasons[out["drop_reason"]])
    assert out["drop_reason"] == 0
    header = out["header"].to_bytes(graph.header_bytes, "big")
    length = out["header_length"]
    assert not any(header[length:]), "the header is not zero behind its end"
    carried = {k.partition(".")[2]: v for k, v in out.items() if k.startswith("sume_metadata.")}
    assert length - out["strip_length"] in lowered_.growth
    left = header[:length] + packet[out["strip_length"] :]
    return Passed(None, left, carried, out["digest_data"]) if left else Passed(EMPTY)


# ---- random packets


@dataclass(frozen=True)
class Hint:
    """Bits of the window that the graph compares with a number."""

    byte: int
    low: int
    width: int
    value: int


def hints(graph: g.Graph) -> list[Hint]:
    makers = graph.makers()
    found: list[Hint] = []
    bits = 8 * graph.window_bytes
    for node in graph.nodes:
        if not isinstance(node, g.Operate) or node.operator not in ("eq", "all", "ult"):
            continue
        slices = [makers[v] for v in node.taken if isinstance(makers[v], g.Slice)]
        numbers = [m.value for v in node.taken if isinstance(m := makers[v], g.Constant)]
        for part in slices:
            if isinstance(part, g.Slice) and part.of.width == bits:
                value = numbers[0] if numbers else (1 << part.result.width) - 1
                found.append(Hint((bits - 1 - part.high) // 8, part.low, part.result.width, value))
    return found


def random_packet(rng: random.Random, graph: g.Graph, known: Sequence[Hint]) -> bytes:
    size = graph.window_bytes
    word = rng.getrandbits(8 * size)
    if rng.random() < 0.2:
        word &= rng.getrandbits(8 * size) & rng.getrandbits(8 * size)
    places: dict[tuple[int, int], list[int]] = {}
    for hint in known:
        places.setdefault((hint.low, hint.width), []).append(hint.value)
    often = rng.choice((0.3, 0.6, 0.9))
    for low, width in rng.sample(sorted(places), len(places)):
        if rng.random() < often:
            word = word & ~(((1 << width) - 1) << low) | rng.choice(places[low, width]) << low
    packet = word.to_bytes(size, "big") + rng.randbytes(rng.randint(0, 40))
    if rng.random() < 0.3:
        packet = packet[: rng.randint(0, len(packet))]
    return packet


def mutated(rng: random.Random, packet: bytes) -> bytes:
    """A packet seen before, perhaps with another byte or a shorter end: it hits the entries that were added for it."""
    made = bytearray(packet)
    if made and rng.random() < 0.5:
        made[rng.randrange(len(made))] = rng.getrandbits(8)
    return bytes(made[: rng.randint(0, len(made))] if rng.random() < 0.1 else made)


def random_metadata(rng: random.Random, packet: bytes, ports: int = 8) -> dict[str, int]:
    return {"src_port": 1 << rng.randrange(ports), "pkt_len": len(packet), "nf0_q_size": rng.getrandbits(8)}


# ---- random entries


@dataclass(frozen=True)
class Added:
    table: str
    key: tuple[KeyValue, ...]
    action: str
    arguments: tuple[int, ...]
    priority: int


@dataclass(frozen=True)
class Defaulted:
    table: str
    action: str
    arguments: tuple[int, ...]


@dataclass(frozen=True)
class Sent:
    packet: bytes
    metadata: Mapping[str, int]
    cycle: int


def new_entry(rng: random.Random, table: g.Table, key: int, engines: Engines) -> Added | None:
    """An entry that matches a key which was looked up in vain; None if there is no room for it."""
    parts = split(key, [k.width for k in table.keys])
    given: list[KeyValue] = []
    for part, info in zip(parts, table.keys, strict=True):
        if info.match_kind == "lpm":
            prefix = rng.randint(1, info.width)
            given.append(KeyValue(part >> (info.width - prefix) << (info.width - prefix), None, prefix))
        elif info.match_kind == "ternary":
            mask = rng.getrandbits(info.width) | rng.getrandbits(info.width)
            given.append(KeyValue(part & mask, mask))
        elif info.match_kind == "range":
            given.append(KeyValue(max(0, part - 3), min((1 << info.width) - 1, part + 3)))
        elif info.match_kind == "optional" and rng.random() < 0.3:
            given.append(KeyValue(None))
        else:
            given.append(KeyValue(part))
    rows = engines.rows.setdefault(table.name, [])
    places = prod(
        len(prefixes(key.value, key.second, info.width))
        for info, key in zip(table.keys, given, strict=True)
        if info.match_kind == "range" and key.value is not None and key.second is not None
    )
    if any(r.key == tuple(given) for r in rows) or len(rows) == 12:
        return None
    if sum(r.places for r in rows) + places > table.size:
        return None
    priority = rng.choice(sorted(set(range(1, 40)) - {r.priority for r in rows})) if _by_priority(table) else 0
    action, arguments, value = _action_value(rng, [a for a in table.actions if a.in_entries], table)
    rows.append(Row(tuple(given), priority, value, places))
    return Added(table.name, tuple(given), action, arguments, priority)


def new_default(rng: random.Random, table: g.Table, engines: Engines) -> Defaulted | None:
    if table.default_is_const:
        return None
    usable = [a for a in table.actions if a.as_default]
    action, arguments, engines.defaults[table.name] = _action_value(rng, usable, table)
    return Defaulted(table.name, action, arguments)


def _action_value(
    rng: random.Random, usable: Sequence[g.ActionLayout], table: g.Table
) -> tuple[str, tuple[int, ...], int]:
    """An action, its arguments, and both as a table holds them."""
    action = rng.choice(usable)
    arguments = tuple(rng.getrandbits(width) for _, width in action.parameters)
    data = 0
    for (_, width), argument in zip(action.parameters, arguments, strict=True):
        data = data << width | argument
    return action.name, arguments, action.code << table.data_bits | data << (table.data_bits - action.data_bits)


def change(model: Model, step: Added | Defaulted) -> None:
    if isinstance(step, Added):
        model.add(step.table, step.key, step.action, step.arguments, step.priority)
    else:
        model.set_default(step.table, step.action, step.arguments)


@dataclass
class Agreement:
    packets: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    exercised: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)
    steps: list[Added | Defaulted | Sent] = field(default_factory=list)  # all that was done, so that it can be repeated


def compare(lowered_: Lowered, model: Model, packets: int, seed: int) -> Agreement:
    """Random packets, valid and truncated, through the graph and the model, with table entries added as they go."""
    rng = random.Random(seed)
    engines = Engines()
    known = hints(lowered_.graph)
    found = Agreement()
    pool: list[bytes] = []
    ports = next(v.width for port, v in lowered_.graph.outputs.items() if port.endswith(".dst_port"))
    for _ in range(packets):
        packet = mutated(rng, rng.choice(pool)) if pool and rng.random() < 0.5 else None
        if packet is None:
            packet = random_packet(rng, lowered_.graph, known)
            pool = [*pool[-20:], packet]
        metadata = random_metadata(rng, packet, ports)
        engines.cycle += rng.randrange(1, 1 << rng.randrange(1, 40))
        found.steps.append(Sent(packet, metadata, engines.cycle))
        mine = through(lowered_, packet, metadata, engines)
        its = model.process(packet, metadata, engines.cycle)
        reason = its.drop_reason
        found.packets += 1
        found.outcomes[mine.drop_reason or "passed"] += 1
        if mine.drop_reason == reason:
            if reason is None:
                digest = 0
                for part in model.digest_fields:
                    digest = digest << part.width | its.digest[part.name]
                if (mine.packet, dict(mine.metadata), mine.digest) != (its.packet, its.metadata, digest):
                    found.differences.append(
                        f"{packet.hex()} {metadata}: {mine.packet.hex()} {mine.metadata} {mine.digest:x}, the model "
                        f"{its.packet.hex()} {its.metadata} {digest:x}"
                    )
        else:
            found.differences.append(f"{packet.hex()} {metadata}: {mine.drop_reason}, the model {its.drop_reason}")
        if rng.random() < 0.15 and engines.missed:
            table = rng.choice(sorted(engines.missed, key=lambda t: t.name))
            if rng.random() < 0.15:
                step: Added | Defaulted | None = new_default(rng, table, engines)
            else:
                step = new_entry(rng, table, rng.choice(sorted(engines.missed[table])), engines)
            if step is not None:
                change(model, step)
                found.steps.append(step)
    found.exercised = engines.hits
    return found
