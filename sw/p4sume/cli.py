# SPDX-License-Identifier: Apache-2.0
"""The command `p4sume`. One function a subcommand; results on stdout, messages on stderr.

Exit codes: 0 accepted, 1 refused, 2 usage or unreadable input, 3 a bug of this tool.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from p4sume.cases import command as case_commands
from p4sume.constants import python_module
from p4sume.frontend import Options, Outcome, run_front_end
from p4sume.syntax.preprocessor import UnreadableSourceError
from p4sume.targets import TARGETS

ACCEPTED, REFUSED, USAGE, INTERNAL = 0, 1, 2, 3
SCHEMA = 1
REPORT_TO = "the project's issue tracker"
_DEFINE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(=.*)?", re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    parsed = _parser().parse_args(arguments)
    try:
        code = int(parsed.run(parsed))
        sys.stdout.flush()
        return code
    except UnreadableSourceError as problem:
        print(f"p4sume: cannot read {problem}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return USAGE
    except Exception as problem:
        return _internal_error(problem)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="p4sume", description="An open P4-16 compiler for the NetFPGA SUME.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="say whether a P4 program is legal, and if not, why")
    _add_source_options(check)
    check.add_argument("--json", action="store_true", help="print the outcome as JSON on stdout")
    check.set_defaults(run=_check)
    compile_ = commands.add_parser("compile", help="make the hardware of a program for SimpleSumeSwitch")
    _add_source_options(compile_, target="sume")
    compile_.add_argument("--out", metavar="DIR", required=True, help="where SystemVerilog, registers, manifest go")
    compile_.set_defaults(run=_compile)
    constants = commands.add_parser("constants", help="print the constants of a P4 file as a Python module")
    _add_source_options(constants)
    constants.set_defaults(run=_constants)
    case_commands.add_arguments(commands)
    return parser


def _add_source_options(parser: argparse.ArgumentParser, target: str = "core") -> None:
    """What every command that reads a P4 program takes."""
    parser.add_argument("file", metavar="FILE", help="the P4 program")
    parser.add_argument(
        "--target",
        choices=sorted(TARGETS),
        default=target,
        help="core: the language alone, any architecture; sume: also the rules of SimpleSumeSwitch",
    )
    parser.add_argument(
        "-I", dest="include_dirs", metavar="DIR", action="append", default=[], help="look for #include here first"
    )
    parser.add_argument(
        "-D", dest="defines", metavar="NAME[=VALUE]", action="append", default=[], type=_define, help="define a macro"
    )


def _define(text: str) -> str:
    if not _DEFINE.fullmatch(text):
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME or NAME=VALUE")
    return text


def options_of(parsed: argparse.Namespace) -> Options:
    directories = tuple(Path(d) for d in parsed.include_dirs)
    return Options(parsed.target, directories, tuple(parsed.defines))


def _check(parsed: argparse.Namespace) -> int:
    outcome = run_front_end(Path(parsed.file), options_of(parsed))
    if parsed.json:
        json.dump(outcome_json(outcome), sys.stdout, indent=2)
        sys.stdout.write("\n")
    else:
        print_diagnostics(outcome)
    return ACCEPTED if outcome.accepted else REFUSED


def _compile(parsed: argparse.Namespace) -> int:
    from p4sume.hardware import command  # the back end brings tools that the other commands do without

    return command.run(parsed)


def _constants(parsed: argparse.Namespace) -> int:
    outcome = run_front_end(Path(parsed.file), options_of(parsed))
    print_diagnostics(outcome)
    if not outcome.accepted or outcome.checked is None:
        return REFUSED
    sys.stdout.write(python_module(outcome.checked, parsed.file))
    return ACCEPTED


def outcome_json(outcome: Outcome) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "accepted": outcome.accepted,
        "diagnostics": [item.to_json() for item in outcome.diagnostics],
    }


def print_diagnostics(outcome: Outcome) -> None:
    for item in outcome.diagnostics:
        text = item.render() + "\n"
        encoding = sys.stderr.encoding or "utf-8"
        sys.stderr.write(text.encode(encoding, errors="replace").decode(encoding))


def _internal_error(problem: Exception) -> int:
    place = traceback.extract_tb(problem.__traceback__)[-1]
    print(
        f"p4sume: internal error: {type(problem).__name__} in {Path(place.filename).name}:{place.lineno}\n"
        f"  This is a bug in p4sume, not in your program. Please report it to {REPORT_TO},\n"
        "  with the program and the command line.",
        file=sys.stderr,
    )
    return INTERNAL
