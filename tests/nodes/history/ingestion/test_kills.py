"""kill -9 while files are ingested, and two processes at the same files: nothing twice or half."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.stores.access import Access
from reasonloom.stores.database import Transaction
from reasonloom.stores.migrations.rls import APP_ROLE
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import no_longer_at_work
from tests.support.history.ingestion import ordered, stored
from tests.support.history.killed_process import Errand, run
from tests.support.history.transcripts import Script, generated
from tests.support.killing.arena import FORKS, KILLED
from tests.support.killing.guillotine import VICTIM, Guillotine, Moment, guillotine, never

COUNTS = text("""
SELECT (SELECT memory_count FROM owners WHERE owner = :owner) AS counted,
    (SELECT count(*) FROM memories WHERE owner = :owner) AS memories,
    (SELECT count(*) FROM chunks WHERE owner = :owner) AS chunks,
    (SELECT count(*) FROM embeddings WHERE owner = :owner) AS embeddings,
    (SELECT memories FROM terms WHERE owner = :owner AND kind = 'transcript_all') AS words,
    (SELECT count(*) FROM transcripts WHERE owner = :owner) AS files,
    (SELECT count(*) FROM sessions WHERE owner = :owner) AS sessions,
    (SELECT count(*) FROM projects WHERE owner = :owner) AS projects
""")
OPTIONS = "-c search_path=reasonloom,public"
HALF = (
    "SELECT count(*) FROM memories m WHERE owner = :owner AND NOT EXISTS (SELECT FROM chunks c "
    "WHERE c.owner = m.owner AND c.memory_id = m.id)"
)


async def counts(engine: Engine, owner: str) -> dict[str, int | None]:
    async with engine.loom.database.begin(Caller(owner)) as tx:
        row = await tx.first(COUNTS, {"owner": owner})
        assert row is not None
        found: dict[str, int | None] = row._asdict()
        return found


async def whole(engine: Engine, owner: str) -> tuple[object, ...]:
    """What must be the same however often an ingestion was disturbed."""
    caller = Caller(owner)
    kept = [(c.key, c.text, c.session, c.project) for c in await stored(engine, caller)]
    return kept, await ordered(engine, caller), await counts(engine, owner)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A large session, a small one beside it, and one in a script without spaces."""
    made = {
        "large": generated(16, seed=3),
        "small": generated(3, seed=4, script=Script(session="small-one", cwd="/srv/été")),
        "third": generated(4, seed=5, script=Script(session="検索", cwd="/srv/проект")),
    }
    for name, script in made.items():
        (tmp_path / f"{name}.jsonl").write_bytes(script.data())
    return [tmp_path / f"{name}.jsonl" for name in made]


def errand(blade: Guillotine, database: str, files: list[Path], owner: str) -> Errand:
    return Errand(blade.conninfo(APP_ROLE, database, OPTIONS), files, owner)


async def struck(
    blade: Guillotine, what: Errand, access: Access, falls: Callable[[int, str], bool], at: Moment
) -> bool:
    """Let a process ingest and kill it; tell whether it came that far."""
    blade.raise_again(falls, at)
    process = FORKS.Process(target=run, args=(what,))
    await asyncio.to_thread(process.start)
    blade.victim = process.pid
    await asyncio.to_thread(process.join, 120)
    fell = blade.fallen.is_set()
    assert process.exitcode == (KILLED if fell else 0)
    await no_longer_at_work(access, VICTIM)
    return fell


