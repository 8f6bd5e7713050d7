# SPDX-License-Identifier: Apache-2.0
"""Extern functions: each call site is an engine of its own.

The name is <name>_<kind>, as P4-NetFPGA has it; @Xilinx_MaxLatency(n) is the latency in cycles, of which stock kinds
take no more than they need; @Xilinx_ControlWidth(a) the address bits of its control port; @engine[name=n] an option of
its engine; @late(n) on a parameter says that it is needed n cycles after the call. Engines are numbered by the extern's
name, in the order of the program.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4sume.hardware import graph as g
from p4sume.hardware.blocks import with_latency
from p4sume.hardware.lowering.state import Bundle, State
from p4sume.hardware.lowering.tables import Tables
from p4sume.semantics import types as t
from p4sume.semantics.checked import CallTarget
from p4sume.syntax import ast
from p4sume.targets.sume import ENGINE, annotation_number, annotation_pairs

# P4-NetFPGA's, then this project's. The end of an extern's name decides; the longest fits first.
KINDS = (
    "reg_rw",
    "reg_raw",
    "reg_praw",
    "reg_ifElseRaw",
    "reg_multi_raws",
    "reg_sub",
    "lrc",
    "timestamp",
    "ip_chksum",
    "bloom_filter",
    "shift_reg",
    "best_hops",
    "probe_gate",
    "port_up",
    "flowlet_table",
    "link_util",
    "option_scanner",
    "association",
    "subflow_map",
)
_STATELESS = frozenset(("lrc", "timestamp", "ip_chksum", "option_scanner"))
RESULT = "result_value"  # the output that is an extern function's result


class Externs(Tables):
    def extern_function(self, node: ast.Call, target: CallTarget, declared: ast.Function, state: State) -> Bundle:
        if self.in_parser:
            raise self.refuse(
                "extern-in-parser",
                node,
                f"extern '{target.name}' cannot be called in a parser",
                "call it in the match-action control",
            )
        assert target.signature is not None
        make = self.make
        types = {p.node: self.actual(p.type) for p in target.signature.params}
        parameters: list[tuple[str, int, int]] = []
        outputs: list[tuple[str, int]] = []
        arguments: list[g.Value] = []
        assigned = []
        for parameter, argument in target.bindings:
            type_, name = types[parameter], parameter.name.text
            if parameter.direction == "inout" or isinstance(type_, t.Extern):
                raise self.refuse(
                    "extern-parameter",
                    parameter,
                    f"parameter '{name}' of an extern function has the direction in or out",
                    "make it two parameters",
                )
            width = self.layouts.width(type_, parameter)
            if parameter.direction == "out":
                outputs.append((name, width))
                if argument is not None:
                    assigned.append((len(outputs) - 1, self.target(argument, state), type_, argument))
                continue
            value = self.blank(type_, node) if argument is None else self.value(argument, state)
            parameters.append((name, width, self._number_in(parameter.annotations, "late") or 0))
            arguments.append(self.pack(value, type_, parameter))
        result_type = self.actual(target.signature.result)
        if not isinstance(result_type, t.Void):
            outputs.append((RESULT, self.layouts.width(result_type, node)))
        if not outputs:
            outputs.append((RESULT, 1))
        kind = kind_of(target.name)
        extern = g.Extern(
            self._plane_name(target.name),
            kind,
            self._instance(node, target.name),
            0,
            self._number_in(declared.annotations, "Xilinx_ControlWidth") or 0,
            tuple(parameters),
            tuple(outputs),
            node.span,
            self._options(declared.annotations),
        )
        most = self._number_in(declared.annotations, "Xilinx_MaxLatency")
        results = make.invoke(with_latency(extern, most), arguments, make.and_(self.guard, state.path))
        for index, place, type_, argument in assigned:
            self.write_target(place, self.unpack(results[index], type_, argument), state, argument)
        return {} if isinstance(result_type, t.Void) else self.unpack(results[-1], result_type, node)

    def _number_in(self, annotations: Sequence[ast.Annotation], name: str) -> int | None:
        for annotation in annotations:
            if annotation.name == name:
                found = annotation_number(annotation, self.checked)
                if found is not None:
                    return found
        return None

    def _options(self, annotations: Sequence[ast.Annotation]) -> tuple[tuple[str, int], ...]:
        found = [annotation_pairs(a, self.checked) for a in annotations if a.name == ENGINE]
        return tuple(pair for pairs in found for pair in (pairs or {}).items())

    def _plane_name(self, name: str) -> str:
        """What the control plane calls the engine of a call: by the control, numbered from the second on."""
        frame = self.frame
        while not isinstance(frame.block, ast.Control) and frame.owner is not None:
            frame = frame.owner
        path = f"{frame.path}.{name}"
        self.calls_at[path] = number = self.calls_at.get(path, 0) + 1
        return path if number == 1 else f"{path}_{number}"

    def _instance(self, node: ast.Call, name: str) -> str:
        site = (self.frame.path, node)
        if site in self.call_sites and kind_of(name) not in _STATELESS:
            raise self.refuse(
                "extern-called-twice",
                node,
                f"this call of extern '{name}' is reached in several ways, and its engine takes one request a packet",
                "keep the arguments in variables, and call it at one place behind",
            )
        self.call_sites.add(site)
        count = self.engines.get(name, 0)
        self.engines[name] = count + 1
        if count == 1 and kind_of(name) not in _STATELESS:
            self.warn(
                "two-engines",
                node,
                f"extern '{name}' is called at a second place, which has a state of its own",
                "call it at one place, with an operation code, if the state is to be shared",
            )
        return f"{name}_{count}"


def kind_of(name: str) -> str:
    """The kind of an extern function by its name: a known kind at its end, or what follows the first underscore."""
    fitting = [k for k in KINDS if name == k or name.endswith("_" + k)]
    if fitting:
        return max(fitting, key=len)
    return name.split("_", 1)[-1]
