"""Files that grow, move, are rewritten or copied: what is kept is what one reading would give."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history.ingestion.pipeline import ingest
from reasonloom.nodes.history.ingestion.reports import FileReport, IngestOptions
from reasonloom.stores.history import transcripts
from tests.support.history.ingestion import OWNER, ordered, stored
from tests.support.history.killed_process import unlinked
from tests.support.history.transcripts import Script, generated

HIDE = text("""
WITH made AS (
    INSERT INTO forgets (owner, number, project, asked, chunks)
    VALUES (:owner, :id, 'api', '{}', 1)
), hidden AS (
    UPDATE memories SET deleted_at = now() WHERE owner = :owner AND id = :id
)
UPDATE chunks SET forgotten = :id WHERE owner = :owner AND memory_id = :id
""")


async def read(
    engine: Engine, *files: Path, owner: str = "local", **wish: object
) -> list[FileReport]:
    """Ingest without looking for causes: what is looked at is what ingestion itself stores."""
    asked = IngestOptions(**{"batch": 7, **wish})  # type: ignore[arg-type]
    named = [(file.name, file) for file in files]
    return await ingest(engine.loom, Caller(owner), named, asked, linking=unlinked)


async def kept(engine: Engine, owner: str = "local") -> tuple[object, object]:
    """The chunks and the edges of order, without numbers."""
    caller = Caller(owner)
    chunks = [(c.key, c.text, c.session, c.project, c.agent) for c in await stored(engine, caller)]
    return chunks, await ordered(engine, caller)


WITH_AGENTS = generated(7, seed=11)
for _at in range(3):
    WITH_AGENTS.user(f"Ask a helper about the ledger {_at} “größer” 🙂")
    WITH_AGENTS.used("Task", {"prompt": f"look at it {_at}"}, f"k{_at}")
    for _word in ("первый", "検索", "déjà"):
        WITH_AGENTS.user(f"helper {_at} {_word} " * 40, isSidechain=True, agentId=f"aa{_at}")
        WITH_AGENTS.said(f"helper {_at} says {_word} " * 60, isSidechain=True, agentId=f"aa{_at}")
    WITH_AGENTS.got("all is well " * 30, f"k{_at}", toolUseResult={"agentId": f"aa{_at}"})
    generated(3, seed=20 + _at, script=WITH_AGENTS)
DATA = WITH_AGENTS.data()


@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cuts=st.lists(st.integers(1, len(DATA) - 1), min_size=1, max_size=5, unique=True))
async def test_a_growing_file_comes_to_what_one_reading_gives(
    engine: Engine, tmp_path: Path, cuts: list[int]
) -> None:
    file = tmp_path / "growing.jsonl"
    if not await stored(engine, Caller("whole")):
        file.write_bytes(DATA)
        await read(engine, file, owner="whole")
    owner = f"cut-{hash(tuple(cuts))}"
    for end in (*sorted(cuts), len(DATA)):
        file.write_bytes(DATA[:end])
        await read(engine, file, owner=owner)
    assert await kept(engine, owner) == await kept(engine, "whole")
    _, edges = await kept(engine, "whole")
    assert {edge[0] for edge in edges} == {"sequence", "brief", "debrief"}  # type: ignore[attr-defined]


async def test_the_new_part_follows_the_old_one(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    script = generated(12, seed=2)
    file.write_bytes(script.data())
    await read(engine, file)
    before = await stored(engine)
    file.write_bytes(generated(12, seed=9, script=script).data())
    told = (await read(engine, file))[0]
    after = await stored(engine)
    assert told.new and told.turns < 24
    numbers = {c.key: c.memory_id for c in after}
    assert [c.memory_id for c in after[: len(before)]] == [c.memory_id for c in before]
    links = {(numbers[s], numbers[t]) for _, s, t, *_ in await ordered(engine)}
    assert (after[len(before) - 1].memory_id, after[len(before)].memory_id) in links
    assert len(links) == len(after) - 1


async def test_a_rewritten_file_keeps_what_is_still_there(engine: Engine, tmp_path: Path) -> None:
    file, fresh = tmp_path / "one.jsonl", tmp_path / "fresh.jsonl"
    whole = generated(30, seed=6)
    file.write_bytes(whole.data())
    await read(engine, file)
    before = {c.key: c.memory_id for c in await stored(engine)}
    lines = whole.lines[: len(whole.lines) // 2]
    changed = "".join(f"{line}\n" for line in lines).encode() + generated(5, seed=8).data()
    file.write_bytes(changed)
    told = (await read(engine, file))[0]
    fresh.write_bytes(changed)
    await read(engine, fresh, owner="fresh")
    assert told.rewritten and told.removed
    assert await kept(engine) == await kept(engine, "fresh")
    after = {c.key: c.memory_id for c in await stored(engine)}
    same = before.keys() & after.keys()
    assert len(same) > 5
    assert {key: before[key] for key in same} == {key: after[key] for key in same}
    async with engine.loom.database.begin(OWNER) as tx:
        rows = await tx.all(text("SELECT path FROM transcripts WHERE owner = 'local'"))
        counted = await tx.first(text("SELECT memory_count AS n FROM owners WHERE owner='local'"))
    assert [row.path for row in rows] == [str(file)]
    assert counted is not None and counted.n == len(after)


async def test_reading_again_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_bytes(DATA)
    await read(engine, file)
    before, chunks = await kept(engine), await stored(engine)
    told = (await read(engine, file, again=True))[0]
    assert (told.new, told.changed, told.removed) == (0, 0, 0)
    assert told.there == len(chunks) and told.turns
    assert await kept(engine) == before
    assert [c.memory_id for c in await stored(engine)] == [c.memory_id for c in chunks]


async def test_thoughts_are_kept_where_they_are_asked_for(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_bytes(generated(5).data())
    await read(engine, file)
    assert not any("[Thinking]" in c.text for c in await stored(engine))
    await read(engine, file, again=True, thinking=True)
    assert any("[Thinking]" in c.text for c in await stored(engine))


async def test_a_file_that_moved_goes_on_at_its_new_place(engine: Engine, tmp_path: Path) -> None:
    file, there = tmp_path / "one.jsonl", tmp_path / "größer" / "двa.jsonl"
    script = generated(10, seed=2)
    file.write_bytes(script.data())
    await read(engine, file)
    before = await stored(engine)
    there.parent.mkdir()
    shutil.move(file, there)
    assert (await read(engine, there))[0].unchanged
    there.write_bytes(generated(3, seed=4, script=script).data())
    told = (await read(engine, there))[0]
    assert told.turns == 4  # the last one again, and three new
    after = await stored(engine)
    assert [c.memory_id for c in after[: len(before)]] == [c.memory_id for c in before]
    async with engine.loom.database.begin(OWNER) as tx:
        assert (await transcripts.find(tx, str(file)))[0] is None
        assert (await transcripts.find(tx, str(there)))[0] is not None


async def test_the_same_session_in_two_files_is_kept_once(engine: Engine, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    script = generated(20, seed=2)
    one.write_bytes(script.data())
    two.write_bytes(generated(10, seed=4, script=script).data())
    told = await read(engine, one, two, batch=1000)
    assert told[1].there > 3
    chunks = await stored(engine)
    assert len({c.key for c in chunks}) == len(chunks) == told[0].new + told[1].new
    # The copy's later part stays when the first file is read again, and the other way round.
    await read(engine, one, two, again=True)
    assert {c.key for c in await stored(engine)} == {c.key for c in chunks}
    sequence = [(s, t) for o, s, t, *_ in await ordered(engine) if o == "sequence"]
    assert len(sequence) == len(chunks) - 1


async def test_what_is_forgotten_stays_forgotten(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    script = generated(12, seed=2)
    file.write_bytes(script.data())
    await read(engine, file)
    chunks = await stored(engine)
    for chunk in (chunks[1], chunks[-1]):
        async with engine.loom.database.begin(OWNER) as tx:
            await tx.run(HIDE, {"owner": "local", "id": chunk.memory_id})
    told = (await read(engine, file, again=True))[0]
    assert told.forgotten == 2
    script.said("And one more thing was said: été, время, 時間.")
    file.write_bytes(script.data())
    told = (await read(engine, file))[0]
    assert told.forgotten == 1
    hidden = [c.memory_id for c in await stored(engine) if c.hidden]
    assert hidden == [chunks[1].memory_id, chunks[-1].memory_id]


async def test_two_owners_see_nothing_of_each_other(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "one.jsonl"
    file.write_bytes(DATA)
    await read(engine, file, owner="ana")
    assert await stored(engine, Caller("ben")) == []
    told = (await read(engine, file, owner="ben"))[0]
    assert told.new and not told.there
    assert await kept(engine, "ben") == await kept(engine, "ana")
    file.write_bytes(generated(3, seed=9).data())
    await read(engine, file, owner="ben")
    assert len(await stored(engine, Caller("ana"))) > len(await stored(engine, Caller("ben")))


async def test_two_folders_of_one_name_are_two_projects(engine: Engine, tmp_path: Path) -> None:
    paths = ["/srv/team/api", "/home/ana/api", "/opt/team/api", "/срв/команда/検索 索引", "/"]
    for number, path in enumerate([*paths, paths[0]]):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(generated(2, script=Script(session=f"same-{number % 5}", cwd=path)).data())
        await read(engine, file)
    found = {c.project for c in await stored(engine)}
    assert found == {"api", "ana-api", "team-api", "検索-索引", "conversations"}


async def test_one_session_name_in_two_projects(engine: Engine, tmp_path: Path) -> None:
    for name in ("/srv/a", "/srv/b"):
        line = {"role": "user", "content": f"Hello {name} été", "session": "s1", "project": name}
        (tmp_path / name[-1:]).with_suffix(".jsonl").write_text(json.dumps(line))
    await read(engine, *sorted(tmp_path.glob("*.jsonl")))
    async with engine.loom.database.begin(OWNER) as tx:
        rows = await tx.all(
            text("SELECT external_name, project FROM sessions WHERE owner = 'local' ORDER BY 1")
        )
    assert {tuple(row) for row in rows} == {("s1", "a"), ("b/s1", "b")}
    assert [e for e in await ordered(engine) if e[0] == "sequence"] == []


@pytest.mark.parametrize("own_file", [False, True])
async def test_sub_agents_are_briefed_and_report(
    engine: Engine, tmp_path: Path, own_file: bool
) -> None:
    main, agent = Script(), Script()
    generated(2, seed=3, script=main)
    main.user("Let a helper look at the ledger. " * 20)
    main.used("Task", {"prompt": "look"}, "k1")
    side = agent if own_file else main
    agent.now = main.now
    for _ in range(3):
        more = {"isSidechain": True, "agentId": "ab12"}
        side.user("look at the ledger, собака " * 30, **more).said("I looked " * 200, **more)
    main.now = max(main.now, agent.now)
    main.got("the helper says: all is well", "k1", toolUseResult={"agentId": "ab12"})
    main.said("The helper found nothing. " * 30)
    generated(3, seed=4, script=main)
    file = tmp_path / f"{main.session}.jsonl"
    file.write_bytes(main.data())
    files = [file]
    if own_file:
        below = tmp_path / main.session / "subagents"
        below.mkdir(parents=True)
        files.insert(0, below / "agent-ab12.jsonl")
        files[0].write_bytes(agent.data())
    for each in files:  # the helper's file first: edges come with the second one
        await read(engine, each)
    chunks = {c.key: c for c in await stored(engine)}
    mine = [c.key for c in chunks.values() if c.agent == "ab12"]
    brief = [(s, t) for o, s, t, *_ in await ordered(engine) if o == "brief"]
    debrief = [(s, t) for o, s, t, *_ in await ordered(engine) if o == "debrief"]
    assert len(mine) > 1 and {c.session for c in chunks.values()} == {main.session}
    assert [t for _, t in brief] == [mine[0]]
    assert [s for s, _ in debrief] == [mine[-1]]
    assert "ledger" in chunks[brief[0][0]].text and chunks[brief[0][0]].agent is None
    assert "all is well" in chunks[debrief[0][1]].text


async def test_sub_agents_that_each_started_the_other_are_kept(
    engine: Engine, tmp_path: Path
) -> None:
    for who, other in (("aa11", "bb22"), ("bb22", "aa11")):
        script = Script()
        more: dict[str, Any] = {"isSidechain": True, "agentId": who}
        script.user(f"Look at the ledger of {who}. " * 30, **more)
        script.used("Task", {"prompt": "look"}, who, **more)
        script.got("all is well", who, toolUseResult={"agentId": other}, **more)
        below = tmp_path / script.session / "subagents"
        below.mkdir(parents=True, exist_ok=True)
        (below / f"agent-{who}.jsonl").write_bytes(script.data())
    for again in (False, True):
        told = await read(engine, *sorted(tmp_path.rglob("*.jsonl")), again=again)
        assert [each.refused for each in told] == [None, None]
        agents = {c.key: c.agent for c in await stored(engine)}
        edges = {(o, agents[s], agents[t]) for o, s, t, *_ in await ordered(engine)}
        assert edges == {("brief", "aa11", "bb22"), ("brief", "bb22", "aa11")}


async def test_a_folder_is_one_project_however_its_accents_are_written(
    engine: Engine, tmp_path: Path
) -> None:
    for name, folder in (("one", "/srv/\u00e9t\u00e9"), ("two", "/srv/e\u0301te\u0301")):
        script = generated(2, seed=6, script=Script(session=name, cwd=folder))
        (tmp_path / f"{name}.jsonl").write_bytes(script.data())
    await read(engine, *sorted(tmp_path.glob("*.jsonl")))
    assert {c.project for c in await stored(engine)} == {"\u00e9t\u00e9"}
