# SPDX-License-Identifier: Apache-2.0
"""SimpleSumeSwitch: parser, pipe and deparser in a row, between the ports of the generated pipeline.

The package's README lists the ports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from p4sume.hardware import graph as g
from p4sume.hardware.lowering.composing import Header
from p4sume.hardware.lowering.context import Frame, Packet, Place
from p4sume.hardware.lowering.deparsing import Deparsing
from p4sume.hardware.lowering.refusal import CannotBuildError
from p4sume.hardware.lowering.state import Bundle, State, merge_many, name_of
from p4sume.hardware.lowering.unroll import NO_PORT, Explored, Parsed
from p4sume.semantics import types as t
from p4sume.semantics.checked import CallTarget
from p4sume.syntax import ast

PACKAGE = "SimpleSumeSwitch"
METADATA = "sume_metadata"
PORT = "dst_port"
DIGEST = "send_dig_to_cpu"


@dataclass(frozen=True)
class Lowered:
    """`drop_reasons`: what the output `drop_reason` says, by number; `possible_drops`: those that it can say.
    `growth`: by how many bytes a packet may grow;
    negative where it shrinks. `fixed_tables`: tables that are logic, which the control plane sees and cannot change.
    `digest`: names and bits of what stands side by side in digest_data."""

    graph: g.Graph
    drop_reasons: tuple[str, ...]
    possible_drops: tuple[str, ...]
    growth: frozenset[int]
    fixed_tables: tuple[g.Table, ...]
    digest: tuple[tuple[str, int], ...]


@dataclass(eq=False)
class Carried:
    """What goes from block to block. Its order is that of the blocks' parameters behind the packet."""

    values: list[Bundle]
    types: list[t.Type]


