# SPDX-License-Identifier: Apache-2.0
"""What every test run of the project shares: one printed seed, no silent skip, the notes on what was built."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Generator
from pathlib import Path

import pluggy
import pytest
from hypothesis.configuration import set_hypothesis_home_dir

from bench.runner import RECORDS
from flow import tree
from flow.paths import CACHE, ROOT, tool_environment

USUAL_SEED = 1588493994  # any: whoever runs a test sees what others have seen
UNTESTED = ROOT / "docs" / "untested.md"
LONGEST_RUN_MINUTES = 45  # of a whole run, on two cores: what takes longer is nobody's habit


def pytest_configure(config: pytest.Config) -> None:
    os.environ.update(tool_environment())
    set_hypothesis_home_dir(str(CACHE / "hypothesis"))
    os.environ["SEED"] = str(seed_of(os.environ.get("SEED", str(USUAL_SEED))))
    if not _is_worker(config) and _is_whole_run(config):
        shutil.rmtree(RECORDS, ignore_errors=True)
    config.stash[_BEGUN] = time.monotonic()


def seed_of(asked: str) -> int:
    """`random`: a new one."""
    return random.SystemRandom().randrange(1, 2**31) if asked == "random" else int(asked)


def pytest_report_header() -> str:
    return f"seed: {os.environ['SEED']} (SEED={os.environ['SEED']} repeats this run)"


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """A whole run that passed also has to have built every parameter with two values, and in time."""
    config = session.config
    if _is_worker(config) or not _is_whole_run(config):
        return
    tree.write_parameter_record(RECORDS)
    problems = tree.parameters_with_one_value(tree.read_parameter_record() or {})
    problems += too_long(time.monotonic() - config.stash[_BEGUN])
    config.stash[_PROBLEMS] = problems
    if config.stash[_PROBLEMS] and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for problem in config.stash.get(_PROBLEMS, []):
        terminalreporter.write_line(f"FAILED {problem}", red=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Generator[None, pluggy.Result[pytest.TestReport], None]:
    _refuse_silent_skip((yield).get_result())


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report() -> Generator[None, pluggy.Result[pytest.CollectReport], None]:
    _refuse_silent_skip((yield).get_result())


def _refuse_silent_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """In CI a skip that docs/untested.md does not explain is a failure."""
    if os.environ.get("CI") != "true" or not report.skipped or hasattr(report, "wasxfail"):
        return
    listed = UNTESTED.read_text() if UNTESTED.is_file() else ""
    name = report.nodeid.split("::")[-1].split("[")[0]
    if f"`{name}`" not in listed:
        report.outcome = "failed"
        report.longrepr = f"skipped, and not listed with a reason in {UNTESTED.relative_to(ROOT)}: {report.longrepr}"


def too_long(seconds: float) -> list[str]:
    minutes = seconds / 60
    if minutes <= LONGEST_RUN_MINUTES:
        return []
    return [f"the whole run took {minutes:.0f} minutes; it may take {LONGEST_RUN_MINUTES}: move the longest to soak"]


_PROBLEMS = pytest.StashKey[list[str]]()
_BEGUN = pytest.StashKey[float]()


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


def _is_whole_run(config: pytest.Config) -> bool:
    """True when nothing on the command line picks some of the tests."""
    picked = [a for a in config.invocation_params.args if Path(str(a).split("::")[0]).exists()]
    return not picked and not config.option.keyword and "MUTANT" not in os.environ
