# SPDX-License-Identifier: Apache-2.0
"""Runs work with a stack of its own, so that deep (but permitted) nesting cannot exhaust Python's."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

_STACK_BYTES = 512 << 20
_RECURSION = 200_000

Result = TypeVar("Result")


def run_deep(work: Callable[[], Result]) -> Result:
    """What `work` returns or raises."""
    results: list[Result] = []
    problems: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as problem:
            problems.append(problem)

    old_size, old_limit = threading.stack_size(_STACK_BYTES), sys.getrecursionlimit()
    sys.setrecursionlimit(max(old_limit, _RECURSION))
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old_size)
        sys.setrecursionlimit(old_limit)
    if problems:
        raise problems[0]
    return results[0]
