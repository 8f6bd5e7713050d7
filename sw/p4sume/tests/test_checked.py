# SPDX-License-Identifier: Apache-2.0
"""What the checked program tells the passes behind it: types, conversions, constants, symbols, calls, instances."""

from pathlib import Path

import pytest

from p4sume.frontend import Options, run_front_end
from p4sume.semantics.checked import EnumValue, ListValue, StructValue
from p4sume.semantics.types import Aggregate, Bits, Extern, Int, bit
from p4sume.syntax import ast

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture
def outcome_of(tmp_path):
    def check(text, target="core"):
        path = tmp_path / "program.p4"
        path.write_text(text)
        outcome = run_front_end(path, Options(target))
        assert outcome.accepted, [item.render() for item in outcome.diagnostics]
        return outcome

    return check


def declared(outcome, name):
    return next(d for d in outcome.checked.program.declarations if d.name.text == name)


def test_types_and_conversions(outcome_of):
    outcome = outcome_of("struct s { bit<8> a; bit<4> b; }\nconst s x = {1, 2};\nconst bit<8> y = x.a + 3;\n")
    checked = outcome.checked
    value = declared(outcome, "x").value
    first = value.items[0]
    assert checked.types[first] == Int()
    assert checked.type_of(first) == bit(8)
    assert checked.type_of(value.items[1]) == bit(4)
    assert isinstance(checked.type_of(value), Aggregate)
    total = declared(outcome, "y").value
    assert checked.constants[total] == 4
    assert checked.type_of(total.right) == Bits(8, False)
    assert checked.symbols[total.left.base].node is declared(outcome, "x")
    assert checked.top_level["y"].value == 4


def test_constants_of_every_kind(outcome_of):
    outcome = outcome_of(
        "enum color { red }\nenum bit<8> e { one = 1 }\nstruct s { bit<8> a; }\n"
        "const color c = color.red;\nconst bit<8> n = e.one;\nconst tuple<bool> t = {true};\n"
        'const s x = {a = 7};\nconst string w = "hi";\n'
    )
    value = {d.name.text: d for d in outcome.checked.program.declarations}
    constants = outcome.checked.constants
    assert isinstance(constants[value["c"].value], EnumValue)
    assert constants[value["n"].value] == 1
    assert constants[value["t"].value] == ListValue((True,))
    assert constants[value["x"].value] == StructValue((("a", 7),))
    assert constants[value["w"].value] == "hi"


def test_calls_say_what_they_do(outcome_of):
    outcome = outcome_of(
        "extern e<T> { e(bit<8> n); void put(in T value, in bit<8> more = 3); }\n"
        "extern void f<T>(in T a, out T b);\n"
        "control c(inout bit<8> x) {\n  e<bit<4>>(2) o;\n  apply { f(x, x); o.put(value = 1); o.put(1, 2); }\n}\n"
    )
    control = declared(outcome, "c")
    calls = [outcome.checked.calls[s.call] for s in control.body.body]
    assert [(c.kind, c.name) for c in calls] == [("function", "f"), ("method", "put"), ("method", "put")]
    assert calls[0].type_arguments == (bit(8),)
    assert calls[0].signature.params[1].type == bit(8)
    assert calls[1].signature.params[0].type == bit(4)
    bindings = calls[1].bindings
    assert [p.name.text for p, _ in bindings] == ["value", "more"]
    assert outcome.checked.constants[bindings[1][1]] == 3
    assert outcome.checked.type_of(bindings[0][1]) == bit(4)


def test_tables_have_their_actions_and_entries(outcome_of):
    outcome = outcome_of(
        "match_kind { exact }\ncontrol c(inout bit<8> x) {\n  action a(bit<8> d) { x = d; }\n"
        "  table t { key = { x : exact; } actions = { a; } default_action = a(1); const entries = { 7 : a(d = 9); } }\n"
        "  apply { t.apply(); }\n}\n"
    )
    action, table = declared(outcome, "c").locals
    entry = next(p for p in table.properties if isinstance(p, ast.Entries)).entries[0]
    target = outcome.checked.calls[entry.action]
    assert target.node is action
    assert outcome.checked.constants[target.bindings[0][1]] == 9
    assert outcome.checked.type_of(entry.keyset) == bit(8)
    apply = declared(outcome, "c").body.body[0].call
    assert outcome.checked.calls[apply].node is table


