# SPDX-License-Identifier: Apache-2.0
"""The generated source and the library: refusals, determinism, names, speed, N_PORTS, reset."""

import subprocess
import time
from pathlib import Path

import pytest

from p4sume.frontend import Options
from p4sume.model.build import ModelError, build_model, generate_source
from p4sume.model.library import KeyValue, Model
from p4sume.tests.model.support import BUILD, PROGRAMS, QUICK, compile_driver, model_of_file, model_of_text, program

HEADERS = "header h_t { bit<8> x; bit<8> y; } struct headers_t { h_t h; }"
PARSE = "b.extract(hdr.h); transition accept;"
PACKETS_PER_SECOND = 300_000


def refusal(tmp_path, text):
    path = tmp_path / "refused.p4"
    path.write_text(text)
    source, diagnostics = generate_source(path)
    assert source is None
    return [d for d in diagnostics if d.severity == "error"]


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        (
            program("header h_t { bit<13> x; } struct headers_t { h_t h; }", PARSE, "", ""),
            "does not hold whole bytes",
            "b.extract(hdr.h)",
        ),
        (
            program("extern void pre_unheard(in bit<8> x);" + HEADERS, PARSE, "", "pre_unheard(hdr.h.x);"),
            "there is no twin for the extern function 'pre_unheard'",
            "pre_unheard(hdr.h.x)",
        ),
        (
            program("extern void a_lrc(in int<8> x, out bit<8> y);" + HEADERS, PARSE, "", "a_lrc(1, hdr.h.y);"),
            "parameter 'x' of this extern has type int<8>",
            "a_lrc(1, hdr.h.y)",
        ),
        (
            program(
                "extern void a_lrc(in bit<8> x, out bit<8> y); void f(out bit<8> y) { a_lrc(1, y); }" + HEADERS,
                PARSE,
                "",
                "f(hdr.h.y);",
            ),
            "cannot be called from a function",
            "a_lrc(1, y)",
        ),
        (
            program("extern Box { Box(); void put(); }" + HEADERS, PARSE, "Box() box;", "box.put();"),
            "the model does not know the extern 'Box'",
            "Box() box;",
        ),
        (
            program(
                "match_kind { fuzzy }" + HEADERS,
                PARSE,
                "table t { key = { hdr.h.x: fuzzy; } actions = { NoAction; } }",
                "t.apply();",
            ),
            "the model has no kind of match 'fuzzy'",
            "fuzzy",
        ),
    ],
)
def test_what_the_model_cannot_do_is_refused_where_it_stands(tmp_path, text, message, marked):
    (problem,) = refusal(tmp_path, text)
    assert message in problem.message
    assert problem.span.file.text[problem.span.start :].startswith(marked)
    assert "refused.p4:" in problem.render()


def test_a_program_without_main_or_for_another_architecture(tmp_path):
    whole = program(HEADERS, PARSE, "", "")
    without = whole[: whole.index("SimpleSumeSwitch(Top")]
    path = tmp_path / "p.p4"
    path.write_text(without)
    source, diagnostics = generate_source(path, Options("core"))
    assert source is None and any("no 'main'" in d.message for d in diagnostics)
    path.write_text("package Other(); Other() main;")
    source, diagnostics = generate_source(path, Options("core"))
    assert source is None and any("architecture of 'Other'" in d.message for d in diagnostics)
    with pytest.raises(ModelError, match="Other"):
        build_model(path, Options("core"), tmp_path)


def test_the_same_program_gives_the_same_bytes_that_name_their_place():
    path = PROGRAMS / "router.p4"
    first, _ = generate_source(path)
    second, _ = generate_source(path)
    assert first is not None and first == second
    assert "// from sw/p4sume/tests/model/programs/router.p4:" in first
    assert str(Path.home()) not in first and str(PROGRAMS) not in first


def test_words_of_cpp_are_names_like_others():
    types = "enum E { NULL, EOF, SEEK_SET }"
    types += "header class { bit<8> double; bit<8> valid_; bit<8> BUFSIZ; }"
    types += "struct headers_t { class new; class[2] p4; }"
    apply = "sume.dst_port = 1; bit<8> int_ = hdr.new.double; bit<8> template = int_ + 1; hdr.new.valid_ = template;"
    apply += "E e = E.EOF; if (e == E.EOF && hdr.new.BUFSIZ == 7) { hdr.new.BUFSIZ = 8; }"
    table = "table TopPipe { actions = { NoAction; } }"
    apply += "TopPipe.apply();"
    model = model_of_text("words", program(types, "b.extract(hdr.new); transition accept;", table, apply))
    assert model.process(bytes([5, 0, 7])).packet == bytes([5, 6, 8])


@pytest.mark.parametrize(
    ("declared", "locals_", "apply"),
    [
        ("bit<8> EOF(in bit<8> x) { return x + 1; }", "", "hdr.h.x = EOF(hdr.h.x);"),
        ("error { BUFSIZ }", "error e = error.BUFSIZ;", "if (e == error.BUFSIZ) { hdr.h.x = hdr.h.x + 1; }"),
        ("const bit<8> SEEK_END = 1;", "", "hdr.h.x = hdr.h.x + SEEK_END;"),
        ("typedef bit<8> FILENAME_MAX;", "FILENAME_MAX NULL = 1;", "hdr.h.x = hdr.h.x + NULL;"),
        ("control TMP_MAX(inout bit<8> x) { apply { x = x + 1; } }", "TMP_MAX() P_tmpdir;", "P_tmpdir.apply(hdr.h.x);"),
        ("enum bit<8> L_tmpnam { RAND_MAX = 1 }", "", "hdr.h.x = hdr.h.x + (bit<8>)L_tmpnam.RAND_MAX;"),
    ],
)
def test_macros_of_c_are_names_like_others(declared, locals_, apply):
    text = program(declared + HEADERS, PARSE, locals_, "sume.dst_port = 1;" + apply)
    assert model_of_text("macros", text).process(bytes([6, 1])).packet == bytes([7, 1])


