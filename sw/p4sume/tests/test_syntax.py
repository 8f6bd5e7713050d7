# SPDX-License-Identifier: Apache-2.0
"""Preprocessor, lexer and parser: tokens, places, macros, shapes of trees.

- places survive includes, macros, continuation and #line
- operators bind as the specification says; `<` and `>>` depend on what is a type
"""

import pytest

from p4sume.diagnostics import Diagnostics
from p4sume.source import NOWHERE, SourceFile, Span
from p4sume.syntax import ast
from p4sume.syntax.conditions import ConditionError, evaluate
from p4sume.syntax.declarations import Parser
from p4sume.syntax.lexer import tokenize
from p4sume.syntax.numbers import MAX_DIGITS, Number, parse_number
from p4sume.syntax.preprocessor import Preprocessor


def preprocess(tmp_path, text, *defines):
    path = tmp_path / "program.p4"
    path.write_text(text)
    diagnostics = Diagnostics()
    tokens = Preprocessor(diagnostics, [tmp_path], defines).run(path, "program.p4")
    return tokens, list(diagnostics)


def texts(tokens):
    return [token.text for token in tokens[:-1]]


def parse(text):
    diagnostics = Diagnostics()
    file = SourceFile("program.p4", text)
    tokens = tokenize(file)
    end = Span(file, len(text), len(text))
    program = Parser([*tokens, *_end(end)], diagnostics).program()
    assert list(diagnostics) == []
    return program


def _end(span):
    from p4sume.syntax.lexer import Token

    return [Token("end", "end of file", span)]


def initializer(text):
    return parse(f"typedef bit<8> T; const T x = {text};").declarations[1].value


def shape(node):
    """The tree as nested text, brackets around every operation."""
    match node:
        case ast.IntLiteral(value=value):
            return str(value)
        case ast.PathExpression(name=name):
            return name
        case ast.Unary(operator=operator, operand=operand):
            return f"({operator}{shape(operand)})"
        case ast.Binary(operator=operator, left=left, right=right):
            return f"({shape(left)} {operator} {shape(right)})"
        case ast.Ternary():
            return f"({shape(node.condition)} ? {shape(node.chosen)} : {shape(node.other)})"
        case ast.Cast(operand=operand):
            return f"(T){shape(operand)}"
        case ast.Member(base=base, name=name):
            return f"{shape(base)}.{name.text}"
        case ast.Slice(base=base):
            return f"{shape(base)}[:]"
        case ast.Index(base=base, index=index):
            return f"{shape(base)}[{shape(index)}]"
        case ast.Call(callee=callee, type_arguments=arguments):
            return f"{shape(callee)}<{len(arguments)}>()"
        case ast.TypeExpression():
            return "type"
    raise AssertionError(node)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", "(1 + (2 * 3))"),
        ("1 * 2 + 3", "((1 * 2) + 3)"),
        ("1 - 2 - 3", "((1 - 2) - 3)"),
        ("1 | 2 ^ 3 & 4", "(1 | (2 ^ (3 & 4)))"),
        ("1 << 2 + 3", "(1 << (2 + 3))"),
        ("a >> b >> c", "((a >> b) >> c)"),
        ("a > > b", None),
        ("a < b == c > d", "((a < b) == (c > d))"),
        ("a || b && c", "(a || (b && c))"),
        ("a ? b : c ? d : e", "(a ? b : (c ? d : e))"),
        ("a ++ b |+| c |-| d", "(((a ++ b) |+| c) |-| d)"),
        ("-a.b[1]", "(-a.b[1])"),
        ("!a && ~b == +c", "((!a) && ((~b) == (+c)))"),
        ("(T) a + b", "((T)a + b)"),
        ("(T) (a) + b", "((T)a + b)"),
        ("(a) + b", "(a + b)"),
        ("a[7:0][3:0]", "a[:][:]"),
        ("a[b+:3]", "a[:]"),
        ("f<T>(a)", "f<1>()"),
        ("f<bit<8>>(a)", "f<1>()"),
        ("a.f<_, void>(a)", "a.f<2>()"),
        ("f < T.x", "(f < type.x)"),
        ("a < b > (c)", "((a < b) > c)"),
        (".a + T.b", "(a + type.b)"),
        ("error.a", "type.a"),
        ("T(1).f()", "type<0>().f<0>()"),
    ],
)
def test_expressions_bind(text, expected):
    if expected is None:
        with pytest.raises(AssertionError):
            initializer(text)
    else:
        assert shape(initializer(text)) == expected


def test_width_expressions_close_at_the_angle():
    program = parse("const bit<8> a = 1; const tuple<bit<a>, bit<(a > 3 ? 1 : 2)>, bit<a << 1>> b = 1;")
    arguments = program.declarations[1].type.arguments
    assert [shape(a.width) for a in arguments] == ["a", "((a > 3) ? 1 : 2)", "(a << 1)"]


def test_a_local_name_hides_a_type():
    body = parse("typedef bit<8> t; control c(in bit<8> t) { apply { x = (t) + 1; } }").declarations[1].body
    assert shape(body.body[0].value) == "(t + 1)"


def test_spans_cover_what_was_written():
    text = "const bit<8> a = 1 +\n   b;"
    node = parse(text).declarations[0]
    assert text[node.value.span.start : node.value.span.end] == "1 +\n   b"
    assert node.value.span.location() == ("program.p4", 1, 18)
    assert str(node.value.right.span) == "program.p4:2:4"
    assert node.span.to(NOWHERE) == node.span


