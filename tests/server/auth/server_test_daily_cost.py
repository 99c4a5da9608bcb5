"""Who may still ask a language model today, by the runs that the database holds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.port import Embedder
from reasonloom.server.daily_cost import require_credit
from reasonloom.server.exceeding import DailyLimit
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.llms.numbered import TellingLlm
from tests.support.runs.usage import NOW, spend

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


async def told(engine: Engine, caller: Caller = ANNA) -> str:
    with pytest.raises(DailyLimit) as caught:
        await require_credit(engine, caller, "t", None)
    return caught.value.message


async def test_a_limit_holds_for_every_replica_and_for_one_owner(opened: Open) -> None:
    limits = {"caller_tokens_per_day": 150}
    async with opened(**limits) as one, opened(**limits) as other:
        await require_credit(one, ANNA, "t", None)
        await spend(one, "anna", 3, (149, None))
        await require_credit(other, ANNA, "t", None)
        await spend(other, "anna", 2, (1, None), key="kept")
        for engine in (one, other):
            assert "150 of 150 tokens (REASONLOOM_CALLER_TOKENS_PER_DAY)" in await told(engine)
            await require_credit(engine, BEN, "t", None)
            await require_credit(engine, ANNA, "t", "kept")
            for tool, caller, key in (
                ("t", ANNA, "other"), ("u", ANNA, "kept"), ("t", ANNA, None),
            ):  # fmt: skip
                with pytest.raises(DailyLimit):
                    await require_credit(engine, caller, tool, key)


async def test_it_says_when_it_opens_again(opened: Open) -> None:
    async with opened(caller_tokens_per_day=100, caller_usd_per_day=0.5) as engine:
        await spend(engine, "anna", 23.5, (90, 0.1))
        await spend(engine, "anna", 20, (20, 0.1))
        said = await told(engine)
        assert "110 of 100 tokens" in said
        assert "usd" not in said
        assert said.endswith("open again at 2026-03-01 12:30:00 UTC, in 0 h 30 min")
        await spend(engine, "anna", 1, (1, 0.4))
        said = await told(engine)
        assert "111 of 100 tokens" in said
        assert "0.6 of 0.5 usd (REASONLOOM_CALLER_USD_PER_DAY)" in said
        assert said.endswith("open again at 2026-03-01 16:00:00 UTC, in 4 h 0 min")


async def test_nobody_is_held_without_a_limit_or_without_a_language_model(opened: Open) -> None:
    async with opened() as engine:
        await spend(engine, "anna", 1, (10**9, 10.0**6))
        await require_credit(engine, ANNA, "t", None)
    async with opened(offline=True, caller_tokens_per_day=1) as engine:
        await require_credit(engine, ANNA, "t", None)
