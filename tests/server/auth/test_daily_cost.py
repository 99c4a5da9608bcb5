"""What an owner's runs of a day may cost: counted in the database, for every replica."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.server.auth.token_file import append_entry, new_entry
from reasonloom.server.daily_limit import DailyLimit, require_daily_credit
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.clients.authenticated import Asker
from tests.support.clients.processes import environment, spoken, web
from tests.support.databases.postgres import TestPostgres
from tests.support.llms.numbered import TellingLlm
from tests.support.llms.providers import Chatting, chatting
from tests.support.runs.usage import NOW, spend

KEY = "io.reasonloom/idempotency-key"
OF_A_CALL = 110
"""Tokens that the provider bills for each answer."""

LATER = "UPDATE reasonloom.runs SET created_at = created_at - %s WHERE owner = %s"


def think(system: str, user: str) -> str:
    return json.dumps({"thought": "It follows.", "confidence": 0.9})


@pytest.fixture(scope="module")
def provider() -> Iterator[Chatting]:
    with chatting(think) as listening:
        yield listening


@pytest.fixture
def env(postgres: TestPostgres, provider: Chatting, tmp_path: Path) -> Iterator[dict[str, str]]:
    with postgres.clone() as name:
        url = postgres.address.dsn("postgres", name)
        path = tmp_path / "tokens"
        more = {"REASONLOOM_TOKENS": str(path), "REASONLOOM_TOOLSETS": "classic"}
        yield environment(tmp_path / "home", DATABASE_URL=url, **{**more, **provider.settings})


def token(env: dict[str, str], owner: str) -> str:
    made, entry = new_entry(owner, ("read", "write"), None)
    append_entry(Path(env["REASONLOOM_TOKENS"]), entry)
    return made


def ask(asker: Asker, content: str = "Why?", **meta: Any) -> dict[str, Any]:
    return dict(
        asker.ask(
            "tools/call", name="reasoning_linear", arguments={"content": content}, _meta=meta
        )["result"]
    )


def test_tokens_of_a_day_are_counted_for_all_replicas_and_each_owner_apart(
    env: dict[str, str], provider: Chatting, tmp_path: Path
) -> None:
    anna, ben = token(env, "anna"), token(env, "ben")
    env = {**env, "REASONLOOM_CALLER_TOKENS_PER_DAY": str(2 * OF_A_CALL)}
    with (
        web(env, tmp_path / "first", "--stateless") as one,
        web(env, tmp_path / "second", "--stateless") as two,
    ):
        first, second = Asker(one.url, anna), Asker(two.url, anna)
        kept = {KEY: "the-first"}
        done = ask(first, **kept)
        assert not done["isError"]
        assert not ask(second)["isError"]
        asked = len(provider.asked)
        for asker in (first, second):
            refused = ask(asker)
            assert refused["isError"]
            error = refused["structuredContent"]["error"]
            assert error["type"] == "DailyLimit"
            assert error["retryable"] is True
            assert "220 of 220 tokens (REASONLOOM_CALLER_TOKENS_PER_DAY)" in error["message"]
            opens = re.search(r"again at (.{19}) UTC, in 2[34] h \d+ min", error["message"])
            assert opens
            at = datetime.fromisoformat(opens[1]).replace(tzinfo=UTC)
            assert timedelta(hours=23) < at - datetime.now(UTC) < timedelta(hours=24)
        assert len(provider.asked) == asked, "refused before anything is asked"
        assert ask(second, **kept)["structuredContent"] == done["structuredContent"]
        stored = first.call(
            "remember", content="The ocelot sleeps.", userId="anna", sessionId="s",
            primarySector="semantic",
        )  # fmt: skip
        assert not stored["isError"], "a tool that asks no language model goes on"
        other = Asker(one.url, ben)
        assert not ask(other)["isError"]

        with psycopg.connect(env["DATABASE_URL"]) as connection:
            connection.execute(LATER, (timedelta(hours=24), "anna"))
        assert not ask(first)["isError"], "what is a day old counts no longer"
        assert other.said.count("DailyLimit") == 0


def test_over_stdio_the_settings_owner_has_the_limit_in_money(
    env: dict[str, str], tmp_path: Path
) -> None:
    env = {name: value for name, value in env.items() if name != "REASONLOOM_TOKENS"}
    env |= {"REASONLOOM_CALLER_USD_PER_DAY": "0.00002", "REASONLOOM_USER": "carl"}
    with spoken(env, tmp_path / "cwd", "--toolsets", "thought,reasoning") as server:
        assert not server.call("reasoning_linear", {"content": "Why?"})["isError"]
        refused = server.call("reasoning_linear", {"content": "Why?"})
        assert refused["isError"]
        message = refused["structuredContent"]["error"]["message"]
        assert "0.000021 of 0.00002 usd (REASONLOOM_CALLER_USD_PER_DAY)" in message
        envelope = server.call("think", {"problem": "Why?", "mode": "critical"})
        assert envelope["isError"]
        said = envelope["structuredContent"]
        assert said["success"] is False
        assert "data" not in said
        assert "open again at" in said["error"]


ANNA, BEN = Caller("anna"), Caller("ben")
Open = Callable[..., AbstractAsyncContextManager[Engine]]


@pytest.fixture
def opened(settings: Settings, access: Access, embedder: Embedder) -> Open:
    """Return what opens an engine, a replica of the others, with limits of a day."""

    @asynccontextmanager
    async def open_(offline: bool = False, **limits: Any) -> AsyncIterator[Engine]:
        async with open_engine(
            settings.model_copy(update=limits),
            access=access,
            llm=None if offline else TellingLlm(),
            embedder=embedder,
            clock=lambda: NOW,
        ) as engine:
            yield engine

    return open_


async def refusal_text(engine: Engine, caller: Caller = ANNA) -> str:
    with pytest.raises(DailyLimit) as caught:
        await require_daily_credit(engine, caller, "t", None)
    return caught.value.message


async def test_a_limit_holds_for_every_replica_and_for_one_owner(opened: Open) -> None:
    limits = {"caller_tokens_per_day": 150}
    async with opened(**limits) as one, opened(**limits) as other:
        await require_daily_credit(one, ANNA, "t", None)
        await spend(one, "anna", 3, (149, None))
        await require_daily_credit(other, ANNA, "t", None)
        await spend(other, "anna", 2, (1, None), key="kept")
        for engine in (one, other):
            assert "150 of 150 tokens (REASONLOOM_CALLER_TOKENS_PER_DAY)" in await refusal_text(
                engine
            )
            await require_daily_credit(engine, BEN, "t", None)
            await require_daily_credit(engine, ANNA, "t", "kept")
            for tool, caller, key in (
                ("t", ANNA, "other"), ("u", ANNA, "kept"), ("t", ANNA, None),
            ):  # fmt: skip
                with pytest.raises(DailyLimit):
                    await require_daily_credit(engine, caller, tool, key)


async def test_it_says_when_it_opens_again(opened: Open) -> None:
    async with opened(caller_tokens_per_day=100, caller_usd_per_day=0.5) as engine:
        await spend(engine, "anna", 23.5, (90, 0.1))
        await spend(engine, "anna", 20, (20, 0.1))
        said = await refusal_text(engine)
        assert "110 of 100 tokens" in said
        assert "usd" not in said
        assert said.endswith("open again at 2026-03-01 12:30:00 UTC, in 0 h 30 min")
        await spend(engine, "anna", 1, (1, 0.4))
        said = await refusal_text(engine)
        assert "111 of 100 tokens" in said
        assert "0.6 of 0.5 usd (REASONLOOM_CALLER_USD_PER_DAY)" in said
        assert said.endswith("open again at 2026-03-01 16:00:00 UTC, in 4 h 0 min")


async def test_nobody_is_held_without_a_limit_or_without_a_language_model(opened: Open) -> None:
    async with opened() as engine:
        await spend(engine, "anna", 1, (10**9, 10.0**6))
        await require_daily_credit(engine, ANNA, "t", None)
    async with opened(offline=True, caller_tokens_per_day=1) as engine:
        await require_daily_credit(engine, ANNA, "t", None)