def test_instances_are_elaborated(outcome_of):
    outcome = outcome_of(
        "extern reg<T> { reg(bit<32> size, bool on); }\nextern thing { }\nextern thing make(bit<8> n);\n"
        "struct pair { bit<8> a; bit<8> b; }\n"
        "control inner(inout bit<8> x)(bit<32> n, pair q, thing w) {\n"
        "  reg<bit<8>>(n * 16 + 1, (n > 3 && q.a == 1) || !(n != 4)) r;\n"
        "  reg<bit<8>>((bit<32>)(bit<4>)n << 2, n == 4 ? true : false) few[2];\n"
        "  apply { }\n}\n"
        "control other(inout bit<8> x) { apply { } }\n"
        "control c(inout bit<8> x)(bit<32> n) {\n"
        "  inner(n |+| ~(-n), {a = n[7:0], b = 2}, make(3)) i;\n  apply { i.apply(x); other.apply(x); }\n}\n"
        "control proto(inout bit<8> x);\npackage top(proto p);\ntop(c(4)) main;\n"
    )
    main = outcome.instances[outcome.checked.main]
    (control,) = main.arguments.values()
    assert control.path == "p"
    inner, direct = control.children.values()
    assert inner.path == "p.i"
    assert direct.node.name.text == "other"
    first, second, third = inner.arguments.values()
    assert first == (4 + (~(-4 & 0xFFFFFFFF) & 0xFFFFFFFF))
    assert second == StructValue((("a", 4), ("b", 2)))
    assert third.node.name.text == "make"
    register, few = inner.children.values()
    assert isinstance(register.type, Extern)
    assert list(register.arguments.values())[0] == first * 16 + 1
    assert [r.name for r in few] == ["few[0]", "few[1]"]


def test_constructor_arguments_are_computed(outcome_of):
    expressions = {
        "n < 5": True,
        "n >= 5": False,
        "n == 4 ? 8w1 : 8w2": 1,
        "n ++ 4w3": 0x43,
        "(bool)n[0:0]": False,
        "n / 2 * 2 - 1": 3,
        "(bit<8>)n[2+:1]": 1,
        "-n": 0xFC,
        "~n ^ 0xFF": 4,
        "!(n != 4)": True,
        "(int<8>)(-n)": -4,
        "(bit<4>)n": 4,
        "n >> 1": 2,
        't ++ "!"': "hi!",
        "q": StructValue((("a", 7), ("b", True))),
        "q.a": 7,
        "{n, 8w2}": ListValue((4, 2)),
        "{a = n, b = true}": StructValue((("a", 4), ("b", True))),
        "n << 8w9": 0,
        "true && n > 3 || false": True,
    }
    types = {bool: "bool", str: "string"}
    for text, expected in expressions.items():
        kind = types.get(type(expected), "bit<8>")
        if isinstance(expected, ListValue):
            kind = "tuple<bit<8>, bit<8>>"
        elif isinstance(expected, StructValue):
            kind = "pair"
        elif text in ("n ++ 4w3", "(int<8>)(-n)", "(bit<4>)n"):
            kind = {"n ++ 4w3": "bit<12>", "(int<8>)(-n)": "int<8>", "(bit<4>)n": "bit<4>"}[text]
        outcome = outcome_of(
            f"struct pair {{ bit<8> a; bool b; }}\nextern e {{ e({kind} v); }}\n"
            f"control c()(bit<8> n, string t, pair q) {{ e({text}) o; apply {{ }} }}\n"
            'control p();\npackage top(p x);\ntop(c(4, "hi", {7, true})) main;\n'
        )
        (control,) = outcome.instances[outcome.checked.main].arguments.values()
        (made,) = control.children.values()
        assert list(made.arguments.values()) == [expected], text


def test_instances_are_passed_on(outcome_of):
    outcome = outcome_of(
        "extern e { e(); bit<8> f(); }\nextern user { user(e inner); }\ne() top_e;\n"
        "control inner()(e one) { user(one) u; apply { } }\n"
        "control c() { e() few[2]; inner(few[1]) a; inner(top_e) b; inner(e()) d; apply { bit<8> x = e().f(); } }\n"
        "control p();\npackage top(p x);\ntop(c()) main;\n"
    )
    (control,) = outcome.instances[outcome.checked.main].arguments.values()
    few, a, b, d, anonymous = control.children.values()
    (given,) = a.children.values()
    assert list(given.arguments.values()) == [few[1]]
    assert list(b.arguments.values()) == [outcome.instances[declared(outcome, "top_e")]]
    (new,) = d.arguments.values()
    assert (new.path, anonymous.path) == ("x.one", "x.e")


def test_switch_is_elaborated():
    outcome = run_front_end(PROGRAMS / "switch" / "minimal.p4", Options("sume"))
    main = outcome.instances[outcome.checked.main]
    assert {p.name.text: i.node.name.text for p, i in main.arguments.items()} == {
        "p": "TopParser",
        "map": "TopPipe",
        "d": "TopDeparser",
    }


def test_every_expression_of_an_accepted_program_has_a_type():
    """Names of functions, methods, actions and states have a symbol or a call instead."""
    for path in (PROGRAMS / "accept").glob("*.p4"):
        checked = run_front_end(path).checked
        untyped = {call.callee for call in checked.calls} | set(checked.symbols)
        todo = list(ast.children(checked.program))
        while todo:
            node = todo.pop()
            elsewhere = isinstance(node, (ast.TypeExpression, ast.Select)) or node in untyped
            assert elsewhere or not isinstance(node, ast.Expression) or node in checked.types, f"{node.span}: {node}"
            todo.extend(ast.children(node))
