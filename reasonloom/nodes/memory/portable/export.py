"""Exports all memories of a space as JSON lines, or in short form for `export_memories`."""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.export_format import FORMAT, VERSION, in_iso
from reasonloom.contracts.memory.extras import ExportedPage, ExportMemories, MemorySummary
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.nodes.execution import Execution, Loom
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.maintenance.health import summary_fields
from reasonloom.nodes.memory.new_memory import estimated_tokens
from reasonloom.nodes.memory.portable.lines import encode_vector
from reasonloom.nodes.sharing.reading import log_page, require_right
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import export_rows, statistics
from reasonloom.stores.memory.export_rows import ExportRow
from reasonloom.stores.pipelines import together
from reasonloom.stores.sharing.grants import Right

PAGE = 500
"""Memories read per transaction, so that an export blocks no other call."""

Progress = Callable[[int, int], None]
"""Callback with the number of exported memories and the total."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What an export includes in addition to the visible memories."""

    embeddings: bool = False
    hidden: bool = False


async def export_lines(
    loom: Loom, caller: Caller, options: ExportOptions, progress: Progress, *, size: int = PAGE
) -> AsyncIterator[str]:
    """Yield the export of the caller's space: a header line, then one line per memory, by id.

    Memories stored during the export are omitted; those changed during it may appear in their old
    or new state. At most `size` memories are held in RAM.

    What is read of another owner's space is logged there; hidden memories need the right `write`.

    Raises:
        DatabaseUnavailable: the connection was lost.
        UnknownName: there is no such space, or the caller may not read it, or no longer.
        NotPermitted: it may, and wants hidden memories without the right to restore them.
    """
    right: Right = "write" if options.hidden else "read"
    model = loom.embedder.model if options.embeddings else None
    async with loom.database.begin(caller) as tx:
        extent = await export_rows.extent(tx, hidden=options.hidden)
        await require_right(tx, caller, right, field="--space")
    yield _line(_header(loom, options, extent.memories))
    after = done = 0
    while True:
        async with loom.database.begin(caller, searching=True) as tx:
            page = await export_rows.page(
                tx, after=after, last=extent.last, size=size, hidden=options.hidden, model=model
            )
            # Last, as an export whose right was revoked meanwhile must not look complete.
            await require_right(tx, caller, right, field="--space")
            await log_page(tx, loom, caller, [each.id for each in page])
        if not page:
            return
        for memory in page:
            yield _line(portable_memory(memory))
        after, done = page[-1].id, done + len(page)
        progress(done, extent.memories)


def _header(loom: Loom, options: ExportOptions, memories: int) -> dict[str, Any]:
    header: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "exported_at": in_iso(loom.clock()),
        "memories": memories,
        "includes_hidden": options.hidden,
    }
    if options.embeddings:
        embedder = loom.embedder
        header["embedder"] = {"model": embedder.model, "dimension": embedder.dimension}
    return header


def portable_memory(memory: ExportRow) -> dict[str, Any]:
    """Return the JSON object of a memory; unset fields are omitted."""
    line: dict[str, Any] = {
        "id": f"mem-{memory.id}",
        "content": memory.content,
        "sector": memory.sector,
        "event_type": memory.event_type,
        "created_at": in_iso(memory.created_at),
        "valid_from": in_iso(memory.valid_from),
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
        "metadata": memory.other_metadata or None,
        "session": _present(name=memory.session_name, id=memory.session_id) or None,
        "project": memory.project,
        "source_kind": memory.source_kind,
        "provenance": _present(
            origin=memory.effect,
            principal=memory.principal,
            tool=memory.tool,
            run_id=memory.run_id,
        ),
        "superseded_by": f"mem-{memory.superseded_by}" if memory.superseded_by else None,
        "edges": [{**edge, "target": f"mem-{edge['target']}"} for edge in memory.edges] or None,
        "embeddings": [encode_vector(vector) for vector in memory.vectors] or None,
    }
    return {name: value for name, value in line.items() if value is not None}


def _present(**values: object) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


async def export_memories(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the next page within the token budget: whole memories, at least one if any remain."""
    execution = runtime.context
    request = execution.request(ExportMemories)
    after = _number_of(request.cursor)
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        total, found = await together(
            statistics.count(tx), statistics.page(tx, after=after, size=request.limit + 1)
        )
    page: list[MemorySummary] = []
    left = request.max_tokens
    for row in found[: request.limit]:
        summary = MemorySummary(**summary_fields(row))
        left -= estimated_tokens(json.dumps(summary.wire(), ensure_ascii=False))
        if left < 0 and page:
            break
        page.append(summary)
    more = {"next_cursor": page[-1].id} if len(page) < len(found) else {}
    return {"answer": ExportedPage(memories=page, total_count=total, **more).wire(), "notes": []}


def _number_of(cursor: str | None) -> int:
    try:
        return memory_number(cursor) if cursor is not None else 0
    except MemoryNotFound:
        raise InvalidArgument(
            "cursor: must be the nextCursor of the page before, such as mem-42", field="cursor"
        ) from None
