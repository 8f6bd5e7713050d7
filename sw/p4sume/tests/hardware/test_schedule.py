# SPDX-License-Identifier: Apache-2.0
"""Stages: what stands where, by hand; and on random graphs that nothing is used before it is there.

That a scheduled graph computes what the graph says is tests/verilog's.
"""

from __future__ import annotations

import pytest

from p4sume.hardware import graph as g
from p4sume.hardware.delay import DEFAULT_NS, chain_ns, delay_ns, gate_ns
from p4sume.hardware.logic import Logic
from p4sume.hardware.passes.maker import Maker
from p4sume.hardware.schedule import Schedule, UnschedulableError, check, schedule
from p4sume.hardware.stages import Place
from p4sume.tests.hardware.random_graphs import TABLE, RandomGraph

TABLE_CYCLES = 5


def build(*inputs: tuple[str, int]) -> tuple[Maker, dict[str, g.Value]]:
    make = Maker(g.Graph("test"))
    return make, {port: make.input(port, width) for port, width in inputs}


def scheduled(make: Maker, budget_ns: float, **outputs: g.Value) -> Schedule:
    make.graph.outputs.update(outputs)
    g.verify(make.graph)
    made = schedule(make.graph, lambda _: TABLE_CYCLES, budget_ns)
    check(made)
    return made


def test_a_chain_is_cut_where_the_budget_ends() -> None:
    make, i = build(("a", 32), ("b", 32))
    first = make.operate("add", i["a"], i["b"])
    second = make.operate("add", first, i["b"])
    one_sum = delay_ns(make.node(first))
    made = scheduled(make, 1.5 * one_sum, o=second)
    assert [made.stage_of[make.node(v)] for v in (first, second)] == [0, 1]
    assert made.latency == 2
    make.graph.outputs.clear()
    assert scheduled(make, 2.1 * one_sum, o=second).latency == 1


def test_a_node_longer_than_a_stage_is_a_bug_that_is_told() -> None:
    make, i = build(("a", 32), ("b", 32))
    total = make.operate("add", i["a"], i["b"])
    with pytest.raises(UnschedulableError, match=r"takes 1\.78 ns of 1\.00"):
        scheduled(make, 1.0, o=total)


def test_a_table_takes_its_key_from_a_register_and_its_value_passes_the_default() -> None:
    make, i = build(("k", 8), ("x", 8))
    hit, value = make.lookup(TABLE, make.operate("xor", i["k"], i["x"]), make.one)
    made = scheduled(make, 2.0, o=hit, p=value)
    assert made.ready[hit] == Place(1 + TABLE_CYCLES)
    assert made.ready[value] == Place(1 + TABLE_CYCLES, DEFAULT_NS)
    assert made.latency == 2 + TABLE_CYCLES


def test_an_argument_may_come_late() -> None:
    late = g.Extern("f_x", "x", "f_x_0", 6, 0, (("a", 8, 0), ("b", 8, 3)), (("c", 8),))
    make, i = build(("a", 8), ("k", 8))
    _, found = make.lookup(TABLE, i["k"], make.one)
    [result] = make.invoke(late, [i["a"], make.slice(found, 7, 0)], make.one)
    made = scheduled(make, 2.0, o=result)
    assert made.stage_of[make.node(result)] == TABLE_CYCLES + 1 - 3


def test_a_table_whose_results_nobody_takes_begins_before_the_end() -> None:
    make, i = build(("a", 8))
    _, value = make.lookup(TABLE, i["a"], make.one)
    make.lookup(TABLE, make.slice(value, 7, 0), make.one)
    assert scheduled(make, 2.0, o=i["a"]).latency == TABLE_CYCLES + 1


def test_an_argument_that_comes_late_comes_before_the_end() -> None:
    late = g.Extern("f_x", "x", "f_x_0", 6, 0, (("a", 8, 0), ("b", 8, 3)), (("c", 8),))
    make, i = build(("a", 8), ("b", 8))
    make.invoke(late, [i["a"], i["b"]], make.one)
    assert scheduled(make, 2.0, o=i["a"]).latency == 3


def test_what_is_bitwise_and_goes_to_adders_only_costs_little() -> None:
    make, i = build(("a", 32), ("b", 32), ("c", 32))
    mixed = make.operate("xor", i["b"], i["c"])
    total = make.operate("add", i["a"], mixed)
    made = scheduled(make, 2.5, o=total)
    assert made.ready[total].after_ns == pytest.approx(gate_ns(3) + chain_ns(32))
    make, i = build(("a", 32), ("b", 32), ("c", 32))
    mixed = make.operate("xor", i["b"], i["c"])
    make.graph.outputs["p"] = mixed
    made = scheduled(make, 2.5, o=make.operate("add", i["a"], mixed))
    assert made.ready[made.graph.outputs["o"]].after_ns == pytest.approx(2 * gate_ns(2) + chain_ns(32))


def test_a_comparison_with_a_constant_costs_the_bits_of_one_side() -> None:
    make, i = build(("a", 16), ("b", 16))
    constant, variable = make.equals(i["a"], 0x800), make.eq(i["a"], i["b"])
    logic = Logic(make.graph)
    assert max(logic.delays(make.node(constant))) == gate_ns(16)
    assert max(logic.delays(make.node(variable))) == gate_ns(32)


