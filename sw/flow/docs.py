# SPDX-License-Identifier: Apache-2.0
"""Turns every Markdown page into HTML below build/docs, and adds a page of all modules made from their sources."""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

from markdown_it import MarkdownIt

from flow import synth, tree
from flow.elaborate import elaborate
from flow.paths import BUILD, ROOT
from flow.sources import all_modules, module_file

OUT = BUILD / "docs"
STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff }
pre, code { font: 14px/1.4 monospace; background: #f4f4f2 } pre { padding: .7rem; overflow-x: auto }
table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: .25rem .6rem; text-align: left }
nav { border-bottom: 1px solid #ccc; padding-bottom: .5rem } nav a { margin-right: 1rem } a { color: #0b5394 }
"""


def page(title: str, body: str, up: str) -> str:
    links = [("README.html", "start"), ("docs/README.html", "docs"), ("modules.html", "modules")]
    nav = "".join(f'<a href="{up}{target}">{name}</a>' for target, name in links)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body><nav>{nav}</nav>\n{body}</body></html>\n"
    )


def write_page(source: Path, markdown: MarkdownIt) -> None:
    """A page beside its siblings, with links to .md files turned into links to their pages."""
    relative = source.relative_to(ROOT).with_suffix(".html")
    text = re.sub(r"\]\(([^):\s]+)\.md(#[^)]*)?\)", r"](\1.html\2)", source.read_text())
    title = next((line[2:] for line in text.splitlines() if line.startswith("# ")), source.stem)
    target = OUT / relative
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(title, markdown.render(text), "../" * (len(relative.parts) - 1)))


def module_section(name: str) -> str:
    """Header comment, parameters and ports of a module, and what it may cost."""
    source = module_file(name)
    lines = source.read_text().split("\n")
    head = [line.removeprefix("//").removeprefix(" ") for line in lines if line.startswith("//")][1:]
    notes = dict(re.findall(r"(?m)^\s*parameter\s+[\w\s]*?(\w+)\s*=[^/\n]*//\s*(.*)$", source.read_text()))
    made = elaborate(name, {})
    rows = "".join(
        f"<tr><td><code>{p}</code></td><td>{html.escape(v)}</td><td>{html.escape(notes.get(p, ''))}</td></tr>"
        for p, v in made.parameters.items()
    )
    ports = "".join(
        f"<tr><td><code>{p.name}</code></td><td>{'in' if p.is_input else 'out'}</td><td>{p.width}</td></tr>"
        for p in made.ports
    )
    costs = "".join(
        f"<tr><td>{html.escape(' '.join(f'{k}={v}' for k, v in b.params.items()) or 'defaults')}</td>"
        f"<td>{html.escape(', '.join(f'{k} {v}' for k, v in b.at_most.items()))}</td></tr>"
        for b in synth.bounds(name)
    )
    return (
        f'<h2 id="{name}">{name}</h2><p><code>{source.relative_to(ROOT)}</code></p>'
        f"<pre>{html.escape(chr(10).join(head).strip())}</pre>"
        f"<table><tr><th>parameter</th><th>default</th><th></th></tr>{rows}</table>"
        f"<details><summary>ports, widths at the defaults</summary><table>{ports}</table></details>"
        + (f"<table><tr><th>parameters</th><th>costs at most</th></tr>{costs}</table>" if costs else "")
    )


def main() -> int:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    pages = [path for path in tree.tracked(ROOT) if path.suffix == ".md"]
    for source in pages:
        write_page(source, markdown)
    names = [name for name in all_modules() if not name.endswith("_formal")]
    contents = ", ".join(f'<a href="#{name}">{name}</a>' for name in names)
    body = f"<h1>Modules</h1><p>{contents}</p>" + "".join(module_section(name) for name in names)
    (OUT / "modules.html").write_text(page("Modules", body, ""))
    print(f"docs: {len(pages)} pages and {len(names)} modules in {OUT.relative_to(ROOT)}; begin at README.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
