# SPDX-License-Identifier: Apache-2.0
"""Scheduled graphs as SystemVerilog, against the graph evaluated in Python.

Plan: random graphs, budgets and latencies. Each becomes a module that Verilator takes under -Wall; a packet every cycle
and with gaps goes through it, and every output of every packet has to be what `evaluate` says, exactly `latency` cycles
later. Tables and externs are functions here (a fold of their inputs), written once in Verilog and once in Python.
"""

from __future__ import annotations

import os
import random

import cocotb
import pytest

from bench import runner
from bench.stream import StreamBench
from flow.paths import BUILD
from flow.sources import closure
from p4sume.hardware import graph as g
from p4sume.hardware.evaluate import default_value, evaluate
from p4sume.hardware.schedule import Schedule, check, schedule
from p4sume.hardware.verilog import PipelineWriter
from p4sume.tests.verilog.random_graph import RandomGraph

PACKETS = 300


def table_latency(table: g.Table) -> int:
    return 2 + int(table.name.split("_")[1]) % 4


def build_graph(seed: int) -> tuple[g.Graph, Schedule]:
    rng = random.Random(seed)
    graph = RandomGraph(rng).make(rng.choice([5, 40, 150]))
    made = schedule(graph, table_latency, rng.choice([2.6, 3.3, 4.5]))
    check(made)
    return graph, made


def fold(bits: int, width: int) -> int:
    """XOR of all words of `width` bits: what every engine of these tests computes."""
    result = 0
    while bits:
        result ^= bits & ((1 << width) - 1)
        bits >>= width
    return result


def answer_lookup(table: g.Table, key: int) -> tuple[bool, int]:
    hit = bool(key & 1)
    return hit, fold(key, table.value_bits) if hit else default_value(table)


def answer_invoke(extern: g.Extern, arguments: list[int]) -> list[int]:
    return [fold(arguments[0], 16) ^ fold(arguments[1], 16)]


def folded(expression: str, width: int, to: int) -> str:
    words = [f"{to}'({expression} >> {low})" for low in range(0, width, to)]
    return " ^ ".join(words)


def engines_around(graph: g.Graph, made: Schedule) -> str:
    """The pipeline with an engine at each of its table and extern ports."""
    inputs = [n for n in graph.nodes if isinstance(n, g.Input)]
    ports = [
        "input wire logic clk",
        "input wire logic rst",
        "input wire logic window_valid",
        "output logic result_valid",
    ]
    ports += [f"input wire logic [{n.result.width - 1}:0] window_{n.port}" for n in inputs]
    ports += [f"output logic [{v.width - 1}:0] result_{port}" for port, v in graph.outputs.items()]
    body = []
    for node in graph.nodes:
        if isinstance(node, g.Lookup):
            t, bits = node.table, node.table.value_bits
            body += [
                f"logic {t.name}_lookup_valid; logic [{t.key_bits - 1}:0] {t.name}_lookup_key;",
                f"logic {t.name}_result_hit; logic [{bits - 1}:0] {t.name}_result_value;",
                f"wire logic [{bits}:0] {t.name}_now = ({t.name}_lookup_valid && {t.name}_lookup_key[0]) ?",
                f"  {{1'b1, {folded(f'{t.name}_lookup_key', t.key_bits, bits)}}} :",
                f"  {{1'b0, {bits}'d{default_value(t)}}};",
                f"logic [{bits}:0] {t.name}_line [{table_latency(t)}];",
                f"always_ff @(posedge clk) begin {t.name}_line[0] <= {t.name}_now;",
                f"for (int i = 1; i < {table_latency(t)}; i++) {t.name}_line[i] <= {t.name}_line[i-1]; end",
                f"assign {{{t.name}_result_hit, {t.name}_result_value}} = {t.name}_line[{table_latency(t) - 1}];",
            ]
        if isinstance(node, g.Invoke):
            e = node.extern
            (_, wa, _), (_, wb, late) = e.parameters
            i = e.instance
            body += [
                f"logic {i}_input_valid; logic [{wa - 1}:0] {i}_a; logic [{wb - 1}:0] {i}_b;",
                f"logic [15:0] {i}_c_result;",
                f"logic [16:0] {i}_a_line [{late + 1}]; logic [15:0] {i}_line [{e.latency - late}];",
                f"always_comb {i}_a_line[0] = {{{i}_input_valid, {folded(f'{i}_a', wa, 16)}}};",
                f"always_ff @(posedge clk) begin for (int i = 1; i <= {late}; i++) {i}_a_line[i] <= {i}_a_line[i-1];",
                f"{i}_line[0] <= {i}_a_line[{late}][16] ?",
                f"  {i}_a_line[{late}][15:0] ^ ({folded(f'{i}_b', wb, 16)}) : 16'd0;",
                f"for (int i = 1; i < {e.latency - late}; i++) {i}_line[i] <= {i}_line[i-1]; end",
                f"assign {i}_c_result = {i}_line[{e.latency - late - 1}];",
            ]
    lint = "/* verilator lint_off WIDTHTRUNC */ /* verilator lint_off UNUSEDSIGNAL */"
    return (
        f"{lint}\nmodule engines ({', '.join(ports)});\n"
        + "\n".join(body)
        + "\nrandom_pipeline pipeline_inst (.*);\nendmodule\n"
    )


@cocotb.test()
async def every_packet_leaves_as_the_graph_says(dut):
    graph, made = build_graph(int(os.environ["GRAPH_SEED"]))
    rng = random.Random(cocotb.RANDOM_SEED)
    bench = StreamBench(dut)
    await bench.start()
    source, sink = bench.source["window"], bench.sink["result"]
    source.pause = (rng.random() < 0.2 for _ in iter(int, 1))
    sent = []
    for _ in range(PACKETS):
        sent.append({name: rng.getrandbits(width) >> rng.choice([0, 0, width // 2]) for name, (_, width) in
                     source.format.fields.items()})  # fmt: skip
    source.send(source.format.pack(**packet) for packet in sent)
    got = await sink.wait_for(PACKETS, 3000)
    for packet, beat in zip(sent, got, strict=True):
        assert sink.format.unpack(beat) == evaluate(graph, packet, answer_lookup, answer_invoke)
    bench.check()


@cocotb.test()
async def a_result_comes_exactly_latency_cycles_later(dut):
    _, made = build_graph(int(os.environ["GRAPH_SEED"]))
    bench = StreamBench(dut)
    await bench.start()
    source, sink = bench.source["window"], bench.sink["result"]
    sink.arrivals = []
    source.send([0])
    begun = sink.cycle + 1
    await sink.wait_for(1, 200)
    assert sink.arrivals[0] - begun == made.latency + 1


@pytest.mark.parametrize("number", range(int(os.environ.get("GRAPHS", "8"))))
def test_random_graph(number: int) -> None:
    seed = int(os.environ["SEED"]) * 1000 + number
    graph, made = build_graph(seed)
    folder = BUILD / "test" / "random_graphs" / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    pipeline, engines = folder / "random_pipeline.sv", folder / "engines.sv"
    pipeline.write_text(PipelineWriter(made, "random_pipeline").text())
    engines.write_text(engines_around(graph, made))
    assert PipelineWriter(made, "random_pipeline").text() == pipeline.read_text(), "the same bytes again"
    sources = [*closure(["pipeline_delay"]), pipeline, engines]
    runner.run("engines", {}, sources=sources, settings={"GRAPH_SEED": str(seed)})
