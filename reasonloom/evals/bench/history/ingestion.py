"""Times ingestion of synthetic transcripts against parsing, chunking and copying the same rows."""

import resource
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psycopg
from psycopg import sql

from reasonloom.contracts.caller import Caller
from reasonloom.evals.bench.environment import BenchEngine
from reasonloom.evals.bench.history.transcripts import generate
from reasonloom.evals.bench.timing import Figure
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.ingestion.links import link_chunks
from reasonloom.nodes.history.ingestion.pipeline import ingest
from reasonloom.nodes.history.ingestion.reports import FileReport
from reasonloom.transcripts import claude_code
from reasonloom.transcripts.chunking import Chunker

RATIO = 3.0
"""The goal: at most this multiple of the floor."""

TURNS_OF_A_MEGABYTE = 240
TABLES = ("memories", "chunks", "embeddings")
BLOCK = 1 << 20


async def measure(ground: BenchEngine, megabytes: int) -> list[Figure]:
    """Ingest `megabytes` of 60 sessions, then do the minimal work by hand."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "transcripts"
        home.mkdir()
        size, turns = megabytes * 1_000_000, megabytes * TURNS_OF_A_MEGABYTE
        written = generate(home, turns=turns, size=size)
        files = sorted(home.rglob("*.jsonl"))
        next(_chunks(files[0]), None)  # loads the vocabulary, which both sides would load once
        took, linked, results = await _ingested(ground, files)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        cut = _cut(files)
        copied, rows = _copied(ground.access.admin, Path(folder))
    chunks = sum(each.new for each in results)
    note = (
        f"{written.files} files, {written.turns:,} turns, {chunks:,} chunks, "
        f"{written.bytes / took / 1_000_000:.1f} MB/s; floor: read and cut {cut:.1f} s + "
        f"copy {rows:,} rows {copied:.1f} s; peak of this process {peak:,.0f} MB"
    )
    name = f"ingest {written.bytes / 1_000_000:.0f} MB"
    whole, floor, kept = took * 1000, (cut + copied) * 1000, (took - linked) * 1000
    share = f"{linked / took:.0%} of it is linking chunks with causes, which the floor leaves out"
    return [
        Figure(f"{name}, without links", kept, kept, floor, RATIO, note),
        Figure(name, whole, whole, floor, said=share),
    ]


async def _ingested(
    ground: BenchEngine, files: list[Path]
) -> tuple[float, float, list[FileReport]]:
    """Return the seconds of ingestion and of linking, and the result of each file."""
    loom, caller, linked = ground.engine.loom, Caller("historian"), 0.0

    async def timed(loom: Loom, caller: Caller, new: Mapping[str, Sequence[int]]) -> None:
        nonlocal linked
        before = time.perf_counter()
        await link_chunks(loom, caller, new)
        linked += time.perf_counter() - before

    await loom.embedder.embed(["warm"])
    started = time.perf_counter()
    results = await ingest(loom, caller, [(file.name, file) for file in files], linking=timed)
    return time.perf_counter() - started, linked, results


def _cut(files: list[Path]) -> float:
    """Return the seconds of parsing and chunking alone."""
    started = time.perf_counter()
    for file in files:
        for _ in _chunks(file):
            pass
    return time.perf_counter() - started


def _chunks(file: Path) -> Iterator[object]:
    cutter = Chunker()
    with file.open("rb") as stream:
        for turn in claude_code.read(stream, agent=claude_code.agent_of(file)):
            yield from cutter.add(turn)
    yield from cutter.end().chunks


def _copied(conninfo: str, folder: Path) -> tuple[float, int]:
    """Return the seconds of copying the rows into equal tables, and the number of rows.

    The tables have the same indexes, but no triggers, policies or references.
    """
    seconds, rows = 0.0, 0
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for table in TABLES:
            names = _columns(connection, table)
            parts = {"t": sql.Identifier(table), "c": sql.Identifier(f"{table}_by_hand"),
                     "n": sql.SQL(", ").join(map(sql.Identifier, names))}  # fmt: skip
            connection.execute(sql.SQL("CREATE TABLE {c} (LIKE {t} INCLUDING ALL)").format(**parts))
            file = folder / table
            out = sql.SQL("COPY (SELECT {n} FROM {t}) TO STDOUT (FORMAT binary)").format(**parts)
            with file.open("wb") as sink, connection.cursor().copy(out) as source:
                for block in source:
                    sink.write(block)
            into = sql.SQL("COPY {c} ({n}) FROM STDIN (FORMAT binary)").format(**parts)
            started = time.perf_counter()
            with file.open("rb") as given, connection.cursor() as cursor:
                with cursor.copy(into) as target:
                    while block := given.read(BLOCK):
                        target.write(block)
                rows += cursor.rowcount
            seconds += time.perf_counter() - started
            connection.execute(sql.SQL("DROP TABLE {c}").format(**parts))
    return seconds, rows


def _columns(connection: psycopg.Connection, table: str) -> list[str]:
    """Return a table's columns except generated ones."""
    query = (
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'reasonloom' "
        "AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position"
    )
    return [row[0] for row in connection.execute(query, (table,)).fetchall()]
