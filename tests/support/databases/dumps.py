"""A small life of a database: calls of every toolset, and what they answered, as a backup.

`python -m tests.support.databases.dumps` writes `tests/stores/backup/dumps/VERSION-SCHEMA.backup`
and a JSON file with the ids that tests of later versions use. Made once for each released version.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reasonloom.compose import now, open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.mental_models.extras import ClusterMemories
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.backup.dump import back_up
from reasonloom.stores.backup.file_format import Header
from tests import ROOT
from tests.graphs.runs.test_engine import ScriptedLlm, thought
from tests.support.calls import call
from tests.support.databases.postgres import running_server
from tests.support.databases.unfinished import leave_unfinished
from tests.support.history.conversations import ASKED, HARBOUR
from tests.support.history.ingestion import ingested
from tests.support.memory.clusters import about

DUMPS = ROOT / "tests" / "stores" / "backup" / "dumps"
OTHER = "second owner"


MADE = datetime(2026, 11, 23, 3, tzinfo=UTC)
"""When the newest dump was made; its prediction can be resolved for a week from then."""


def when_made() -> datetime:
    """Return the time at which a dump's unfinished runs go on."""
    return MADE


def open_on(
    access: Access,
    embedder: Embedder,
    llm: LanguageModel | None = None,
    clock: Callable[[], datetime] = now,
) -> Any:
    """Return an engine on a database, offline unless an llm is given."""
    settings = Settings(llm="offline", decay_hours=0, cluster_hours=0)
    return open_engine(
        settings, access=access, embedder=embedder, llm=llm, recover=False, clock=clock
    )


async def live(access: Access, embedder: Embedder, folder: Path) -> dict[str, Any]:
    """Call tools of every toolset on an empty database; return the ids to go on by."""
    async with open_on(access, embedder) as engine:
        facts = await _remembered(engine)
        facts |= await _graph(engine)
        facts |= await _thought_about(engine)
        facts |= await _past(engine, folder)
        facts |= await _models(engine)
    async with open_on(access, embedder, ScriptedLlm(thought("The last train decides."))) as engine:
        asked = {"content": "When must we leave?", "session_id": facts["session"]}
        facts["run"] = (await _ask(engine, "reasoning_linear", **asked))["run_id"]
    return facts


async def _ask(engine: Engine, tool: str, owner: str = "local", **arguments: Any) -> Any:
    return (await call(engine, tool, arguments, owner=owner)).answer


async def _remembered(engine: Engine) -> dict[str, Any]:
    told = [
        ("The last train home leaves at 22:40.", "semantic"),
        ("We missed the last train in March and walked for two hours.", "episodic"),
        ("To reset the router, hold its button for ten seconds.", "procedural"),
    ]
    plain = {"userId": "local", "sessionId": "plans"}
    first, second, third = [
        (await _ask(engine, "remember", content=content, primarySector=sector, **plain))["memoryId"]
        for content, sector in told
    ]
    foreign = {"content": "The spare key lies under the fern.", "userId": OTHER}
    await _ask(engine, "remember", OTHER, **foreign, sessionId="house", primarySector="semantic")
    await _ask(engine, "update_memory", userId="local", memoryId=second, salience=0.9)
    await _ask(engine, "forget", userId="local", memoryId=third, soft=True)
    await _ask(engine, "evaluate", reasoning="It is late, so no train goes.")
    return {"memory": first, "hidden": third}


async def _graph(engine: Engine) -> dict[str, Any]:
    first = await _ask(engine, "memory_add", event_type="fact", content="The disk is full.")
    cause = [{"target_id": first["node_id"], "edge_type": "caused_by"}]
    second = await _ask(
        engine, "memory_add", event_type="decision", content="Old logs go.", edges=cause
    )
    newer = await _ask(
        engine, "memory_correct", old_node_id=first["node_id"], new_content="The log disk is full."
    )
    await _ask(engine, "conversation_log", user_message="Is there room?", agent_response="Yes.")
    await _ask(engine, "session_end", summary="Room was made on the disk.")
    return {"cause": newer["new_node_id"], "effect": second["node_id"]}


async def _thought_about(engine: Engine) -> dict[str, Any]:
    first = await _ask(engine, "reasoning_linear", content="When does the last train leave?")
    session = first["session_id"]
    point = await _ask(engine, "reasoning_checkpoint_create", session_id=session, name="early")
    await _ask(engine, "reasoning_tree", content="Which way home is best?", session_id=session)
    graph = await _ask(engine, "reasoning_got_init", content="How do we get home?")
    await _ask(
        engine, "reasoning_got_generate", graph_id=graph["graph_id"], node_id=graph["root_node_id"],
        k=2,
    )  # fmt: skip
    return {"session": session, "checkpoint": point["id"], "graph": graph["graph_id"]}


async def _past(engine: Engine, folder: Path) -> dict[str, Any]:
    files = []
    for talk in HARBOUR:
        files.append(folder / f"{talk.session}.jsonl")
        files[-1].write_text("".join(talk.lines()).replace("/home/ana/", "/srv/"))
    await ingested(engine, files)
    return {"talk": HARBOUR[0].session, "asked": ASKED}


async def _models(engine: Engine) -> dict[str, Any]:
    plain = {"userId": "local", "sessionId": "topics", "primarySector": "semantic"}
    for content in [*about("dog", 7), *about("kitchen", 7)]:
        await _ask(engine, "remember", content=content, **plain)
    formed = await engine.call(
        Call("cluster_memories", load_graph("cluster_memories"),
             ClusterMemories().model_dump(mode="json", by_alias=True, exclude_unset=True),
             Caller("local"))
    )  # fmt: skip
    basins = [each["id"] for each in formed.answer["basins"]]
    made = await _ask(engine, "create_model", name="Days", domain="user", basin_ids=basins[:1])
    return {"basins": basins, "model": made["model_id"]}


async def _written(access: Access, place: Path) -> tuple[Header, dict[str, Any]]:
    facts = await live(access, choose_embedder(Settings()), place)
    facts["unfinished"] = await leave_unfinished(access)
    return (await back_up(access, place / "backup", lambda *_: None)).header, facts


def write(folder: Path) -> Path:
    """Live on a database of its own, and write the dump and its facts into `folder`."""
    with running_server() as server, server.clone() as name, tempfile.TemporaryDirectory() as place:
        header, facts = asyncio.run(_written(server.access(name), Path(place)))
        path = folder / f"{header.product}-{header.schema}.backup"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes((Path(place) / "backup").read_bytes())
    path.with_suffix(".json").write_text(json.dumps(facts, indent=2) + "\n")
    return path


if __name__ == "__main__":
    print(write(DUMPS))
