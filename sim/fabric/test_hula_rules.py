# SPDX-License-Identifier: Apache-2.0
"""HULA's two rules on the same loads, in small: the rule of the text finds better hops. `make soak W=hula` does it at
length."""

from fabric.hula_rules import compare, loads


def test_loads_are_those_of_their_seed():
    assert loads(1, 50) == loads(1, 50) != loads(2, 50)


def test_the_rule_of_the_text_has_the_right_hop_more_often():
    [corrected], [literal] = compare([1], 60).values()
    print(corrected, literal)
    assert 0.3 < literal.right < corrected.right < 1
    assert corrected.excess_mbps < literal.excess_mbps
