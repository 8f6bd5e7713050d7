# SPDX-License-Identifier: Apache-2.0
"""packet_queue

It promises what axis_packet_fifo does, so it has to pass all tests of axis_packet_fifo as they stand, tkeep of every
value included.

- Each parameter check fires.
"""

from pathlib import Path

import pytest

import rtl.axis_packet_fifo.test_axis_packet_fifo as fifo
from bench import runner


@pytest.mark.parametrize(
    "parameters",
    [
        {"DEPTH_WORDS": 5, "DROP_WHEN_FULL": 0, "DATA_BYTES": 2, "USER_BITS": 1},
        {"DEPTH_WORDS": 70},
    ],
    ids=str,
)
def test_packet_queue(parameters):
    runner.run("packet_queue", parameters, tests=str(Path(fifo.__file__)))


@pytest.mark.parametrize("value", [1, 24, 512])
def test_packet_queue_refuses(value):
    runner.refuses("packet_queue", {"DATA_BYTES": value}, "DATA_BYTES must be a power of two, 2 to 256")


def test_packet_queue_refuses_no_depth():
    runner.refuses("packet_queue", {"DEPTH_WORDS": 0}, "DEPTH_WORDS must be 1 or more")
