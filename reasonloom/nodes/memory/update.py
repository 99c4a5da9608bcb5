"""Implements `update_memory`: changes a memory and everything derived from the changed fields.

The row is locked while it is compared and written. The lock is released while new views are
embedded, so that no other call waits for the embedder; the memory is then compared again, which
preserves concurrent changes by other calls.
"""

from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any, TypeVar

from langgraph.runtime import Runtime
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import require_few_other_keys
from reasonloom.contracts.memory.tools import (
    MetadataChange,
    OwnersUpdateMemory,
    Sector,
    UpdatedMemory,
    UpdateMemory,
)
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.calendar.terms import date_terms, stated_moment
from reasonloom.nodes.memory.cleaning import clean_request
from reasonloom.nodes.memory.deduplication import link_waypoints, nearest_memories
from reasonloom.nodes.memory.embedding import embed_views, sector_views
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.new_memory import estimated_tokens, keywords, salience_of
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sharing.places import locate, log_use
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import decay, revisions
from reasonloom.stores.memory.revisions import HeldMemory

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Embedded:
    """Embedded views: their texts and, if an embedder is available, their vectors."""

    texts: dict[Sector, str] = field(default_factory=dict)
    vectors: dict[str, list[float]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Change:
    """A memory before and after a request.

    Attributes:
        held: the current, locked memory.
        memory: the memory after the change.
        texts: the views to embed: all five if any changed, else none.
        sets_strength: whether the request sets a strength, which then decays from now on.
    """

    held: HeldMemory
    memory: HeldMemory
    texts: dict[Sector, str]
    sets_strength: bool

    @property
    def rewords(self) -> bool:
        """Whether the content itself changes."""
        return self.memory.content != self.held.content

    def columns(self) -> dict[str, Any]:
        """Return the columns to write: those that differ and those derived from them."""
        memory = self.memory
        columns = {
            name: getattr(memory, name)
            for name in HeldMemory.__slots__
            if getattr(memory, name) != getattr(self.held, name)
        }
        if columns.keys() & {"content", "context"}:
            created = memory.created_at.astimezone(UTC).date()
            columns["dates"] = date_terms(memory.content, memory.context, created)
        if "context" in columns:
            columns["valid_from"] = stated_moment(memory.context) or memory.created_at
        if self.rewords:
            columns["token_count"] = estimated_tokens(memory.content)
        if self.sets_strength:
            columns["strength"] = memory.strength
        return columns


async def update_memory(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Apply the requested changes to the memory.

    Raises:
        MemoryNotFound: the caller has no such memory.
    """
    request, removed = clean_request(runtime.context.request(OwnersUpdateMemory))
    execution, plain = await locate(runtime.context, request.memory_id, "write")
    memory_id = memory_number(plain)
    embedded = Embedded()
    while True:
        async with execution.loom.database.begin(execution.caller, searching=True) as tx:
            held = await revisions.hold(tx, memory_id)
            if held is None:
                raise MemoryNotFound(request.memory_id, field="memoryId")
            change = changed_fields(held, request)
            if change.texts == embedded.texts:
                strength = await _settle_strength(tx, execution, memory_id, change)
                links = await _write(tx, execution, memory_id, change, embedded)
                answer = UpdatedMemory(
                    memory_id=request.memory_id,
                    embeddings_regenerated=bool(embedded.vectors),
                    connections_updated=links,
                    strength=strength,
                    salience=change.memory.salience,
                )
                await log_use(tx, execution, "write", [memory_id])
                return await complete_run(tx, execution, answer, notes=[*removed, *embedded.notes])
        embedded = Embedded(change.texts, *await embed_views(execution.loom.embedder, change.texts))


async def _settle_strength(
    tx: Transaction, execution: Execution, memory_id: int, change: Change
) -> float:
    """Apply the accrued decay if the change affects decay; return the resulting strength."""
    if not change.sets_strength and change.memory.importance == change.held.importance:
        return change.held.strength
    settled = await decay.settle(tx, memory_id, execution.loom.clock())
    return change.memory.strength if change.sets_strength else settled


async def _write(
    tx: Transaction, execution: Execution, memory_id: int, change: Change, embedded: Embedded
) -> int:
    """Write the change; return the number of new waypoints.

    Vectors of replaced content are deleted even if no embedder was available for new ones.
    """
    near: dict[int, float] = {}
    if change.rewords:
        near = await nearest_memories(
            tx, execution, embedded.vectors.get("semantic"), exclude=memory_id
        )
        await revisions.hold_partners(tx, memory_id, near)
    await revisions.rewrite(tx, memory_id, change.columns())
    if embedded.vectors or change.rewords:
        model = execution.loom.embedder.model
        await revisions.replace_vectors(tx, memory_id, embedded.vectors, model)
    if change.rewords:
        await revisions.drop_waypoints(tx, memory_id)
    return await link_waypoints(tx, execution, memory_id, near)


def changed_fields(held: HeldMemory, request: UpdateMemory) -> Change:
    """Return the change that `request` makes; fields that it omits keep their values.

    Unless given, salience is recomputed from content and importance, and keywords from the
    content if they were derived from it before.
    """
    given = request.metadata or MetadataChange()
    content = _value_or(request.content, held.content)
    rewords = content != held.content
    importance = _value_or(given.importance, held.importance)
    derives_salience = rewords or importance != held.importance
    derives_keywords = rewords and held.keywords == keywords(held.content)
    salience = salience_of(content, importance) if derives_salience else held.salience
    memory = replace(
        held,
        content=content,
        strength=_value_or(request.strength, held.strength),
        salience=_value_or(request.salience, salience),
        importance=importance,
        keywords=_value_or(
            given.keywords, keywords(content) if derives_keywords else held.keywords
        ),
        tags=_value_or(given.tags, held.tags),
        category=_value_or(given.category, held.category),
        context=_value_or(given.context, held.context),
        other_metadata=_merged(held.other_metadata, given.other_keys()),
    )
    texts = _views_of(memory)
    return Change(
        held,
        memory,
        texts if texts != _views_of(held) else {},
        sets_strength=request.strength is not None,
    )


def _value_or(value: T | None, otherwise: T) -> T:
    return otherwise if value is None else value


def _merged(held: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return a memory's other metadata with the given keys replaced.

    Raises:
        InvalidArgument: together they exceed the limit on other metadata.
    """
    merged = {**held, **given}
    try:
        require_few_other_keys(merged if given else {})
    except PydanticCustomError as error:
        raise InvalidArgument(
            f"metadata: {error.message()}; those that are stored count too", field="metadata"
        ) from None
    return merged


def _views_of(memory: HeldMemory) -> dict[Sector, str]:
    return sector_views(memory.content, memory.context, memory.tags)
