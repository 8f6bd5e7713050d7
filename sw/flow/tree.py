# SPDX-License-Identifier: Apache-2.0
"""The rules of the house that a script can hold: what stands in which file, and what must not stand anywhere.

Each rule is a function from the project's folder to sentences, one for each place that breaks it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from flow.paths import BUILD, ROOT

PARAMETER_RECORD = BUILD / "test" / "params.json"

# Every folder whose README says what lives there and what never does.
ROOMS = (
    "hw/rtl", "hw/p4", "hw/ip_sha1", "hw/regs", "sim", "sim/bench", "sim/rtl", "sw/flow", "sw/p4sume", "sw/driver",
    "constraints", "docs", "eval",
)  # fmt: skip

_SOURCE = {".py", ".sv", ".svh", ".p4", ".cpp", ".hpp", ".sh", ".sby", ".rdl", ".toml", ".vlt"}
_LICENCE = "SPDX-License-Identifier: Apache-2.0"
_HEADER_FIELDS = ("Flow control:", "Latency:", "Limits:")

Rule = Callable[[Path], Iterator[str]]


def tracked(root: Path) -> list[Path]:
    """The files git tracks or would track."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return [root / name for name in listed.stdout.split("\0") if name and (root / name).is_file()]


def _systemverilog(root: Path) -> Iterator[tuple[Path, str]]:
    for path in tracked(root):
        if path.suffix == ".sv" and path.is_relative_to(root / "hw"):
            yield path, path.read_text()


def _lines(root: Path, suffixes: set[str] | None = None) -> Iterator[tuple[Path, int, str]]:
    for path in tracked(root):
        if suffixes is None or path.suffix in suffixes:
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            for number, line in enumerate(text.splitlines(), 1):
                yield path, number, line


def every_source_has_its_licence(root: Path) -> Iterator[str]:
    for path in tracked(root):
        named = path.suffix in _SOURCE or path.name == "Makefile" or path.parent.name == ".ci"
        if named and path.stat().st_size and _LICENCE not in "\n".join(path.read_text().splitlines()[:3]):
            yield f"{path.relative_to(root)}:1: no SPDX line in the first three"


def a_file_is_its_module(root: Path) -> Iterator[str]:
    for path, text in _systemverilog(root):
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
        names = re.findall(r"(?m)^\s*(?:module|package|interface)\s+(?:automatic\s+)?(\w+)", code)
        if names != [path.stem]:
            yield f"{path.relative_to(root)}:1: holds {', '.join(names) or 'nothing'}, not {path.stem} alone"


def heads_and_tails_stand(root: Path) -> Iterator[str]:
    for path, text in _systemverilog(root):
        lines = text.rstrip("\n").split("\n")
        if lines[1:3] != ["`resetall", "`default_nettype none"]:
            yield f"{path.relative_to(root)}:2: lines 2 and 3 are not `resetall and `default_nettype none"
        if lines[-1] != "`resetall":
            yield f"{path.relative_to(root)}:{len(lines)}: the last line is not `resetall"


def modules_say_what_they_promise(root: Path) -> Iterator[str]:
    for path, text in _systemverilog(root):
        if _is_module(path):
            head = text.split("\nmodule ")[0]
            for field in _HEADER_FIELDS:
                if f"// {field}" not in head:
                    yield f"{path.relative_to(root)}:4: the comment above the module has no '{field}'"


def parameters_are_explained(root: Path) -> Iterator[str]:
    for path, text in _systemverilog(root):
        if _is_module(path):
            for number, line in enumerate(text.split("\n"), 1):
                if re.match(r"\s*parameter\b", line) and "//" not in line:
                    yield f"{path.relative_to(root)}:{number}: parameter without a comment (unit, range)"


def port_names_have_no_direction_suffix(root: Path) -> Iterator[str]:
    for path, text in _systemverilog(root):
        for number, line in enumerate(text.split("\n"), 1):
            if match := re.match(r"\s*(?:input|output)\b[^/]*?\b(\w+_[io])\s*,?\s*(?://.*)?$", line):
                yield f"{path.relative_to(root)}:{number}: port {match[1]} ends in _i or _o"


def every_module_has_a_test(root: Path) -> Iterator[str]:
    for path, _ in _systemverilog(root):
        if _is_module(path) and not (root / "sim" / "rtl" / path.stem / f"test_{path.stem}.py").is_file():
            yield f"{path.relative_to(root)}:1: no sim/rtl/{path.stem}/test_{path.stem}.py"


