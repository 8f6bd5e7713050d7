# SPDX-License-Identifier: Apache-2.0
"""The externs of hw/rtl/hula: prototypes and options that fit, and those that are refused, by hardware and model alike.

What is said of a module here, its latency and its limits, is held against the module's own checks at elaboration.
"""

from pathlib import Path

import pytest

from bench import runner
from p4sume.frontend import Options, run_front_end
from p4sume.hardware import blocks, hula_engines
from p4sume.hardware import graph as g
from p4sume.hardware.build import build
from p4sume.hardware.limits import problems
from p4sume.model.build import generate_source
from p4sume.tests.hardware.harness import lowered, write_program

BEST_HOPS = (
    "{0} extern void x_best_hops(in bit<1> operation, in bit<{tor}> tor, in bit<{port}> port, in bit<8> utilisation, "
    "in bit<{now}> now, out bit<{ports}> ports, out bit<{utilisations}> utilisations, out bit<4> count, "
    "out bit<8> best, out bit<{alive}> alive);"
)
HOPS = {"tor": 24, "port": 2, "now": 16, "ports": 8, "utilisations": 32, "alive": 4}
CALL_HOPS = (
    "bit<{ports}> ports; bit<{utilisations}> utilisations; bit<4> known; bit<8> best; bit<{alive}> alive; "
    "x_best_hops(1, 0, 0, hdr.a.x, 0, ports, utilisations, known, best, alive); hdr.a.x = best;"
)
FLOWLETS = (
    "{0} extern void x_flowlet_table(in bit<1> operation, in bit<{index}> index, in bit<{tag}> tag, "
    "in bit<{now}> now, {ok_late} in bit<{ok}> ok, {late} in bit<{proposal}> proposal, "
    "{late} in bit<{proposal}> spread, out bit<{proposal}> hop, out bit<3> outcome, out bit<1> found);"
)
SETS = {"index": 12, "tag": 16, "now": 16, "ok": 4, "proposal": 2, "late": "", "ok_late": ""}
CALL_SETS = (
    "bit<{proposal}> hop; bit<3> outcome; bit<1> found; "
    "x_flowlet_table(1, 0, 0, 0, 1, 0, 0, hop, outcome, found); hdr.a.x = (bit<8>)outcome;"
)
GATE = (
    "{0} extern void x_probe_gate(in bit<{tor}> tor, in bit<{wanted}> wanted, in bit<{now}> now, "
    "out bit<{passed}> passed);"
)
TORS = {"tor": 14, "wanted": 4, "now": 16, "passed": 4}
CALL_GATE = "bit<{passed}> passed; x_probe_gate(0, 1, 0, passed); hdr.a.x = (bit<8>)passed;"


def program(directory: Path, prototype: str, call: str, options: str, widths: dict[str, object]) -> Path:
    declarations = "header byte_t { bit<8> x; } " + prototype.format(options, **widths)
    return write_program(directory, declarations=declarations, pipe="sume.dst_port = 1;" + call.format(**widths))


def faults(path: Path) -> tuple[list[str], list[str]]:
    """Messages of the hardware's back end, and of the model's."""
    source, diagnostics = generate_source(path)
    model = [d.message for d in diagnostics if d.severity == "error"]
    assert (source is None) == bool(model)
    return [p.message for p in problems(lowered(path).graph)], model


