# SPDX-License-Identifier: Apache-2.0
"""`--update` rewrites the golden files instead of comparing with them."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite the golden files")


@pytest.fixture
def update(request):
    return request.config.getoption("--update", default=False)
