# SPDX-License-Identifier: Apache-2.0
"""`registers.html`: every register of a program and of the switch around it, with address, bits and sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import groupby
from typing import Any

STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;width:100%;margin:.5em 0 1.5em}td,th{border:1px solid #bbb;padding:.2em .6em;"
    "text-align:left;vertical-align:top}td:first-child,td:nth-child(2){font-family:monospace;white-space:nowrap}"
    "th{background:#eee}h2{margin-bottom:0}"
)
ALONE = "alone"  # the group of registers that stand in none


def page(manifest: Mapping[str, Any]) -> str:
    program, around = manifest["program"], manifest.get("switch")
    parts = []
    if around is not None:
        parts.append(
            f"<p>Addresses are those of <code>{around['top']}</code>; <code>{manifest['top']}</code> alone, and "
            f"P4-NetFPGA's wrapper, have the program's registers from 0.</p>"
        )
    parts += _part(f"The program {program}", manifest["registers"], around["program_base"] if around else 0)
    if around is not None:
        parts += _part("The switch", around["registers"], 0)
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Registers of {escape(program)}</title>\n'
        f"<style>{STYLE}</style></head>\n<body><h1>Registers of {escape(program)}</h1>\n{body}\n</body></html>\n"
    )


def _part(title: str, listed: Iterable[Mapping[str, Any]], base: int) -> Iterator[str]:
    yield f"<h2>{escape(title)}</h2>"
    for group, members in groupby(listed, key=_group):
        yield f"<h3>{escape(group)}</h3>" if group != ALONE else ""
        yield "<table><tr><th>address</th><th>register</th><th>bits</th><th>meaning</th></tr>"
        for register in members:
            bits = "<br>".join(_bits(field) for field in register["fields"])
            yield (
                f"<tr><td>{base + register['address']:#08x}</td><td>{escape(register['name'])}</td><td>{bits}</td>"
                f"<td>{escape(register['description'])}</td></tr>"
            )
        yield "</table>"


def _group(register: Mapping[str, Any]) -> str:
    group, dot, _ = register["name"].partition(".")
    return str(group) if dot else ALONE


def _bits(field: tuple[str, int, int, bool, str]) -> str:
    name, low, width, writable, meaning = field
    place = f"{low + width - 1}:{low}" if width > 1 else str(low)
    told = f": {escape(meaning)}" if meaning else ""
    return f"{place} <b>{escape(name)}</b>{' read/write' if writable else ' read'}{told}"
