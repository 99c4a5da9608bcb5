"""Forgetting: shown first, hidden everywhere, brought back, and in the end gone with all of it."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, MemoryNotFound, UnknownName
from reasonloom.graphs.background_jobs import HistoryErasure
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.history.erasure import (
    erase_all_due,
    erase_due,
    list_undoable,
    restore_forgotten,
)
from reasonloom.nodes.history.forget import threshold
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from reasonloom.stores.history import soft_deletes as stored_erasing
from tests.support.calls import call
from tests.support.history.conversations import BEGIN, CACHE, LOGIN, OTHER, Talk, about, ask, tell
from tests.support.history.ingestion import ingested, stored

ME = Caller("local")
NOTHING = "No chunks match the given filters."


async def rows(engine: Engine, query: str, owner: str = "local") -> Any:
    async with engine.loom.database.begin(Caller(owner)) as tx:
        return (await tx.all(text(query)))[0][0]


async def everything_visible(engine: Engine) -> str:
    """Return all that the tools tell, as one text."""
    told = [await ask(engine, "search", query="tea login cache")]
    told += [await ask(engine, tool) for tool in ("list_projects", "stats")]
    told += [await ask(engine, tool, project=slug) for slug in ("api", "shop")
             for tool in ("list_sessions", "reconstruct")]  # fmt: skip
    return "\n".join(each["text"] for each in told)


async def test_a_dry_run_is_the_default_and_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE, OTHER])
    told = await ask(engine, "forget", project="api")
    assert told["text"] == (
        'Dry run: 2 chunk(s) would be deleted from project "api". Set dry_run=false to proceed.'
    )
    assert (told["matched"], told["forgotten"], told["undo"], told["scores"]) == (2, 0, None, None)
    assert not any(chunk.hidden for chunk in await stored(engine))
    assert await list_undoable(engine.loom, ME) == []


@pytest.mark.parametrize(
    ("given", "sessions"),
    [
        ({}, "ab"),
        ({"before": "2026-03-02T00:00Z"}, "a"),
        ({"after": "2026-03-02T09:00:00+00:00"}, "b"),
        ({"after": "2026-03-02T09:00:01+00:00"}, ""),
        ({"before": "2026-03-01T09:00:00Z"}, ""),
        ({"session_id": "aaaa"}, "a"),
        ({"session_id": "aaaa", "after": "2026-03-02"}, ""),
        ({"session_id": "nobody"}, ""),
    ],
)
async def test_filters_narrow_together(
    engine: Engine, tmp_path: Path, given: dict[str, str], sessions: str
) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE, OTHER])
    told = await ask(engine, "forget", project="api", dry_run=False, **given)
    hidden = {chunk.session[0] for chunk in await stored(engine) if chunk.hidden}
    assert "".join(sorted(hidden)) == sessions
    if not sessions:
        assert (told["text"], told["matched"], told["undo"]) == (NOTHING, 0, None)
    else:
        assert told["text"] == (
            f'Deleted {len(sessions)} chunk(s) from project "api" '
            "(vectors and related edges/clusters also removed)."
        )
        assert "reasonloom history undo 1" in told["notes"][-1]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"before": "soon"}, "before"),
        ({"after": "2026-02-30"}, "after"),
        ({"after": "2026-03-02", "before": "2026-03-01"}, "after"),
        ({"query": "x", "threshold": -0.1}, "threshold"),
        ({"query": "x", "threshold": 101}, "threshold"),
        ({"session_id": "12345678"}, "session_id"),
    ],
)
async def test_bad_input_forgets_nothing(
    engine: Engine, tmp_path: Path, given: dict[str, Any], field: str
) -> None:
    twins = [Talk("api", f"12345678-{end}", [about(end)]) for end in "xy"]
    await tell(engine, tmp_path / "t", twins)
    with pytest.raises(InvalidArgument) as caught:
        await ask(engine, "forget", project="api", dry_run=False, **given)
    assert caught.value.field == field
    assert not any(chunk.hidden for chunk in await stored(engine))


async def test_a_project_must_be_named_and_known(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path / "t", [LOGIN])
    with pytest.raises(InvalidArgument, match="Missing required parameter: project"):
        await ask(engine, "forget", dry_run=False)
    told = await ask(engine, "forget", project="apis", dry_run=False)
    assert told["text"] == NOTHING
    assert told["notes"] == ['project: there is no project "apis"; did you mean api?']


async def test_a_topic_is_matched_by_cosine_and_told_as_in_the_reference(
    engine: Engine, tmp_path: Path
) -> None:
    talks = [Talk("api", f"s{n}", [(f"The login token, case {n}?", "The login token was renewed.")],
                  BEGIN + timedelta(days=n)) for n in range(7)]  # fmt: skip
    await tell(engine, tmp_path / "t", [*talks, CACHE])
    asked = {"project": "api", "query": "login token"}
    told = await ask(engine, "forget", **asked, threshold=40)
    lines = told["text"].splitlines()
    assert lines[0] == (
        'Dry run: 7 chunk(s) match query "login token" (threshold: 40%, project: "api")'
    )
    scores = told["scores"]
    percent = {name: round(scores[name] * 100) for name in scores}
    assert lines[1] == (
        f"Scores: {percent['max']}% max, {percent['min']}% min, {percent['median']}% median"
    )
    assert lines[2:4] == ["", "Top matches:"]
    first = told["matches"][0]
    assert lines[4].startswith(f'  1. [{round(first["score"] * 100)}%] "The login token, case ')
    assert lines[4].endswith("2026)")
    assert lines[-2:] == ["  ...and 2 more", "Set dry_run=false to proceed with deletion."]
    assert 0.4 <= scores["min"] <= scores["median"] <= scores["max"] < 1
    same = await ask(engine, "forget", **asked, threshold=0.4)
    assert same["text"] == told["text"]
    none = await ask(engine, "forget", **asked, threshold=1, dry_run=False)
    assert none["text"] == 'No chunks match query "login token" at threshold 100%'
    assert not any(chunk.hidden for chunk in await stored(engine))
    done = await ask(engine, "forget", **asked, threshold=40, dry_run=False)
    assert (done["forgotten"], done["undo"]) == (7, 1)


def test_a_threshold_above_one_is_percent() -> None:
    assert [threshold(given) for given in (0, 0.6, 1, 60, 100)] == [0, 0.6, 1, 0.6, 1]


async def test_without_an_embedder_words_are_compared_and_it_is_said(
    engine: Engine, dumb: Engine, tmp_path: Path
) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE])
    told = await ask(dumb, "forget", project="api", query="рендер буфер", threshold=0.6)
    assert told["matched"] == 1
    assert told["matches"][0]["score"] == 1
    assert any("share of the query's words" in note for note in told["notes"])


async def test_chunks_without_vectors_are_compared_by_words(
    engine: Engine, dumb: Engine, tmp_path: Path
) -> None:
    await tell(dumb, tmp_path / "t", [LOGIN, CACHE])
    told = await ask(engine, "forget", project="api", query="contraseña de José", dry_run=False)
    assert told["forgotten"] == 1
    assert any("share of the query's words" in note for note in told["notes"])
    await tell(engine, tmp_path / "u", [OTHER])
    lacking = await ask(engine, "forget", project="api", query="cache")
    assert lacking["notes"]


async def test_while_hidden_nothing_shows_and_undo_brings_all_back(
    engine: Engine, tmp_path: Path
) -> None:
    await tell(engine, tmp_path / "t", [LOGIN, CACHE, OTHER])
    before = await everything_visible(engine)
    assert "refresh token" in before
    await ask(engine, "forget", project="api", session_id="aaaa", dry_run=False)
    assert sorted(chunk.hidden for chunk in await stored(engine)) == [False, False, True]
    hidden = await everything_visible(engine)
    assert not any(word in hidden for word in ("refresh token", "aaaaaaaa", "José"))
    assert "eviction" in hidden
    await ask(engine, "forget", project="api", dry_run=False)
    assert "api" not in (await ask(engine, "list_projects"))["text"]
    [last, first] = await list_undoable(engine.loom, ME)
    assert (last.number, last.chunks, first.chunks, first.asked) == (
        2,
        1,
        1,
        {"session_id": "aaaa"},
    )
    assert await restore_forgotten(engine.loom, ME, 2) == 1
    assert await restore_forgotten(engine.loom, ME, 1) == 1
    assert await everything_visible(engine) == before
    with pytest.raises(UnknownName, match="there is nothing"):
        await restore_forgotten(engine.loom, ME, 1)


async def test_another_owners_forgets_cannot_be_undone(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path / "t", [LOGIN], owner="Ольга")
    await ask(engine, "forget", project="api", dry_run=False, owner="Ольга")
    assert (await ask(engine, "forget", project="api", dry_run=False))["forgotten"] == 0
    with pytest.raises(UnknownName):
        await restore_forgotten(engine.loom, ME, 1)
    assert await restore_forgotten(engine.loom, Caller("Ольга"), 1) == 1


async def test_what_is_hidden_the_memory_tools_do_not_touch(engine: Engine, tmp_path: Path) -> None:
    await tell(engine, tmp_path / "t", [LOGIN])
    [chunk] = await stored(engine)
    name = {"memoryId": f"mem-{chunk.memory_id}"}
    for tool, more in (("forget", {"soft": True}), ("forget", {"soft": False}),
                       ("update_memory", {"content": "x"})):  # fmt: skip
        with pytest.raises(MemoryNotFound):
            await call(engine, tool, {"userId": "local", **name, **more})
    await ask(engine, "forget", project="api", dry_run=False)
    with pytest.raises(MemoryNotFound):
        await call(engine, "restore_memory", {"userId": "local", **name})
    batch = {"userId": "local", "memoryIds": [name["memoryId"]], "soft": False, "dryRun": False}
    assert (await call(engine, "batch_forget", batch)).answer["forgotten"] == []
    assert await restore_forgotten(engine.loom, ME, 1) == 1


async def test_after_its_time_it_is_erased_with_all_derived(engine: Engine, tmp_path: Path) -> None:
    many = Talk("api", "many", [about("tea", n) for n in range(20)], apart=timedelta(hours=6))
    await tell(engine, tmp_path / "t", [many, OTHER])
    assert await rows(engine, "SELECT count(*) FROM edges") > 0
    chunks = len(await stored(engine)) - 1
    await ask(engine, "search", query="tea detail3x1")
    await ask(engine, "reconstruct", project="api")
    await ask(engine, "forget", project="api", query="tea")
    await ask(engine, "forget", project="api", dry_run=False)
    await engine.loom.journal.flush()
    now = engine.loom.clock()
    early = await erase_all_due(engine.loom.database, now - timedelta(days=7))
    assert early.chunks == 0
    assert await rows(engine, "SELECT count(*) FROM runs WHERE output::text LIKE '%detail3x1%'") > 0
    kept = await erase_all_due(engine.loom.database, now + timedelta(seconds=1))
    assert kept.chunks == chunks
    assert [chunk.project for chunk in await stored(engine)] == ["shop"]
    for query, left in {
        "SELECT count(*) FROM memories": 1,
        "SELECT count(DISTINCT memory_id) FROM embeddings": 1,
        "SELECT count(*) FROM edges": 0,
        "SELECT memory_count FROM owners": 1,
        "SELECT count(*) FROM projects": 1,
        "SELECT count(*) FROM transcripts": 1,
        "SELECT count(*) FROM sessions": 1,
        "SELECT count(*) FROM forgets WHERE chunks > 0 OR project <> ''": 0,
        "SELECT count(*) FROM runs WHERE concat(input, output) LIKE '%detail%'": 0,
        "SELECT coalesce(sum(memories), 0) FROM terms WHERE term LIKE 'detail%'": 0,
    }.items():
        assert await rows(engine, query) == left, query
    with pytest.raises(UnknownName):
        await restore_forgotten(engine.loom, ME, 1)
    again = await ingested(engine, tmp_path / "t" / "api-many.jsonl")
    assert again[0].new > 0


async def test_what_is_open_in_the_cutter_is_erased_too(engine: Engine, tmp_path: Path) -> None:
    talk = Talk("api", "open", [about("tea", n) for n in range(8)], apart=timedelta(hours=6))
    await tell(engine, tmp_path / "t", [talk])
    await ask(engine, "forget", project="api", after="2026-03-02T20:00Z", dry_run=False)
    await erase_due(engine.loom.database, ME, engine.loom.clock() + timedelta(seconds=1))
    assert 0 < len(await stored(engine)) < 8
    held = "SELECT count(*) FROM transcripts WHERE state::text LIKE '%detail7x%'"
    assert await rows(engine, held) == 0
    path = tmp_path / "t" / "api-open.jsonl"
    more = Talk("api", "open", [about("sea", 9)], BEGIN + timedelta(days=9))
    path.write_text(path.read_text() + "".join(more.lines()), encoding="utf-8")
    await ingested(engine, path)
    assert "sea detail9x1" in (await stored(engine))[-1].text


async def test_no_undo_days_erases_at_once(
    access: Access, embedder: Embedder, tmp_path: Path
) -> None:
    settings = load_settings(undo_days=0)
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as engine:
        await tell(engine, tmp_path / "t", [LOGIN])
        told = await ask(engine, "forget", project="api", dry_run=False)
        assert (told["forgotten"], told["undo"], told["undo_until"]) == (1, None, None)
        assert "erased for good" in told["notes"][-1]
        assert await stored(engine) == []


async def test_an_erasure_that_was_cut_short_goes_on_and_cannot_be_undone(
    engine: Engine, tmp_path: Path
) -> None:
    many = Talk("api", "many", [about("tea", n) for n in range(6)], apart=timedelta(hours=6))
    await tell(engine, tmp_path / "t", [many])
    await ask(engine, "forget", project="api", dry_run=False)
    async with engine.loom.database.begin(ME) as tx:
        await stored_erasing.claim(tx, 1)
        await stored_erasing.erase_some(tx, 1, 2)
    assert await list_undoable(engine.loom, ME) == []
    with pytest.raises(UnknownName):
        await restore_forgotten(engine.loom, ME, 1)
    later = engine.loom.clock() + timedelta(seconds=1)
    await asyncio.gather(*(erase_due(engine.loom.database, ME, later) for _ in range(2)))
    assert await stored(engine) == []


async def test_servers_erase_what_is_due(
    access: Access, embedder: Embedder, tmp_path: Path
) -> None:
    settings = load_settings(undo_days=1e-9)
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as engine:
        await tell(engine, tmp_path / "t", [LOGIN, CACHE])
        await ask(engine, "forget", project="api", session_id="aaaa", dry_run=False)
        task = asyncio.create_task(HistoryErasure(engine.loom, first_pause=1).run())
        for _ in range(600):
            await asyncio.sleep(0.1)
            if len(await stored(engine)) == 1:
                break
        task.cancel()
        assert [chunk.session for chunk in await stored(engine)] == [CACHE.session]


async def test_two_calls_at_once_forget_each_chunk_once(engine: Engine, tmp_path: Path) -> None:
    many = Talk("api", "many", [about("tea", n) for n in range(10)], apart=timedelta(hours=6))
    await tell(engine, tmp_path / "t", [many])
    told = await asyncio.gather(
        *(ask(engine, "forget", project="api", dry_run=False) for _ in range(2))
    )
    assert sum(each["forgotten"] for each in told) == len(await stored(engine))
    for each in await list_undoable(engine.loom, ME):
        await restore_forgotten(engine.loom, ME, each.number)
    assert not any(chunk.hidden for chunk in await stored(engine))
