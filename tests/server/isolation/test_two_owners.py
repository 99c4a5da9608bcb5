"""Two owners, every tool, resource, prompt and completion: nothing of the one reaches the other.

Anna calls every tool; her words and ids stand in all that she has. Ben then calls every tool as
himself, with her ids and words, and in her name. What he is told must be what he is told in a
database that she never saw, also when either of the two controls, the owner in the conditions of
our queries and row-level security, is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from reasonloom.contracts.toolsets import ALL_TOOLS, EXTRA_TOOLS
from reasonloom.llm.interfaces import Embedder
from reasonloom.server.resources.table import KINDS
from tests.support.clients.processes import Web, environment, web
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.unowned import unowned
from tests.support.isolation.owners import DOOMED, KEPT, Bearer, settle, token_for
from tests.support.isolation.reachable import OwnerView, ask_around, differing, live, reach
from tests.support.isolation.tool_calls import USES, Known

pytestmark = pytest.mark.timeout(600)
SECRET = "vexanna"
PAGES = 3
LEAST_CHANGED = 200
LEAST_LEAKED = 15
OWNED = (
    "SELECT table_name FROM information_schema.columns "
    "WHERE table_schema = 'reasonloom' AND column_name = 'owner' ORDER BY 1"
)
PASSING = ("strength", "access_count", "last_accessed", "decayed_at")
"""Columns of memories that fading moves by itself."""


@dataclass
class World:
    """A database where Anna has lived and Ben is about to, and one where there is Ben alone."""

    postgres: TestPostgres
    folder: Path
    both: str
    alone: str
    anna: Known
    ben: Known
    tokens: dict[str, str]
    ids: set[str]
    pages: list[str]

    def url(self, database: str) -> str:
        return self.postgres.address.dsn("postgres", database)

    @contextmanager
    def served(self, url: str) -> Iterator[Web]:
        env = environment(
            self.folder / "home", DATABASE_URL=url, REASONLOOM_TOOLSETS="all,extras",
            REASONLOOM_TOKENS=str(self.folder / "tokens"),
            REASONLOOM_CALLER_REQUESTS_PER_MINUTE="1000000",
        )  # fmt: skip
        with web(env, self.folder / "cwd") as server:
            yield server

    def asked(self, url: str, *, lives: bool = True) -> OwnerView:
        """Let Ben live there, reach for what is Anna's, and ask around; return all he is told."""
        with self.served(url) as server:
            ben, known = Bearer(server, self.tokens["ben"]), deepcopy(self.ben)
            told = live(ben, known) if lives else OwnerView()
            told.answers.update(reach(ben, known, self.anna).answers)
            told.answers.update(ask_around(ben, self.anna, self.pages).answers)
            return told


