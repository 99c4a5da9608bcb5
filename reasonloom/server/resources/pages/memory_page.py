"""Writes a memory as a Markdown page: a drawing of its links, its facts, what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING

from reasonloom.server.resources.pages.markdown import in_markdown, quoted
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import shortened

if TYPE_CHECKING:
    from reasonloom.stores.graph_memory.evidence import EdgeRow
    from reasonloom.stores.memory.memories import KnownMemory

LONGEST_CONTENT = 10_000
LONGEST_LABEL = 60


def memory_page(
    memory: KnownMemory, edges: Sequence[EdgeRow], near: Mapping[int, KnownMemory]
) -> str:
    """Return the page; texts of others are escaped, and what is left out is said."""
    shown = [edge for edge in edges if {edge.source_id, edge.target_id} <= {*near, memory.id}]
    parts = [f"# Memory mem-{memory.id}", *_facts(memory), quoted(memory.content[:LONGEST_CONTENT])]
    if len(memory.content) > LONGEST_CONTENT:
        cut = f"the first {LONGEST_CONTENT:,} of {len(memory.content):,} characters"
        parts.append(f"*Cut: {cut}.*")
    if shown:
        parts += ["## Links", f"```mermaid\n{_chart(memory, shown, near)}\n```", *_links(shown)]
    return "\n\n".join(parts) + "\n"


def _facts(memory: KnownMemory) -> Iterator[str]:
    yield (
        f"{memory.sector}, confidence {memory.confidence:.2f}, strength {memory.strength:.2f}, "
        f"read {memory.access_count} times. "
        f"Stored {memory.created_at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC by "
        f"{in_markdown(shortened(memory.tool))}, trust {memory.trust:.2f}."
    )
    if memory.tags:
        yield f"Tags: {in_markdown(shortened(', '.join(memory.tags), 500))}"
    if memory.session_id:
        yield f"Session: `reasonloom://session/{memory.session_id}`"
    if memory.run_id:
        yield f"Run: `reasonloom://run/{memory.run_id}`"


def _chart(memory: KnownMemory, edges: Sequence[EdgeRow], near: Mapping[int, KnownMemory]) -> str:
    numbers = dict.fromkeys([memory.id, *near])
    contents = {**near, memory.id: memory}
    lines = ["flowchart LR"]
    for number in numbers:
        label = in_mermaid(shortened(contents[number].content, LONGEST_LABEL))
        lines.append(f'm{number}["{label}"]')
    for edge in edges:
        lines.append(f"m{edge.source_id} -->|{in_mermaid(edge.kind)}| m{edge.target_id}")
    return "\n".join([*lines, f"style m{memory.id} stroke-width:3px"])


def _links(edges: Sequence[EdgeRow]) -> Iterator[str]:
    yield "\n".join(
        f"- mem-{edge.source_id} {in_markdown(edge.kind)} mem-{edge.target_id}, "
        f"weight {edge.weight:.2f}"
        for edge in edges
    )