def every_room_says_what_lives_there(root: Path) -> Iterator[str]:
    nested = [p.parent for p in (root / "hw" / "rtl").glob("*/*.sv")]
    rooms = [root / room for room in ROOMS if (root / room).is_dir()] + sorted(set(nested))
    for room in rooms:
        readme = room / "README.md"
        text = readme.read_text() if readme.is_file() else ""
        if "**Lives here:**" not in text or "**Never:**" not in text:
            yield f"{readme.relative_to(root)}:1: does not say '**Lives here:**' and '**Never:**'"


def addresses_stand_in_the_register_files(root: Path) -> Iterator[str]:
    """A literal in NetFPGA's register space, or a constant whose name says that it is a register's place."""
    pattern = re.compile(
        r"(?:0x|'h)44[0-9a-f_]{6,7}\b|\w*(?:REG\w*_ADDR|BASE_ADDR|_OFFSET)(?:ESS)?\b\s*=\s*(?:0x|\d*'h)[0-9a-f]", re.I
    )
    for path, number, line in _lines(root, {".py", ".sv", ".cpp", ".hpp", ".p4"}):
        if path.is_relative_to(root / "hw" / "regs") or path.name == "test_tree.py":
            continue
        if pattern.search(line.split("//")[0].split("#")[0]):
            yield f"{path.relative_to(root)}:{number}: a register address; its place is hw/regs"


def nothing_is_left_to_do(root: Path) -> Iterator[str]:
    word = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
    for path, number, line in _lines(root, _SOURCE | {".md"}):
        if word.search(line):
            yield f"{path.relative_to(root)}:{number}: {line.strip()[:80]}"


def no_line_names_one_machine(root: Path) -> Iterator[str]:
    pattern = re.compile(r"(?<![A-Za-z0-9_/.-])/(?:home|root|work|farm)/[A-Za-z.]")
    for path, number, line in _lines(root, _SOURCE | {".md", ".json", ".lock", ".yaml", ".yml"}):
        if pattern.search(line):
            yield f"{path.relative_to(root)}:{number}: a path of one machine"


def links_lead_somewhere(root: Path) -> Iterator[str]:
    for path, number, line in _lines(root, {".md"}):
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", line):
            if not re.match(r"[a-z]+:", target) and not (path.parent / target).exists():
                yield f"{path.relative_to(root)}:{number}: {target} does not exist"


def _is_module(path: Path) -> bool:
    return not path.stem.endswith(("_pkg", "_formal"))


RULES: tuple[Rule, ...] = (
    every_source_has_its_licence,
    a_file_is_its_module,
    heads_and_tails_stand,
    modules_say_what_they_promise,
    parameters_are_explained,
    port_names_have_no_direction_suffix,
    every_module_has_a_test,
    every_room_says_what_lives_there,
    addresses_stand_in_the_register_files,
    nothing_is_left_to_do,
    no_line_names_one_machine,
    links_lead_somewhere,
)


def write_parameter_record(notes: Path, record: Path = PARAMETER_RECORD) -> None:
    """Joins the notes that builds left into one file: module, parameter, values really built."""
    built: dict[str, dict[str, set[str]]] = {}
    for note in sorted(notes.glob("*.json")) if notes.is_dir() else []:
        entry = json.loads(note.read_text())
        values = built.setdefault(entry["module"], {})
        for name, value in entry["parameters"].items():
            values.setdefault(name, set()).add(value)
    content = {m: {n: sorted(v) for n, v in sorted(ps.items())} for m, ps in sorted(built.items())}
    record.parent.mkdir(parents=True, exist_ok=True)
    record.write_text(json.dumps(content, indent=1) + "\n")


def read_parameter_record(record: Path = PARAMETER_RECORD) -> dict[str, dict[str, list[str]]] | None:
    return json.loads(record.read_text()) if record.is_file() else None


def parameters_with_one_value(built: Mapping[str, Mapping[str, list[str]]]) -> list[str]:
    return [
        f"{module}: parameter {name} was built with one value only ({values[0]})"
        for module, parameters in built.items()
        for name, values in parameters.items()
        if len(values) < 2
    ]


def check(root: Path) -> list[str]:
    return [f"{sentence}  [{rule.__name__}]" for rule in RULES for sentence in rule(root)]


def main() -> int:
    problems = check(ROOT)
    built = read_parameter_record()
    if built is not None:
        problems += parameters_with_one_value(built)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
