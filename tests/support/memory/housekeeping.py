"""What the tests of housekeeping share: importing lines, exporting them, looking at rows."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.portable.export import ExportOptions, export_lines
from reasonloom.nodes.memory.portable.importer import ImportResult, MemoryImport
from reasonloom.nodes.memory.portable.validation import check_file, embedder_in_use

OWNER = Caller("local")
PLAIN = ExportOptions()


def silent(*_: int) -> None:
    """Take no notice."""


def as_file(given: Sequence[dict[str, Any]]) -> io.BytesIO:
    """Return lines as a file holds them."""
    return io.BytesIO("".join(json.dumps(line) + "\n" for line in given).encode())


async def take_in(
    engine: Engine, source: io.BytesIO, caller: Caller = OWNER, *, keep_strength: bool = False
) -> ImportResult:
    """Import a file whose lines are all good."""
    ours = embedder_in_use(engine.loom.embedder)
    assert check_file(source, ours).faults == []
    work = MemoryImport(engine.loom, caller, source, ours, keep_strength=keep_strength)
    return await work.store(silent)


async def exported(
    engine: Engine, caller: Caller = OWNER, wish: ExportOptions = PLAIN, *, size: int = 500
) -> list[dict[str, Any]]:
    """Return the lines of an export, the header first."""
    found = [line async for line in export_lines(engine.loom, caller, wish, silent, size=size)]
    return [json.loads(line) for line in found]


async def rows(engine: Engine, query: str, caller: Caller = OWNER) -> list[Any]:
    """Return what a query finds in a caller's space."""
    async with engine.loom.database.begin(caller) as tx:
        return list(await tx.all(text(query)))


async def write(engine: Engine, statement: str, caller: Caller = OWNER) -> None:
    """Change rows behind the back of every tool."""
    async with engine.loom.database.begin(caller) as tx:
        await tx.run(text(statement))
