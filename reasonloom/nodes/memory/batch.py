"""Stores up to a hundred memories: embedded in one batch, written in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import (
    BatchRemember,
    BatchRemembered,
    NewItem,
    RememberedItem,
)
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.cleaning import cleaned
from reasonloom.nodes.memory.embed_memory import link_waypoints, nearest
from reasonloom.nodes.memory.embedding import views
from reasonloom.nodes.memory.given_memory import memory_of, viewed_of
from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import deduplication, memories
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.sessions import sessions

if TYPE_CHECKING:
    from datetime import datetime

    from reasonloom.stores.database import Transaction

Vectors = dict[str, list[float]]


async def batch_remember(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the request's memories, or strengthen their twins, all or none."""
    execution = runtime.context
    request = BatchRemember.model_validate(state["request"])
    items, removed = _cleaned(request.memories)
    at = execution.loom.clock()
    vectors, notes = await _vectors(execution, items, request.session_id, at)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        near = [await nearest(tx, execution, each.get("semantic")) for each in vectors]
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
            memory = memory_of(
                execution,
                item,
                effect=execution.run.effect("batch_remember", n=index),
                session=session,
                vectors=vectors[index],
                at=at,
            )
            kept = await _kept(tx, item, memory, index)
            stored.append(kept)
            if not kept.deduplicated:
                number = int(kept.memory_id.removeprefix("mem-"))
                links += await link_waypoints(tx, execution, number, near[index])
        answer = _answer(stored, links)
        said = [*removed, *notes]
        return await finish(tx, execution, answer, notes=said, session_id=session)


def _cleaned(given: Sequence[NewItem]) -> tuple[list[NewItem], list[str]]:
    """Return the items without hidden characters, and what to say of it.

    Raises:
        InvalidArgument: nothing visible is left of one; names its index.
    """
    items: list[NewItem] = []
    notes: list[str] = []
    for index, item in enumerate(given):
        try:
            kept, said = cleaned(item)
        except InvalidArgument as error:
            raise InvalidArgument(
                f"memories.{index}: {error.message}",
                field=f"memories.{index}.{error.field}",
                kind=error.kind,
            ) from None
        items.append(kept)
        notes += [f"memories.{index}: {note}" for note in said]
    return items, notes


async def _vectors(
    execution: Execution, items: Sequence[NewItem], session: str, at: datetime
) -> tuple[list[Vectors], list[str]]:
    viewed = [views(viewed_of(item, session, at)) for item in items]
    flat = [text for view in viewed for text in view.values()]
    made, notes = await embed_or_say(execution.loom.embedder, flat)
    if not made:
        return [{} for _ in items], notes
    left = iter(made)
    return [{str(sector): next(left) for sector in view} for view in viewed], notes


async def _kept(tx: Transaction, item: NewItem, memory: NewMemory, index: int) -> RememberedItem:
    """Strengthen the memory that says the same, of this batch too, or store a new one."""
    given = item.metadata.keywords if item.metadata else None
    twin = await deduplication.strengthen_twin(tx, memory, keywords=given or ())
    number = twin.id if twin else await memories.store(tx, memory)
    return RememberedItem(index=index, memory_id=f"mem-{number}", deduplicated=twin is not None)


def _answer(stored: list[RememberedItem], links: int) -> BatchRemembered:
    twice = sum(each.deduplicated for each in stored)
    return BatchRemembered(
        memories=stored, stored=len(stored) - twice, deduplicated=twice, links_created=links
    )
