"""The batch tools: `batch_remember`, `batch_recall` and `batch_forget`."""

from collections.abc import Container, Sequence
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import (
    BatchForget,
    BatchForgotten,
    BatchRecall,
    BatchRecalled,
    BatchRemember,
    BatchRemembered,
    NewItem,
    ReadMemory,
    RememberedItem,
)
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.cleaning import clean_request
from reasonloom.nodes.memory.deduplication import link_waypoints, nearest_memories, strengthen
from reasonloom.nodes.memory.embedding import embed_many
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.injection.detection import injection_notes
from reasonloom.nodes.memory.new_memory import new_memory_of, views_of
from reasonloom.nodes.memory.recall import full_fields
from reasonloom.nodes.memory.remember import open_session
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import deduplication, memories
from reasonloom.stores.memory.memories import KnownMemory
from reasonloom.stores.runs.redaction import redact


def memory_numbers(memory_ids: Sequence[str]) -> dict[str, int]:
    """Return the numeric key of each distinct id, in order; malformed ids are skipped."""
    numbers: dict[str, int] = {}
    for memory_id in memory_ids:
        try:
            numbers[memory_id] = memory_number(memory_id)
        except MemoryNotFound:
            continue
    return numbers


def missing_ids(memory_ids: Sequence[str], found: Container[str]) -> list[str]:
    """Return the distinct ids that are not in `found`, in order."""
    return [each for each in dict.fromkeys(memory_ids) if each not in found]


async def batch_remember(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Embed the memories in one batch, then store or deduplicate all of them atomically."""
    execution = runtime.context
    request = execution.request(BatchRemember)
    items, removed = _clean_items(request.memories)
    at = execution.loom.clock()
    vectors, notes = await embed_many(execution.loom.embedder, list(map(views_of, items)))
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        near = [await nearest_memories(tx, execution, each.get("semantic")) for each in vectors]
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await open_session(tx, execution, request.session_id)
        stored: list[RememberedItem] = []
        links = 0
        for index, item in enumerate(items):
            memory = new_memory_of(
                execution,
                item,
                at=at,
                vectors=vectors[index],
                effect=execution.run.effect("batch_remember", n=index),
                session_id=session,
            )
            duplicate = await deduplication.find_duplicate(tx, memory)
            if duplicate is not None:
                number = duplicate
                await strengthen(tx, duplicate, item, memory)
            else:
                number = await memories.store(tx, memory)
                links += await link_waypoints(tx, execution, number, near[index])
            stored.append(
                RememberedItem(
                    index=index, memory_id=f"mem-{number}", deduplicated=duplicate is not None
                )
            )
        duplicates = sum(each.deduplicated for each in stored)
        answer = BatchRemembered(
            memories=stored,
            stored=len(stored) - duplicates,
            deduplicated=duplicates,
            links_created=links,
        )
        return await complete_run(
            tx, execution, answer, notes=[*removed, *notes], session_id=session
        )


def _clean_items(given: Sequence[NewItem]) -> tuple[list[NewItem], list[str]]:
    """Strip hidden characters from the items; return them with notes on the removals.

    Raises:
        InvalidArgument: an item has no visible text left; the error names its index.
    """
    items: list[NewItem] = []
    notes: list[str] = []
    for index, item in enumerate(given):
        try:
            cleaned, removed = clean_request(item)
        except InvalidArgument as error:
            raise InvalidArgument(
                f"memories.{index}: {error.message}",
                field=f"memories.{index}.{error.field}",
                kind=error.kind,
            ) from None
        items.append(cleaned)
        notes += [f"memories.{index}: {note}" for note in removed]
    return items, notes


async def batch_recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the memories that exist, in the order of the ids, and count an access to each.

    The id of another owner's memory is reported exactly like one that never existed.
    """
    execution = runtime.context
    request = execution.request(BatchRecall)
    numbers = memory_numbers(request.memory_ids)
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        known = await memories.read_many(tx, list(numbers.values()))
    if not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, list(known))
    found = {name: known[number] for name, number in numbers.items() if number in known}
    answer = BatchRecalled(
        memories=[_full_memory(each) for each in found.values()],
        not_found=missing_ids(request.memory_ids, found),
    )
    own = {name: each.content for name, each in found.items() if each.source_kind != "transcript"}
    warnings = injection_notes(own) if execution.loom.settings.suspicion else []
    return {"answer": answer.wire(), "notes": warnings}


def _full_memory(memory: KnownMemory) -> ReadMemory:
    return ReadMemory(
        **full_fields(memory, memory.session_id),
        confidence=memory.confidence,
        access_count=memory.access_count,
    )


async def batch_forget(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Hide or erase the memories that exist, in one transaction, and report the missing ids."""
    execution = runtime.context
    request = execution.request(BatchForget)
    numbers = memory_numbers(request.memory_ids)
    if not (request.soft or request.dry_run):
        await execution.loom.journal.flush()  # pending accesses must precede the erasure
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
