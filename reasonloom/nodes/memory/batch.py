"""Stores up to a hundred memories: embedded in one batch, written in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import (
    BatchForget,
    BatchForgotten,
    BatchRecall,
    BatchRecalled,
    BatchRemember,
    BatchRemembered,
    NewItem,
    Provenance,
    ReadMemory,
    RememberedItem,
)
from reasonloom.contracts.memory.tools import StoredMetadata
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.cleaning import clean_request
from reasonloom.nodes.memory.embedding import (
    embed_or_note,
    link_waypoints,
    nearest_memories,
    sector_views,
)
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.injection.detection import injection_notes
from reasonloom.nodes.memory.new_memory import new_memory_of, view_source_of
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import deduplication, memories
from reasonloom.stores.memory.memories import KnownMemory, NewMemory
from reasonloom.stores.runs.redaction import redact
from reasonloom.stores.sessions import sessions

if TYPE_CHECKING:
    from datetime import datetime

    from reasonloom.stores.database import Transaction


def memory_numbers(memory_ids: Sequence[str]) -> dict[str, int]:
    """Return the number of each different id, in their order; what is no id is left out."""
    numbers: dict[str, int] = {}
    for memory_id in memory_ids:
        try:
            numbers[memory_id] = memory_number(memory_id)
        except MemoryNotFound:
            continue
    return numbers


def missing_ids(memory_ids: Sequence[str], found: Sequence[str]) -> list[str]:
    """Return the different ids that were not found, in their order."""
    return [each for each in dict.fromkeys(memory_ids) if each not in set(found)]


Vectors = dict[str, list[float]]


async def batch_remember(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the request's memories, or strengthen their twins, all or none."""
    execution = runtime.context
    request = BatchRemember.model_validate(state["request"])
    items, removed = _clean_items(request.memories)
    at = execution.loom.clock()
    vectors, notes = await _embed_items(execution, items, request.session_id, at)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        near = [await nearest_memories(tx, execution, each.get("semantic")) for each in vectors]
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.open_session(
            tx,
            execution.run.effect("session"),
            name=request.session_id,
            project=execution.caller.project,
            client=execution.caller.client,
        )
        stored: list[RememberedItem] = []
        links = 0
        for index, item in enumerate(items):
            memory = new_memory_of(
                execution,
                item,
                effect=execution.run.effect("batch_remember", n=index),
                session=session,
                vectors=vectors[index],
                at=at,
            )
            kept = await _store_item(tx, item, memory, index)
            stored.append(kept)
            if not kept.deduplicated:
                number = int(kept.memory_id.removeprefix("mem-"))
                links += await link_waypoints(tx, execution, number, near[index])
        answer = _answer(stored, links)
        said = [*removed, *notes]
        return await complete_run(tx, execution, answer, notes=said, session_id=session)


def _clean_items(given: Sequence[NewItem]) -> tuple[list[NewItem], list[str]]:
    """Return the items without hidden characters, and what to say of it.

    Raises:
        InvalidArgument: nothing visible is left of one; names its index.
    """
    items: list[NewItem] = []
    notes: list[str] = []
    for index, item in enumerate(given):
        try:
            kept, said = clean_request(item)
        except InvalidArgument as error:
            raise InvalidArgument(
                f"memories.{index}: {error.message}",
                field=f"memories.{index}.{error.field}",
                kind=error.kind,
            ) from None
        items.append(kept)
        notes += [f"memories.{index}: {note}" for note in said]
    return items, notes


async def _embed_items(
    execution: Execution, items: Sequence[NewItem], session: str, at: datetime
) -> tuple[list[Vectors], list[str]]:
    viewed = [sector_views(view_source_of(item, session, at)) for item in items]
    flat = [text for view in viewed for text in view.values()]
    made, notes = await embed_or_note(execution.loom.embedder, flat)
    if not made:
        return [{} for _ in items], notes
    left = iter(made)
    return [{str(sector): next(left) for sector in view} for view in viewed], notes


async def _store_item(
    tx: Transaction, item: NewItem, memory: NewMemory, index: int
) -> RememberedItem:
    """Strengthen the memory that says the same, of this batch too, or store a new one."""
    given = item.metadata.keywords if item.metadata else None
    twin = await deduplication.strengthen_duplicate(tx, memory, keywords=given or ())
    number = twin.id if twin else await memories.store(tx, memory)
    return RememberedItem(index=index, memory_id=f"mem-{number}", deduplicated=twin is not None)


def _answer(stored: list[RememberedItem], links: int) -> BatchRemembered:
    twice = sum(each.deduplicated for each in stored)
    return BatchRemembered(
        memories=stored, stored=len(stored) - twice, deduplicated=twice, links_created=links
    )


async def batch_recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the memories that are there, in the order asked for; each counts an access."""
    execution = runtime.context
    request = BatchRecall.model_validate(state["request"])
    numbers = memory_numbers(request.memory_ids)
    async with execution.loom.database.begin(execution.caller) as tx:
        known = await memories.read_many(tx, list(numbers.values()))
    if not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, list(known))
    shown = {
        name: _full_memory(known[number]) for name, number in numbers.items() if number in known
    }
    answer = BatchRecalled(
        memories=list(shown.values()), not_found=missing_ids(request.memory_ids, list(shown))
    )
    own = {name: each.content for name, each in shown.items() if _is_own(each)}
    warned = injection_notes(own) if execution.loom.settings.suspicion else []
    return {"answer": answer.wire(), "notes": warned}


def _is_own(memory: ReadMemory) -> bool:
    return memory.provenance.source_kind != "transcript"


def _full_memory(memory: KnownMemory) -> ReadMemory:
    optional = {"category": memory.category, "context": memory.context}
    metadata = StoredMetadata(
        keywords=memory.keywords,
        tags=memory.tags,
        importance=memory.importance,
        **{name: value for name, value in optional.items() if value is not None},
    )
    return ReadMemory(
        id=f"mem-{memory.id}",
        content=memory.content,
        created_at=memory.created_at.isoformat(),
        last_accessed=memory.last_accessed.isoformat(),
        strength=memory.strength,
        salience=memory.salience,
        confidence=memory.confidence,
        access_count=memory.access_count,
        primary_sector=memory.sector,
        metadata=metadata,
        provenance=_provenance(memory),
    )


def _provenance(memory: KnownMemory) -> Provenance:
    ids = {"session_id": memory.session_id, "run_id": memory.run_id}
    return Provenance(
        source_kind=memory.source_kind,
        principal=memory.principal,
        tool=memory.tool,
        trust=memory.trust,
        **{name: str(value) for name, value in ids.items() if value is not None},
    )


async def batch_forget(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Forget the request's memories that are there; name the ids that are not."""
    execution = runtime.context
    request = BatchForget.model_validate(state["request"])
    numbers = memory_numbers(request.memory_ids)
    if not (request.soft or request.dry_run):
        await execution.loom.journal.flush()  # what was found may still wait to be written
    async with execution.loom.database.begin(execution.caller) as tx:
        held = await memories.hold_many(tx, list(numbers.values()), hidden=not request.soft)
        if held and not request.dry_run:
            if request.soft:
                await memories.hide_many(tx, held, execution.loom.clock())
            else:
                await redact(tx, *held)
                await memories.erase_many(tx, held)
        names = [name for name, number in numbers.items() if number in set(held)]
        answer = BatchForgotten(
            forgotten=names,
            not_found=missing_ids(request.memory_ids, names),
            deletion_type="soft" if request.soft else "hard",
            dry_run=request.dry_run,
        )
        return await complete_run(tx, execution, answer, notes=[])