@pytest.mark.parametrize(
    ("prototype", "call", "usual", "options", "other", "said"),
    [
        (BEST_HOPS, CALL_HOPS, HOPS, "", {}, ""),
        (BEST_HOPS, CALL_HOPS, HOPS, "@engine[tors=10240, tick_bits=6, lag_cycles=0]", {}, ""),
        (BEST_HOPS, CALL_HOPS, HOPS, "", {"utilisations": 64, "ports": 16}, ""),
        (BEST_HOPS, CALL_HOPS, HOPS, "", {"utilisations": 72, "ports": 18}, "keeps 9 hops"),
        (BEST_HOPS, CALL_HOPS, HOPS, "", {"utilisations": 31}, "31 bits in parameter 'utilisations'"),
        (BEST_HOPS, CALL_HOPS, HOPS, "", {"ports": 9}, "9 bits in parameter 'ports', and its engine has 8"),
        (BEST_HOPS, CALL_HOPS, HOPS, "", {"alive": 5}, "2 bits in parameter 'port', and the number of 5 ports takes 3"),
        (BEST_HOPS, CALL_HOPS, HOPS, "", {"alive": 33, "port": 6, "ports": 24}, "is for 33 ports"),
        (BEST_HOPS, CALL_HOPS, HOPS, "@engine[tors=1025]", {"tor": 10}, "1025 ToRs take 11 to 32"),
        (BEST_HOPS, CALL_HOPS, HOPS, "@engine[tors=16385]", {}, "tors=16385, and its engine takes 2 to 16384"),
        (BEST_HOPS, CALL_HOPS, HOPS, "@engine[rows=5]", {}, "the option 'rows', and its engine knows tors"),
        (BEST_HOPS, CALL_HOPS, HOPS, "@engine[tick_bits=0]", {"now": 10}, "and a sweep of 1024 rows takes"),
        (BEST_HOPS, CALL_HOPS, HOPS, "", {"now": 3}, "3 bits in parameter 'now'"),
        (FLOWLETS, CALL_SETS, SETS, "", {}, ""),
        (FLOWLETS, CALL_SETS, SETS, "@engine[tick_bits=10]", {"late": "@late(4)", "ok_late": "@late(4)"}, ""),
        (FLOWLETS, CALL_SETS, SETS, "", {"late": "@late(4)"}, "takes ok, proposal, spread late by the same"),
        (FLOWLETS, CALL_SETS, SETS, "", {"late": "@late(4)", "ok_late": "@late(3)"}, "late by the same"),
        (FLOWLETS, CALL_SETS, SETS, "", {"index": 17}, "there are 2 to 65536 sets"),
        (FLOWLETS, CALL_SETS, SETS, "", {"ok": 9, "proposal": 3}, "the number of 9 ports takes 4"),
        (FLOWLETS, CALL_SETS, SETS, "", {"tag": 65}, "64 are the most"),
        (GATE, CALL_GATE, TORS, "", {}, ""),
        (GATE, CALL_GATE, TORS, "", {"passed": 3}, "3 bits in parameter 'passed', and its engine has 4"),
        (GATE, CALL_GATE, TORS, "@engine[tors=16384, tick_bits=0]", {}, "a sweep of 16384 rows takes"),
    ],
)
def test_prototypes(
    prototype: str,
    call: str,
    usual: dict[str, object],
    options: str,
    other: dict[str, object],
    said: str,
    tmp_path: Path,
) -> None:
    hardware, model = faults(program(tmp_path, prototype, call, options, {**usual, **other}))
    if not said:
        assert hardware == model == []
        return
    [message] = hardware
    assert said in message
    # The model knows nothing of what comes late.
    assert model == ([] if "late" in said else [message.replace("TopPipe.", "")])


def test_an_option_of_an_engine_that_has_none_is_refused(tmp_path: Path) -> None:
    declarations = "header byte_t { bit<8> x; } @engine[n=1] extern void a_lrc(in bit<24> data, out bit<8> result);"
    path = write_program(tmp_path, declarations=declarations, pipe="a_lrc(0, hdr.a.x);")
    assert ["the option 'n', and its engine knows none" in p.message for p in problems(lowered(path).graph)] == [True]


def test_a_table_may_not_be_called_what_settings_are(tmp_path: Path) -> None:
    declarations = "header byte_t { bit<8> x; } extern void x_port_up(out bit<4> up);"
    table = '@name(".x_port_up_0_settings") table t { key = { hdr.a.x: exact; } actions = { NoAction; } size = 16; }'
    pipe = "bit<4> up; x_port_up(up); hdr.a.x = (bit<8>)up; t.apply();"
    path = write_program(tmp_path, declarations=declarations, locals_=table, pipe=pipe)
    assert [p.id for p in problems(lowered(path).graph)] == ["name-clash"]


@pytest.mark.parametrize("ports", [3, 5])
def test_what_sees_the_switch_is_for_its_ports(ports: int, tmp_path: Path) -> None:
    declarations = f"header byte_t {{ bit<8> x; }} extern void x_port_up(out bit<{ports}> up);"
    path = write_program(
        tmp_path, declarations=declarations, pipe=f"bit<{ports}> up; x_port_up(up); hdr.a.x = (bit<8>)up;"
    )
    outcome = run_front_end(path, Options("sume"))
    assert build(outcome, "small", tmp_path / "out") is None
    assert [d.id for d in outcome.diagnostics if d.severity == "error"] == ["sideband-ports"]


