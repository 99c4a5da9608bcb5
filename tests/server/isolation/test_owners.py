"""Two owners on one database: nothing of the one ever reaches the other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tests.support.clients.processes import Spoken, environment, spoken
from tests.support.databases.postgres import TestPostgres

KEY = "io.reasonloom/idempotency-key"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)")
TIME_TAKEN = re.compile(r'"processingTime": [\d.]+')
REFERENCE = re.compile(r'"runId": "[^"]+"')
OWNED = (
    "SELECT table_name, column_name FROM information_schema.columns "
    "WHERE table_schema = 'reasonloom' AND column_name IN ('owner', 'thread_id')"
)
"""The tables that say whose a row is: by its owner, or by a thread owner/run."""


@dataclass
class Owner:
    """One owner's server; `word` stands in all that is theirs and nowhere else."""

    name: str
    word: str
    server: Spoken
    url: str
    session: str = ""

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        if tool != "reasoning_linear":
            arguments.setdefault("userId", self.name)
        return self.server.call(tool, arguments, {KEY: key} if (key := arguments.pop("key", None))
                                else None)  # fmt: skip

    def remember(self, content: str, **more: Any) -> str:
        result = self.call(
            "remember", content=content, primarySector="semantic",
            **{"sessionId": "diary", **more},
        )  # fmt: skip
        return str(result["structuredContent"]["data"]["memoryId"])

    def recalled(self, **arguments: Any) -> list[str]:
        found = self.call("recall", limit=100, **arguments)["structuredContent"]["data"]
        return [memory["content"] for memory in found["memories"]]


@pytest.fixture(scope="module")
def owners(
    postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Owner, Owner]]:
    """Anna has more memories than Ben, so that some of her ids are none of his."""
    home = tmp_path_factory.mktemp("owners")
    with postgres.clone() as name:
        more = {"DATABASE_URL": postgres.address.dsn("postgres", name), "LOG_LEVEL": "debug"}
        with (
            spoken(
                environment(home, REASONLOOM_USER="anna", REASONLOOM_TOOLSETS="classic", **more),
                home / "a",
            ) as one,
            spoken(
                environment(home, REASONLOOM_USER="ben", REASONLOOM_TOOLSETS="classic", **more),
                home / "b",
            ) as two,
        ):
            url = more["DATABASE_URL"]
            anna = Owner("anna", "malachite", one, url)
            ben = Owner("ben", "obsidian", two, url)
            for server in (one, two):  # both open their engines while the other does
                server.send({"jsonrpc": "2.0", "id": "warm", "method": "tools/list"})
            for server in (one, two):
                server.answer("warm")
            for owner, number in ((anna, 9), (ben, 3)):
                for place in range(number):
                    owner.remember(
                        f"The key of the safe is {owner.word} number {place}.",
                        metadata={"tags": ["safe", owner.word], "keywords": ["key", owner.word]},
                    )
                answer = owner.call("reasoning_linear", content="What is the key of the safe?")
                owner.session = answer["structuredContent"]["session_id"]
            yield anna, ben


def alike(first: dict[str, Any], second: dict[str, Any], *ids: str) -> bool:
    """Tell whether two results are the same bytes, apart from the ids asked for and the time."""
    return plain(first, ids) == plain(second, ids)


def plain(result: dict[str, Any], ids: tuple[str, ...]) -> str:
    text = json.dumps(result).replace('\\"', '"')
    for pattern, word in ((MOMENT, "WHEN"), (TIME_TAKEN, "LONG"), (REFERENCE, "RUN")):
        text = pattern.sub(word, text)
    for identifier in ids:
        text = text.replace(identifier, "ID")
    return text


def test_nobody_recalls_what_another_remembers(owners: tuple[Owner, Owner]) -> None:
    anna, ben = owners
    for owner, number in ((anna, 9), (ben, 3)):
        for search in (
            {"text": "the key of the safe"},
            {"text": anna.word},
            {"text": ben.word},
            {"metadata": {"tags": ["safe"]}},
            {"metadata": {"keywords": ["key"]}},
            {},
        ):
            found = owner.recalled(**search)
            assert all(owner.word in content for content in found)
            if search not in ({"text": anna.word}, {"text": ben.word}):
                assert len(found) == number


def test_nobody_thinks_with_what_another_remembers(owners: tuple[Owner, Owner]) -> None:
    anna, ben = owners
    for owner, other in ((anna, ben), (ben, anna)):
        question = f"What is the key of the safe? {other.word}?"
        answer = owner.call("reasoning_linear", content=question)["structuredContent"]
        assert owner.word in answer["content"]
        assert answer["memories_used"]


def test_a_foreign_memory_answers_as_an_unknown_one(owners: tuple[Owner, Owner]) -> None:
    anna, ben = owners
    for soft in (True, False):
        foreign = ben.call("forget", memoryId="mem-9", soft=soft)
        unknown = ben.call("forget", memoryId="mem-777777", soft=soft)
        assert foreign["isError"] is True
        assert foreign["structuredContent"]["error"] == "Memory not found"
        assert alike(foreign, unknown, "mem-9", "mem-777777")
    assert len(anna.recalled()) == 9


def test_a_foreign_session_answers_as_an_unknown_one(owners: tuple[Owner, Owner]) -> None:
    anna, ben = owners
    nowhere = "00000000-0000-4000-8000-000000000000"
    foreign = ben.call("reasoning_linear", content="Go on.", session_id=anna.session)
    unknown = ben.call("reasoning_linear", content="Go on.", session_id=nowhere)
    assert foreign["isError"] is True
    assert foreign["structuredContent"]["error"]["type"] == "SessionNotFound"
    assert alike(foreign, unknown, anna.session, nowhere)
    own = ben.call("reasoning_linear", content="Go on.", session_id=ben.session)
    assert own["isError"] is False


