"""The tables of docs/architecture.md that are made from the code: layers, domains, imports.

`python -m tests.support.docs.layout` writes them; a test fails where they differ from the package.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import reasonloom
from tests import ROOT

PACKAGE = Path(reasonloom.__file__).parent
PAGE = ROOT / "docs" / "architecture.md"
LAYERS = (
    "contracts", "prompts", "llm", "transcripts", "stores", "nodes", "graphs", "server", "evals",
    "studio", "cli",
)  # fmt: skip
LEAVES = ("compose", "importers", "settings", "telemetry", "text", "errors")
DOMAINS = (
    "memory", "reasoning", "thought_graph", "thinking", "metacognition", "graph_memory", "history",
    "mental_models", "runs", "sessions",
)  # fmt: skip
BLOCK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.S)


def domain_table() -> str:
    """Return which layer has code of which domain, by path."""
    rows = ["| | " + " | ".join(LAYERS) + " |", "| --- |" + " --- |" * len(LAYERS)]
    for domain in DOMAINS:
        cells = (_found(layer, domain) for layer in LAYERS)
        rows.append(f"| `{domain}` | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def _found(layer: str, domain: str) -> str:
    folder = PACKAGE / layer
    if layer == "prompts":
        folder /= "templates"
    if layer == "evals":
        folder /= "suites"
    if layer == "server":
        folder /= "toolsets"
    if (folder / domain).is_dir():
        return "folder"
    return "file" if (folder / f"{domain}.py").is_file() else ""


def import_graph() -> str:
    """Return a Mermaid drawing of which layer imports which at load time."""
    edges = {edge for path in PACKAGE.rglob("*.py") for edge in _edges(path)}
    below = defaultdict(set)
    for source, target in edges:
        below[source].add(target)
    kept = sorted(
        (source, target)
        for source, target in edges
        if not any(target in _reached(other, below) for other in below[source] - {target})
    )
    return "\n".join(["```mermaid", "flowchart TD", *(f"    {a} --> {b}" for a, b in kept), "```"])


def _edges(path: Path) -> Iterator[tuple[str, str]]:
    source = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if source not in (*LAYERS, *LEAVES):
        return
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("reasonloom."):
            target = (node.module or "").split(".")[1]
            if target != source and target in (*LAYERS, *LEAVES):
                yield source, target


def _reached(start: str, below: dict[str, set[str]]) -> set[str]:
    reached, waiting = set[str](), [start]
    while waiting:
        for target in below[waiting.pop()] - reached:
            reached.add(target)
            waiting.append(target)
    return reached


def written(page: str) -> str:
    """Return the page with its made blocks anew."""
    made = {"domains": domain_table(), "imports": import_graph()}
    return BLOCK.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