@pytest.mark.parametrize(
    ("kind", "prototype", "call", "usual", "options", "other"),
    [
        ("best_hops", BEST_HOPS, CALL_HOPS, HOPS, "@engine[tors=64, tick_bits=2]", {}),
        ("best_hops", BEST_HOPS, CALL_HOPS, HOPS, "@engine[tors=65, tick_bits=0]", {"utilisations": 8, "ports": 2}),
        ("best_hops", BEST_HOPS, CALL_HOPS, HOPS, "@engine[tors=4097]", {"alive": 3}),
        ("flowlet_table", FLOWLETS, CALL_SETS, SETS, "", {"index": 6}),
        ("flowlet_table", FLOWLETS, CALL_SETS, SETS, "", {"late": "@late(4)", "ok_late": "@late(4)"}),
        ("flowlet_table", FLOWLETS, CALL_SETS, SETS, "", {"index": 13, "late": "@late(9)", "ok_late": "@late(9)"}),
        ("probe_gate", GATE, CALL_GATE, TORS, "@engine[tors=2]", {}),
        ("probe_gate", GATE, CALL_GATE, TORS, "@engine[tors=4097]", {"wanted": 7, "passed": 7}),
    ],
)
def test_the_latency_is_the_least_that_the_module_takes(
    kind: str,
    prototype: str,
    call: str,
    usual: dict[str, object],
    options: str,
    other: dict[str, object],
    tmp_path: Path,
) -> None:
    graph = lowered(program(tmp_path, prototype, call, options, {**usual, **other})).graph
    [extern] = [n.extern for n in graph.nodes if isinstance(n, g.Invoke)]
    parameters = blocks.extern_parameters(extern)
    least = parameters["LATENCY_CYCLES"]
    assert extern.latency == least
    runner.refuses(kind, {**parameters, "LATENCY_CYCLES": least - 1}, f"LATENCY_CYCLES must be {least} or more")


@pytest.mark.parametrize(
    ("kind", "prototype", "call", "usual", "options", "most", "sentence"),
    [
        ("best_hops", BEST_HOPS, CALL_HOPS, HOPS, "@engine[tors=1024, tick_bits={0}]", 0, "give the sweeper more time"),
        ("best_hops", BEST_HOPS, CALL_HOPS, HOPS, "@engine[tors=500, tick_bits={0}]", 1, "give the sweeper more time"),
        ("best_hops", BEST_HOPS, CALL_HOPS, HOPS, "@engine[lag_cycles=60000, tick_bits={0}]", 4, "more time"),
        ("flowlet_table", FLOWLETS, CALL_SETS, SETS, "@engine[tick_bits={0}]", 2, "must be {sweep} cycles or more"),
    ],
)
def test_the_time_that_is_refused_is_refused_by_the_module(
    kind: str,
    prototype: str,
    call: str,
    usual: dict[str, object],
    options: str,
    most: int,
    sentence: str,
    tmp_path: Path,
) -> None:
    """From the longest time downwards: the first that p4sume refuses is the first that the module refuses."""
    for now in range(16, 3, -1):
        path = program(tmp_path, prototype, call, options.format(most), {**usual, "now": now})
        [extern] = [n.extern for n in lowered(path).graph.nodes if isinstance(n, g.Invoke)]
        if hula_engines.misfit(extern):
            break
        parameters = {**blocks.extern_parameters(extern), "LATENCY_CYCLES": 1}
        runner.refuses(kind, parameters, "LATENCY_CYCLES must be")  # and nothing else
    else:
        raise AssertionError("no time is too short")
    rows = hula_engines.rows(extern)
    assert rows is not None and now < 16
    parameters = hula_engines.parameters(extern)
    latency = hula_engines.ENGINES[kind].latency(
        hula_engines.widths(extern), hula_engines.options(extern), hula_engines.lateness(extern)
    )
    sweep = hula_engines.sweep_cycles(rows.count)
    runner.refuses(kind, {**parameters, "LATENCY_CYCLES": latency}, sentence.format(sweep=sweep))
