"""Stores up to a hundred memories: embedded in one batch, written in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.extras import BatchRemember, BatchRemembered, NewItem, RememberedItem
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.clean import cleaned
from reasonloom.nodes.embed_memory import link_waypoints, nearest
from reasonloom.nodes.finish import finish
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.remember import EVENT_TYPE
from reasonloom.nodes.salience import DECAY_PER_DAY, estimated_tokens, keywords, salience
from reasonloom.nodes.state import ToolState
from reasonloom.nodes.vectors import embed_or_say
from reasonloom.nodes.views import Viewed, views
from reasonloom.stores import memories, sessions, twins
from reasonloom.stores.memories import NewMemory

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
            memory = _new_memory(execution, item, index, session, vectors[index], at)
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
    viewed = [views(_viewed(item, session, at)) for item in items]
    flat = [text for view in viewed for text in view.values()]
    made, notes = await embed_or_say(execution.loom.embedder, flat)
    if not made:
        return [{} for _ in items], notes
    left = iter(made)
    return [{str(sector): next(left) for sector in view} for view in viewed], notes


def _viewed(item: NewItem, session: str, at: datetime) -> Viewed:
    metadata = item.metadata
    return Viewed(
        content=item.content,
        created_at=at,
        session=session,
        context=metadata.context if metadata else None,
        tags=tuple(metadata.tags or ()) if metadata else (),
        category=metadata.category if metadata else None,
    )


def _new_memory(
    execution: Execution,
    item: NewItem,
    index: int,
    session: UUID,
    vectors: Vectors,
    at: datetime,
) -> NewMemory:
    metadata, run = item.metadata, execution.run
    importance = metadata.importance if metadata else 0.5
    given = metadata.keywords if metadata else None
    return NewMemory(
        effect=run.effect("batch_remember", n=index),
        content=item.content,
        sector=item.primary_sector,
        event_type=EVENT_TYPE[item.primary_sector],
        source_kind="user",
        principal=execution.caller.owner,
        tool=run.tool,
        salience=salience(item.content, importance),
        importance=importance,
        decay_rate=DECAY_PER_DAY[item.primary_sector],
        token_count=estimated_tokens(item.content),
        created_at=at,
        session_id=session,
        project=execution.caller.project,
        keywords=given if given is not None else keywords(item.content),
        tags=metadata.tags or () if metadata else (),
        category=metadata.category if metadata else None,
        context=metadata.context if metadata else None,
        run_id=run.id,
        vectors=vectors,
        model=execution.loom.embedder.model if vectors else None,
    )


async def _kept(tx: Transaction, item: NewItem, memory: NewMemory, index: int) -> RememberedItem:
    """Strengthen the memory that says the same, of this batch too, or store a new one."""
    given = item.metadata.keywords if item.metadata else None
    twin = await twins.strengthen_twin(tx, memory, keywords=given or ())
    number = twin.id if twin else await memories.store(tx, memory)
    return RememberedItem(index=index, memory_id=f"mem-{number}", deduplicated=twin is not None)


def _answer(stored: list[RememberedItem], links: int) -> BatchRemembered:
    twice = sum(each.deduplicated for each in stored)
    return BatchRemembered(
        memories=stored, stored=len(stored) - twice, deduplicated=twice, links_created=links
    )