class Architecture(Deparsing):
    def run_program(self) -> Lowered:
        blocks = self._blocks()
        make = self.make
        parser, types = blocks[0]
        frame = self._frame(parser)
        self.frame = frame
        carried = Carried([self.blank(ty, frame_node(frame)) for ty in types], types)
        self.in_parser = True
        places = self._bind(frame, carried, None)
        explored = self.explore(frame)
        window, length = self._inputs(explored.window_bytes, carried, frame)
        parsed = self._parse(frame, places, carried, explored, window, length)
        self.in_parser = False
        state = parsed.state
        self._control(blocks[1][0], carried, state, parsed.accepted)
        self.emissions = []
        self._control(blocks[2][0], carried, state, make.one)
        make.graph.window_bytes = explored.window_bytes
        header = self._outputs(blocks[2][0], carried, parsed)
        leaves = self.layouts.leaves(carried.types[2], frame_node(frame))
        digest = tuple((".".join(map(str, leaf.path)), leaf.width) for leaf in leaves)
        possible = tuple(r for r in self.reasons[1:] if r in self.possible_drops | {NO_PORT})
        fixed = tuple(self.fixed_tables.values())
        return Lowered(make.graph, self.reasons, possible, header.growth, fixed, digest)

    # ---- the package

    def _blocks(self) -> list[tuple[CallTarget, list[t.Type]]]:
        """The parser and the two controls of `main`, with the types of their parameters behind the packet."""
        main = self.checked.main
        type_ = self.checked.declared_types.get(main) if main is not None else None
        if main is None or not isinstance(type_, t.Block) or type_.info.name != PACKAGE:
            raise CannotBuildError(
                "not-a-sume-program",
                main or self.checked.program,
                f"only programs whose main is a {PACKAGE} are built",
                "#include <sume_switch.p4> and end with SimpleSumeSwitch(…) main;",
            )
        found: list[tuple[CallTarget, list[t.Type]]] = []
        for _, argument in self.checked.instances[main].bindings:
            made = self.checked.calls.get(argument) if isinstance(argument, ast.Call) else None
            if made is None or made.kind != "constructor" or not isinstance(made.node, ast.Parser | ast.Control):
                raise CannotBuildError(
                    "package-argument", argument or main, f"the arguments of {PACKAGE} are made here, as in TopPipe()"
                )
            parameters = [p for p in made.node.parameters if not self._is_packet(p)]
            found.append((made, [self.actual(self.checked.declared_types[p]) for p in parameters]))
        return found

    def _is_packet(self, parameter: ast.Parameter) -> bool:
        type_ = self.checked.declared_types[parameter]
        return isinstance(type_, t.Extern)

    def _frame(self, made: CallTarget) -> Frame:
        frame = Frame(made.name, None, made.node, scope="")
        self.bind_constructor(frame, made, Frame(""))
        return frame

    def _bind(self, frame: Frame, carried: Carried, state: State | None) -> list[Place]:
        """Places for a block's parameters, with what is carried in them."""
        assert isinstance(frame.block, ast.Parser | ast.Control)
        places: list[Place] = []
        for parameter in frame.block.parameters:
            if self._is_packet(parameter):
                frame.bindings[parameter] = Packet()
                continue
            index = len(places)
            place = self.variable(parameter, carried.types[index], frame)
            places.append(place)
            if state is not None:
                self.write(state, place, carried.values[index], parameter)
        return places

    # ---- blocks

    def _inputs(self, window_bytes: int, carried: Carried, frame: Frame) -> tuple[g.Value, g.Value]:
        make = self.make
        window = make.input("window", 8 * window_bytes)
        length = make.input("window_length", window_bytes.bit_length())
        node = frame_node(frame)
        for leaf in self.layouts.leaves(carried.types[3], node):
            carried.values[3][leaf.path] = make.input(name_of((METADATA, *leaf.path)), leaf.width)
        return window, length

    def _parse(
        self, frame: Frame, places: list[Place], carried: Carried, explored: Explored, window: g.Value, length: g.Value
    ) -> Parsed:
        start = State(self.make.one)
        node = frame_node(frame)
        for place, value in zip(places, carried.values, strict=True):
            self.write(start, place, value, node)
        self.frame = frame
        self.declare(self.parser_of(frame).locals, frame, start)
        parsed = self.build(frame, explored, start, window, length)
        self._collect(frame, places, carried, parsed.state)
        return parsed

    def _collect(self, frame: Frame, places: Sequence[Place], carried: Carried, state: State) -> None:
        carried.values = [self.read(state, p, frame_node(frame)) for p in places]
        self.leave(frame, state)
        state.values.clear()
        state.assumed.clear()

    def _control(self, made: CallTarget, carried: Carried, state: State, guard: g.Value) -> None:
        frame = self._frame(made)
        outer_frame, self.frame, self.guard = self.frame, frame, guard
        places = self._bind(frame, carried, state)
        assert isinstance(made.node, ast.Control)
        self.control_body(made.node, frame, state)
        self.join_returns(frame, state, {}, bool(self.exits))
        self._join_exits(state)
        self._collect(frame, places, carried, state)
        self.frame = outer_frame

    def _join_exits(self, state: State) -> None:
        make = self.make
        ends = [(s.path, s) for s in (*self.exits, state) if make.known(s.path) != 0]
        if len(ends) > 1:
            state.forget({})
            state.become(merge_many(make, ends, make.one, self.unwritten))
        elif ends:
            state.become(State(make.one, dict(ends[0][1].values)))
        state.path = make.one
        self.exits.clear()

    # ---- outputs

    def _outputs(self, deparser: CallTarget, carried: Carried, parsed: Parsed) -> Header:
        make = self.make
        node = deparser.node
        assert node is not None
        make.span = None
        header = self.compose(node, parsed)
        outputs = make.graph.outputs
        outputs["header"] = header.bits or make.zeros(8)
        make.graph.header_bytes = max(1, header.most_bytes)
        for port, length, most in (
            ("header_length", header.length_bytes, make.graph.header_bytes),
            ("strip_length", parsed.strip_bytes, make.graph.window_bytes),
        ):
            outputs[port] = self.resize(length, most.bit_length(), False)
        metadata = carried.values[3]
        make.name = "no_port"
        told = make.slice(metadata[(DIGEST,)], 0, 0)
        no_port = make.not_(make.or_(make.operate("any", metadata[(PORT,)]), told))
        make.name = "drop"
        outputs["drop"] = make.or_(make.not_(parsed.accepted), no_port)
        make.name = "drop_reason"
        none = make.zeros(self.reason_bits)
        without = make.mux(no_port, make.constant(self.reason_bits, self.reasons.index(NO_PORT)), none)
        outputs["drop_reason"] = make.mux(parsed.accepted, without, parsed.reason)
        for leaf in self.layouts.leaves(carried.types[3], node):
            outputs[name_of((METADATA, *leaf.path))] = metadata[leaf.path]
        make.name = "digest_data"
        outputs["digest_data"] = self.pack(carried.values[2], carried.types[2], node)
        return header


def frame_node(frame: Frame) -> ast.Declaration:
    assert frame.block is not None
    return frame.block
