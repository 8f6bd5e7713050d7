# SPDX-License-Identifier: Apache-2.0
"""Breaks a module in one place at a time and asks its test: a test worth having fails each time.

What is broken: operators (`+` for `-`, `<` for `<=`, `&&` for `||` and so on, a `!` or `~` left out), integer
constants (one more; 0 for 1 and 1 for 0), and conditions (negated). Left alone: defaults of parameters, which tests
set, and the widths of declarations, because a wider register is the same circuit.

A mutant that no test kills is either a hole in the test or the same circuit written otherwise. The latter are
listed, with the reason, in `equivalents.json` beside the test.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from pyslang.syntax import SyntaxKind, SyntaxNode, SyntaxTree

from flow.paths import BUILD, ROOT, SIM, VENV_BIN, tool_environment
from flow.sources import UnknownModuleError, all_modules, closure, module_file
from flow.synth import write_atomically

OUT = BUILD / "mutants"
LEAST_KILLED = 0.95
LEAST_LIMIT_SECONDS = 120
HUNG = 124  # exit code that stands for a run past its limit; it proves nothing and is reported apart
LIMIT_FACTOR = 6  # a mutant may take so many times as long as the module itself before it counts as hanging

_SWAPS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&", "^": "|",
    "&&": "||", "||": "&&", "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">",
    "<<": ">>", ">>": "<<", ">>>": ">>", "<<<": ">>", "+=": "-=", "-=": "+=",
}  # fmt: skip
_UNARY_SWAPS = {"!": "", "~": "", "&": "|", "|": "&", "^": "|", "~&": "~|", "~|": "~&"}
_NO_ENTRY = {
    SyntaxKind.ParameterPortList,
    SyntaxKind.VariableDimension,
    SyntaxKind.RangeDimensionSpecifier,
    SyntaxKind.NamedType,
    SyntaxKind.AttributeInstance,
    SyntaxKind.ElabSystemTask,  # the text of a check, not its condition
    SyntaxKind.TimingControlStatement,  # only its statement is entered
}
_NEGATED_ALREADY = {
    SyntaxKind.UnaryLogicalNotExpression,
    SyntaxKind.EqualityExpression,
    SyntaxKind.InequalityExpression,
}


@dataclass(frozen=True)
class Mutant:
    file: Path
    start: int  # bytes of the file that are replaced
    end: int
    before: str
    after: str
    line: int
    column: int
    text: str  # the source line

    @property
    def place(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}:{self.column}"

    def changed_source(self) -> bytes:
        source = self.file.read_bytes()
        return source[: self.start] + self.after.encode() + source[self.end :]


@dataclass(frozen=True)
class Outcome:
    mutant: Mutant
    verdict: str  # killed, survived, stillborn (does not build), hung (past the limit)
    seconds: float
    equivalent: str | None  # why the survivor is the same circuit


def mutants_of(file: Path) -> list[Mutant]:
    """Every mutant of a file, in the order of the source."""
    source = file.read_bytes()
    tree = SyntaxTree.fromFile(str(file))
    lines = source.split(b"\n")
    found = []
    for start, end, after in sorted(set(_changes(tree.root, source))):
        line = source.count(b"\n", 0, start)
        column = start - (source.rfind(b"\n", 0, start) + 1) + 1
        before = source[start:end].decode()
        text = lines[line].decode().strip()
        found.append(Mutant(file, start, end, before, after, line + 1, column, text))
    return found


def _changes(node: Any, source: bytes) -> Iterator[tuple[int, int, str]]:
    """(start, end, replacement) for every place below a syntax node."""
    if not isinstance(node, SyntaxNode):
        return
    node = cast(Any, node)
    kind, name = node.kind, node.kind.name
    if kind == SyntaxKind.TimingControlStatement:
        yield from _changes(node.statement, source)
        return
    if kind in _NO_ENTRY:
        return
    if name.startswith("Unary") and name.endswith("Expression"):
        operator = node.operatorToken
        if operator.valueText in _UNARY_SWAPS:
            yield *_extent(operator), _UNARY_SWAPS[operator.valueText]
    elif hasattr(node, "operatorToken") and kind != SyntaxKind.NonblockingAssignmentExpression:
        operator = node.operatorToken
        if operator.valueText in _SWAPS:
            yield *_extent(operator), _SWAPS[operator.valueText]
    elif kind == SyntaxKind.ConditionalPredicate:
        yield from _negated(next(iter(node.conditions)).expr, source)
    elif kind == SyntaxKind.IfGenerate:
        yield from _negated(node.condition, source)
    elif kind in (SyntaxKind.IntegerLiteralExpression, SyntaxKind.IntegerVectorExpression):
        yield from _another_number(node, source)
    elif kind in (SyntaxKind.UnbasedUnsizedLiteralExpression,):
        start, end = node.sourceRange.start.offset, node.sourceRange.end.offset
        yield start, end, "'1" if source[start:end] == b"'0" else "'0"
    for child in node:
        yield from _changes(child, source)


def _extent(token: Any) -> tuple[int, int]:
    start = token.location.offset
    return start, start + len(token.rawText)


def _negated(condition: Any, source: bytes) -> Iterator[tuple[int, int, str]]:
    if condition.kind not in _NEGATED_ALREADY:
        start, end = condition.sourceRange.start.offset, condition.sourceRange.end.offset
        yield start, end, f"!({source[start:end].decode()})"


def _another_number(node: Any, source: bytes) -> Iterator[tuple[int, int, str]]:
    start, end = node.sourceRange.start.offset, node.sourceRange.end.offset
    text = source[start:end].decode()
    match = re.fullmatch(r"(?:(\d*)\s*'s?([bdohBDOH]))?\s*([0-9a-fA-F_]+)", text)
    if not match:
        return
    bits, base, digits = match.groups()
    radix = {None: 10, "b": 2, "o": 8, "d": 10, "h": 16}[base and base.lower()]
    value = int(digits.replace("_", ""), radix)
    other = 1 - value if value < 2 else value + 1
    if bits:
        other %= 1 << int(bits)
    yield start, end, f"{bits or ''}'d{other}" if base else str(other)


def files_of(module: str) -> list[Path]:
    """The module's own file and the packages it needs: other modules have tests of their own."""
    return [module_file(module), *(p for p in closure([module]) if p.stem.endswith("_pkg"))]


