# SPDX-License-Identifier: Apache-2.0
"""Passes: before and after as text, each pass's promise, and that no pass changes what a graph computes.

Random graphs go through each pass alone and through all of them; their outputs for random inputs stay the same.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import pytest

from p4sume.hardware import graph as g
from p4sume.hardware.evaluate import evaluate
from p4sume.hardware.passes import PASSES, Pass, run
from p4sume.hardware.passes.carries import CHUNK, carries
from p4sume.hardware.passes.dead import dead
from p4sume.hardware.passes.dump import dump
from p4sume.hardware.passes.fold import fold
from p4sume.hardware.passes.folder import Folder
from p4sume.hardware.passes.hasten import hasten
from p4sume.hardware.passes.ladders import ladders
from p4sume.hardware.passes.maker import Maker
from p4sume.hardware.passes.narrow import narrow
from p4sume.hardware.passes.products import products
from p4sume.hardware.passes.selects import MOST_CASES, selects
from p4sume.hardware.passes.share import share
from p4sume.hardware.passes.shifts import shifts
from p4sume.hardware.passes.speculate import speculate
from p4sume.hardware.passes.trees import trees
from p4sume.tests.hardware.random_graphs import EXTERN, TABLE, RandomGraph, invoke, lookup

GRAPHS = 30
PACKETS = 8


REWRITES = [p for p in PASSES[:-1] if p.apply is not speculate]  # random graphs are not what speculate requires


@pytest.mark.parametrize("each", [*REWRITES, Pass(partial(run, passes=REWRITES), "all")], ids=lambda p: p.why_here)
def test_a_pass_does_not_change_what_a_graph_computes(each: Pass) -> None:
    for seed in range(GRAPHS):
        before = RandomGraph(seed)
        after = each.apply(before.graph)
        g.verify(after)
        rng = random.Random(seed)
        for _ in range(PACKETS):
            inputs = before.inputs(rng)
            wanted = evaluate(before.graph, inputs, lookup, invoke)
            assert evaluate(after, inputs, lookup, invoke) == wanted, f"seed {seed}, inputs {inputs}"


def test_folding_on_the_fly_is_folding() -> None:
    """A folded graph has nothing left to fold."""
    for seed in range(GRAPHS):
        once = dead(fold(RandomGraph(seed).graph))
        assert dump(dead(fold(once))) == dump(once)


def build(*inputs: tuple[str, int]) -> tuple[Maker, dict[str, g.Value]]:
    make = Maker(g.Graph("test"))
    return make, {port: make.input(port, width) for port, width in inputs}


def text(graph: g.Graph) -> list[str]:
    """The dump without the lines of inputs."""
    return [line for line in dump(graph).splitlines() if "= input" not in line]


def done(make: Maker, value: g.Value) -> g.Graph:
    make.graph.outputs["o"] = value
    g.verify(make.graph)
    return make.graph


# ---- fold


def folded(value: g.Value, make: Maker) -> list[str]:
    return text(dead(fold(done(make, value))))


@pytest.mark.parametrize(
    ("operator", "number", "expected"),
    [
        ("and", 0, "4w0x0"),
        ("and", 15, "a"),
        ("or", 15, "4w0xf"),
        ("or", 0, "a"),
        ("add", 0, "a"),
        ("sub", 0, "a"),
        ("xor", 0, "a"),
        ("shl", 0, "a"),
        ("lshr", 9, "4w0x0"),
        ("mul", 0, "4w0x0"),
        ("mul", 1, "a"),
        ("ult", 0, "1w0x0"),
        ("ule", 15, "1w0x1"),
    ],
)
def test_neutral_and_absorbing_operands(operator: str, number: int, expected: str) -> None:
    make, i = build(("a", 4))
    value = make.operate(operator, i["a"], make.constant(4, number))
    assert folded(value, make) == [f"output o = {expected}"]


def test_constants_are_computed() -> None:
    make, _ = build()
    value = make.operate("add", make.constant(4, 9), make.constant(4, 8))
    assert folded(value, make) == ["output o = 4w0x1"]


@pytest.mark.parametrize(
    ("operator", "expected"), [("sub", "4w0x0"), ("eq", "1w0x1"), ("slt", "1w0x0"), ("sle", "1w0x1")]
)
def test_a_value_against_itself(operator: str, expected: str) -> None:
    make, i = build(("a", 4))
    assert folded(make.operate(operator, i["a"], i["a"]), make) == [f"output o = {expected}"]


def test_constant_shifts_are_wires() -> None:
    make, i = build(("a", 8))
    value = make.operate("shl", i["a"], make.constant(8, 3))
    assert folded(value, make) == ["v1:5 = a[4:0]", "v2:8 = {v1, 3w0x0}", "output o = v2"]
    make, i = build(("a", 4))
    value = make.operate("ashr", i["a"], make.constant(8, 2))
    assert folded(value, make) == ["v1:1 = a[3:3]", "v2:2 = a[3:2]", "v3:4 = {v1, v1, v2}", "output o = v3"]


def test_slices_meet_and_pass_through_concatenations() -> None:
    make, i = build(("a", 8), ("b", 8))
    value = make.concat(make.slice(i["a"], 7, 4), make.slice(i["a"], 3, 0))
    assert folded(value, make) == ["output o = a"]
    make, i = build(("a", 8), ("b", 8))
    value = make.slice(make.concat(i["a"], i["b"]), 7, 0)
    assert folded(value, make) == ["output o = b"]


def test_contradictions_and_absorption() -> None:
    make, i = build(("a", 1), ("b", 1))
    value = make.and_(make.and_(i["a"], i["b"]), make.not_(i["a"]))
    assert folded(value, make) == ["output o = 1w0x0"]
    make, i = build(("a", 1), ("b", 1))
    assert folded(make.and_(i["a"], make.or_(i["a"], i["b"])), make) == ["output o = a"]
    make, i = build(("a", 1), ("b", 1))
    value = make.and_(make.not_(i["a"]), make.or_(i["a"], i["b"]))
    assert folded(value, make) == ["v1:1 = not a", "v2:1 = and b v1", "output o = v2"]


def test_choices_fold() -> None:
    make, i = build(("c", 1), ("a", 8), ("b", 8))
    assert folded(make.mux(i["c"], i["a"], i["a"]), make) == ["output o = a"]
    make, i = build(("c", 1), ("a", 8), ("b", 8))
    value = make.mux(i["c"], make.mux(i["c"], i["a"], i["b"]), i["b"])
    assert folded(value, make) == ["v1:8 = c ? a : b", "output o = v1"]
    make, i = build(("c", 1), ("a", 1))
    assert folded(make.mux(i["c"], make.one, i["a"]), make) == ["v1:1 = or c a", "output o = v1"]
    make, i = build(("c", 1), ("a", 1))
    value = make.mux(i["c"], i["a"], i["c"])
    assert folded(value, make) == ["v1:1 = and c a", "output o = v1"]
    make, i = build(("c", 1), ("a", 8), ("b", 8))
    value = make.mux(make.not_(i["c"]), i["a"], i["b"])
    assert folded(value, make) == ["v1:8 = c ? b : a", "output o = v1"]


def test_a_choice_behind_a_choice_of_the_same_is_one() -> None:
    drawn = {
        "c ? (d ? x : y) : x": lambda m, c, d, x, y: m.mux(c, m.mux(d, x, y), x),
        "c ? (d ? y : x) : x": lambda m, c, d, x, y: m.mux(c, m.mux(d, y, x), x),
        "c ? x : (d ? x : y)": lambda m, c, d, x, y: m.mux(c, x, m.mux(d, x, y)),
        "c ? x : (d ? y : x)": lambda m, c, d, x, y: m.mux(c, x, m.mux(d, y, x)),
    }
    for what, made in drawn.items():
        make, i = build(("c", 1), ("d", 1), ("x", 8), ("y", 8))
        before = done(make, made(make, i["c"], i["d"], i["x"], i["y"]))
        after = dead(fold(before))
        assert sum(isinstance(n, g.Mux) for n in after.nodes) == 1, what
        for bits in range(4):
            inputs = {"c": bits & 1, "d": bits >> 1, "x": 5, "y": 9}
            assert evaluate(after, inputs) == evaluate(before, inputs), what


def test_a_select_under_a_predicate_that_its_cases_imply_stands_alone() -> None:
    make, i = build(("p", 1), ("q", 1), ("r", 1), ("a", 8), ("b", 8))
    cases = [(i["p"], i["a"]), (i["q"], i["b"])]
    value = make.mux(make.or_(i["p"], i["q"]), make.select(cases, 8), make.zeros(8))
    assert folded(value, make) == ["v1:8 = select p: a, q: b", "output o = v1"]
    make, i = build(("p", 1), ("q", 1), ("r", 1), ("a", 8), ("b", 8))
    cases = [(i["p"], i["a"]), (i["q"], i["b"])]
    value = make.mux(make.or_(i["p"], i["r"]), make.select(cases, 8), make.zeros(8))
    assert folded(value, make)[-2:] == ["v3:8 = v1 ? v2 : 8w0x0", "output o = v3"]


def test_a_choice_among_constants_is_compared_by_its_conditions() -> None:
    make, i = build(("c", 1), ("d", 1), ("a", 4))
    verdict = make.mux(i["c"], make.constant(4, 1), make.mux(i["d"], make.constant(4, 2), make.constant(4, 3)))
    assert folded(make.equals(verdict, 2), make) == ["v1:1 = not c", "v2:1 = and d v1", "output o = v2"]
    make, i = build(("c", 1), ("d", 1), ("a", 4))
    one_of_them = make.mux(i["c"], make.constant(4, 1), i["a"])
    assert folded(make.equals(one_of_them, 2), make) == [
        "v1:1 = eq a 4w0x2",
        "v2:1 = not c",
        "v3:1 = and v1 v2",
        "output o = v3",
    ]
    make, i = build(("c", 1), ("d", 1), ("a", 4))
    chosen = make.select([(i["c"], make.constant(4, 3)), (i["d"], make.constant(4, 5))], 4)
    assert folded(make.equals(chosen, 0), make) == ["v1:1 = or c d", "v2:1 = not v1", "output o = v2"]
    make, i = build(("c", 1), ("d", 1), ("a", 4))
    chosen = make.select([(i["c"], make.constant(4, 3)), (i["d"], make.constant(4, 5))], 4)
    assert folded(make.operate("any", chosen), make) == ["v1:1 = or c d", "output o = v1"]


def test_selects_fold() -> None:
    make, i = build(("p", 1), ("q", 1), ("a", 8))
    assert folded(make.select([], 8), make) == ["output o = 8w0x0"]
    make, i = build(("p", 1), ("q", 1), ("a", 8))
    value = make.select([(i["p"], i["a"]), (i["q"], i["a"])], 8)
    assert folded(value, make) == ["v1:1 = or p q", "v2:8 = v1 ? a : 8w0x0", "output o = v2"]
    make, i = build(("p", 1), ("a", 8), ("b", 8))
    value = make.select([(i["p"], i["a"]), (make.not_(i["p"]), i["b"])], 8)
    assert folded(value, make) == ["v1:8 = p ? a : b", "output o = v1"]
    make, i = build(("p", 1), ("a", 8), ("b", 8))
    assert folded(make.select([(make.one, i["a"]), (i["p"], i["b"])], 8), make) == ["output o = a"]


def test_comparisons_with_constants_shrink() -> None:
    make, i = build(("a", 4))
    value = make.equals(make.concat(make.constant(4, 3), i["a"]), 0x35)
    assert folded(value, make) == ["v1:1 = eq a 4w0x5", "output o = v1"]
    make, i = build(("a", 4))
    assert folded(make.equals(make.concat(make.constant(4, 3), i["a"]), 0x45), make) == ["output o = 1w0x0"]
    make, i = build(("a", 4))
    assert folded(make.equals(make.not_(i["a"]), 5), make)[0] == "v1:1 = eq a 4w0xa"
    make, i = build(("a", 4))
    assert folded(make.operate("ule", make.constant(4, 3), i["a"]), make)[0] == "v1:1 = ult 4w0x2 a"
    make, i = build(("a", 4))
    assert folded(make.operate("ult", make.constant(4, 0), i["a"]), make)[0] == "v1:1 = any a"


def test_leading_zeros_are_not_added_nor_chosen() -> None:
    make, i = build(("a", 8), ("b", 8))
    wide = [make.extend(i[port], 32) for port in "ab"]
    assert folded(make.operate("add", *wide), make) == [
        "v1:9 = {1w0x0, a}",
        "v2:9 = {1w0x0, b}",
        "v3:9 = add v1 v2",
        "v4:32 = {23w0x0, v3}",
        "output o = v4",
    ]
    make, i = build(("a", 8), ("b", 8))
    wide = [make.extend(i[port], 32) for port in "ab"]
    assert folded(make.operate("ult", *wide), make) == ["v1:1 = ult a b", "output o = v1"]
    make, i = build(("c", 1), ("a", 8))
    value = make.mux(i["c"], make.extend(i["a"], 32), make.constant(32, 5))
    assert folded(value, make) == ["v1:8 = c ? a : 8w0x5", "v2:32 = {24w0x0, v1}", "output o = v2"]


# ---- share, dead


def test_equal_nodes_become_one_but_engines_do_not() -> None:
    graph = g.Graph("test")
    a = graph.add(g.Input(None, (g.Value(16, "a"),), "a"))
    one = graph.add(g.Constant(None, (g.Value(1, "one"),), 1))
    first = graph.add(g.Operate(None, (g.Value(16, "v"),), "add", (a, a)))
    second = graph.add(g.Operate(None, (g.Value(16, "v"),), "add", (a, a)))
    calls = [graph.add(g.Invoke(None, (g.Value(5, "r"),), EXTERN, (v,), one)) for v in (first, second)]
    graph.outputs = {"x": calls[0], "y": calls[1]}
    assert [type(n).__name__ for n in share(graph).nodes].count("Operate") == 1
    assert [type(n).__name__ for n in share(graph).nodes].count("Invoke") == 2


def test_what_nobody_takes_goes_but_engines_and_ports_stay() -> None:
    make, i = build(("a", 8), ("b", 8))
    make.operate("add", i["a"], i["b"])
    make.lookup(TABLE, i["a"], make.one)
    assert text(dead(done(make, i["b"]))) == ["v1:1, v1.1:9 = lookup t a 1w0x1", "output o = b"]


# ---- speculate


def test_a_lookup_waits_for_its_key_only() -> None:
    make, i = build(("k", 8), ("e", 1))
    hit, value = make.lookup(TABLE, i["k"], i["e"])
    make.graph.outputs["v"] = make.mux(i["e"], value, make.zeros(value.width))
    assert text(speculate(done(make, hit))) == [
        "v1:1, v1.1:9 = lookup t k 1w0x1",
        "v2:1 = and v1 e",
        "v3:9 = e ? v1.1 : 9w0x0",
        "output v = v3",
        "output o = v2",
    ]


READ, WRITE = 0, 1


def test_only_an_extern_that_changes_nothing_is_called_early() -> None:
    register = g.Extern(
        "f_reg_rw",
        "reg_rw",
        "f_reg_rw_0",
        4,
        2,
        (("index", 4, 0), ("newVal", 8, 0), ("opCode", 8, 0)),
        (("result", 8),),
    )
    for code, enable in ((READ, "1w0x1"), (WRITE, "e"), (None, "e")):
        make, i = build(("i", 4), ("o", 8), ("e", 1))
        operation = i["o"] if code is None else make.constant(8, code)
        [result] = make.invoke(register, [i["i"], make.zeros(8), operation], i["e"])
        [line] = [t for t in text(speculate(done(make, result))) if "invoke" in t]
        assert line.split()[-1] == enable
    make, i = build(("d", 16), ("e", 1))
    [result] = make.invoke(EXTERN, [i["d"]], i["e"])
    assert text(speculate(done(make, result)))[0] == "v1:5 = invoke f_lrc_0 d 1w0x1"
    unknown = replace(EXTERN, kind="association")
    make, i = build(("d", 16), ("e", 1))
    [result] = make.invoke(unknown, [i["d"]], i["e"])
    assert text(speculate(done(make, result)))[0] == "v1:5 = invoke f_lrc_0 d e"


# ---- hasten


def test_a_late_value_passes_early_choices_at_once() -> None:
    make, i = build(("k", 8), ("c", 1), ("d", 1), ("e", 1), ("a", 9), ("b", 9), ("f", 9))
    _, late = make.lookup(TABLE, i["k"], make.one)
    inner = make.mux(i["d"], make.mux(i["e"], late, i["b"]), i["f"])
    before = done(make, make.mux(i["c"], i["a"], inner))
    after = dead(hasten(before))
    assert text(after) == [
        "v1:1, v1.1:9 = lookup t k 1w0x1",
        "v2:9 = d ? b : f",
        "v3:9 = c ? a : v2",
        "v4:1 = not c",
        "v5:1 = and d e v4",
        "v6:9 = v5 ? v1.1 : v3",
        "output o = v6",
    ]


def test_two_late_values_become_cases() -> None:
    names = [("k", 8), ("c", 1), ("d", 1), ("e", 1), ("a", 9)]
    make, i = build(*names)
    _, first = make.lookup(TABLE, i["k"], make.one)
    _, second = make.lookup(replace(TABLE, name="u"), i["k"], make.one)
    branches = make.mux(i["c"], make.mux(i["d"], first, i["a"]), make.mux(i["e"], second, i["a"]))
    before = done(make, branches)
    after = dead(hasten(before))
    assert [len(n.cases) for n in after.nodes if isinstance(n, g.Select)] == [3]
    for bits in range(8):
        inputs = {"k": 7, "c": bits & 1, "d": bits >> 1 & 1, "e": bits >> 2, "a": 300}
        answer = lambda table, key: (True, 40 if table.name == "u" else 50)  # noqa: E731
        assert evaluate(after, inputs, answer) == evaluate(before, inputs, answer)


def test_a_choice_that_is_late_itself_or_shared_stays() -> None:
    make, i = build(("k", 8), ("c", 1), ("a", 9), ("b", 9))
    hit, late = make.lookup(TABLE, i["k"], make.one)
    before = done(make, make.mux(i["c"], make.mux(hit, late, i["a"]), i["b"]))
    assert dump(hasten(before)) == dump(before)
    make, i = build(("k", 8), ("c", 1), ("d", 1), ("a", 9), ("b", 9))
    _, late = make.lookup(TABLE, i["k"], make.one)
    inner = make.mux(i["d"], late, i["a"])
    make.graph.outputs["p"] = inner
    before = done(make, make.mux(i["c"], inner, i["b"]))
    assert dump(hasten(before)) == dump(before)


# ---- narrow


def test_slices_go_through_choices() -> None:
    make, i = build(("c", 1), ("a", 16), ("b", 16))
    value = make.slice(make.mux(i["c"], i["a"], i["b"]), 11, 4)
    assert text(narrow(done(make, value))) == [
        "v1:8 = a[11:4]",
        "v2:8 = b[11:4]",
        "v3:8 = c ? v1 : v2",
        "output o = v3",
    ]
    make, i = build(("a", 16), ("b", 16))
    value = make.slice(make.operate("add", i["a"], i["b"]), 7, 4)
    assert text(narrow(done(make, value)))[-2:] == ["v4:4 = v3[7:4]", "output o = v4"]
    make, i = build(("p", 1), ("q", 1), ("a", 16), ("b", 16))
    value = make.slice(make.select([(i["p"], i["a"]), (i["q"], i["b"])], 16), 3, 0)
    assert text(narrow(done(make, value)))[2] == "v3:4 = select p: v1, q: v2"


def test_overlapping_slices_leave_a_choice_whole() -> None:
    make, i = build(("c", 1), ("a", 16), ("b", 16))
    whole = make.mux(i["c"], i["a"], i["b"])
    value = make.concat(make.slice(whole, 8, 0), make.slice(whole, 11, 4))
    before = done(make, value)
    assert dump(narrow(before)) == dump(before)


# ---- products, shifts


def test_products_become_sums() -> None:
    make, i = build(("a", 8), ("b", 8))
    assert text(dead(products(done(make, make.operate("mul", i["a"], make.constant(8, 10)))))) == [
        "v1:7 = a[6:0]",
        "v2:8 = {v1, 1w0x0}",
        "v3:5 = a[4:0]",
        "v4:8 = {v3, 3w0x0}",
        "v5:8 = add v2 v4",
        "output o = v5",
    ]
    for number in range(256):
        make, i = build(("a", 8))
        after = products(done(make, make.operate("mul", i["a"], make.constant(8, number))))
        assert operators(after) <= {"add", "sub", "shl", "not"}
        assert evaluate(after, {"a": 0xB7})["o"] == 0xB7 * number & 0xFF


def operators(graph: g.Graph) -> set[str]:
    return {n.operator for n in graph.nodes if isinstance(n, g.Operate)}


def test_no_product_and_no_shift_is_left() -> None:
    for seed in range(GRAPHS):
        after = shifts(products(fold(RandomGraph(seed).graph)))
        assert not operators(after) & {"mul", "shl", "lshr", "ashr"}


def test_a_shift_is_a_level_for_each_bit() -> None:
    make, i = build(("a", 8), ("n", 3))
    after = shifts(done(make, make.operate("lshr", i["a"], i["n"])))
    assert sum(isinstance(n, g.Mux) for n in after.nodes) == 3


# ---- carries


@pytest.mark.parametrize("operator", ["add", "sub", "ult", "ule", "slt", "sle"])
def test_chains_are_cut(operator: str) -> None:
    make, i = build(("a", 100), ("b", 100))
    before = done(make, make.operate(operator, i["a"], i["b"]))
    after = carries(before)
    chained = {"add", "sub", "ult", "ule", "slt", "sle"}
    widths = [n.taken[0].width for n in after.nodes if isinstance(n, g.Operate) and n.operator in chained]
    assert len(widths) == 4
    assert max(widths) <= CHUNK + 2
    rng = random.Random(operator)
    for _ in range(200):
        a, b = rng.getrandbits(100), rng.getrandbits(100)
        inputs = {"a": a, "b": rng.choice((a, b, a ^ 1 << rng.randrange(100)))}
        assert evaluate(after, inputs) == evaluate(before, inputs)


def test_short_chains_stay() -> None:
    make, i = build(("a", CHUNK), ("b", CHUNK))
    before = done(make, make.operate("add", i["a"], i["b"]))
    assert dump(carries(before)) == dump(before)


# ---- ladders


def ladder(make: Maker, conditions: list[g.Value], values: list[g.Value]) -> g.Value:
    found = values[-1]
    for condition, value in reversed(list(zip(conditions, values, strict=False))):
        found = make.mux(condition, value, found)
    return found


def test_ladders_become_flat() -> None:
    names = [(f"c{n}", 1) for n in range(5)] + [(f"v{n}", 8) for n in range(6)]
    make, i = build(*names)
    before = done(make, ladder(make, [i[f"c{n}"] for n in range(5)], [i[f"v{n}"] for n in range(6)]))
    assert dump(ladders(before)) == dump(before)
    after = ladders(before, least_mixed=5)
    assert [len(n.cases) for n in dead(after).nodes if isinstance(n, g.Select)] == [6]
    assert not any(isinstance(n, g.Mux) for n in dead(after).nodes)
    for bits in range(32):
        inputs = {f"c{n}": bits >> n & 1 for n in range(5)} | {f"v{n}": 10 + n for n in range(6)}
        assert evaluate(after, inputs) == evaluate(before, inputs)


def test_a_ladder_of_cases_needs_no_more_than_its_comparisons() -> None:
    make, i = build(("k", 4), *((f"v{n}", 8) for n in range(5)))
    before = done(make, ladder(make, [make.equals(i["k"], n) for n in range(4)], [i[f"v{n}"] for n in range(5)]))
    assert operators(dead(ladders(before))) == {"eq", "or", "not"}


def test_short_ladders_and_shared_rungs_stay() -> None:
    make, i = build(*((f"c{n}", 1) for n in range(4)), *((f"v{n}", 8) for n in range(5)))
    whole = ladder(make, [i[f"c{n}"] for n in range(4)], [i[f"v{n}"] for n in range(5)])
    node = make.node(whole)
    assert isinstance(node, g.Mux)
    make.graph.outputs["p"] = node.other
    before = done(make, whole)
    assert dump(ladders(before)) == dump(before)


# ---- selects, trees


def test_choices_among_constants_are_disjunctions() -> None:
    make, i = build(("p", 1), ("q", 1), ("r", 1))
    value = make.select(
        [(i["p"], make.constant(3, 5)), (i["q"], make.constant(3, 4)), (i["r"], make.constant(3, 1))], 3
    )
    assert text(dead(selects(done(make, value)))) == [
        "v1:1 = or p q",
        "v2:1 = or p r",
        "v3:3 = {v1, 1w0x0, v2}",
        "output o = v3",
    ]
    assert operators(selects(make.graph)) == {"or"}


def test_choices_among_many_are_cut() -> None:
    make, i = build(("k", 6), *((f"a{n}", 4) for n in range(40)))
    value = make.select([(make.equals(i["k"], n), i[f"a{n}"]) for n in range(40)], 4)
    before = done(make, value)
    after = selects(before)
    assert max(len(n.cases) for n in after.nodes if isinstance(n, g.Select)) <= MOST_CASES
    inputs = {f"a{n}": n % 16 for n in range(40)} | {"k": 37}
    assert evaluate(after, inputs) == evaluate(before, inputs) == {"o": 5}


def test_conjunctions_become_flat_and_balanced() -> None:
    ports = [(f"a{n}", 1) for n in range(40)]
    make, i = build(*ports)
    value = make.one
    for port, _ in ports:
        value = make.and_(value, i[port])
    after = dead(trees(done(make, value)))
    widths = sorted(len(n.taken) for n in after.nodes if isinstance(n, g.Operate))
    assert widths == [2, 20, 20]


def test_a_shared_conjunction_is_not_repeated() -> None:
    make, i = build(("a", 1), ("b", 1), ("c", 1))
    shared = make.and_(i["a"], i["b"])
    make.graph.outputs["p"] = shared
    before = done(make, make.and_(shared, i["c"]))
    assert dump(trees(before)) == dump(before)


# ---- the list


def test_the_verifier_names_the_pass_that_broke_a_graph() -> None:
    def breaking(graph: g.Graph) -> g.Graph:
        return g.Graph("broken", [], dict(graph.outputs))

    make, i = build(("a", 4))
    with pytest.raises(g.BrokenGraphError, match="pass breaking: output o"):
        run(done(make, i["a"]), [Pass(breaking, "to be caught")])


def test_a_ladder_of_a_thousand_rungs_is_no_problem() -> None:
    """As a thousand statements make it, one behind the other, each under a condition of its own."""
    make, i = build(("k", 16), ("p", 8))
    _, value = make.lookup(TABLE, i["p"], make.one)
    found = value
    for number in range(1000):
        found = make.mux(make.equals(i["k"], number), make.constant(9, number % 500), found)
    before = done(make, found)
    after = run(before, [Pass(hasten, "alone")])
    assert dump(after) != dump(before)
    for key in (0, 999, 1000):
        inputs = {"k": key, "p": 7}
        assert evaluate(after, inputs, lookup) == evaluate(before, inputs, lookup)


def test_every_pass_says_why_it_stands_where_it_does() -> None:
    assert all(p.why_here for p in PASSES)


def test_a_folder_makes_no_second_node() -> None:
    make = Folder(g.Graph("test"))
    a, b = make.input("a", 8), make.input("b", 8)
    assert make.operate("add", a, b) is make.operate("add", b, a)
    assert make.select([(make.equals(a, 1), b), (make.equals(b, 1), a)], 8) is make.select(
        [(make.equals(b, 1), a), (make.equals(a, 1), b)], 8
    )
