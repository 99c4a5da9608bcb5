"""Removes forgotten memories and expired data from the rows, replies and saved steps of runs."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from reasonloom.contracts.places import TEAM, Place
from reasonloom.stores.database import Transaction
from reasonloom.stores.saver import thread_of
from reasonloom.stores.statements import load

NODES = (
    "node_id", "new_node_id", "old_node_id", "original_id", "resolved_id", "root_id",
    "episode_id", "source_id", "target_id", "start_id", "superseded_by",
)  # fmt: skip
LISTS = ("superseded", "node_ids", "chain", "branches", "also_corrected_by")
"""The keys under which graph memory names one memory (NODES) or several (LISTS)."""

OF_FILES = "memory\\_workspace\\_%"
"""The tools whose answers name memories of other files."""

SQL = load(__file__)

STEPS = (SQL.drop_checkpoints, SQL.drop_blobs, SQL.drop_writes)
"""The statements that delete the saved steps of threads."""

SIZE = 200
"""Runs whose steps are deleted in one transaction."""


async def redact(tx: Transaction, *memory_ids: int) -> int:
    """Redact the runs that stored, found or used any of the memories; return how many.

    Their rows keep the tool, times and cost; arguments, answers, replies and saved steps are
    removed. Unfinished runs with the memory only in a saved step restart without it, and so do
    waiting runs whose questions quote it. In a space that can be shared this includes runs of
    others that stored the memories, or that the space's log names and whose answers have their ids.
    """
    names = _names(tx, memory_ids)
    numbers = "|".join(str(memory_id) for memory_id in memory_ids)
    values = {
        "memories": list(memory_ids),
        "names": names,
        "of_files": OF_FILES,
        "nodes": (
            f'"({"|".join(NODES)})": ({numbers})[,}}]'
            f'|"({"|".join(LISTS)})": \\[([0-9]+, )*({numbers})[],]'
        ),
    }
    await _withdraw_questions(tx, memory_ids)
    redacted = await _redacted(tx, await tx.column(SQL.touched, values))
    if tx.space or tx.owner.startswith(TEAM):
        address = Place(tx.owner, tx.space).name()
        values = {"memories": list(memory_ids), "address": address}
        redacted += await tx.number(SQL.shared, values)
    return redacted


async def redact_past(tx: Transaction, memory_ids: Sequence[int]) -> int:
    """Redact the runs of chunks of past conversations, of which there may be a hundred thousand.

    The transaction must replan every statement, which makes the search for many names fast.
    """
    values = {"memories": list(memory_ids), "names": _names(tx, memory_ids)}
    return await _redacted(tx, await tx.column(SQL.past, values))


def _names(tx: Transaction, memory_ids: Sequence[int]) -> list[str]:
    """Return the ids by which answers to the owner name memories: `mem-5`, `me/notes:mem-5`."""
    names = [f"mem-{memory_id}" for memory_id in memory_ids]
    address = Place(None, tx.space).name()
    return [*names, *(f"{address}:{name}" for name in names)] if tx.space else names


async def _withdraw_questions(tx: Transaction, memory_ids: Sequence[int]) -> None:
    """Withdraw the open questions that quote a memory; their runs restart without it."""
    runs = await tx.column(SQL.quoted, {"memories": list(memory_ids)})
    if runs:
        await tx.run(SQL.withdraw, {"runs": runs})
        await tx.run(SQL.drop_quoting, {"runs": runs, "memories": list(memory_ids)})
        await tx.run(SQL.prompts, {"runs": runs})
        await _drop_steps(tx, runs)


async def _redacted(tx: Transaction, touched: Sequence[UUID]) -> int:
    if touched:
        await tx.run(SQL.runs, {"runs": list(touched)})
        await tx.run(SQL.replies, {"runs": list(touched)})
        await _drop_steps(tx, touched)
    return len(touched)


async def _drop_steps(tx: Transaction, runs: Sequence[UUID]) -> None:
    threads = [thread_of(tx.owner, run) for run in runs]
    for statement in STEPS:
        await tx.run(statement, {"threads": threads})


async def drop_old_steps(tx: Transaction, before: datetime, *, size: int = SIZE) -> int:
    """Delete the steps of up to `size` runs of the space that ended earlier; return how many.

    The rendered prompts of their calls are deleted too; replies and figures stay.
    """
    runs = await tx.column(SQL.old, {"before": before, "size": size})
    if runs:
        await _drop_steps(tx, runs)
        await tx.run(SQL.prompts, {"runs": runs})
    return len(runs)
