"""Past conversations for tests: files are ingested, what is stored of them is told."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.ingestion.pipeline import ingest
from reasonloom.nodes.history.ingestion.reports import FileReport, IngestOptions

OWNER = Caller("local")


async def ingested(
    engine: Engine | Loom,
    files: Path | Iterable[Path],
    *,
    caller: Caller = OWNER,
    wish: IngestOptions | None = None,
) -> list[FileReport]:
    """Read files, or all of a folder, and keep their chunks; return what became of each."""
    loom = engine if isinstance(engine, Loom) else engine.loom
    paths = [files] if isinstance(files, Path) else list(files)
    whole = [
        file
        for path in paths
        for file in (sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path])
    ]
    return await ingest(
        loom, caller, [(str(path), path) for path in whole], wish or IngestOptions()
    )


@dataclass(frozen=True)
class Stored:
    """One chunk as it is stored; `key` is the cutter's id."""

    memory_id: int
    key: str
    project: str
    session: str
    agent: str | None
    first_turn: int
    ordinal: int
    text: str
    hidden: bool


CHUNKS = text("""
SELECT c.memory_id, c.key, c.project, c.session, c.agent, c.first_turn, c.ordinal,
    m.content AS text, m.deleted_at IS NOT NULL AS hidden
FROM chunks c JOIN memories m ON m.owner = c.owner AND m.id = c.memory_id
WHERE c.owner = :owner ORDER BY c.session, c.agent, c.at, c.first_turn, c.ordinal
""")
EDGES = text("""
SELECT e.origin, s.key AS source, t.key AS target, e.weight, e.reason FROM edges e
JOIN chunks s ON s.owner = e.owner AND s.memory_id = e.source_id
JOIN chunks t ON t.owner = e.owner AND t.memory_id = e.target_id
WHERE e.owner = :owner ORDER BY 1, 2, 3
""")


async def stored(engine: Engine | Loom, caller: Caller = OWNER) -> list[Stored]:
    """Return all chunks of an owner, forgotten ones too, in order of sessions and time."""
    loom = engine if isinstance(engine, Loom) else engine.loom
    async with loom.database.begin(caller) as tx:
        rows = await tx.all(CHUNKS, {"owner": caller.owner})
    return [Stored(**row._asdict()) for row in rows]


async def linked(engine: Engine | Loom, caller: Caller = OWNER) -> list[tuple[Any, ...]]:
    """Return all edges between chunks: origin, keys of source and target, weight, reason."""
    loom = engine if isinstance(engine, Loom) else engine.loom
    async with loom.database.begin(caller) as tx:
        return [tuple(row) for row in await tx.all(EDGES, {"owner": caller.owner})]


async def ordered(engine: Engine | Loom, caller: Caller = OWNER) -> list[tuple[Any, ...]]:
    """Return the edges of order alone: those that ingestion makes by itself."""
    kinds = {"sequence", "brief", "debrief"}
    return [edge for edge in await linked(engine, caller) if edge[0] in kinds]