def test_children_are_in_the_order_of_the_text():
    node = initializer("a + b")
    assert [shape(child) for child in ast.children(node)] == ["a", "b"]


def test_includes_keep_their_places(tmp_path):
    (tmp_path / "other.p4").write_text("one\n  two")
    tokens, problems = preprocess(tmp_path, '#define FILE "other.p4"\n#include FILE\nthree')
    assert problems == []
    assert [t.span.location() for t in tokens[:-1]] == [
        (str(tmp_path / "other.p4"), 1, 1),
        (str(tmp_path / "other.p4"), 2, 3),
        ("program.p4", 3, 1),
    ]


def test_a_macros_tokens_stand_where_it_is_used(tmp_path):
    tokens, _ = preprocess(tmp_path, "#define SUM(a, b) a + b\nx SUM(1,\n 2) y")
    assert texts(tokens) == ["x", "1", "+", "2", "y"]
    assert {t.span.location() for t in tokens[1:4]} == {("program.p4", 2, 3)}


def test_line_directives_rename_places(tmp_path):
    tokens, _ = preprocess(tmp_path, 'a\n#line 50 "gen.p4"\nb\n# 7\nc\n')
    assert [t.span.location() for t in tokens[:-1]] == [
        ("program.p4", 1, 1),
        ("gen.p4", 50, 1),
        ("program.p4", 7, 1),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define A A B\n#define B A\nA", "A A"),
        ("#define F(x) x F\nF(1)(2)", "1 F ( 2 )"),
        ("#define F(x) x\n#define G F\nG(3)", "3"),
        ("#define F(x) [x]\nF((1, 2)) F()", "[ ( 1 , 2 ) ] [ ]"),
        ("#define F(x, ...) x __VA_ARGS__\nF(1) F(1, 2, 3)", "1 1 2 , 3"),
        ("#define J(a, b) a##b\nJ(x, 1) J(, y) J(1, 2)", "x1 y 12"),
        ("#define P a ## b\nP", "ab"),
        ('#define S(x) #x\nS(a  b "c")', '"a b \\"c\\""'),
        ("#define F(x) x\nF F(1)", "F 1"),
        ("#define E\nE 1 E", "1"),
        ("#define X 1\n#undef X\n#undef Y\nX", "X"),
        ("#define O (1)\nO", "( 1 )"),
        ("#ifdef A\n1\n#elif 1\n2\n#else\n3\n#endif", "2"),
        ("#if 0\n1\n#elif 0\n2\n#else\n3\n#endif", "3"),
        ("#if 1\n1\n#elif 1\n2\n#else\n3\n#endif", "1"),
        ("#if 0\n#if 1\n1\n#else\n2\n#endif\n#elif 1\n3\n#endif", "3"),
        ("#ifndef A\n#define A\n#endif\n#ifdef A\n1\n#endif", "1"),
        ("#\n1", "1"),
        ("a \\\nb // c \\\n d\ne /* f\n */ g", "a b e g"),
        ('#if 0\nit"s\n#endif\n1', "1"),
        ("#define N defined\n__LINE__ __FILE__ __OTHER__", '2 "program.p4" __OTHER__'),
    ],
)
def test_macros_and_conditions(tmp_path, text, expected):
    tokens, problems = preprocess(tmp_path, text)
    assert " ".join(texts(tokens)) == expected
    assert problems == []


def test_macro_redefined_otherwise_is_a_warning(tmp_path):
    _, problems = preprocess(tmp_path, "#define A 1\n#define A 1\n#define A 2\n")
    assert [(p.severity, p.id) for p in problems] == [("warning", "macro-redefined")]


def test_macros_cannot_grow_without_bound(tmp_path):
    lines = ["#define A0 x x"] + [f"#define A{i} A{i - 1} A{i - 1} A{i - 1} A{i - 1}" for i in range(1, 30)]
    _, problems = preprocess(tmp_path, "\n".join(lines) + "\nA29\n")
    assert [p.id for p in problems] == ["bad-macro"]


@pytest.mark.parametrize("text", ["1 ? 1 : (", "((((" * 100, "!" * 500 + "1", "1 1", "$"])
def test_conditions_that_are_none(text):
    with pytest.raises(ConditionError):
        evaluate(tokenize(SourceFile("x", text)))


def test_division_truncates_as_in_c():
    assert evaluate(tokenize(SourceFile("x", "-7 / 2 == -3 && -7 % 2 == -1 && 7 / -2 == -3"))) == 1


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", Number(12, None, False)),
        ("8w0xF_F", Number(255, 8, False)),
        ("4s0b0111", Number(7, 4, True)),
        ("0o17", Number(15, None, False)),
        ("0d19", Number(19, None, False)),
    ],
)
def test_numbers(text, number):
    assert parse_number(text) == number


def test_numbers_have_a_limit():
    assert isinstance(parse_number("1" * (MAX_DIGITS + 1)), str)


def test_syntax_errors_end_after_some():
    diagnostics = Diagnostics()
    text = "nothing here;\n" * 100
    file = SourceFile("x", text)
    Parser([*tokenize(file), *_end(Span(file, len(text), len(text)))], diagnostics).program()
    assert 1 < diagnostics.error_count < 30
