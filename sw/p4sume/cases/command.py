# SPDX-License-Identifier: Apache-2.0
"""The commands `p4sume case` and `p4sume packets`.

Exit codes: 0 as expected, 1 not as expected or refused, 2 usage or unreadable input, 3 a bug of this tool.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench.packets import pcap
from p4sume.cases import stf
from p4sume.cases.both_target import BothTarget
from p4sume.cases.model_target import ModelTarget
from p4sume.cases.packets import run_capture
from p4sume.cases.ports import PortError, port_bit
from p4sume.cases.runner import CaseError, Report, run_case
from p4sume.cases.target import BuildError, DeviceError, Target
from p4sume.control.registers import BusError
from p4sume.frontend import Options
from p4sume.model.build import ModelError, build_model
from p4sume.model.library import Model

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

PASSED, FAILED, USAGE, INTERNAL = 0, 1, 2, 3
SCHEMA = 1
SHOWN = 3  # differences told of each case


# Makes a fresh switch each time it is called; what has to be built is built once.
MakeTarget = Callable[[], Target]


def _on_model(program: Path, options: Options) -> MakeTarget:
    try:
        library = build_model(program, options).library
    except ModelError as problem:
        raise BuildError(str(problem), problem.internal) from problem
    return lambda: ModelTarget(Model(library))


def _on_rtl(program: Path, options: Options) -> MakeTarget:
    from p4sume.cases.rtl_build import build_core  # the simulation of RTL brings tools that the model does without
    from p4sume.cases.rtl_target import RtlTarget

    core = build_core(program, options)
    return lambda: RtlTarget(core)


def _on_both(program: Path, options: Options) -> MakeTarget:
    model, rtl = _on_model(program, options), _on_rtl(program, options)
    return lambda: BothTarget(model(), rtl())


# What --on takes.
TARGETS: dict[str, Callable[[Path, Options], MakeTarget]] = {"model": _on_model, "rtl": _on_rtl, "both": _on_both}


def add_arguments(subparsers: Subparsers) -> None:
    case = subparsers.add_parser("case", help="run packet cases (STF) on a program")
    _add_program(case)
    case.add_argument("cases", metavar="CASE.stf", nargs="+", help="packet cases, each on a fresh switch")
    case.add_argument("--on", choices=TARGETS, default="model", help="what runs the program")
    case.add_argument("--json", action="store_true", help="print the outcome as JSON on stdout")
    case.set_defaults(run=run_cases)
    packets = subparsers.add_parser("packets", help="send a capture through a program")
    _add_program(packets)
    packets.add_argument("--on", choices=TARGETS, default="model", help="what runs the program")
    packets.add_argument("--in", dest="capture", metavar="I.pcap", required=True, help="the packets")
    packets.add_argument("--port", required=True, metavar="N", help="where they enter: N or nfN, or cpuN")
    packets.add_argument("--entries", metavar="E.stf", help="table entries, default actions and registers")
    packets.add_argument("--out", metavar="DIR", required=True, help="for port<N>.pcap and result.json")
    packets.set_defaults(run=run_packets)


def _add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE.p4", help="the P4 program, for SimpleSumeSwitch")
    parser.add_argument("-I", dest="include_dirs", metavar="DIR", action="append", default=[], help="look here first")
    parser.add_argument(
        "-D", dest="defines", metavar="NAME[=VALUE]", action="append", default=[], help="define a macro"
    )


def run(arguments: argparse.Namespace) -> int:
    return int(arguments.run(arguments))


def _options(arguments: argparse.Namespace) -> Options:
    return Options("sume", tuple(Path(d) for d in arguments.include_dirs), tuple(arguments.defines))


def run_cases(arguments: argparse.Namespace) -> int:
    reports: dict[str, Report] = {}
    try:
        parsed = {name: stf.parse_file(Path(name)) for name in arguments.cases}
        make_target = TARGETS[arguments.on](Path(arguments.file), _options(arguments))
        for case, statements in parsed.items():
            target = make_target()
            reports[case] = run_case(statements, target, case)
            if isinstance(target, BothTarget):
                reports[case].failures += [f"{case}: RTL and model differ: {d}" for d in target.differences[:SHOWN]]
    except (stf.StfError, CaseError, OSError, UnicodeDecodeError) as problem:
        print(f"p4sume: {problem}" if isinstance(problem, OSError) else problem, file=sys.stderr)
        return USAGE
    except (BuildError, DeviceError, BusError) as problem:
        return _build_error(problem)
    _print_reports(reports, arguments.on, arguments.json)
    return PASSED if all(r.passed for r in reports.values()) else FAILED


def _build_error(problem: BuildError | DeviceError | BusError) -> int:
    print(problem, file=sys.stderr)
    if not isinstance(problem, BuildError) or problem.internal:
        print("p4sume: internal error: this is a bug in p4sume, not in your program; please report it", file=sys.stderr)
        return INTERNAL
    return FAILED


def _print_reports(reports: dict[str, Report], name: str, as_json: bool) -> None:
    for report in reports.values():
        for failure in report.failures:
            print(failure, file=sys.stderr)
    if as_json:
        cases = [
            {
                "case": case,
                "on": name,
                "passed": r.passed,
                "packets": r.packets,
                "unchecked": r.unchecked,
                "failures": r.failures,
            }
            for case, r in reports.items()
        ]
        passed = all(c["passed"] for c in cases)
        print(json.dumps({"schema": SCHEMA, "passed": passed, "cases": cases}, indent=2))
        return
    for case, report in reports.items():
        word = "pass" if report.passed else "FAIL"
        unchecked = f", {report.unchecked} counters that it does not keep" if report.unchecked else ""
        print(f"{word} {case} on {name}: {report.packets} packets, {report.expectations} expectations{unchecked}")


def run_packets(arguments: argparse.Namespace) -> int:
    try:
        frames = pcap.read(arguments.capture)
        target = TARGETS[arguments.on](Path(arguments.file), _options(arguments))()
        if arguments.entries is not None:
            report = run_case(_entries(Path(arguments.entries)), target, arguments.entries)
            if not report.passed:
                print("\n".join(report.failures), file=sys.stderr)
                return FAILED
        port = port_bit(arguments.port, target.port_bits)
        summary = run_capture(frames, port, target, Path(arguments.out))
    except (stf.StfError, CaseError) as problem:
        print(problem, file=sys.stderr)
        return USAGE
    except (OSError, ValueError, pcap.CaptureError, PortError) as problem:
        print(f"p4sume: {problem}", file=sys.stderr)
        return USAGE
    except (BuildError, DeviceError, BusError) as problem:
        return _build_error(problem)
    dropped = sum(summary.drops.values())
    print(f"{summary.received} packets in, {summary.sent} out, {dropped} dropped")
    if isinstance(target, BothTarget) and target.differences:
        print("\n".join(f"RTL and model differ: {d}" for d in target.differences[:SHOWN]), file=sys.stderr)
        return FAILED
    return PASSED


def _entries(path: Path) -> list[stf.Statement]:
    statements = stf.parse_file(path)
    allowed = (stf.TableChange, stf.SetDefault, stf.RemoveAll, stf.WriteRegister, stf.Configure)
    for statement in statements:
        if not isinstance(statement, allowed):
            raise stf.StfError(f"{path}:{statement.line}:1: error: only tables and registers are set up here")
    return statements
