"""Pondering in the combined server: rounds, what is taken back, agreement, time, and calls."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import psycopg
import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import LlmUnavailable
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.thinking.streams import STREAMS
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.streams import Made, StreamingLlm, insight, insights_by, reaction
from tests.support.reasoning.sessions import stored_rows, thinking

ASKED = {"problem": "Shall the town rebuild its old mill?"}
ADVICE = [{"description": "Do it", "sources": ["analytical"], "rationale": "It holds."}]
OPEN = "Who pays for the wheel?"


def weighed(agreed: bool = False, streams: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """Return a synthesis with its test of agreement."""
    return {
        "agree": agreed,
        "open": [] if agreed else [{"point": OPEN, "streams": [*streams]}],
        "resolved": [],
        "conclusion": "Rebuild it.",
        "recommendations": ADVICE,
        **more,
    }


def counts(llm: StreamingLlm) -> tuple[int, int]:
    return len(llm.of("stream")), len(llm.of("synthesis"))


async def test_two_rounds_cost_ten_calls_and_the_second_settles_what_is_open(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED)).answer
    assert counts(llm) == (8, 2)
    assert (found["quarters"], found["stoppedBecause"]) == (2, "finished")
    assert (found["status"], found["conclusion"]) == ("completed", "Rebuild it.")
    for each in llm.of("stream", 2):
        assert f"<open_points>\n- {OPEN}\n</open_points>" in each.words
        assert "this is round 2 of at most 2" in each.words
    assert not any("open_points" in each.words for each in llm.of("stream", 1))


async def test_only_the_streams_that_can_settle_what_is_open_are_asked_again(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(synthesis=weighed(streams=["creative", "critical", "nobody"]))
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED)).answer
    assert counts(llm) == (6, 2)
    assert {each.stream for each in llm.of("stream", 2)} == {"creative", "critical"}
    assert (found["quarters"], found["status"], "missing" in found) == (2, "completed", False)
    assert {each["stream"]: each["quarters"] for each in found["streams"]} == {
        "analytical": 1, "creative": 2, "critical": 2, "synthetic": 1,
    }  # fmt: skip


async def test_conclusions_that_contradict_each_other_need_no_test_of_agreement(
    access: Access, embedder: Embedder
) -> None:
    costs = {
        "analytical": "Fixing the mill costs 40 days of work",
        "creative": "Fixing the mill costs 15 days of work",
    }

    def torn(material: dict[str, Any]) -> Made | None:
        name = material["stream"]["name"]
        return insights_by(material, conclusion=costs[name]) if name in costs else None

    llm = StreamingLlm(torn, synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED)).answer
    assert counts(llm) == (6, 1)
    assert {each.stream for each in llm.of("stream", 2)} == set(costs)
    assert all("<open_points>\n- analytical and creative:" in each.words
               for each in llm.of("stream", 2))  # fmt: skip
    assert (found["status"], found["stoppedBecause"]) == ("completed", "finished")


@pytest.mark.parametrize("named", [[], ["nobody"], ["creative"]])
async def test_where_the_synthesis_does_not_name_two_streams_all_are_asked_again(
    access: Access, embedder: Embedder, named: list[str]
) -> None:
    llm = StreamingLlm(synthesis=weighed(streams=named))
    async with thinking(access, embedder, llm) as mind:
        await call(mind, "ponder", ASKED)
    assert counts(llm) == (8, 2)


async def test_streams_that_the_synthesis_finds_agreed_stop_after_one_round(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(synthesis=weighed(agreed=True))
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED)).answer
    assert counts(llm) == (4, 1)
    assert (found["quarters"], found["stoppedBecause"]) == (1, "agreed")
    assert (found["status"], "missing" in found) == ("completed", False)


async def test_likeness_of_words_ends_nothing(access: Access, embedder: Embedder) -> None:
    def alike(material: dict[str, Any]) -> Made:
        return insights_by(material, conclusion="Rebuild the mill with the river's money.")

    llm = StreamingLlm(alike, synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED)).answer
    assert (counts(llm), found["stoppedBecause"]) == ((8, 2), "finished")


async def test_an_insight_may_be_withdrawn_which_resolves_the_conflict_about_it(
    access: Access, embedder: Embedder
) -> None:
    costs = {
        "analytical": "Fixing the mill costs 40 days of work",
        "creative": "Fixing the mill costs 15 days of work",
    }

    def retracting(material: dict[str, Any]) -> Made | None:
        name, second = material["stream"]["name"], material["quarter"] == 2
        if not second and name in costs:
            return insights_by(material, insights=[insight(costs[name])])
        if second and name == "creative":
            why = {"why": "The wheel was forgotten."}
            taken = [{"label": "creative-1", **why}, {"label": "critical-1", **why}]
            return insights_by(material, withdrawn=taken)
        return None

    llm = StreamingLlm(retracting, synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "ponder", ASKED)
    insights = {each["content"]: each for each in outcome.answer["insights"]}
    assert insights[costs["creative"]]["withdrawn"] == "The wheel was forgotten."
    assert outcome.answer["insights"][-1]["content"] == costs["creative"]
    assert [each for each in insights.values() if "withdrawn" in each] == [
        insights[costs["creative"]]
    ]
    (conflict,) = outcome.answer["conflicts"]
    assert conflict["resolved"] == "creative withdrew it: The wheel was forgotten."
    assert "the creative stream withdrew in round 2 what it had not said: critical-1" in (
        outcome.notes
    )
    first, last = (each.words for each in llm.of("synthesis"))
    assert "1. analytical and creative" in first
    assert f"{costs['creative']} (withdrawn: The wheel was forgotten.)" in last
    assert "<conflicts>" not in last, "it is resolved"


async def test_the_synthesis_resolves_conflicts_by_their_numbers(
    access: Access, embedder: Embedder
) -> None:
    def objects(material: dict[str, Any]) -> Made | None:
        if material["stream"]["name"] != "critical" or material["quarter"] == 1:
            return None
        against = [
            reaction("creative-1", "disagree", "violin matters"),
            reaction("synthetic-1", "disagree", "pepper matters"),
        ]
        return insights_by(material, reactions=against)

    resolved = [{"conflict": 1, "how": "The violin was sold."}, {"conflict": 9, "how": "?"}]
    llm = StreamingLlm(objects, synthesis=weighed(resolved=resolved))
    async with thinking(access, embedder, llm) as mind:
        conflicts = (await call(mind, "ponder", ASKED)).answer["conflicts"]
    assert [each.get("resolved") for each in conflicts] == ["The violin was sold.", None]


async def test_under_the_reference_nothing_is_withdrawn_or_resolved(
    access: Access, embedder: Embedder
) -> None:
    def retracting(material: dict[str, Any]) -> Made:
        why = [{"label": f"{material['stream']['name']}-1", "why": "No."}]
        return insights_by(material, withdrawn=why)

    llm = StreamingLlm(retracting)
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED, as_reference=True)).answer
    assert counts(llm) == (16, 1)
    assert not any("withdrawn" in each for each in found["insights"])
    assert not any("take it back" in each.words for each in llm.of("stream"))
    assert '"agree"' not in llm.of("synthesis")[0].words


async def test_a_round_that_comes_to_nothing_leaves_the_synthesis_before_it(
    access: Access, embedder: Embedder
) -> None:
    def away(material: dict[str, Any]) -> Made | None:
        return LlmUnavailable("the line is dead") if material["quarter"] == 2 else None

    llm = StreamingLlm(away, synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED)).answer
    assert counts(llm) == (8, 1)
    assert (found["conclusion"], found["stoppedBecause"]) == ("Rebuild it.", "failed")
    assert found["status"] == "partial"


async def test_a_last_synthesis_that_fails_leaves_the_one_before_it(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm()
    llm.synthesis = lambda material: (
        LlmUnavailable("away") if len(llm.of("synthesis")) > 1 else weighed()
    )
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "ponder", ASKED)
    assert (outcome.answer["conclusion"], outcome.answer["quarters"]) == ("Rebuild it.", 2)
    assert any("that of the round before stays" in note for note in outcome.notes)


async def test_a_first_synthesis_that_fails_lets_the_second_round_begin(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm()
    llm.synthesis = lambda material: (
        weighed() if len(llm.of("synthesis")) > 1 else LlmUnavailable("away")
    )
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED)).answer
    assert (counts(llm), found["conclusion"]) == ((8, 2), "Rebuild it.")


@pytest.mark.parametrize(("calls", "streams"), [(5, 4), (7, 5), (9, 7)])
async def test_a_budget_that_ends_leaves_a_synthesis_of_what_there_is(
    access: Access, embedder: Embedder, calls: int, streams: int
) -> None:
    llm = StreamingLlm(synthesis=weighed())
    async with thinking(access, embedder, llm, budget_calls=calls) as mind:
        found = (await call(mind, "ponder", ASKED)).answer
    assert llm.begun <= calls
    assert len(llm.of("stream")) == streams
    assert (found["conclusion"], found["status"]) == ("Rebuild it.", "partial")


async def test_at_the_deadline_the_finished_round_is_put_together(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(slow={(name, 2): 60.0 for name in STREAMS}, synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", {**ASKED, "timeout": 6_000})).answer
    assert (found["conclusion"], found["stoppedBecause"]) == ("Rebuild it.", "deadline")
    assert found["missing"] == [{"stream": name, "quarters": [2]} for name in STREAMS]
    assert found["processingTime"] < 6_500, "what is loaded before is not counted"


async def test_a_round_that_cannot_end_in_time_is_not_begun(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(seconds=1.5, synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "ponder", {**ASKED, "timeout": 6_000})
    assert counts(llm) == (4, 1), "four calls of 1.5 s one after another do not fit into 5.5 s"
    assert (outcome.answer["conclusion"], outcome.answer["stoppedBecause"]) == (
        "Rebuild it.", "deadline",
    )  # fmt: skip
    assert any("were enough for 1 of 2 rounds" in note for note in outcome.notes)


async def test_a_stream_that_hangs_at_first_leaves_time_for_rounds_and_synthesis(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(slow={"creative": 60.0}, synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", {**ASKED, "timeout": 4_000})).answer
    assert found["missing"] == [{"stream": "creative", "quarters": [1, 2]}]
    assert (found["conclusion"], found["quarters"]) == ("Rebuild it.", 2)
    assert found["processingTime"] < 4_000


async def test_a_timeout_beyond_the_runs_limit_raises_that_of_this_run(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(seconds=0.6, synthesis=weighed())
    async with thinking(access, embedder, llm, tool_timeout=1.0) as mind:
        found = (await call(mind, "ponder", {**ASKED, "timeout": 60_000})).answer
    assert (found["status"], found["quarters"]) == ("completed", 2)


def test_the_longest_timeout_is_ten_minutes_and_the_limit_is_beyond_it() -> None:
    limit = load_graph("deliberate").seconds
    assert limit is not None
    assert limit({**ASKED, "timeout": 600_000}) > 600
    assert limit(ASKED) < Settings().tool_timeout
    assert load_graph("ponder").seconds is None


async def test_where_all_streams_fail_nothing_is_stored_and_the_key_asks_anew(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(lambda material: LlmUnavailable("the line is dead"), weighed())
    async with thinking(access, embedder, llm) as mind:
        with pytest.raises(LlmUnavailable, match="no stream came to anything"):
            await call(mind, "ponder", ASKED, key="k")
        assert stored_rows(access) == []
        llm.stream = lambda material: None
        found = (await call(mind, "ponder", ASKED, key="k")).answer
    assert found["status"] == "completed"


@pytest.mark.parametrize("steps", ["saved", "lost"])
async def test_a_round_that_was_broken_off_is_not_paid_twice(
    access: Access, embedder: Embedder, steps: str
) -> None:
    llm = StreamingLlm(slow={("synthetic", 2): 60.0}, synthesis=weighed())
    async with thinking(access, embedder, llm) as mind:
        broken_off = asyncio.create_task(call(mind, "ponder", ASKED, key="k"))
        while _count(access, "llm_calls") < 8:
            await asyncio.sleep(0.02)
        broken_off.cancel()
        with suppress(asyncio.CancelledError):
            await broken_off
        llm.slow = {}
        if steps == "lost":
            with psycopg.connect(access.admin) as connection:
                for table in ("checkpoints", "checkpoint_blobs", "checkpoint_writes"):
                    connection.execute(f"DELETE FROM {table}".encode())
        found = (await call(mind, "ponder", ASKED, key="k")).answer
    assert _count(access, "llm_calls") == 10
    assert llm.begun == 10 + 1, "only the call that was broken off was made again"
    assert (found["quarters"], found["status"]) == (2, "completed")


async def test_a_run_of_quarters_goes_on_in_quarters_when_its_key_comes_again(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(slow={("synthetic", 2): 60.0})
    async with thinking(access, embedder, llm) as mind:
        begun = asyncio.create_task(call(mind, "ponder", ASKED, key="k", as_reference=True))
        while _count(access, "llm_calls") < 7:
            await asyncio.sleep(0.02)
        begun.cancel()
        with suppress(asyncio.CancelledError):
            await begun
        llm.slow = {}
        found = (await call(mind, "ponder", ASKED, key="k")).answer
    assert (found["quarters"], found["stoppedBecause"]) == (4, "finished")


async def test_a_caller_answers_four_rounds_of_questions(
    access: Access, embedder: Embedder
) -> None:
    roles: list[set[str]] = []
    async with thinking(access, embedder, OfflineModel()) as mind:
        outcome = await call(mind, "ponder", ASKED, asks_caller=True)
        while outcome.round is not None:
            roles.append({each.role for each in outcome.round.questions})
            assert outcome.round.at_most == 4
            given = Given([
                GivenReply(each.id, _reply(each.role, len(roles)))
                for each in outcome.round.questions
            ])  # fmt: skip
            answered = await answer_run(mind, Caller("local"), str(outcome.run_id), given)
            outcome = answered.outcome
    assert roles == [{"stream"}, {"deliberate"}, {"stream"}, {"deliberate"}]
    assert (outcome.answer["conclusion"], outcome.answer["quarters"]) == ("Rebuild it.", 2)


def _reply(role: str, number: int) -> dict[str, Any]:
    if role == "deliberate":
        return weighed()
    return {
        "reasoning": ["Look."],
        "reactions": [],
        "insights": [insight(f"It matters in step {number}")],
        "conclusion": "It holds.",
        "confidence": 0.7,
    }


def _count(access: Access, table: str) -> int:
    with psycopg.connect(access.admin) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchall()[0][0])