def test_a_foreign_sessions_page_answers_as_an_unknown_one(owners: tuple[Owner, Owner]) -> None:
    anna, ben = owners
    nowhere = "00000000-0000-4000-8000-000000000000"
    foreign, unknown = (
        ben.server.request("resources/read", {"uri": f"reasonloom://session/{identifier}"})
        for identifier in (anna.session, nowhere)
    )
    assert foreign["error"]["code"] == -32602
    for answer in (foreign, unknown):
        del answer["id"]
    assert alike(foreign, unknown, anna.session, nowhere)
    own = anna.server.request("resources/read", {"uri": f"reasonloom://session/{anna.session}"})
    assert anna.word in own["result"]["contents"][0]["text"]


def test_only_own_sessions_are_listed_as_resources(owners: tuple[Owner, Owner]) -> None:
    anna, ben = owners
    told = {owner.name: owner.server.request("resources/list")["result"] for owner in owners}
    listed = {
        name: {each["uri"] for each in result["resources"] if "/memory/" not in each["uri"]}
        for name, result in told.items()
    }
    assert f"reasonloom://session/{anna.session}" in listed["anna"]
    assert f"reasonloom://session/{ben.session}" in listed["ben"]
    assert not listed["anna"] & listed["ben"]
    for own, other in ((anna, ben), (ben, anna)):  # each owner's memories are counted from 1
        assert own.word in json.dumps(told[own.name])
        assert other.word not in json.dumps(told[own.name])


def test_the_difference_would_show(owners: tuple[Owner, Owner]) -> None:
    """The comparison is not blind: an own memory and an unknown one do differ."""
    anna, _ = owners
    spare = anna.remember("To be forgotten.")
    known = anna.call("forget", memoryId=spare)
    unknown = anna.call("forget", memoryId="mem-777777")
    assert not alike(known, unknown, spare, "mem-777777")


def test_one_key_of_two_owners_is_two_keys(owners: tuple[Owner, Owner]) -> None:
    anna, ben = owners
    for owner in owners:
        content = f"Said with a common key by {owner.name}."
        result = owner.call(
            "remember", content=content, primarySector="episodic", sessionId="s", key="common"
        )
        assert result["isError"] is False
        assert content in owner.recalled(text="common key")
    assert "ben" not in json.dumps(anna.recalled(text="common key"))
    assert "anna" not in json.dumps(ben.recalled(text="common key"))


def test_another_user_id_is_a_space_of_its_own(owners: tuple[Owner, Owner]) -> None:
    anna, ben = owners
    guests = {}
    for owner in owners:
        guests[owner.name] = owner.remember(
            f"The guest of {owner.name} likes {owner.word}.", userId="guest"
        )
    for owner, other in ((anna, ben), (ben, anna)):
        found = owner.recalled(userId="guest")
        assert found == [f"The guest of {owner.name} likes {owner.word}."]
        assert not any("guest" in content for content in owner.recalled())
        assert owner.recalled(userId="nobody") == []
        across = owner.call("forget", memoryId=guests[owner.name])
        unknown = owner.call("forget", memoryId="mem-777777")
        assert alike(across, unknown, guests[owner.name], "mem-777777")
        assert owner.call("forget", memoryId="mem-1", userId="guest")["isError"] is True
        assert owner.recalled(userId=other.name) == []


def test_the_owners_name_is_the_default_space_for_thinking_too(owners: tuple[Owner, Owner]) -> None:
    anna, _ = owners
    anna.remember("The visitor parks the zeppelin on the roof.", userId="visitor")
    answer = anna.call("reasoning_linear", content="Where is the zeppelin?")["structuredContent"]
    assert "zeppelin on the roof" not in answer["content"]


def test_a_query_that_forgets_the_owner_still_sees_one_owner_alone(
    owners: tuple[Owner, Owner],
) -> None:
    """Row-level security by itself: the app's role reads every table without any condition."""
    seen: dict[str, int] = {}
    with psycopg.connect(owners[0].url) as connection:
        connection.execute("SET search_path TO reasonloom, public")
        found = connection.execute(OWNED).fetchall()
        connection.execute("SET ROLE reasonloom_app")
        connection.execute("SELECT set_config('app.owner', 'ben', false)")
        for table, column in found:
            query = sql.SQL("SELECT {} FROM {}").format(
                sql.Identifier(column), sql.Identifier(table)
            )
            names = [str(name).split("/")[0] for (name,) in connection.execute(query).fetchall()]
            assert set(names) <= {"ben"}, table
            seen[table] = len(names)
    assert seen["memories"] >= 3
    assert seen["thoughts"] >= 1
    assert seen["checkpoints"] >= 1


def test_no_byte_of_one_was_said_to_the_other(owners: tuple[Owner, Owner]) -> None:
    """Last: all that both servers ever wrote, answers and debug log, is searched.

    What an owner asked for by the other's word may be said back to them; so the servers' own
    numbered sentences, which nobody typed into the other's server, are what is looked for.
    """
    anna, ben = owners
    for owner, other in ((anna, ben), (ben, anna)):
        assert f"{owner.word} number" in owner.server.said
        assert f"{other.word} number" not in owner.server.said
        assert f"guest of {other.name}" not in owner.server.said
