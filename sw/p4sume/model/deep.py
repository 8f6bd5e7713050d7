# SPDX-License-Identifier: Apache-2.0
"""Work on deep trees, in a thread with a stack of its own, so that nesting cannot exhaust Python's."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_STACK_BYTES = 256 << 20
_RECURSION = 100_000


def with_deep_stack(work: Callable[[], T]) -> T:
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as problem:
            failures.append(problem)

    old_size, old_limit = threading.stack_size(_STACK_BYTES), sys.getrecursionlimit()
    sys.setrecursionlimit(max(old_limit, _RECURSION))
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old_size)
        sys.setrecursionlimit(old_limit)
    if failures:
        raise failures[0]
    return results[0]