@pytest.mark.timeout(600)
async def test_a_killed_ingestion_goes_on_where_it_stood(
    engine: Engine, access: Access, database: str, postgres: TestPostgres, files: list[Path]
) -> None:
    async with guillotine(postgres.address) as blade:
        quiet = errand(blade, database, files, "quiet")
        assert not await struck(blade, quiet, access, never, "before")
        points = list(blade.reached)
        wanted = await whole(engine, "quiet")
        commits = [n for n, name in enumerate(points, start=1) if name == "commit"]
        writes = [n for n, name in enumerate(points, start=1) if name == "write"]
        assert len(commits) > 10
        chosen: list[tuple[int, Moment]] = [
            (commits[len(commits) // 3], "before"),
            (commits[len(commits) // 3], "after"),
            (commits[-2], "before"),
            (writes[len(writes) // 2], "after"),
            (writes[-10], "before"),
        ]
        for number, (place, moment) in enumerate(chosen):
            owner = f"killed-{number}"
            what = errand(blade, database, files, owner)
            fell = await struck(blade, what, access, lambda at, _, n=place: at == n, moment)  # type: ignore[misc]
            assert fell
            half = await counts(engine, owner)
            assert half["memories"] == half["chunks"] == half["embeddings"]
            assert (half["counted"] or 0) == half["memories"] == (half["words"] or 0)
            assert not await struck(blade, what, access, never, "before")
            assert await whole(engine, owner) == wanted
            assert not await struck(blade, what, access, never, "before")
            assert await whole(engine, owner) == wanted


async def test_two_processes_at_the_same_files_double_nothing(
    engine: Engine, access: Access, database: str, files: list[Path]
) -> None:
    conninfo = access.app
    for owner, together in (("one", 1), ("two", 3)):
        what = Errand(conninfo, files, owner, batch=5)
        made = [FORKS.Process(target=run, args=(what,)) for _ in range(together)]
        for process in made:
            await asyncio.to_thread(process.start)
        for process in made:
            await asyncio.to_thread(process.join, 120)
        assert [process.exitcode for process in made] == [0] * together
    assert await whole(engine, "two") == await whole(engine, "one")


async def test_what_was_stored_and_not_linked_is_linked_the_next_time(
    engine: Engine, tmp_path: Path
) -> None:
    """The link between storing and linking may be cut by a kill: the numbers wait in the row."""
    from reasonloom.nodes.history.ingestion.pipeline import ingest

    file = tmp_path / "one.jsonl"
    file.write_bytes(generated(6).data())
    linked: list[int] = []

    async def broken(*_: object) -> None:
        raise ConnectionError

    async def noting(_: object, caller: object, new: Mapping[str, Sequence[int]]) -> None:
        linked.extend(number for ids in new.values() for number in ids)

    with pytest.raises(ConnectionError):
        await ingest(engine.loom, Caller("local"), [("one", file)], linking=broken)
    kept = await stored(engine)
    assert kept
    await ingest(engine.loom, Caller("local"), [("one", file)], linking=noting)
    assert sorted(linked) == sorted(c.memory_id for c in kept)
    linked.clear()
    await ingest(engine.loom, Caller("local"), [("one", file)], linking=noting)
    assert linked == []


async def test_no_lock_is_held_while_texts_are_embedded(engine: Engine, tmp_path: Path) -> None:
    from dataclasses import replace

    from reasonloom.nodes.history.ingestion.pipeline import ingest

    inner = engine.loom.embedder
    file = tmp_path / "one.jsonl"
    file.write_bytes(generated(12).data())
    seen: list[int] = []

    class Watching:
        model, dimension, floor = inner.model, inner.dimension, inner.floor

        async def embed(self, texts: Sequence[str]) -> list[list[float]]:
            async with engine.loom.database.begin(Caller("local")) as tx:
                seen.append(await locks(tx))
            return await inner.embed(texts)

        async def close(self) -> None: ...

    async def nothing(*_: object) -> None: ...

    loom = replace(engine.loom, embedder=Watching())
    await ingest(loom, Caller("local"), [("one", file)], linking=nothing)
    assert seen == [0]


async def locks(tx: Transaction) -> int:
    """Return how many other transactions write."""
    query = "SELECT count(*) AS n FROM pg_locks WHERE locktype = 'transactionid' AND granted"
    row = await tx.first(text(query))
    assert row is not None
    return int(row.n)