def all_mutants(module: str) -> list[Mutant]:
    return [mutant for file in files_of(module) for mutant in mutants_of(file)]


def equivalents(module: str) -> dict[tuple[str, str, str], str]:
    """(source line, before, after) to the reason why the change is none."""
    path = SIM / "rtl" / module / "equivalents.json"
    entries = json.loads(path.read_text()) if path.is_file() else []
    return {(e["line"], e["before"], e["after"]): e["why"] for e in entries}


@cache
def limit_seconds(module: str) -> float:
    """How long a mutant's test may take, from the time that the module's own test takes now. Fails if that fails."""
    begun = time.monotonic()
    code, output = _run_bounded(_test_command(module), tool_environment(), None)
    if code:
        raise RuntimeError(f"the test of {module} fails without any change:\n{output[-2000:]}")
    return max(LEAST_LIMIT_SECONDS, LIMIT_FACTOR * (time.monotonic() - begun))


def _test_command(module: str) -> list[str]:
    options = ["-x", "-q", "-p", "no:cacheprovider", "-n", "0"]
    return [str(VENV_BIN / "python"), "-m", "pytest", *options, str(SIM / "rtl" / module)]


def try_mutant(module: str, mutant: Mutant, reasons: dict[tuple[str, str, str], str]) -> Outcome:
    """Runs the module's test on the changed file, in a folder that is gone afterwards."""
    folder = OUT / module / f"{mutant.file.stem}.{mutant.start}.{abs(hash(mutant.after)) % 10**6}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    changed = folder / mutant.file.name
    changed.write_bytes(mutant.changed_source())
    environment = {**tool_environment(), "MUTANT": str(changed), "BENCH_BUILDS": str(folder / "sim")}
    environment["COCOTB_MAX_FAILURES"] = "1"  # one failed test is enough
    limit = limit_seconds(module)
    begun = time.monotonic()
    code, output = _run_bounded(_test_command(module), environment, limit)
    seconds = time.monotonic() - begun
    if code == 0:
        verdict = "survived"
    elif "BuildError" in output and not re.search(r"%Error-USERFATAL: \S+\.sv:", output):
        verdict = "stillborn"
    elif code == HUNG:
        verdict = "hung"
    elif code == 1 and " failed" in output:
        verdict = "killed"
    else:
        raise RuntimeError(f"the test of {module} did not run (exit code {code}):\n{output[-2000:]}")
    shutil.rmtree(folder, ignore_errors=True)
    why = reasons.get((mutant.text, mutant.before, mutant.after)) if verdict == "survived" else None
    return Outcome(mutant, verdict, round(seconds, 1), why)


