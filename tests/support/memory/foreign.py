"""Imports the entries of a reader as the command does."""

from __future__ import annotations

from typing import NamedTuple

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.importers.conversion import converted
from reasonloom.importers.records import Entries
from reasonloom.nodes.memory.portable.importer import ImportResult, MemoryImport
from reasonloom.nodes.memory.portable.validation import check_file, embedder_in_use
from tests.support.memory.housekeeping import OWNER, silent


class Taken(NamedTuple):
    """The counts of an import, and the place and reason of what was skipped."""

    done: ImportResult
    skipped: list[tuple[str, str]]


async def take_from(
    engine: Engine,
    program: str,
    entries: Entries,
    caller: Caller = OWNER,
    *,
    user: str | None = None,
    keep_strength: bool = False,
) -> Taken:
    """Import what a reader yields."""
    ours = embedder_in_use(engine.loom.embedder)
    with converted(program, entries, user=user) as made:
        checked = check_file(made.lines, ours)
        skipped = [(each.where, each.reason) for each in made.skipped]
        skipped += [(made.places[bad.number - 1], bad.fault) for bad in checked.faults]
        work = MemoryImport(engine.loom, caller, made.lines, ours, keep_strength=keep_strength)
        return Taken(await work.store(silent), skipped)
