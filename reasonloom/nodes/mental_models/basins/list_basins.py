"""Implements `list_basins`: the largest basins with their strongest memories."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import (
    BasinListed,
    BasinsListed,
    Evidence,
    ListBasins,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.mental_models.accuracy import DIGITS
from reasonloom.nodes.mental_models.rendering import format_moment
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.mental_models import model_basins
from reasonloom.stores.mental_models.model_basins import Member

MOST_TEXT = 200
"""Characters of a memory included in answers."""


async def list_basins(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the largest basins."""
    execution = runtime.context
    request = execution.request(ListBasins)
    async with execution.loom.database.begin(execution.caller) as tx:
        answer = await largest_basins(tx, request)
    return {"answer": answer.wire(), "notes": []}


async def largest_basins(tx: Transaction, request: ListBasins) -> BasinsListed:
    """Return the largest basins of the transaction's owner."""
    rows = await model_basins.largest(tx, request.limit)
    ids = [row.id for row in rows] if request.memories else []
    members = await model_basins.members(tx, ids, most=request.memories, most_text=MOST_TEXT)
    found = [
        BasinListed(
            id=str(row.id),
            name=row.name,
            keywords=row.keywords,
            coherence=round(row.coherence, DIGITS),
            member_count=row.members,
            model_count=row.models,
            formed_at=format_moment(row.formed_at),
            updated_at=format_moment(row.updated_at),
            memories=evidence(row.id, members.get(row.id, [])),
        )
        for row in rows
    ]
    return BasinsListed(basins=found, total=rows[0].total if rows else 0)


def evidence(basin: UUID, members: Sequence[Member]) -> list[Evidence]:
    """Return memories of a basin as evidence."""
    return [
        Evidence(
            id=f"mem-{each.memory_id}",
            basin=str(basin),
            strength=round(each.strength, DIGITS),
            excerpt=each.excerpt,
        )
        for each in members
    ]
