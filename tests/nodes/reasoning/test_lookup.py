"""What a mode looks up: it is asked again with what is found, within bounds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder, Reply, Usage
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.reasoning.context import MOST_LOOKED_UP, merge_memories
from reasonloom.nodes.reasoning.lookup import MOST_LOOKUPS
from reasonloom.stores.access import Access
from tests.graphs.runs.test_engine import ScriptedLlm
from tests.support.calls import call, remember
from tests.support.reasoning.sessions import thinking

QUESTION = "When does the ferry to Föhr leave?"
FERRY = "The ferry to Föhr leaves when the bakery opens."
BAKERY = "The bakery opens at a quarter past six."
SEARCH = "opening time of the bakery"
FILLER = [f"The ferry to Föhr had {count} passengers on day {count}." for count in range(3, 33)]
BUDGET = {"auto_memory": True, "context_tokens": 200}


class Curious:
    """Looks up `searches` in turn, and uses the memories that hold one of `facts`."""

    name, offline = "curious", False

    def __init__(self, searches: Sequence[str], facts: Sequence[str] = (FERRY, BAKERY)) -> None:
        self.searches, self.facts = [*searches], facts
        self.prompts: list[str] = []
        self.labels: list[str] | None = None

    async def answer(self, ask: Ask) -> Reply:
        self.prompts.append(str(ask.messages[-1].content))
        lines = [line for line in self.prompts[-1].splitlines() if line.startswith("[M")]
        used = [line[1:].split(",")[0] for line in lines if any(f in line for f in self.facts)]
        step = len(self.prompts) - 1
        parsed: dict[str, Any] = {
            "thought": f"thought {step + 1}",
            "confidence": 0.8,
            "used": used if self.labels is None else self.labels,
            "lookup": self.searches[step : step + 1],
        }
        return Reply(json.dumps(parsed), parsed, "curious-1", Usage(10, 5, 0.0))

    async def close(self) -> None:
        """Do nothing."""


async def filled(engine: Engine) -> dict[str, str]:
    bakery = await remember(engine, BAKERY, sessionId="another")
    for each in FILLER:
        await remember(engine, each)
    return {FERRY: await remember(engine, FERRY), BAKERY: bakery}


async def test_what_is_looked_up_reaches_the_next_prompt(
    access: Access, embedder: Embedder
) -> None:
    llm = Curious([SEARCH])
    async with thinking(access, embedder, llm, **BUDGET) as mind:
        ids = await filled(mind)
        answer = (await call(mind, "reasoning_linear", {"content": QUESTION})).answer
    first, second = llm.prompts
    assert BAKERY not in first
    assert BAKERY in second
    assert answer["content"] == "thought 2"
    assert BAKERY in ids
    assert set(answer["memories_used"]) <= set(ids.values())
    assert ids[BAKERY] in answer["memories_used"]


async def test_labels_go_on_and_none_is_given_twice(access: Access, embedder: Embedder) -> None:
    llm = Curious([SEARCH])
    async with thinking(access, embedder, llm, **BUDGET) as mind:
        await filled(mind)
        await call(mind, "reasoning_linear", {"content": QUESTION})
    labels = [line.split(",")[0] for line in llm.prompts[1].splitlines() if line.startswith("[M")]
    assert labels == [f"[M{number}" for number in range(1, len(labels) + 1)]
    given = [line.split("] ", 1)[1] for line in llm.prompts[1].splitlines() if "[M" in line]
    assert len(set(given)) == len(given)
    before = [line for line in llm.prompts[0].splitlines() if line.startswith("[M")]
    assert len(labels) <= len(before) + MOST_LOOKED_UP


async def test_whoever_looks_up_for_ever_is_asked_three_times(
    access: Access, embedder: Embedder
) -> None:
    llm = Curious([SEARCH, "passengers on day 20", "passengers on day 30", "day 12", "day 9"])
    async with thinking(access, embedder, llm, **BUDGET) as mind:
        await filled(mind)
        await call(mind, "reasoning_linear", {"content": QUESTION})
    assert len(llm.prompts) == 1 + MOST_LOOKUPS


@pytest.mark.parametrize("search", ["", "   ", "\n"])
async def test_an_empty_search_is_none(access: Access, embedder: Embedder, search: str) -> None:
    llm = Curious([search])
    async with thinking(access, embedder, llm, **BUDGET) as mind:
        await filled(mind)
        await call(mind, "reasoning_linear", {"content": QUESTION})
    assert len(llm.prompts) == 1


async def test_where_all_is_given_already_nobody_is_asked_again(
    access: Access, embedder: Embedder
) -> None:
    llm = Curious([SEARCH])
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        await remember(mind, FERRY)
        await remember(mind, BAKERY)
        await call(mind, "reasoning_linear", {"content": QUESTION})
    assert len(llm.prompts) == 1


async def test_a_budget_that_ends_leaves_the_first_answer(
    access: Access, embedder: Embedder
) -> None:
    llm = Curious([SEARCH])
    async with thinking(access, embedder, llm, **BUDGET, budget_calls=1) as mind:
        await filled(mind)
        outcome = await call(mind, "reasoning_linear", {"content": QUESTION})
    assert outcome.answer["content"] == "thought 1"
    assert any("looked up" in note for note in outcome.notes)


@pytest.mark.parametrize("labels", [["M99"], ["none"], ["mem-1", "M0"], []])
async def test_labels_that_do_not_exist_name_nothing(
    access: Access, embedder: Embedder, labels: list[str]
) -> None:
    llm = Curious([])
    llm.labels = labels
    async with thinking(access, embedder, llm, **BUDGET) as mind:
        await filled(mind)
        answer = (await call(mind, "reasoning_linear", {"content": QUESTION})).answer
    assert answer["memories_used"] == []


async def test_what_a_run_was_given_and_did_not_use_is_redacted_when_forgotten(
    access: Access, embedder: Embedder
) -> None:
    llm = Curious([SEARCH], facts=())
    async with thinking(access, embedder, llm, **BUDGET) as mind:
        ids = await filled(mind)
        answer = (await call(mind, "reasoning_linear", {"content": QUESTION})).answer
        assert answer["memories_used"] == []
        await call(mind, "forget", {"userId": "local", "memoryId": ids[BAKERY]})
    secret = "quarter past six"
    with psycopg.connect(access.admin) as connection:
        for table in ("runs", "llm_calls", "checkpoints", "checkpoint_blobs", "checkpoint_writes"):
            rows = connection.execute(f"SELECT {table}::text FROM {table}".encode()).fetchall()
            spellings = (secret, secret.encode().hex())
            assert not [row for (row,) in rows if any(each in row for each in spellings)], table


class Calculating:
    """Gives `claims` in turn, the last ones for good."""

    name, offline = "calculating", False

    def __init__(self, *claims: list[str]) -> None:
        self.claims = claims
        self.prompts: list[str] = []

    async def answer(self, ask: Ask) -> Reply:
        self.prompts.append(str(ask.messages[-1].content))
        step = min(len(self.prompts), len(self.claims)) - 1
        parsed = {"thought": f"t{step + 1}", "confidence": 0.8, "claims": self.claims[step]}
        return Reply(json.dumps(parsed), parsed, "calculating-1", Usage(10, 5, 0.0))

    async def close(self) -> None:
        """Do nothing."""


async def test_a_calculation_that_does_not_hold_is_given_back_once(
    access: Access, embedder: Embedder
) -> None:
    llm = Calculating(["2 + 2 == 4", "3 * 45 == 134"], ["3 * 45 == 135"])
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "reasoning_linear", {"content": QUESTION})
    assert len(llm.prompts) == 2
    assert "<failed>" not in llm.prompts[0]
    failed = llm.prompts[1].split("<failed>")[1]
    assert "- 3 * 45 == 134" in failed
    assert "2 + 2" not in failed
    assert "Your answer was: t1" in failed
    assert outcome.answer["content"] == "t2"
    assert not any("does not hold" in note for note in outcome.notes)


async def test_one_that_stays_wrong_is_noted(access: Access, embedder: Embedder) -> None:
    llm = Calculating(["3 * 45 == 134"])
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "reasoning_linear", {"content": QUESTION})
    assert len(llm.prompts) == 2
    assert "a calculation in the answer does not hold: 3 * 45 == 134" in outcome.notes


class Careless(Calculating):
    """Gives a wrong calculation in an answer, and then prose."""

    async def answer(self, ask: Ask) -> Reply:
        reply = await super().answer(ask)
        prose = "You are right, it is 135."
        return reply if len(self.prompts) == 1 else replace(reply, text=prose, parsed=None)


async def test_prose_does_not_take_the_place_of_an_answer(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, Careless(["3 * 45 == 134"])) as mind:
        outcome = await call(mind, "reasoning_linear", {"content": QUESTION})
    assert (outcome.answer["content"], outcome.answer["confidence"]) == ("t1", 0.8)
    assert any("does not hold" in note for note in outcome.notes)
    assert any("not the requested JSON" in note for note in outcome.notes)


async def test_no_more_than_half_of_the_budget_is_spent_on_asking_again(
    access: Access, embedder: Embedder
) -> None:
    llm = Curious([SEARCH, "passengers on day 20"])
    async with thinking(access, embedder, llm, **BUDGET, budget_calls=3) as mind:
        await filled(mind)
        outcome = await call(mind, "reasoning_linear", {"content": QUESTION})
    assert len(llm.prompts) == 2
    assert any("half of the run's budget" in note for note in outcome.notes)


@pytest.mark.parametrize("odd", [3, True, None, {"a": 1}, [1, None, {"b": []}], "M1", [["M1"]]])
async def test_odd_values_neither_fail_nor_ask_again(
    access: Access, embedder: Embedder, odd: Any
) -> None:
    parsed = {"thought": "t", "confidence": 0.8, "used": odd, "claims": odd}
    llm = ScriptedLlm(Reply("t", parsed, "odd-1", Usage(10, 5, 0.0)))
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        memory = await remember(mind, FERRY)
        answer = (await call(mind, "reasoning_linear", {"content": QUESTION})).answer
    assert answer["memories_used"] == ([memory] if odd == "M1" else [])
    assert len(llm.asked) == 1


@pytest.mark.parametrize("claim", ["3 * 45 == 135", "9**9**9 == 1", "the sum is right", ""])
async def test_what_holds_or_cannot_be_checked_costs_nothing(
    access: Access, embedder: Embedder, claim: str
) -> None:
    llm = Calculating([claim])
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "reasoning_linear", {"content": QUESTION})
    assert len(llm.prompts) == 1
    assert not any("does not hold" in note for note in outcome.notes)


def test_steps_at_once_add_each_memory_once() -> None:
    given = [{"id": 1, "content": "a", "label": "[M1, 2026-01-01, fact]"}]
    one = [{"id": 2, "content": "b", "label": "[M2, 2026-01-02, fact]"}]
    other = [*one, {"id": 3, "content": "c", "label": "[M3, 2026-01-03, fact]"}]
    third = [{"id": 4, "content": "d", "label": "[M2, 2026-01-04, fact]"}]
    merged = merge_memories(merge_memories(merge_memories(given, one), other), third)
    assert [each["id"] for each in merged] == [1, 2, 3, 4]
    assert [each["label"][:4] for each in merged] == ["[M1,", "[M2,", "[M3,", "[M4,"]


CLOSER = "The opening time of the bakery is written on its door."
"""What the search would find first, once it is remembered."""


async def test_a_label_names_the_same_memory_although_more_is_known_by_then(
    access: Access, embedder: Embedder
) -> None:
    me = Caller("local")
    async with thinking(access, embedder, OfflineModel(), **BUDGET) as mind:
        ids = await filled(mind)
        first = await call(mind, "reasoning_linear", {"content": QUESTION}, asks_caller=True)
        run = str(first.run_id)
        unsure = {"thought": "a", "confidence": 0.8, "used": [], "lookup": [SEARCH]}
        second = await answer_run(mind, me, run, Given([GivenReply("r1q1", unsure)]))
        assert second.outcome.round is not None
        given = second.outcome.round.questions[0].user_text.splitlines()
        (label,) = [each[1:].split(",")[0] for each in given if each.endswith(BAKERY)]
        await remember(mind, CLOSER, sessionId="a third")
        sure = {"thought": "b", "confidence": 0.8, "used": [label], "lookup": []}
        last = await answer_run(mind, me, run, Given([GivenReply("r2q1", sure)]))
    assert last.outcome.answer["memories_used"] == [ids[BAKERY]]


class Hanging(Curious):
    """Does not end its second answer until it may."""

    hangs = True

    async def answer(self, ask: Ask) -> Reply:
        reply = await super().answer(ask)
        if self.hangs and len(self.prompts) == 2:
            await asyncio.sleep(60)
        return reply


@pytest.mark.parametrize("soft", [True, False])
async def test_what_was_found_and_forgotten_does_not_come_back(
    access: Access, embedder: Embedder, soft: bool
) -> None:
    llm = Hanging([SEARCH])
    async with thinking(access, embedder, llm, **BUDGET) as mind:
        ids = await filled(mind)
        arguments = {"content": QUESTION}
        job = asyncio.create_task(call(mind, "reasoning_linear", arguments, key="k"))
        while len(llm.prompts) < 2:
            await asyncio.sleep(0.01)
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job
        llm.hangs = False
        given = [each for each in llm.prompts[1].splitlines() if each.startswith("[M")]
        forgotten = {"userId": "local", "memoryId": ids[BAKERY], "soft": soft}
        await call(mind, "forget", forgotten)
        await remember(mind, CLOSER, sessionId="a third")
        answer = (await call(mind, "reasoning_linear", arguments, key="k")).answer
    left = [each for each in given if not each.endswith(BAKERY)]
    again = "\n".join(llm.prompts[2:]).splitlines()
    assert len(left) == len(given) - 1
    assert not any(BAKERY in each or CLOSER in each for each in again)
    if llm.prompts[2:]:
        assert [each for each in again if each.startswith("[M")] == left, "labels as before"
    assert ids[BAKERY] not in answer["memories_used"]


def test_a_label_that_is_free_again_is_not_given_again() -> None:
    given = [
        {"id": 1, "content": "a", "label": "[M1, 2026-01-01, fact]"},
        {"id": 3, "content": "c", "label": "[M3, 2026-01-01, fact]"},
    ]
    more = [{"id": 4, "content": "d", "label": "[M1, 2026-01-01, fact]"}]
    assert merge_memories(given, more)[2]["label"] == "[M4, 2026-01-01, fact]"
