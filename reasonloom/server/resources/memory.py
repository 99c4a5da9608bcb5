"""`reasonloom://memory/{id}`: a memory as a Markdown page with a chart of its links."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC

from reasonloom.contracts.caller import Caller
from reasonloom.errors import MemoryNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.server.resources.kind import Listed, titled
from reasonloom.server.resources.markdown import in_markdown, metadata_line, quoted_start
from reasonloom.stores import overview
from reasonloom.stores.graph_memory import evidence
from reasonloom.stores.graph_memory.evidence import EdgeRow
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.memories import KnownMemory
from reasonloom.text.mermaid import in_mermaid
from reasonloom.text.shortening import shortened

MAX_LINKS = 20
"""Maximum links on a page, the heaviest."""

MAX_DIGITS = 15
PREFIX = "mem-"
MAX_CONTENT = 10_000
MAX_LABEL = 60


async def newest_memory(engine: Engine, caller: Caller, limit: int) -> list[Listed]:
    """Return the most recently stored memories, newest first."""
    async with engine.loom.database.begin(caller) as tx:
        return titled(await overview.latest_memories(tx, limit))


async def read_memory(engine: Engine, caller: Caller, identifier: str) -> str:
    """Return the page of a memory.

    Raises:
        MemoryNotFound: the caller has no such memory.
    """
    number = _number(identifier)
    if number is None:
        raise MemoryNotFound(identifier)
    async with engine.loom.database.begin(caller) as tx:
        found = await memories.read_many(tx, [number])
        if number not in found:
            raise MemoryNotFound(identifier)
        edges = await evidence.edges_of(tx, [number], read=MAX_LINKS)
        ends = {end for edge in edges for end in (edge.source_id, edge.target_id)}
        near = await memories.read_many(tx, list(ends))
    return _page(found[number], edges, near)


def _number(identifier: str) -> int | None:
    """Return the number in `mem-42` or `42`, None if it is neither."""
    digits = identifier.removeprefix(PREFIX)
    fits = digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS
    return int(digits) if fits else None


def _page(memory: KnownMemory, edges: Sequence[EdgeRow], near: Mapping[int, KnownMemory]) -> str:
    """Return the page; user texts are escaped, and omissions are stated."""
    drawn = [edge for edge in edges if {edge.source_id, edge.target_id} <= {*near, memory.id}]
    content = quoted_start(memory.content, MAX_CONTENT)
    parts = [f"# Memory mem-{memory.id}", *_facts(memory), *content]
    if drawn:
        parts += ["## Links", f"```mermaid\n{_chart(memory, drawn, near)}\n```", *_links(drawn)]
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
    yield from metadata_line(memory.other_metadata)
    if memory.session_id:
        yield f"Session: `reasonloom://session/{memory.session_id}`"
    if memory.run_id:
        yield f"Run: `reasonloom://run/{memory.run_id}`"


def _chart(memory: KnownMemory, edges: Sequence[EdgeRow], near: Mapping[int, KnownMemory]) -> str:
    numbers = dict.fromkeys([memory.id, *near])
    contents = {**near, memory.id: memory}
    lines = ["flowchart LR"]
    for number in numbers:
        label = in_mermaid(shortened(contents[number].content, MAX_LABEL))
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
