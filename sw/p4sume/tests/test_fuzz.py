# SPDX-License-Identifier: Apache-2.0
"""Random damage to legal programs: whatever the text, the answer is diagnostics, and soon.

Texts are the test programs, damaged byte by byte or token by token, by a printed seed.
"""

import random
import time
from pathlib import Path

import pytest

from p4sume.frontend import run_front_end
from p4sume.source import SourceFile
from p4sume.syntax.lexer import tokenize

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*/*.p4"))
SLOWEST_SECONDS = 10


def damage_bytes(text, rng):
    data = bytearray(text.encode())
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[at : at + rng.randint(1, 8)]
            case 2:
                source = rng.randrange(len(data) + 1)
                data[at:at] = data[source : source + rng.randint(1, 60)]
            case _:
                data[at:at] = bytes(rng.randrange(32, 127) for _ in range(rng.randint(1, 4)))
    return bytes(data)


def damage_tokens(text, rng, words):
    tokens = tokenize(SourceFile("x", text))
    edits = []
    for _ in range(rng.randint(1, 4)):
        span = rng.choice(tokens).span
        replacement = rng.choice(["", rng.choice(tokens).text, rng.choice(words)])
        end = span.end if rng.random() < 0.6 else span.start
        edits.append((span.start, end, f" {replacement} "))
    for start, end, replacement in sorted(edits, reverse=True):
        text = text[:start] + replacement + text[end:]
    return text.encode()


def run(count, seed, tmp_path):
    rng = random.Random(seed)
    texts = [path.read_text(encoding="utf-8") for path in PROGRAMS if path.stat().st_size < 10_000]
    words = sorted({t.text for text in texts for t in tokenize(SourceFile("x", text)) if len(t.text) < 30})
    path = tmp_path / "damaged.p4"
    accepted = 0
    for _ in range(count):
        text = rng.choice(texts)
        path.write_bytes(damage_bytes(text, rng) if rng.random() < 0.4 else damage_tokens(text, rng, words))
        start = time.process_time()
        outcome = run_front_end(path)
        for item in outcome.diagnostics:
            item.render()
        assert time.process_time() - start < SLOWEST_SECONDS
        accepted += outcome.accepted
    print(f"seed {seed}: {count} damaged programs, {accepted} still accepted")
    assert 0 < accepted < count


def test_damaged_programs_give_diagnostics(tmp_path):
    run(300, 20, tmp_path)


@pytest.mark.soak
def test_many_damaged_programs_give_diagnostics(tmp_path):
    run(50_000, random.randrange(1 << 32), tmp_path)


DEEP = 190


@pytest.mark.parametrize(
    "text",
    [
        "const bit<8> a = " + "(" * DEEP + "1" + ")" * DEEP + ";",
        "const bit<8> a = " + "-(" * (DEEP // 2) + "8w1" + ")" * (DEEP // 2) + ";",
        "const bit<8> a = " + "1 + " * 1999 + "1;",
        "const bit<8> a = 8w1" + "[7:0]" * 1900 + ";",
        "const bit<8> a = " + "true ? 8w1 : " * (DEEP // 2) + "8w2;",
        "const " + "tuple<" * DEEP + "bool" + ">" * DEEP + " a = " + "{" * DEEP + "true" + "}" * DEEP + ";",
        "control c(inout bit<8> x) { apply { " + "{" * DEEP + "x = 1;" + "}" * DEEP + " } }",
        "control c(inout bit<8> x) { apply { " + "if (x == 1) { } else " * DEEP + "{ } } }",
        "bit<8> f(in bit<8> x) { " + "if (x == 1) return 1; else " * DEEP + "return 2; }",
        "bit<8> f(in bit<8> x) { return x; } const bit<8> b = 1; control c(inout bit<8> x) { apply { x = "
        + "f(" * (DEEP // 2)
        + "x"
        + ")" * (DEEP // 2)
        + "; } }",
        "match_kind { exact } control c(inout bit<8> x) { action a(in bit<8> y) { } table t { key = { x : exact; } "
        "actions = { a(x" + " + x" * 1900 + "); } default_action = a(x" + " + x" * 1900 + "); } apply { } }",
    ],
    ids=lambda text: text[:24],
)
def test_programs_just_inside_the_limits_are_accepted(text, tmp_path):
    path = tmp_path / "deep.p4"
    path.write_text(text)
    outcome = run_front_end(path)
    assert outcome.accepted, next(iter(outcome.diagnostics)).render()


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        "{" * 20_000,
        "const bit<8> a = " + "-" * 20_000,
        "const bit<8> a = " + "(bit<8>)" * 5_000 + "1;",
        "const bit<8> a = b" + ".c" * 10_000 + ";",
        "const bit<8> a = b" + "[0]" * 10_000 + ";",
        "const " + "tuple<" * 10_000,
        "const bit" + "<bit" * 10_000,
        "const bit<" + "(a<bit<" * 5_000,
        "control c() { apply { " + "if (true) { } else " * 5_000 + "; } }",
        "control c() { apply { " + "{" * 20_000,
        "struct s { bit<8>" + "[1]" * 10_000 + " a; }",
        "const bit<8> a = true" + " ? 1 : true" * 5_000 + ";",
        "@a(" + "(" * 20_000,
        "#if " + "(" * 20_000,
        "#if 1" + "+1" * 10_000,
        "#define F(x) x x\n" + "F(" * 300 + "1" + ")" * 300,
        '"' * 20_001,
        "/*" * 20_000,
        "extern e { " + "void f(in bit<8> a); " * 300 + "}",
    ],
    ids=lambda text: text[:24],
)
def test_extreme_texts_give_diagnostics(text, tmp_path):
    path = tmp_path / "extreme.p4"
    path.write_text(text)
    start = time.process_time()
    assert not run_front_end(path).accepted
    assert time.process_time() - start < SLOWEST_SECONDS
