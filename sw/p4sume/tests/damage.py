# SPDX-License-Identifier: Apache-2.0
"""Random damage to legal programs: whatever the text, the answer is diagnostics, and soon.

Texts are the test programs and those of hw/p4, damaged byte by byte or token by token. What the front end still
accepts as a program for SimpleSumeSwitch goes on into both back ends, which have to build it or to refuse it.

python -m p4sume.tests.damage --minutes 60 --result FILE
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flow.results import write_result
from p4sume.deep import run_deep
from p4sume.frontend import Options, run_front_end
from p4sume.hardware.lowering import lower
from p4sume.hardware.passes import run
from p4sume.model.architecture import architecture_of
from p4sume.model.program import generate
from p4sume.source import SourceFile
from p4sume.syntax.lexer import tokenize

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[2]
PROGRAMS = sorted((HERE / "programs").glob("*/*.p4"))
SUME_PROGRAMS = sorted((*(HERE / "hardware" / "programs").glob("*.p4"), *(REPOSITORY / "hw" / "p4").glob("*.p4")))
KEPT = REPOSITORY / "build" / "damage"
LONGEST_TEXT = 10_000
SLOWEST_FRONT_END_SECONDS = 10
SLOWEST_SECONDS = 120


class TooSlowError(Exception):
    pass


class Damage:
    """Makes damaged texts."""

    def __init__(self, seed: int, programs: Sequence[Path]) -> None:
        self.rng = random.Random(seed)
        found = [path.read_text(encoding="utf-8") for path in programs]
        self.texts = [text for text in found if len(text) < LONGEST_TEXT]
        tokens = [t for text in self.texts for t in tokenize(SourceFile("x", text))]
        self.words = sorted({t.text for t in tokens if len(t.text) < 30})

    def make(self) -> bytes:
        text = self.rng.choice(self.texts)
        return self._bytes(text) if self.rng.random() < 0.4 else self._tokens(text)

    def _bytes(self, text: str) -> bytes:
        rng = self.rng
        data = bytearray(text.encode())
        for _ in range(rng.choice((1, 2, 6))):
            at = rng.randrange(len(data) + 1)
            match rng.randrange(4):
                case 0:
                    data[at : at + 1] = bytes([rng.randrange(256)])
                case 1:
                    del data[at : at + rng.randint(1, 8)]
                case 2:
                    source = rng.randrange(len(data) + 1)
                    data[at:at] = data[source : source + rng.randint(1, 60)]
                case _:
                    data[at:at] = bytes(rng.randrange(32, 127) for _ in range(rng.randint(1, 4)))
        return bytes(data)

    def _tokens(self, text: str) -> bytes:
        rng = self.rng
        tokens = tokenize(SourceFile("x", text))
        edits = []
        for _ in range(rng.choice((1, 1, 2, 4))):
            span = rng.choice(tokens).span
            replacement = rng.choice(["", rng.choice(tokens).text, rng.choice(self.words)])
            end = span.end if rng.random() < 0.6 else span.start
            edits.append((span.start, end, f" {replacement} "))
        for start, end, replacement in sorted(edits, reverse=True):
            text = text[:start] + replacement + text[end:]
        return text.encode()


def answer(data: bytes, path: Path) -> str:
    """What the compiler says to a text: rejected, accepted, refused by a back end, or built. Raises what it raises."""
    path.write_bytes(data)
    is_sume = b"sume_switch" in data
    begun = time.process_time()
    outcome = run_front_end(path, Options(target="sume" if is_sume else "core"))
    for item in outcome.diagnostics:
        item.render()
    _within(begun, SLOWEST_FRONT_END_SECONDS)
    checked = outcome.checked
    if not outcome.accepted or checked is None:
        return "rejected"
    if not is_sume:
        return "accepted"
    model = run_deep(lambda: generate(checked, path.stem, outcome.diagnostics, architecture_of))
    lowered = lower(checked, outcome.diagnostics, path.stem)
    if lowered is not None:
        run(lowered.graph)
    for item in outcome.diagnostics:
        item.render()
    _within(begun, SLOWEST_SECONDS)
    return "refused" if model is None or lowered is None else "built"


def _within(begun: float, seconds: float) -> None:
    took = time.process_time() - begun
    if took > seconds:
        raise TooSlowError(f"{took:.0f} seconds")


@dataclass
class Report:
    seed: int
    answers: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    def result(self) -> dict[str, object]:
        return {
            "seed": self.seed,
            "texts": sum(self.answers.values()),
            "answers": dict(sorted(self.answers.items())),
            "faults": dict(sorted(self.faults.items())),
        }


def run_damage(seed: int, programs: Sequence[Path], going_on: Callable[[Report], bool], scratch: Path) -> Report:
    """Damages texts as long as wanted. Each kind of fault is told once, and its text kept."""
    damage, report = Damage(seed, programs), Report(seed)
    while going_on(report):
        data = damage.make()
        try:
            report.answers[answer(data, scratch)] += 1
        except Exception as problem:
            report.answers["fault"] += 1
            where = traceback.extract_tb(problem.__traceback__)[-1]
            name = f"{type(problem).__name__}-{Path(where.filename).stem}-{where.name}"
            if name not in report.faults:
                KEPT.mkdir(parents=True, exist_ok=True)
                (KEPT / f"{name}.p4").write_bytes(data)
                print(f"{KEPT / name}.p4\n{''.join(traceback.format_exception(problem))}", flush=True)
            report.faults[name] += 1
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 2**31))
    parser.add_argument("--result", type=Path)
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    until = time.monotonic() + 60 * given.minutes
    with tempfile.TemporaryDirectory() as folder:
        programs = [*PROGRAMS, *SUME_PROGRAMS]
        report = run_damage(given.seed, programs, lambda _: time.monotonic() < until, Path(folder) / "damaged.p4")
    if given.result is not None:
        write_result(given.result, {"minutes": given.minutes, **report.result()})
    print(f"{sum(report.answers.values())} damaged programs in {given.minutes:g} minutes: {dict(report.answers)}")
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
