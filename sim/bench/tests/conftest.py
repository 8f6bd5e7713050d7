# SPDX-License-Identifier: Apache-2.0
"""What the tests of the bench share: hypothesis without a random part, and a seeded generator."""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import settings

settings.register_profile("bench", database=None, deadline=None, derandomize=True, max_examples=60)
settings.load_profile("bench")


@pytest.fixture
def rng() -> random.Random:
    return random.Random(int(os.environ["SEED"]))