# ---- settle


def kept(made: Schedule) -> int:
    """Bits in registers between stages, in all."""
    return sum(v.width * max(0, max(uses) - made.ready[v].stage) for v, uses in made.uses.items())


def test_a_choice_waits_where_its_arms_wait_anyway() -> None:
    make, i = build(("k", 8), ("c", 1), ("a", 64), ("b", 64))
    hit, _ = make.lookup(TABLE, i["k"], make.one)
    chosen = make.mux(i["c"], i["a"], i["b"])
    last = make.mux(hit, chosen, i["a"])
    made = scheduled(make, 2.0, o=last, p=i["b"], q=i["c"])
    assert made.stage_of[make.node(chosen)] == TABLE_CYCLES
    assert kept(made) <= (64 + 64 + 1) * (TABLE_CYCLES + 1) + 1


def test_a_choice_that_is_narrower_than_its_arms_does_not_wait() -> None:
    make, i = build(("k", 8), ("c", 1), ("a", 64), ("b", 64))
    hit, _ = make.lookup(TABLE, i["k"], make.one)
    chosen = make.mux(i["c"], i["a"], i["b"])
    made = scheduled(make, 2.0, o=make.mux(hit, chosen, make.zeros(64)))
    assert made.stage_of[make.node(chosen)] == 0


def test_a_chain_of_choices_waits_as_one() -> None:
    make, i = build(("k", 8), ("c", 1), ("d", 1), ("a", 64), ("b", 64))
    hit, _ = make.lookup(TABLE, i["k"], make.one)
    inner = make.mux(i["c"], i["a"], i["b"])
    outer = make.mux(i["d"], inner, i["a"])
    last = make.mux(hit, outer, i["b"])
    made = scheduled(make, 2.0, o=last, p=i["a"], q=i["c"], r=i["d"])
    assert {made.stage_of[make.node(v)] for v in (inner, outer, last)} == {TABLE_CYCLES}


def test_bits_of_what_is_carried_anyway_are_cut_late() -> None:
    make, i = build(("k", 8), ("a", 64), ("b", 64))
    whole = make.operate("xor", i["a"], i["b"])
    hit, _ = make.lookup(TABLE, i["k"], make.one)
    part = make.slice(whole, 31, 0)
    made = scheduled(make, 2.0, o=make.mux(hit, part, make.zeros(32)), p=whole)
    assert part not in made.uses or max(made.uses[part]) == made.stage_of[make.node(part)]


@pytest.mark.parametrize("budget_ns", [2.0, 2.6, 4.0])
def test_nothing_is_used_before_it_is_there(budget_ns: float) -> None:
    for seed in range(40):
        graph = RandomGraph(seed).graph
        longest = max(
            (max(Logic(graph).delays(n), default=0.0) for n in graph.nodes if not isinstance(n, g.Lookup | g.Invoke)),
            default=0.0,
        )
        made = schedule(graph, lambda _: TABLE_CYCLES, max(budget_ns, longest))
        check(made)
        for node in graph.nodes:
            if isinstance(node, g.Constant | g.Concat | g.Lookup | g.Invoke):
                continue
            result = made.ready[node.result]
            for operand in node.operands():
                there = made.ready[operand]
                assert there.stage <= made.stage_of[node] == result.stage
                assert there.stage < result.stage or there.after_ns <= result.after_ns


def test_gates_that_feed_one_another_are_one_as_long_as_a_lut_has_inputs() -> None:
    names = [(name, 8) for name in "abcdef"]
    make, i = build(*names)
    a, b, c, d, e, f = (i[name] for name, _ in names)
    round_ = make.operate(
        "xor", make.operate("xor", make.and_(a, b), make.operate("xor", c, d)), make.operate("xor", e, f)
    )
    made = scheduled(make, 2.0, o=round_)
    assert made.ready[round_].after_ns == pytest.approx(gate_ns(6))
    more = make.operate("xor", make.input("g", 8), make.operate("xor", round_, make.input("h", 8)))
    make.graph.outputs.clear()
    made = scheduled(make, 2.0, o=more)
    assert made.ready[more].after_ns == pytest.approx(gate_ns(6) + gate_ns(3))


def test_joined_gates_stand_in_one_stage() -> None:
    make, i = build(("a", 8), ("b", 8), ("c", 8), ("d", 8))
    before = make.operate("add", i["a"], i["b"])
    inner = make.operate("xor", before, i["c"])
    outer = make.and_(inner, i["d"], i["a"])
    made = scheduled(make, delay_ns(make.node(before)) + gate_ns(2) + 0.01, o=outer)
    assert made.stage_of[make.node(before)] == 0
    assert made.stage_of[make.node(inner)] == made.stage_of[make.node(outer)] == 1


def test_a_gate_that_others_take_too_is_not_joined() -> None:
    make, i = build(("a", 8), ("b", 8), ("c", 8))
    inner = make.and_(i["a"], i["b"])
    made = scheduled(make, 2.0, o=make.operate("xor", inner, i["c"]), p=inner)
    assert made.ready[made.graph.outputs["o"]].after_ns == pytest.approx(2 * gate_ns(2))
