"""A run that outlasts its lease stays with the process that carries it, as long as that lives."""

from __future__ import annotations

import asyncio

from reasonloom.llm.port import Embedder
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import THOUGHT, ScriptedLlm
from tests.graphs.runs.test_races import statuses, two
from tests.support.calls import call

LEASE = 0.6
LONG = 3.0
"""Seconds a run takes: several leases, and as many looks of the other process for lost runs."""


async def test_a_run_that_outlasts_its_lease_is_taken_up_by_nobody(
    access: Access, embedder: Embedder
) -> None:
    llm = ScriptedLlm(LONG)
    async with two(access, embedder, llm, lease=LEASE) as (one, other):
        outcome = await call(one, "reasoning_linear", THOUGHT)
        assert outcome.answer["content"] == "after a while"
        await asyncio.sleep(LEASE)  # the other process has looked once more
        assert not other.active
        assert len(llm.asked) == 1, "another process took the run up and paid again"
    assert statuses(access) == {"done": 1}
