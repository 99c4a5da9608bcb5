"""A database of an earlier version keeps its embedder until every memory is embedded anew."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.embedding.encoder import EncoderEmbedder
from reasonloom.llm.embedding.wordllama import WordllamaEmbedder
from reasonloom.nodes.memory.maintenance import reindex as job
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.support.calls import call, recalled, remember
from tests.support.memory.housekeeping import rows, silent

OLD, NEW = WordllamaEmbedder.model, EncoderEmbedder.model
BEFORE = (
    "DROP FUNCTION enter_owner; DROP TABLE owner_moves; "
    "DROP TABLE pinned_embedder; ALTER TABLE memories DROP COLUMN valid_from; "
    "ALTER TABLE runs DROP COLUMN outcome; DROP TABLE items; "
    "DROP TABLE grants, memberships, audit_log; DROP FUNCTION reached_owner CASCADE; "
    "DROP FUNCTION rights_on, spaces_for, known_team, redact_shared; "
    "DROP POLICY looked_up ON spaces; DROP POLICY looked_up ON owners; "
    "UPDATE alembic_version SET version_num = '0016'"
)
MODELS = "SELECT DISTINCT model FROM embeddings ORDER BY model"
ANNA = Caller("anna")


def opened(access: Access, embedder: str | None = None) -> AbstractAsyncContextManager[Engine]:
    settings = load_settings(llm="offline", embedder=embedder)
    return open_engine(settings, access=access, recover=False)


def go_back(access: Access) -> None:
    """Make the schema as the version before made it."""
    with psycopg.connect(access.admin) as connection:
        connection.execute(BEFORE.encode())


async def fill_and_go_back(access: Access) -> None:
    async with opened(access, "wordllama") as engine:
        await remember(engine, "The spare key is under the flower pot.")
        await remember(engine, "Anna keeps hers in the car.", owner="anna")
    await asyncio.to_thread(go_back, access)


async def reindex(engine: Engine, user: str | None = None) -> dict[str, job.ReindexResult]:
    return await job.reindex_all(engine.loom, await job.index_locations(engine.loom, user), silent)


async def models(engine: Engine, caller: Caller = ANNA) -> list[str]:
    return [row.model for row in await rows(engine, MODELS, caller)]


async def test_a_new_database_has_the_encoder(access: Access) -> None:
    async with opened(access) as engine:
        assert engine.loom.embedder.model == NEW


async def test_an_old_database_keeps_its_embedder_until_it_is_reindexed(access: Access) -> None:
    await fill_and_go_back(access)
    async with opened(access) as server, opened(access, "encoder") as engine:
        assert server.loom.embedder.model == OLD
        await remember(server, "Ben has one too.")
        found = await call(server, "recall", {"userId": "local", "text": "spare key"})
        assert not found.notes
        done = await reindex(engine)
        assert {owner: each.lacking for owner, each in done.items()} == {"anna": 0, "local": 0}
        assert await models(engine) == [NEW]
    async with opened(access) as engine:
        assert engine.loom.embedder.model == NEW
        assert "Ben has one too." in await recalled(engine, "Who else owns a key?")


async def test_nothing_of_the_old_embedder_goes_before_all_owners_are_done(access: Access) -> None:
    await fill_and_go_back(access)
    async with opened(access, "encoder") as engine:
        await job.reindex_all(engine.loom, [ANNA], silent)
        assert await models(engine) == [NEW, OLD]
    async with opened(access) as engine:
        assert engine.loom.embedder.model == OLD


@pytest.mark.parametrize("setting", ["wordllama", "encoder"])
async def test_a_setting_goes_before_what_the_database_keeps(access: Access, setting: str) -> None:
    await fill_and_go_back(access)
    async with opened(access, setting) as engine:
        assert engine.loom.embedder.model == {"wordllama": OLD, "encoder": NEW}[setting]
