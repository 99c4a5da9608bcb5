"""Several databases: every owner in one of them, and a fault of one is nobody else's."""

from __future__ import annotations

import asyncio
from collections import Counter

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseFull, DatabaseUnavailable, OwnerMoved, SettingMistake
from reasonloom.graphs.background_jobs import SalienceDecay
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import Access
from reasonloom.stores.servers.layout import Layout, load_layout
from tests.graphs.runs.test_engine import ScriptedLlm, thought
from tests.server.operations.test_database_full import FULL
from tests.stores.servers.conftest import NAMES, WriteLayout
from tests.stores.servers.test_move import moved
from tests.support.calls import call, recalled, remember

OWNERS = ("anna", "team/blue", "ben", "carl", "dora", "emil")
NOWHERE = "postgresql://nobody@127.0.0.1:1/nowhere"


def count(url: str, query: str) -> dict[str, int]:
    with psycopg.connect(url) as connection:
        return dict(connection.execute(query.encode()).fetchall())


def owners_in(url: str, table: str = "reasonloom.memories") -> dict[str, int]:
    return count(url, f"SELECT owner, count(*) FROM {table} GROUP BY 1")


async def test_each_owner_lives_in_one_database(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    layout = load_layout(several)
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await asyncio.gather(*(remember(engine, f"I am {each}.", owner=each) for each in OWNERS))
        for owner in OWNERS:
            assert await recalled(engine, "Who am I?", owner=owner) == [f"I am {owner}."]
    found = {name: owners_in(url) for name, url in urls.items()}
    assert found == {
        name: {owner: 1 for owner in OWNERS if layout.home_of(owner) == name} for name in NAMES
    }
    assert layout.home_of("anna") == "one"
    assert layout.home_of("team/blue") == "two"
    runs = Counter(owner for url in urls.values() for owner in owners_in(url, "reasonloom.runs"))
    assert set(runs.values()) == {1}


async def test_saved_steps_are_where_their_owner_lives(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    llm = ScriptedLlm(thought("Home."), thought("Home."))
    async with open_engine(several, llm=llm, embedder=embedder, recover=False) as engine:
        for owner in ("anna", "team/blue"):
            await call(engine, "reasoning_linear", {"content": "Where now?"}, owner=owner)
    threads = (
        "SELECT split_part(thread_id, '/', 1), count(*) FROM reasonloom.checkpoints GROUP BY 1"
    )
    assert [set(count(url, threads)) for url in urls.values()] == [{"anna"}, {"team"}, set()]


async def test_a_database_chosen_before_a_move_is_refused_afterwards(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    """Another task of the same process may have learned of the move meanwhile."""
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        await remember(engine, "I am anna.", owner="anna")
        for source, target in (("one", "two"), ("two", "three"), ("three", "one")):
            chosen = await engine.loom.database.database_for("anna")
            await moved(several, source, target)
            await remember(engine, f"I am in {target}.", owner="anna")
            with pytest.raises(OwnerMoved):
                async with chosen.begin(Caller("anna")):
                    pass
    assert owners_in(urls["one"]) == {"anna": 4}


async def test_jobs_see_every_database(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        for owner in OWNERS:
            await remember(engine, f"I am {owner}.", owner=owner)
        await SalienceDecay(engine.loom).look()
    decayed = "SELECT owner, 1 FROM reasonloom.spaces WHERE decayed_at IS NOT NULL"
    assert sum(len(count(url, decayed)) for url in urls.values()) == len(OWNERS)


async def test_a_wrong_url_is_its_owners_trouble_alone(
    urls: dict[str, str], layout_file: WriteLayout, embedder: Embedder
) -> None:
    settings = layout_file({**urls, "two": NOWHERE}, "spread = ['one', 'three']")
    async with open_engine(settings, embedder=embedder) as engine:
        for _ in range(2):
            await remember(engine, "The key is in the drawer.")
            with pytest.raises(DatabaseUnavailable) as caught:
                await remember(engine, "The key is in the drawer.", owner="team/blue")
        assert caught.value.retryable
        assert "127.0.0.1" not in caught.value.message
        await recalled(engine, "key")
        await engine.journal.flush()
    (where,) = [url for url in urls.values() if owners_in(url)]
    assert owners_in(where, "reasonloom.runs") == {"local": 3}


async def test_a_full_disk_is_its_owners_trouble_alone(
    several: Settings, urls: dict[str, str], embedder: Embedder
) -> None:
    with psycopg.connect(urls["two"]) as connection:
        connection.execute(FULL.encode())
    async with open_engine(several, embedder=embedder, recover=False) as engine:
        with pytest.raises(DatabaseFull):
            await remember(engine, "The shelf is full.", owner="team/blue")
        await remember(engine, "The shelf is full.", owner="anna")
        assert await recalled(engine, "shelf", owner="anna") == ["The shelf is full."]
        assert await recalled(engine, "shelf", owner="team/blue") == []


@given(st.lists(st.text(min_size=1), min_size=1, unique=True), st.integers(2, 5))
def test_without_a_database_only_its_owners_have_another_home(owners: list[str], size: int) -> None:
    names = [f"db{number}" for number in range(size)]
    accesses = {name: Access("", "") for name in names}
    all_of_them, fewer = Layout(accesses, {}, names), Layout(accesses, {}, names[1:])
    for owner in owners:
        home = all_of_them.home_of(owner)
        assert fewer.home_of(owner) == home or home == names[0]


def test_owners_are_spread_evenly() -> None:
    layout = Layout({name: Access("", "") for name in NAMES}, {}, NAMES)
    homes = Counter(layout.home_of(f"owner {number}") for number in range(3_000))
    assert all(900 < homes[name] < 1_100 for name in NAMES)


@pytest.mark.parametrize(("text", "fault"), [
    ("", "names no database"),
    ("[databases", "not TOML"),
    ("[databases]\none = 5", "'one': must be a URL"),
    ("[databases]\none = 'mysql://x'", "'one': must be postgresql://"),
    ("[databases]\n'No 1' = 'postgresql://x/y'", "a name has a-z"),
    ("[databases]\none = {url = 'postgresql://x/y', read = 'z'}", "maybe pooler_url, read_url"),
    ("spread = ['two']\n[databases]\none = 'postgresql://x/y'", "spread: no database 'two'"),
    ("spread = []\n[databases]\none = 'postgresql://x/y'", "spread: must be a list"),
    ("[databases]\none = 'postgresql://x/y'\n[owners]\nanna = 'two'", "'anna': no database 'two'"),
    ("[servers]\none = 'postgresql://x/y'", "unknown key 'servers'"),
])  # fmt: skip
def test_a_wrong_file_is_refused(text: str, fault: str, layout_file: WriteLayout) -> None:
    settings = layout_file({})
    assert settings.databases
    settings.databases.write_text(text)
    with pytest.raises(SettingMistake) as caught:
        load_layout(settings)
    assert "REASONLOOM_DATABASES" in caught.value.message
    assert fault in caught.value.message


def test_one_database_or_several(layout_file: WriteLayout, urls: dict[str, str]) -> None:
    settings = layout_file(urls)
    both = load_settings(databases=settings.databases, database_url=urls["one"])
    with pytest.raises(SettingMistake, match="not together with DATABASE_URL"):
        load_layout(both)
    with pytest.raises(SettingMistake, match="cannot be read"):
        load_layout(load_settings(databases="/nonexistent/file.toml"))
