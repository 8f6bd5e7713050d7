# SPDX-License-Identifier: Apache-2.0
"""The front end in one call: a file to a checked program and what there is to say about it.

Whatever the text, the result is diagnostics. Work runs in a thread with a stack of its own, so that deep (but
permitted) nesting cannot exhaust Python's.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path

from p4sume.deep import run_deep
from p4sume.diagnostics import Diagnostics, ErrorLimitError
from p4sume.semantics.checked import Checked
from p4sume.semantics.checker import check
from p4sume.semantics.instances import Elaborator, Instance
from p4sume.syntax import ast
from p4sume.syntax.declarations import Parser
from p4sume.syntax.preprocessor import Preprocessor
from p4sume.targets import check_target

INCLUDE_DIR = Path(__file__).resolve().parents[2] / "hw" / "p4" / "include"


@dataclass(frozen=True)
class Options:
    target: str = "core"
    include_dirs: tuple[Path, ...] = ()
    defines: tuple[str, ...] = ()


DEFAULTS = Options()


@dataclass(eq=False)
class Outcome:
    """`checked` is None when the program could not be parsed; `instances` are made when it was accepted."""

    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    checked: Checked | None = None
    instances: dict[ast.Node, Instance | tuple[Instance, ...]] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        return self.diagnostics.error_count == 0


def run_front_end(path: Path, options: Options = DEFAULTS) -> Outcome:
    """Preprocess, parse and check a file. Raises UnreadableSourceError if the file cannot be read."""
    outcome = Outcome()
    with contextlib.suppress(ErrorLimitError):
        run_deep(lambda: _run(path, options, outcome))
    return outcome


def _run(path: Path, options: Options, outcome: Outcome) -> None:
    diagnostics = outcome.diagnostics
    directories = [*options.include_dirs, INCLUDE_DIR]
    tokens = Preprocessor(diagnostics, directories, options.defines).run(path, str(path))
    if diagnostics.error_count:
        return
    program = Parser(tokens, diagnostics).program()
    if diagnostics.error_count:
        return
    outcome.checked = check(program, diagnostics)
    if diagnostics.error_count == 0:
        check_target(options.target, outcome.checked, diagnostics)
    if diagnostics.error_count == 0:
        outcome.instances = Elaborator(outcome.checked).run()