def _run_bounded(command: list[str], environment: dict[str, str], limit: float | None) -> tuple[int, str]:
    """Exit code and output; a run past the limit is ended with all its children."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return HUNG, "past the time limit"
    return process.returncode, output


def try_all(module: str, chosen: list[Mutant], jobs: int) -> Iterator[Outcome]:
    reasons = equivalents(module)
    limit_seconds(module)
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda mutant: try_mutant(module, mutant, reasons), chosen)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants", description="Does the module's test notice a fault?")
    parser.add_argument("module", help="name of a module below hw/")
    parser.add_argument("--sample", type=int, help="only so many, chosen by the seed")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "1")))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="only list them")
    arguments = parser.parse_args()
    module = arguments.module
    if module not in all_modules():
        print(f"mutants: {UnknownModuleError(module)}", file=sys.stderr)
        return 2
    chosen = all_mutants(module)
    if arguments.sample and arguments.sample < len(chosen):
        chosen = random.Random(arguments.seed).sample(chosen, arguments.sample)
    if arguments.list:
        print("\n".join(f"{m.place}: {m.before} -> {m.after}    {m.text}" for m in chosen))
        return 0
    outcomes = []
    for number, outcome in enumerate(try_all(module, chosen, arguments.jobs), 1):
        outcomes.append(outcome)
        m = outcome.mutant
        why = f"  equivalent: {outcome.equivalent}" if outcome.equivalent else ""
        print(
            f"{number:4}/{len(chosen)} {outcome.verdict:9} {outcome.seconds:6.1f} s  {m.place}: "
            f"{m.before or 'nothing'} -> {m.after or 'nothing'}{why}",
            flush=True,
        )
    return report(module, outcomes)


def report(module: str, outcomes: list[Outcome]) -> int:
    count = {v: sum(o.verdict == v for o in outcomes) for v in ("killed", "survived", "stillborn", "hung")}
    tried = count["killed"] + count["survived"]
    score = count["killed"] / tried if tried else 0.0
    open_ones = [o for o in outcomes if o.verdict == "survived" and not o.equivalent]
    rows = [
        {**asdict(o.mutant), "file": str(o.mutant.file.relative_to(ROOT)), "verdict": o.verdict,
         "equivalent": o.equivalent}
        for o in outcomes
    ]  # fmt: skip
    write_atomically(OUT / f"{module}.json", {"schema": 1, "module": module, **count, "score": score, "mutants": rows})
    print(
        f"{module}: {count['killed']} of {tried} killed ({score:.1%}), {len(open_ones)} survivors unexplained, "
        f"{count['stillborn']} did not build, {count['hung']} hung"
    )
    return 0 if tried and score >= LEAST_KILLED and not open_ones else 1


if __name__ == "__main__":
    sys.exit(main())