def test_deep_nesting_is_no_problem():
    terms, levels, cases = 1500, 90, 200
    nested = "if (hdr.h.y != 0) { " * levels + "hdr.h.y = 9;" + " }" * levels
    chain = " else ".join(f"if (hdr.h.x == {n}) {{ hdr.h.y = hdr.h.y + 1; }}" for n in range(cases))
    apply = "sume.dst_port = 1; hdr.h.x = " + " + ".join(["hdr.h.y"] * terms) + ";" + nested + chain
    source, _ = generate_source(write("deep", program(HEADERS, PARSE, "", apply)))
    assert source is not None and "} else if" not in source and "else if (hdr.h.x == p4::bit<8>(150)) {" in source


def write(name, text):
    BUILD.mkdir(parents=True, exist_ok=True)
    path = BUILD / f"{name}.p4"
    path.write_text(text)
    return path


def test_more_ports():
    options = Options("sume", defines=("N_PORTS=10",))
    path = PROGRAMS / "stacks.p4"
    model = Model(build_model(path, options, BUILD / "ten_ports", extra_flags=QUICK).library)
    widths = {f.name: f.width for f in model.metadata_fields}
    assert widths["src_port"] == widths["dst_port"] == 20 and "nf9_q_size" in widths
    sent = model.process(bytes.fromhex("000a0bcc"), {"src_port": 1 << 19, "nf9_q_size": 3})
    assert (sent.metadata["src_port"], sent.metadata["nf9_q_size"], sent.metadata["dst_port"]) == (1 << 19, 3, 1)


def test_entries_of_the_program_and_their_priorities():
    locals_ = """
        action say(bit<8> v) { hdr.h.y = v; }
        table first { key = { hdr.h.x: ternary; } actions = { say; NoAction; }
            const entries = { 0x10 &&& 0xf0: say(1); 0x11: say(2); _: say(3); } }
        table stated { key = { hdr.h.x: ternary; } actions = { say; NoAction; }
            entries = { priority = 5: 0x10 &&& 0xf0: say(1); priority = 9: 0x11: say(2); } size = 8; }
        table annotated { key = { hdr.h.x: ternary; } actions = { say; NoAction; }
            const entries = { 0x10 &&& 0xf0: say(1) @priority(7); 0x11: say(2) @priority(3); } }"""
    apply = (
        "if (hdr.h.y == 1) { first.apply(); } else if (hdr.h.y == 2) { stated.apply(); } else { annotated.apply(); }"
    )
    model = model_of_text("entries", program(HEADERS, PARSE, locals_, "sume.dst_port = 1;" + apply))

    def result(x, y):
        return model.process(bytes([x, y])).packet[1]

    assert [result(x, 1) for x in (0x10, 0x11, 0x20)] == [1, 1, 3]
    assert [result(x, 2) for x in (0x10, 0x11, 0x20)] == [1, 2, 2]
    assert [result(x, 3) for x in (0x10, 0x11)] == [1, 2]
    assert [r.priority for r in model.dump("annotated")] == [7, 3]
    model.clear("stated")
    assert result(0x11, 2) == 2 and model.dump("stated") == []
    model.reset()
    assert len(model.dump("stated")) == 2


def test_a_rate_for_simulations():
    """Processor time, so that other work on the machine does not count."""
    model = Model(build_model(PROGRAMS / "router.p4", directory=BUILD / "router_fast").library)
    model.add("ipv4_routes", [KeyValue(0x0A000000, prefix=8)], "set_next_hop", [1])
    model.add("next_hops", [KeyValue(1)], "forward", [4, 1, 2])
    head = bytes.fromhex("ffffffffffff0a000000000108004500001400000000400066e70a0000010a000002")
    packets = [(head + bytes(size), {"src_port": 1}) for size in (26, 500, 1400)]
    begin = time.process_time()
    total = 300_000
    assert model.run(packets, total) == total
    rate = total / (time.process_time() - begin)
    print(f"{rate:.0f} packets a second")
    assert rate > PACKETS_PER_SECOND


def test_a_cpp_program_loads_a_model():
    library = build_model(PROGRAMS / "stacks.p4", directory=BUILD / "stacks", extra_flags=QUICK).library
    driver = compile_driver(Path(__file__).parent / "library_driver.cpp")
    sent = subprocess.run([driver, library, "000a0bcc77"], capture_output=True, text=True, check=True).stdout
    assert sent.startswith("sent 000a0b77\n") and '"packets": 1' in sent
    dropped = subprocess.run([driver, library, "00"], capture_output=True, text=True, check=True).stdout
    assert dropped.startswith("PacketTooShort \n") and '"drop.PacketTooShort": 1' in dropped


def test_state_is_reset():
    model = model_of_file("stacks")
    model.process(bytes.fromhex("000a0bcc"))
    assert model.counters()["packets"] == 1
    model.reset()
    assert model.counters()["packets"] == 0
