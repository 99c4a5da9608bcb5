"""Takes a forgotten memory out of what runs kept of it: rows, replies and saved steps."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.saver import thread_of

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


NODES = (
    "node_id", "new_node_id", "old_node_id", "original_id", "resolved_id", "root_id",
    "episode_id", "source_id", "target_id", "start_id", "superseded_by",
)  # fmt: skip
LISTS = ("superseded", "node_ids", "chain", "branches", "also_corrected_by")
"""Under which names graph memory holds a memory's number, and several of them."""

OF_FILES = "memory\\_workspace\\_%"
"""The tools whose answers hold numbers of other files' memories."""

TOUCHED = text("""
SELECT r.id FROM runs r WHERE r.owner = :owner AND (
    r.id IN (SELECT m.run_id FROM memories m WHERE m.owner = :owner AND m.id = ANY(:memories))
    OR EXISTS (SELECT FROM jsonb_path_query(r.output, '$.answer.** ? (@.type() == "string")')
        AS said (value) WHERE value #>> '{}' = ANY(:names))
    OR r.tool NOT LIKE :of_files AND concat(r.input, r.output) ~ :nodes
    OR r.graph = 'session_end' AND r.session_id IN (SELECT m.session_id FROM memories m
        WHERE m.owner = :owner AND m.id = ANY(:memories)))
""")
PAST = text("""
SELECT r.id FROM runs r WHERE r.owner = :owner AND (
    EXISTS (SELECT FROM jsonb_path_query(r.output, '$.answer.** ? (@.type() == "string")')
        AS said (value) WHERE value #>> '{}' = ANY(:names))
    OR r.id IN (SELECT m.run_id FROM memories m WHERE m.owner = :owner AND m.id = ANY(:memories)
        AND m.run_id IS NOT NULL))
""")
"""As above for chunks of past conversations, of which there may be very many: graph memory and
the memory files of workspaces never hold their numbers."""

RUNS = text("""
UPDATE runs SET input = '{"redacted": true}',
    output = CASE WHEN output IS NULL THEN NULL ELSE CAST('{"redacted": true}' AS jsonb) END
WHERE owner = :owner AND id = ANY(:runs)
""").bindparams(bindparam("runs", type_=ARRAY(Uuid)))
REPLIES = text("""
UPDATE llm_calls SET reply = '{"redacted": true}', messages = NULL
WHERE owner = :owner AND run_id = ANY(:runs)
""").bindparams(bindparam("runs", type_=ARRAY(Uuid)))
STEPS = tuple(
    text(f"DELETE FROM {table} WHERE thread_id = ANY(:threads)")  # noqa: S608 - our own names
    for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
)


async def redact(tx: Transaction, *memory_ids: int) -> int:
    """Redact the runs that stored, found or used any of the memories; return how many.

    Their rows stay, with what was called, when and at what cost; arguments, answers, replies
    and saved steps go. Unfinished runs that hold the memory in a saved step alone end without
    it: their steps are gone, and they are walked from the start.
    """
    names = [f"mem-{memory_id}" for memory_id in memory_ids]
    numbers = "|".join(str(memory_id) for memory_id in memory_ids)
    values = {
        "owner": tx.owner,
        "memories": list(memory_ids),
        "names": names,
        "of_files": OF_FILES,
        "nodes": (
            f'"({"|".join(NODES)})": ({numbers})[,}}]'
            f'|"({"|".join(LISTS)})": \\[([0-9]+, )*({numbers})[],]'
        ),
    }
    return await _redacted(tx, [row.id for row in await tx.all(TOUCHED, values)])


async def redact_past(tx: Transaction, memory_ids: Sequence[int]) -> int:
    """Do the same for chunks of past conversations, a hundred thousand as well as one.

    The transaction plans every statement anew, which makes the search for many names quick.
    """
    names = [f"mem-{memory_id}" for memory_id in memory_ids]
    values = {"owner": tx.owner, "memories": list(memory_ids), "names": names}
    return await _redacted(tx, [row.id for row in await tx.all(PAST, values)])


async def _redacted(tx: Transaction, touched: Sequence[UUID]) -> int:
    """Redact runs; return how many."""
    if touched:
        await tx.run(RUNS, {"owner": tx.owner, "runs": list(touched)})
        await tx.run(REPLIES, {"owner": tx.owner, "runs": list(touched)})
        threads = [thread_of(tx.owner, run) for run in touched]
        for statement in STEPS:
            await tx.run(statement, {"threads": threads})
    return len(touched)


SIZE = 200
"""Runs whose steps are dropped in one transaction."""

OLD = text("""
SELECT r.id FROM runs r WHERE r.owner = :owner AND r.space = :space AND r.finished_at < :before
    AND EXISTS (SELECT FROM checkpoints c WHERE c.thread_id = concat(r.owner, '/', r.id))
ORDER BY r.finished_at, r.id LIMIT :size
""")


PROMPTS = text("""
UPDATE llm_calls SET messages = NULL WHERE owner = :owner AND run_id = ANY(:runs)
""").bindparams(bindparam("runs", type_=ARRAY(Uuid)))


async def drop_old_steps(tx: Transaction, before: datetime, *, size: int = SIZE) -> int:
    """Drop the steps of up to `size` runs of the space that ended before; return of how many.

    The rendered prompts of their calls go too; replies and figures stay.
    """
    values = {"owner": tx.owner, "space": tx.space, "before": before, "size": size}
    runs = [row.id for row in await tx.all(OLD, values)]
    threads = [thread_of(tx.owner, run) for run in runs]
    for statement in STEPS if threads else ():
        await tx.run(statement, {"threads": threads})
    if runs:
        await tx.run(PROMPTS, {"owner": tx.owner, "runs": runs})
    return len(runs)