@pytest.fixture(scope="module")
def world(
    postgres: TestPostgres, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("isolation")
    files = folder / "home" / "files"
    files.mkdir(parents=True)
    (files / "common.jsonl").write_text('{"content": "The amber lantern hangs there."}\n')
    tokens = {owner: token_for(folder / "tokens", owner) for owner in ("anna", "ben")}
    anna, ben = Known("anna", f"quxanna {SECRET}"), Known("ben", "quxben vexben")
    with postgres.clone() as alone:
        settle(postgres.address.dsn("postgres", alone), folder, ben, ["dog", "kitchen"], embedder)
        with postgres.clone(template=alone) as both:
            made = World(postgres, folder, both, alone, anna, ben, tokens, set(), [])
            settle(made.url(both), folder, anna, ["dog", "kitchen", "database", "café"], embedder)
            _let_anna_live(made)
            yield made


def _let_anna_live(world: World) -> None:
    with world.served(world.url(world.both)) as server:
        anna = Bearer(server, world.tokens["anna"])
        world.ids = live(anna, world.anna).ids() - {KEPT, DOOMED}
        listed = anna.ask("resources/list")["result"]["resources"]
    world.anna.ids["doomed"] = world.anna["talk"]
    for kind in KINDS:
        uris = [each["uri"] for each in listed if each["uri"].startswith(kind.uri(""))]
        assert uris, kind.name
        world.pages += uris[:PAGES]


@pytest.fixture(scope="module")
def undisturbed(world: World) -> OwnerView:
    """What Ben is told where there is no Anna, asking for the very same ids and words."""
    with world.postgres.clone(template=world.alone) as database:
        return world.asked(world.url(database))


def rows_of_anna(url: str) -> dict[str, Any]:
    """Return the number of Anna's rows by table, and a digest of what her memories say."""
    with psycopg.connect(url) as connection:
        connection.execute("SET search_path TO reasonloom, public")
        count = "SELECT count(*) FROM {} WHERE owner = 'anna'"
        found: dict[str, Any] = {}
        for (table,) in connection.execute(OWNED).fetchall():
            query = sql.SQL(count).format(sql.Identifier(str(table)))
            found[str(table)] = connection.execute(query).fetchall()
        memories = "SELECT to_jsonb(m) FROM memories m WHERE owner = 'anna' ORDER BY id"
        found["said"] = [
            {key: value for key, value in row.items() if key not in PASSING}
            for (row,) in connection.execute(memories).fetchall()
        ]
    return found


def drop_row_level_security(url: str) -> None:
    with psycopg.connect(url) as connection:
        query = "SELECT tablename FROM pg_tables WHERE schemaname = 'reasonloom'"
        for (table,) in connection.execute(query).fetchall():
            name = sql.Identifier("reasonloom", str(table))
            connection.execute(sql.SQL("ALTER TABLE {} DISABLE ROW LEVEL SECURITY").format(name))


def leaks(told: OwnerView, world: World) -> dict[str, list[str]]:
    """Return by word or id of Anna's the answers that hold it though nobody asked with it."""
    found = {each: told.holding(each) for each in (SECRET, *sorted(world.ids))}
    return {each: labels for each, labels in found.items() if labels}


def test_there_is_a_use_of_every_tool() -> None:
    assert set(USES) == {*ALL_TOOLS, *EXTRA_TOOLS}


def test_the_calls_cover_what_is_served_beside_tools(world: World, undisturbed: OwnerView) -> None:
    labels = " ".join(undisturbed.answers)
    for kind in KINDS:
        assert f"'{kind.uri('')}" in labels
        assert kind.single or f"'{kind.template}'" in labels
    prompts = undisturbed.answers["prompts/list {}"][1]["result"]["prompts"]
    for prompt in prompts:
        assert f"'ref/prompt', 'name': '{prompt['name']}'" in labels or not prompt["arguments"]
    assert len(prompts) > 30
    assert len(world.ids) > 80


def test_both_controls_keep_owners_apart(world: World, undisturbed: OwnerView) -> None:
    with world.postgres.clone(template=world.both) as database:
        url = world.url(database)
        before = rows_of_anna(url)
        told = world.asked(url)
        assert rows_of_anna(url) == before
    assert leaks(told, world) == {}
    assert differing(told, undisturbed) == {}


def test_row_level_security_alone_keeps_owners_apart(world: World, undisturbed: OwnerView) -> None:
    with world.postgres.clone(template=world.both) as database:
        before = rows_of_anna(world.url(database))
        with unowned(world.postgres.address.socket, database) as (proxy, url):
            told = world.asked(url)
        assert rows_of_anna(world.url(database)) == before
    assert len(proxy.statements) >= LEAST_CHANGED
    assert leaks(told, world) == {}
    assert differing(told, undisturbed) == {}


def test_the_owner_in_the_queries_alone_keeps_owners_apart(world: World) -> None:
    """Spaces rest on row-level security, so that counts within an owner do differ without it."""
    with world.postgres.clone(template=world.both) as database:
        url = world.url(database)
        drop_row_level_security(url)
        before = rows_of_anna(url)
        told = world.asked(url, lives=False)
        assert rows_of_anna(url) == before
    assert leaks(told, world) == {}


def test_without_either_owners_see_each_other(world: World) -> None:
    """The words and ids are where they would be found, and the conditions really are gone."""
    with world.postgres.clone(template=world.both) as database:
        drop_row_level_security(world.url(database))
        with unowned(world.postgres.address.socket, database) as (_, url):
            told = world.asked(url, lives=False)
    assert len(leaks(told, world)[SECRET]) >= LEAST_LEAKED
