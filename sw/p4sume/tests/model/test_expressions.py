# SPDX-License-Identifier: Apache-2.0
"""Random expressions of every operator, at widths 1 to 256: the model against Python's integers.

A packet carries the operands in a header; the program puts each result into another header, padded to bytes.
"""

import pytest

from p4sume.tests.model.expressions import BOOL, WIDTHS, Generator, evaluate, show, show_type, wrap
from p4sume.tests.model.support import model_of_text, program, rng

EXPRESSIONS = 90
PACKETS = 40
DEPTH = 4


def padded(width):
    return -width % 8


def header(name, fields):
    lines = []
    for field, (width, signed) in fields:
        if padded(width):
            lines.append(f"bit<{padded(width)}> {field}_padding;")
        lines.append(f"{show_type((width, signed))} {field};")
    return f"header {name} {{ {' '.join(lines)} }}\n"


def pack(fields, values):
    data = b""
    for field, (width, _) in fields:
        data += (values[field] & ((1 << width) - 1)).to_bytes((width + 7) // 8, "big")
    return data


def check(name, expressions):
    random = rng(name)
    sizes = random.sample(WIDTHS, 8)
    inputs = [(f"a{i}", (w, False)) for i, w in enumerate(sizes)] + [(f"s{i}", (w, True)) for i, w in enumerate(sizes)]
    generator = Generator(random, [(f"hdr.operands.{n}", t) for n, t in inputs])
    trees = []
    for _ in range(expressions):
        type_ = BOOL if random.random() < 0.1 else (random.choice(WIDTHS), random.random() < 0.4)
        trees.append(generator.expression(type_, DEPTH))
    results = [(f"r{i}", (1, False) if t[1] == BOOL else t[1]) for i, t in enumerate(trees)]
    cast = ["(bit<1>)" if t[1] == BOOL else "" for t in trees]
    text = program(
        header("operands_t", inputs)
        + header("results_t", results)
        + "struct headers_t { operands_t operands; results_t results; }",
        "b.extract(hdr.operands); transition accept;",
        "",
        "sume.dst_port = 1; hdr.results.setValid();\n"
        + "\n".join(f"hdr.results.r{i} = {c}{show(t)};" for i, (c, t) in enumerate(zip(cast, trees, strict=True))),
    )
    model = model_of_text(name, text)
    for _ in range(PACKETS):
        values = {n: operand(random, t) for n, t in inputs}
        packet = pack(inputs, values)
        given = {f"hdr.operands.{n}": v for n, v in values.items()}
        wanted = {n: int(evaluate(t, given)) for (n, _), t in zip(results, trees, strict=True)}
        sent = model.process(packet)
        assert sent.drop_reason is None
        found = sent.packet[len(packet) :]
        for (result, type_), tree in zip(results, trees, strict=True):
            size = (type_[0] + 7) // 8
            assert found[:size] == pack([(result, type_)], wanted), f"{show(tree)} with {given}"
            found = found[size:]
        assert found == b""


def operand(random, type_):
    width, _ = type_
    ones = (1 << width) - 1
    value = random.choice(
        [0, 1, ones, ones >> 1, (ones >> 1) + 1, random.getrandbits(width), random.getrandbits(width)]
    )
    return wrap(value, type_)


def test_random_expressions():
    check("expressions", EXPRESSIONS)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(20))
def test_many_random_expressions(number):
    check(f"expressions_{number}", 2 * EXPRESSIONS)
