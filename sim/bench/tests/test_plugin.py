# SPDX-License-Identifier: Apache-2.0
"""What a run of tests refuses besides failed tests: silent skips in CI, and taking too long."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import plugin


def run_pytest(path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "bench.plugin", "-p", "no:cacheprovider", str(path)],
        env={**clean, **environment},
        cwd=path.parent,
        capture_output=True,
        text=True,
    )


@pytest.fixture
def a_skipping_test(tmp_path: Path) -> Path:
    path = tmp_path / "test_skipping.py"
    path.write_text("import pytest\n\n\ndef test_skipping():\n    pytest.skip('no board')\n")
    return path


def test_a_skip_nobody_explained_fails_in_ci(a_skipping_test: Path) -> None:
    done = run_pytest(a_skipping_test, CI="true")
    assert done.returncode == 1
    assert "not listed with a reason in docs/untested.md" in done.stdout


def test_a_file_skipped_whole_fails_in_ci_too(tmp_path: Path) -> None:
    path = tmp_path / "test_skipping_all.py"
    path.write_text("import pytest\n\npytest.importorskip('no_such_package')\n")
    done = run_pytest(path, CI="true")
    assert done.returncode not in (0, 5)
    assert "not listed with a reason in docs/untested.md" in done.stdout


def test_a_skip_is_a_skip_elsewhere(a_skipping_test: Path) -> None:
    done = run_pytest(a_skipping_test, CI="false")
    assert done.returncode == 0
    assert "1 skipped" in done.stdout


def test_the_seed_is_printed_and_taken(a_skipping_test: Path) -> None:
    assert "seed: 4711 (SEED=4711 repeats this run)" in run_pytest(a_skipping_test, SEED="4711").stdout


def test_a_whole_run_has_a_limit() -> None:
    limit = plugin.LONGEST_RUN_MINUTES * 60
    assert plugin.too_long(limit) == []
    assert plugin.too_long(limit + 1)


def test_a_seed_is_the_usual_one_or_the_one_asked_for_or_new() -> None:
    assert plugin.seed_of("12") == 12
    assert len({plugin.seed_of("random") for _ in range(5)}) == 5


@pytest.mark.parametrize(("asked", "seen"), [(None, str(plugin.USUAL_SEED)), ("77", "77")])
def test_the_seed_is_printed_and_seen_by_tests(
    asked: str | None, seen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SEED")
    if asked is not None:
        monkeypatch.setenv("SEED", asked)
    (tmp_path / "test_it.py").write_text(f"import os\n\n\ndef test_it():\n    assert os.environ['SEED'] == '{seen}'\n")
    done = run_pytest(tmp_path)
    assert done.returncode == 0 and f"seed: {seen} " in done.stdout
