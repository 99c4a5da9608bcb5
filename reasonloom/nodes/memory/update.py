"""Changes a memory, and with it all that is made of what was changed.

The memory is held while it is judged and written. Where views must be embedded anew it is
let go meanwhile, for a held memory would make others wait for the embedder, and judged again
after: whatever another call has changed by then is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import TYPE_CHECKING, Any, TypeVar, cast

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.tools import MetadataChange, Sector, UpdatedMemory, UpdateMemory
from reasonloom.errors import MemoryNotFound
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.cleaning import clean_request
from reasonloom.nodes.memory.dates import date_terms
from reasonloom.nodes.memory.embedding import (
    ViewSource,
    embed_views,
    link_waypoints,
    nearest_memories,
    sector_views,
)
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.new_memory import estimated_tokens, keywords, salience_of
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import decay, revisions
from reasonloom.stores.memory.revisions import HeldMemory

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Embedded:
    """Views that were embedded: their texts, and their vectors where there was an embedder."""

    texts: dict[Sector, str] = field(default_factory=dict)
    vectors: dict[Sector, list[float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Change:
    """What a request makes of a memory: `memory` is what it becomes.

    Attributes:
        texts: the views to embed: all five where any says something new, else none.
        sets_strength: whether the request names a strength; it begins to fade from now.
    """

    held: HeldMemory
    memory: HeldMemory
    texts: dict[Sector, str]
    sets_strength: bool

    @property
    def rewords(self) -> bool:
        """Tell whether the content itself is new."""
        return self.memory.content != self.held.content

    def columns(self) -> dict[str, Any]:
        """Return what is to be written: what differs, and what follows from it."""
        new = {
            name: getattr(self.memory, name)
            for name in HeldMemory.__slots__
            if getattr(self.memory, name) != getattr(self.held, name)
        }
        tokens = {"token_count": estimated_tokens(self.memory.content)} if self.rewords else {}
        strength = {"strength": self.memory.strength} if self.sets_strength else {}
        dates = {"dates": self._dates()} if new.keys() & {"content", "context"} else {}
        return {**new, **tokens, **strength, **dates}

    def _dates(self) -> list[str]:
        made = self.memory.created_at.astimezone(UTC).date()
        return date_terms(self.memory.content, self.memory.context, made)


async def update_memory(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Apply the request's changes to its memory."""
    execution = runtime.context
    request, removed = clean_request(UpdateMemory.model_validate(state["request"]))
    memory_id = memory_number(request.memory_id)
    embedded = Embedded()
    while True:
        async with execution.loom.database.begin(execution.caller, searching=True) as tx:
            held = await revisions.hold(tx, memory_id)
            if held is None:
                raise MemoryNotFound(request.memory_id, field="memoryId")
            change = changed_fields(held, request)
            if change.texts == embedded.texts:
                strength = await _plan_embedding(tx, execution, memory_id, change)
                links = await _write(tx, execution, memory_id, change, embedded)
                answer = UpdatedMemory(
                    memory_id=request.memory_id,
                    embeddings_regenerated=bool(embedded.vectors),
                    connections_updated=links,
                    strength=strength,
                    salience=change.memory.salience,
                )
                return await complete_run(tx, execution, answer, notes=[*removed, *embedded.notes])
        embedded = Embedded(change.texts, *await embed_views(execution.loom.embedder, change.texts))


async def _plan_embedding(
    tx: Transaction, execution: Execution, memory_id: int, change: Change
) -> float:
    """Bring the strength to now where the change touches how it fades; return what it will be."""
    if not change.sets_strength and change.memory.importance == change.held.importance:
        return change.held.strength
    settled = await decay.settle(tx, memory_id, execution.loom.clock())
    return change.memory.strength if change.sets_strength else settled


async def _write(
    tx: Transaction, execution: Execution, memory_id: int, change: Change, embedded: Embedded
) -> int:
    """Write the change; return how many waypoints were made.

    Vectors of words that are gone go too, even where no embedder made new ones.
    """
    near: dict[int, float] = {}
    if change.rewords:
        near = await nearest_memories(
            tx, execution, embedded.vectors.get("semantic"), besides=memory_id
        )
        await revisions.hold_partners(tx, memory_id, near)
    await revisions.rewrite(tx, memory_id, change.columns())
    if embedded.vectors or change.rewords:
        vectors = cast("dict[str, list[float]]", embedded.vectors)
        await revisions.replace_vectors(tx, memory_id, vectors, execution.loom.embedder.model)
    if change.rewords:
        await revisions.drop_waypoints(tx, memory_id)
    return await link_waypoints(tx, execution, memory_id, near)


def changed_fields(held: HeldMemory, request: UpdateMemory) -> Change:
    """Return what `request` makes of a memory; what it does not name stays.

    Salience follows content and importance unless it is given; keywords follow the content
    where they were taken from it.
    """
    given = request.metadata or MetadataChange()
    content = _value_or(request.content, held.content)
    rewords = content != held.content
    importance = _value_or(given.importance, held.importance)
    kept = held.salience
    if rewords or importance != held.importance:
        kept = salience_of(content, importance)
    automatic = rewords and held.keywords == keywords(held.content)
    memory = replace(
        held,
        content=content,
        strength=_value_or(request.strength, held.strength),
        salience=_value_or(request.salience, kept),
        importance=importance,
        keywords=_value_or(given.keywords, keywords(content) if automatic else held.keywords),
        tags=_value_or(given.tags, held.tags),
        category=_value_or(given.category, held.category),
        context=_value_or(given.context, held.context),
    )
    texts = _views_of(memory)
    texts = texts if texts != _views_of(held) else {}
    return Change(held, memory, texts, sets_strength=request.strength is not None)


def _value_or(value: T | None, otherwise: T) -> T:
    return otherwise if value is None else value


def _views_of(memory: HeldMemory) -> dict[Sector, str]:
    return sector_views(
        ViewSource(
            content=memory.content,
            created_at=memory.created_at.astimezone(UTC),
            session=memory.session,
            context=memory.context,
            tags=tuple(memory.tags),
            category=memory.category,
        )
    )
