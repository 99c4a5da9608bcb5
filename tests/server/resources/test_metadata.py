"""Pages of sessions, thoughts and memories show the metadata that was given with them."""

from __future__ import annotations

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.server.resources.memory import read_memory
from reasonloom.server.resources.sessions import read_session, read_thought
from reasonloom.stores.sessions import sessions
from tests.support.calls import call, remember

ME = Caller("local")
LINE = 'Metadata: {"ticket": "AB-12"}'


async def test_a_session_and_a_memory_show_their_metadata(engine: Engine) -> None:
    metadata = {"ticket": "AB-12"}
    await call(engine, "session_start", {"metadata": metadata})
    async with engine.loom.database.begin(ME) as tx:
        [row] = await sessions.newest(tx, 10)
    assert LINE in await read_session(engine, ME, str(row.id))
    memory = await remember(engine, "The boiler is serviced.", metadata=metadata)
    assert LINE in await read_memory(engine, ME, memory)


async def test_a_thought_shows_its_metadata(engine: Engine) -> None:
    given = {"problem": "Is the boiler old?", "mode": "critical"}
    thought = (await call(engine, "think", given)).answer["thoughtId"]
    assert 'Metadata: {"streams": \\["critical"\\]}' in await read_thought(engine, ME, thought)
