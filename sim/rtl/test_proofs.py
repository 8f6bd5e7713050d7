# SPDX-License-Identifier: Apache-2.0
"""Runs the quick proofs; `make prove` runs all of them."""

from __future__ import annotations

import pytest

from flow import prove


@pytest.mark.parametrize("proof", [p for p in prove.proofs() if not p.slow], ids=lambda p: p.name)
def test_proof_holds(proof: prove.Proof) -> None:
    verdict = prove.prove(proof)
    assert (verdict.verdict, verdict.said) == ("PASS", "")
