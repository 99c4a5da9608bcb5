"""Writes all memories of a space as JSON lines, a page at a time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.export_format import FORMAT, VERSION, in_iso
from reasonloom.contracts.memory.extras import ExportedPage, ExportMemories, MemorySummary
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.maintenance.health import summary_fields
from reasonloom.nodes.memory.new_memory import estimated_tokens
from reasonloom.nodes.memory.portable.lines import encode_vector
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import export_rows, statistics
from reasonloom.stores.memory.export_rows import ExportRow

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.loom import Loom


PAGE = 500
"""Memories read at once: a transaction each, so that an export holds nobody up."""

Progress = Callable[[int, int], None]
"""Told how many memories are done, of how many."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What goes along beside the memories that are not hidden."""

    embeddings: bool = False
    hidden: bool = False


async def export_lines(
    loom: Loom, caller: Caller, wish: ExportOptions, tell: Progress, *, size: int = PAGE
) -> AsyncIterator[str]:
    """Yield the export of the caller's space: a header, then one memory a line, by number.

    What is stored while it runs is not in it; what is changed meanwhile may be in it as it
    was or as it is. Never more than `size` memories are held.

    Raises:
        DatabaseUnavailable: it went away.
    """
    model = loom.embedder.model if wish.embeddings else None
    async with loom.database.begin(caller) as tx:
        extent = await export_rows.extent(tx, hidden=wish.hidden)
    yield _line(_header(loom, wish, extent.memories))
    after = done = 0
    while True:
        async with loom.database.begin(caller, searching=True) as tx:
            page = await export_rows.page(
                tx, after=after, last=extent.last, size=size, hidden=wish.hidden, model=model
            )
        if not page:
            return
        for memory in page:
            yield _line(portable_memory(memory))
        after, done = page[-1].id, done + len(page)
        tell(done, extent.memories)


def _header(loom: Loom, wish: ExportOptions, memories: int) -> dict[str, Any]:
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": in_iso(loom.clock()),
        "memories": memories,
        "includes_hidden": wish.hidden,
    }
    if wish.embeddings:
        embedder = loom.embedder
        header["embedder"] = {"model": embedder.model, "dimension": embedder.dimension}
    return header


def portable_memory(memory: ExportRow) -> dict[str, Any]:
    """Return a memory as a line holds it; what it does not have is left out."""
    line: dict[str, Any] = {
        "id": f"mem-{memory.id}",
        "content": memory.content,
        "sector": memory.sector,
        "event_type": memory.event_type,
        "created_at": in_iso(memory.created_at),
        "last_accessed": in_iso(memory.last_accessed),
        "decayed_at": in_iso(memory.decayed_at),
        "hidden_at": in_iso(memory.deleted_at),
        "strength": memory.strength,
        "salience": memory.salience,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "trust": memory.trust,
        "decay_rate": memory.decay_rate,
        "access_count": memory.access_count,
        "keywords": memory.keywords,
        "tags": memory.tags,
        "category": memory.category,
        "context": memory.context,
        "session": _session(memory),
        "project": memory.project,
        "source_kind": memory.source_kind,
        "provenance": _provenance(memory),
        "superseded_by": f"mem-{memory.superseded_by}" if memory.superseded_by else None,
        "edges": [{**edge, "target": f"mem-{edge['target']}"} for edge in memory.edges] or None,
        "embeddings": [encode_vector(vector) for vector in memory.vectors] or None,
    }
    return {name: value for name, value in line.items() if value is not None}


def _session(memory: ExportRow) -> dict[str, str] | None:
    if memory.session_id is None:
        return None
    name = {"name": memory.session_name} if memory.session_name is not None else {}
    return {**name, "id": str(memory.session_id)}


def _provenance(memory: ExportRow) -> dict[str, str]:
    run = {"run_id": str(memory.run_id)} if memory.run_id else {}
    who = {"principal": memory.principal, "tool": memory.tool}
    return {"origin": str(memory.effect), **who, **run}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


async def export_memories(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the next page; a memory is never cut in two, and each page holds at least one."""
    execution = runtime.context
    request = ExportMemories.model_validate(state["request"])
    after = _number_of(request.cursor)
    async with execution.loom.database.begin(execution.caller) as tx:
        total = await statistics.count(tx)
        found = await statistics.page(tx, after=after, size=request.limit + 1)
    shown: list[MemorySummary] = []
    left = request.max_tokens
    for summary in found[: request.limit]:
        short = MemorySummary(**summary_fields(summary))
        left -= estimated_tokens(json.dumps(short.wire(), ensure_ascii=False))
        if left < 0 and shown:
            break
        shown.append(short)
    more = {"next_cursor": shown[-1].id} if len(shown) < len(found) else {}
    return {"answer": ExportedPage(memories=shown, total_count=total, **more).wire(), "notes": []}


def _number_of(cursor: str | None) -> int:
    try:
        return memory_number(cursor) if cursor is not None else 0
    except MemoryNotFound:
        raise InvalidArgument(
            "cursor: must be the nextCursor of the page before, such as mem-42", field="cursor"
        ) from None
