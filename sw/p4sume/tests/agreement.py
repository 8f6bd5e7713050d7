# SPDX-License-Identifier: Apache-2.0
"""How far `p4sume check` agrees with p4c on p4c's own test programs.

    python sw/p4sume/tests/agreement.py P4C      where P4C is a checkout of github.com/p4lang/p4c

Programs of testdata/p4_16_samples should be accepted, those of p4_16_errors refused, in a line that p4c's expected
output names. Prints every difference, with its reason where it is known, and the counts; exits with 1 on a
difference that is not known.
"""

import re
import sys
from pathlib import Path

from p4sume.frontend import Options, run_front_end

BACK_END = "a limit of a p4c back end or of its middle end, not a rule of the language"
KNOWN = {
    "opassign1.p4": "a division by a run-time value, which p4c refuses in every form but this one",
    "array4.p4": BACK_END,
    "issue-2123_e.p4": BACK_END,
    "issue1777-bmv2.p4": BACK_END,
    "issue2545.p4": BACK_END,
    "issue3299.p4": BACK_END,
    "issue532.p4": BACK_END,
    "issue5703_header_union_stack.p4": BACK_END,
    "issue1803_same_table_name.p4": "two names in a P4Info file, which is not made here",
    "issue5296_invalid_version.p4": "versions of v1model.p4 mean nothing to the language",
    "issue5296_unknown_version.p4": "versions of v1model.p4 mean nothing to the language",
    "issue3613.p4": "a switch over a value, which p4c cannot do without core.p4",
}


def include_dirs(root: Path, program: Path) -> tuple[Path, ...]:
    directories = [root / "p4include", root / "p4include" / "bmv2", root / "p4include" / "dpdk"]
    if "dpdk" in program.name:
        directories[1:] = reversed(directories[1:])
    return tuple(directories)


def expected_lines(program: Path) -> set[int]:
    output = program.parent.with_name("p4_16_errors_outputs") / (program.name + "-stderr")
    if not output.exists():
        return set()
    text = output.read_text(errors="replace")
    return {int(line) for line in re.findall(re.escape(program.name) + r"\((\d+)\)", text)}


def main() -> int:
    root = Path(sys.argv[1])
    unknown = 0
    for folder, accept in (("p4_16_samples", True), ("p4_16_errors", False)):
        programs = sorted((root / "testdata" / folder).glob("*.p4"))
        agreed = same_line = with_line = 0
        for program in programs:
            outcome = run_front_end(program, Options(include_dirs=include_dirs(root, program)))
            errors = [d for d in outcome.diagnostics if d.severity == "error"]
            if outcome.accepted == accept:
                agreed += 1
                wanted = expected_lines(program)
                if not accept and wanted:
                    with_line += 1
                    same_line += any(d.span.location()[1] in wanted for d in errors)
                continue
            reason = KNOWN.get(program.name)
            unknown += reason is None
            shown = f"{errors[0].span.location()[1]}: {errors[0].message}" if errors else "accepted"
            print(f"{program.name}: {shown} ({reason or 'NOT KNOWN'})")
        word = "accepted" if accept else "refused"
        print(f"{folder}: {agreed} of {len(programs)} {word}")
        if with_line:
            print(f"{folder}: {same_line} of {with_line} in a line that p4c names")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
