"""What a released version has stored opens in this one, and goes on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import NotFound
from reasonloom.graphs.runs.resume import find_run, resume_run
from reasonloom.llm.interfaces import Embedder
from reasonloom.stores.access import Access
from reasonloom.stores.backup.file_format import header_of, open_backup
from reasonloom.stores.backup.restore import restore
from reasonloom.stores.migrate import schema_status
from tests.graphs.runs.test_engine import ScriptedLlm, thought
from tests.support.calls import call, recalled
from tests.support.databases.dumps import DUMPS, OTHER, open_on, when_made
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import schema_of
from tests.support.databases.unfinished import UNFINISHED
from tests.support.killing.scenes.scene import Scene
from tests.support.killing.victim import EMBEDDER, PaidLlm
from tests.support.reasoning.sessions import whole
from tests.support.runs.forks import fork, row_of

RELEASED = sorted(DUMPS.glob("*.backup"))
LARGEST = 250_000
BEGUN_WITH = {"got_score": 3, "got_aggregate": 1}
"""Calls of a mode in the released version where they differ; a run ends as it began."""


@pytest.fixture(scope="module", params=RELEASED, ids=lambda path: path.stem)
def dump(request: pytest.FixtureRequest) -> Path:
    """A dump of a released version."""
    return Path(request.param)


@pytest.fixture
def empty(postgres: TestPostgres) -> Iterator[Access]:
    """The ways into a database that does not exist yet."""
    with postgres.empty() as name:
        yield postgres.access(name)


@pytest.fixture(scope="module")
def unfinished(postgres: TestPostgres) -> Iterator[tuple[Access, dict[str, str]]]:
    """The ways into a database of the newest released version, and its unfinished runs."""
    newest = RELEASED[-1]
    with postgres.empty() as name:
        access = postgres.access(name)
        asyncio.run(restore(access, newest, lambda *_: None))
        yield access, facts_of(newest)["unfinished"]


def facts_of(dump: Path) -> dict[str, Any]:
    return dict(json.loads(dump.with_suffix(".json").read_text()))


def test_there_is_a_dump_and_none_is_large() -> None:
    assert RELEASED
    assert max(path.stat().st_size for path in RELEASED) < LARGEST


def test_a_dump_is_named_by_what_is_in_it(dump: Path) -> None:
    with open_backup(dump) as file:
        header = header_of(file)
    assert dump.stem == f"{header.product}-{header.schema}"


async def test_a_released_versions_data_opens_and_goes_on(
    dump: Path, empty: Access, embedder: Embedder, postgres: TestPostgres
) -> None:
    facts = facts_of(dump)
    await restore(empty, dump, lambda *_: None)
    assert (await schema_status(empty)).up_to_date
    with postgres.clone() as pristine:
        assert schema_of(empty.admin) == schema_of(postgres.access(pristine).admin)
    async with open_on(empty, embedder) as engine:
        await memories_are_found(engine, facts)
        await sessions_go_on(engine, facts)
        await the_past_is_walked(engine, facts)
        await owners_stay_separate(engine)
    llm = ScriptedLlm(thought("Leave at ten."))
    async with open_on(empty, embedder, llm) as engine:
        outcome = await fork(engine, facts["run"], "continue_thought")
        assert outcome.answer["content"] == "Leave at ten."
        assert (await row_of(engine, str(outcome.run_id))).fork["origin"] == facts["run"]  # type: ignore[index]
        assert len(llm.asked) == 1


async def memories_are_found(engine: Any, facts: dict[str, Any]) -> None:
    found = await recalled(engine, "What time is the final train?")
    assert "The last train home leaves at 22:40." in found[:2]
    assert not [content for content in found if "router" in content]
    await call(engine, "restore_memory", {"userId": "local", "memoryId": facts["hidden"]})
    assert "router" in (await recalled(engine, "How is the router reset?"))[0]
    around = {"start_id": facts["effect"], "direction": "both", "max_depth": 3}
    walked = json.dumps((await call(engine, "memory_traverse", around)).answer)
    assert "The disk is full." in walked
    assert "supersedes" in walked
    stored = await call(engine, "get_model", {"model_id": facts["model"]})
    assert "Days" in json.dumps(stored.answer)


async def sessions_go_on(engine: Any, facts: dict[str, Any]) -> None:
    before = len((await whole(engine, facts["session"])).thoughts)
    asked = {"content": "And the first train?", "session_id": facts["session"]}
    await call(engine, "reasoning_linear", asked)
    back = {"checkpoint_id": facts["checkpoint"], "new_direction": "By bicycle."}
    await call(engine, "reasoning_backtrack", back)
    assert len((await whole(engine, facts["session"])).thoughts) == before + 2
    graph = {"graph_id": facts["graph"]}
    state = (await call(engine, "reasoning_got_state", graph)).answer
    assert state["unscored_nodes"] == 1
    await call(engine, "reasoning_got_score", {**graph, "node_id": state["leaves"][0]})
    assert (await call(engine, "reasoning_got_state", graph)).answer["unscored_nodes"] == 0


async def the_past_is_walked(engine: Any, facts: dict[str, Any]) -> None:
    found = (await call(engine, "history_recall", {"query": facts["asked"]})).answer
    assert found["chain"] is True
    assert len(found["chunks"]) > 1
    wanted = {"session_id": facts["talk"], "project": found["chunks"][0]["project"]}
    told = (await call(engine, "history_reconstruct", wanted)).answer
    assert told["chunks"]


async def owners_stay_separate(engine: Any) -> None:
    assert await recalled(engine, "Where is the spare key?", owner=OTHER) == [
        "The spare key lies under the fern."
    ]
    assert not [
        each for each in await recalled(engine, "Where is the spare key?") if "fern" in each
    ]
    with pytest.raises(NotFound):
        arguments = {"userId": OTHER, "memoryId": "mem-2", "strength": 0.5}
        await call(engine, "update_memory", arguments, owner=OTHER)


@pytest.mark.parametrize("scene", UNFINISHED, ids=str)
async def test_an_unfinished_run_of_a_released_version_goes_on(
    unfinished: tuple[Access, dict[str, str]], scene: Scene, tmp_path: Path
) -> None:
    access, runs = unfinished
    owner = Caller(f"half-way {scene.name}")
    book = tmp_path / "book"
    async with open_on(access, EMBEDDER, PaidLlm(book), when_made) as engine:
        run = await find_run(engine, owner, runs[scene.name])
        assert run.status == "running"
        answer = await resume_run(engine, owner, runs[scene.name])
        assert (await find_run(engine, owner, runs[scene.name])).status == "done"
    assert answer
    paid = len(book.read_text().splitlines()) if book.exists() else 0
    calls = BEGUN_WITH.get(scene.name, scene.calls)
    assert paid == calls - calls // 2
