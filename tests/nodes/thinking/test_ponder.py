"""Pondering: four quarters with barriers at which every stream hears the others."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import pairwise
from typing import Any

import psycopg
import pytest

from reasonloom.errors import LlmUnavailable, TimedOut
from reasonloom.llm.interfaces import Ask, Embedder, Reply
from reasonloom.nodes.thinking.streams import STREAMS
from reasonloom.stores.access import Access
from tests.support.calls import call
from tests.support.llms.embedders import SlowToLoad
from tests.support.llms.streams import WORDS, Made, StreamingLlm, insight, insights_by, reaction
from tests.support.reasoning.sessions import stored_rows, thinking

PROBLEM = "Shall the town rebuild its old mill?"
ASKED = {"problem": PROBLEM}
QUARTERS = (1, 2, 3, 4)


def alike(material: dict[str, Any]) -> Made:
    return insights_by(material, conclusion="Rebuild the mill with the river's money.")


async def test_at_each_barrier_every_stream_hears_what_the_others_said_in_the_quarter_before(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm()
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED, as_reference=True)).answer
    assert [len(llm.of("stream", quarter)) for quarter in QUARTERS] == [4, 4, 4, 4]
    for quarter in QUARTERS[1:]:
        for each in llm.of("stream", quarter):
            others = {word for name, word in WORDS.items() if name != each.stream}
            for word in others:
                assert f"(new): The {word} matters in round {quarter - 1}" in each.words
                assert f"The {word} matters in round {quarter}\n" not in each.words
            assert "React to the insights of each of the others" in each.words
    assert not any("matters in round" in each.words for each in llm.of("stream", 1))
    assert (found["quarters"], found["stoppedBecause"]) == (4, "finished")
    assert (found["status"], "missing" in found) == ("completed", False)


async def test_the_streams_of_a_quarter_overlap_and_none_begins_before_all_are_there(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(seconds=0.05, slow={"critical": 0.25, ("creative", 3): 0.3})
    async with thinking(access, embedder, llm) as mind:
        await call(mind, "ponder", ASKED, as_reference=True)
    for quarter in QUARTERS:
        now = llm.of("stream", quarter)
        assert max(each.began for each in now) < min(each.ended for each in now)
    for before, after in pairwise(QUARTERS):
        ended = max(each.ended for each in llm.of("stream", before))
        assert ended < min(each.began for each in llm.of("stream", after))
    (synthesis,) = llm.of("synthesis")
    assert synthesis.began > max(each.ended for each in llm.of("stream", 4))


async def test_what_others_say_to_a_stream_is_told_to_it(
    access: Access, embedder: Embedder
) -> None:
    def objects(material: dict[str, Any]) -> Made | None:
        if material["stream"]["name"] != "critical" or material["quarter"] != 2:
            return None
        return insights_by(
            material, reactions=[reaction("creative-1", "disagree", "violin matters")]
        )

    llm = StreamingLlm(objects)
    async with thinking(access, embedder, llm) as mind:
        await call(mind, "ponder", ASKED, as_reference=True)
    third = {each.stream: each.words for each in llm.of("stream", 3)}
    assert "critical on creative-1, disagree: I see it so." in third["creative"]
    assert "critical on creative-1" not in third["analytical"]


async def test_a_stream_that_does_not_react_is_named(access: Access, embedder: Embedder) -> None:
    def silent(material: dict[str, Any]) -> Made | None:
        if material["stream"]["name"] != "critical" or not material["others"]:
            return None
        return insights_by(material, reactions=[reaction("creative-1", "agree"),
                                            reaction("creative-99", "agree"),
                                            reaction("critical-1", "agree")])  # fmt: skip

    async with thinking(access, embedder, StreamingLlm(silent)) as mind:
        notes = (await call(mind, "ponder", ASKED, as_reference=True)).notes
    assert "the critical stream did not react in quarter 2 to: analytical, synthetic" in notes
    assert (
        "the critical stream reacted in quarter 2 to what nobody said: creative-99, critical-1"
        in notes
    )


async def test_streams_that_agree_stop_early_and_the_answer_says_so(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(alike)
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED, as_reference=True)).answer
    assert (found["stoppedBecause"], found["quarters"]) == ("agreed", 1)
    assert (found["status"], "missing" in found) == ("completed", False)
    assert len(llm.of("stream")) == 4


@pytest.mark.parametrize("objection", ["words", "reaction", "order"])
async def test_streams_that_sound_alike_and_do_not_agree_go_on(
    access: Access, embedder: Embedder, objection: str
) -> None:
    plain = "The town should rebuild the old mill at the river with the money of the parish."
    turned = "The parish should, with the money of the old mill, rebuild the river of the town at."
    denied = plain.replace("should", "should not")
    last = denied if objection == "words" else turned

    def nearly(material: dict[str, Any]) -> Made:
        if material["stream"]["name"] != "critical":
            return insights_by(material, conclusion=plain)
        said = insights_by(material, conclusion=last)
        if objection == "reaction" and material["others"]:
            said["reactions"] = [reaction("creative-1", "disagree", "The violin matters")]
        return said

    llm = StreamingLlm(nearly)
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", ASKED, as_reference=True)).answer
    expected = ("agreed", 2) if objection == "order" else ("finished", 4)
    assert (found["stoppedBecause"], found["quarters"]) == expected


async def test_one_stream_that_fails_leaves_the_other_three(
    access: Access, embedder: Embedder
) -> None:
    def failing(material: dict[str, Any]) -> Made | None:
        broken = material["stream"]["name"] == "creative" and material["quarter"] == 2
        return LlmUnavailable("the line is dead") if broken else None

    llm = StreamingLlm(failing)
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "ponder", ASKED, as_reference=True)
    found = outcome.answer
    assert found["missing"] == [{"stream": "creative", "quarters": [2, 3, 4]}]
    assert (found["status"], found["stoppedBecause"]) == ("partial", "finished")
    assert "the creative stream, quarter 2: the line is dead" in outcome.notes
    assert [len(llm.of("stream", quarter)) for quarter in QUARTERS] == [4, 4, 3, 3]
    quarters = {each["stream"]: each["quarters"] for each in found["streams"]}
    assert quarters == {"analytical": 4, "creative": 1, "critical": 4, "synthetic": 4}
    assert "The violin matters in round 1" in llm.of("stream", 4)[0].words, "what it said stays"


async def test_where_all_streams_fail_nothing_is_stored_and_the_key_asks_anew(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(lambda material: LlmUnavailable("the line is dead"))
    async with thinking(access, embedder, llm) as mind:
        with pytest.raises(LlmUnavailable, match="no stream came to anything: the line is dead"):
            await call(mind, "ponder", ASKED, key="k", as_reference=True)
        assert stored_rows(access) == []
        llm.stream = lambda material: None
        found = (await call(mind, "ponder", ASKED, key="k", as_reference=True)).answer
    assert found["status"] == "completed"


async def test_at_the_deadline_the_finished_quarters_are_put_together(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(seconds=0.01, slow={(name, 3): 60.0 for name in STREAMS})
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", {**ASKED, "timeout": 2_000}, as_reference=True)).answer
    assert found["missing"] == [{"stream": name, "quarters": [3, 4]} for name in STREAMS]
    assert (found["stoppedBecause"], found["quarters"]) == ("deadline", 2)
    assert (found["conclusion"], found["status"]) == ("So it is.", "partial")
    assert found["processingTime"] < 2_000


async def test_a_stream_that_hangs_does_not_take_the_time_of_the_others(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(slow={"creative": 60.0})
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", {**ASKED, "timeout": 4_000}, as_reference=True)).answer
    assert found["missing"] == [{"stream": "creative", "quarters": [1, 2, 3, 4]}]
    assert {each["stream"]: each["quarters"] for each in found["streams"]} == {
        "analytical": 4, "critical": 4, "synthetic": 4,
    }  # fmt: skip
    assert found["processingTime"] < 4_000


async def test_a_quarter_that_cannot_end_in_time_is_not_begun(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(seconds=1.6)
    async with thinking(access, embedder, llm) as mind:
        found = (await call(mind, "ponder", {**ASKED, "timeout": 6_800}, as_reference=True)).answer
    assert len(llm.of("stream")) == llm.begun - 1 == 8
    assert (found["stoppedBecause"], found["quarters"]) == ("deadline", 2)
    assert found["conclusion"] == "So it is.", "there was time for the synthesis"


async def test_a_synthesis_that_hangs_leaves_what_the_streams_said(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(slow={"synthesis": 60.0})
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "ponder", {**ASKED, "timeout": 3_000}, as_reference=True)
    found = outcome.answer
    surest = max(found["streams"], key=lambda each: each["confidence"])
    assert found["conclusion"] == surest["conclusion"]
    assert found["status"] == "partial"
    assert len(found["recommendations"]) == 4
    note = "there is no synthesis: the conclusion is that of the surest stream alone"
    assert note in outcome.notes


async def test_where_no_quarter_ends_in_time_nothing_is_stored(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, StreamingLlm(seconds=60.0)) as mind:
        with pytest.raises(TimedOut, match="no stream came to anything"):
            await call(mind, "ponder", {**ASKED, "timeout": 1_000}, as_reference=True)
    assert stored_rows(access) == []


async def test_all_the_time_is_used_for_the_first_answers(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm(seconds=3.0)
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "ponder", {**ASKED, "timeout": 5_000}, as_reference=True)
    found = outcome.answer
    assert (found["stoppedBecause"], found["quarters"], found["status"]) == (
        "deadline", 1, "partial",
    )  # fmt: skip
    assert len(found["streams"]) == 4
    assert found["processingTime"] < 5_500
    assert (
        "5 s were enough for 1 of 4 quarters, in 4 of 4 streams; a longer `timeout` gives the rest"
        in outcome.notes
    )


class OneAtATime(StreamingLlm):
    """Answers one call after another, as a small local server does."""

    async def answer(self, ask: Ask) -> Reply:
        async with vars(self).setdefault("turn", asyncio.Lock()):
            return await super().answer(ask)


async def test_a_model_that_answers_one_call_at_a_time_gives_fewer_streams(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, OneAtATime(seconds=0.6)) as mind:
        outcome = await call(mind, "ponder", {**ASKED, "timeout": 2_000}, as_reference=True)
    streams, notes = len(outcome.answer["streams"]), outcome.notes
    assert 1 <= streams < 4
    assert any(f"in {streams} of 4 streams" in note for note in notes), notes


async def test_what_is_loaded_first_takes_none_of_the_time(
    access: Access, embedder: Embedder
) -> None:
    slow = SlowToLoad(embedder, seconds=6.0)
    async with thinking(access, slow, StreamingLlm(seconds=0.1)) as mind:
        found = (await call(mind, "ponder", {**ASKED, "timeout": 6_000}, as_reference=True)).answer
    assert (found["stoppedBecause"], found["quarters"]) == ("finished", 4)


@pytest.mark.parametrize("steps", ["saved", "lost"])
async def test_a_quarter_that_was_broken_off_is_not_paid_twice(
    access: Access, embedder: Embedder, steps: str
) -> None:
    llm = StreamingLlm(slow={("synthetic", 2): 60.0})
    async with thinking(access, embedder, llm) as mind:
        broken_off = asyncio.create_task(call(mind, "ponder", ASKED, key="k", as_reference=True))
        while _recorded(access) < 7:
            await asyncio.sleep(0.02)
        broken_off.cancel()
        with suppress(asyncio.CancelledError):
            await broken_off
        llm.slow = {}
        if steps == "lost":
            _forget_steps(access)
        found = (await call(mind, "ponder", ASKED, key="k", as_reference=True)).answer
    assert _recorded(access) == 4 * 4 + 1
    assert llm.begun == 4 * 4 + 1 + 1, "only the call that was broken off was made again"
    assert (found["quarters"], found["status"]) == (4, "completed")


async def test_a_budget_that_ends_leaves_a_synthesis_of_what_there_is(
    access: Access, embedder: Embedder
) -> None:
    llm = StreamingLlm()
    async with thinking(access, embedder, llm, budget_calls=7) as mind:
        found = (await call(mind, "ponder", ASKED, as_reference=True)).answer
    assert llm.begun == 7
    assert found["conclusion"] == "So it is."
    assert found["status"] == "partial"
    assert sum(each["quarters"] for each in found["streams"]) == 6


async def test_an_answer_that_is_no_json_is_a_conclusion_all_the_same(
    access: Access, embedder: Embedder
) -> None:
    def plainly(material: dict[str, Any]) -> Made | None:
        return "Look at the lantern." if material["stream"]["name"] == "creative" else None

    async with thinking(access, embedder, StreamingLlm(plainly)) as mind:
        outcome = await call(mind, "ponder", ASKED, as_reference=True)
    ends = {each["stream"]: each["conclusion"] for each in outcome.answer["streams"]}
    assert "lantern" in ends["creative"]
    assert outcome.answer["status"] == "completed"
    assert any("creative stream, quarter 1 was not the JSON" in note for note in outcome.notes)


async def test_more_insights_than_are_asked_for_are_cut(access: Access, embedder: Embedder) -> None:
    def many(material: dict[str, Any]) -> Made:
        name = material["stream"]["name"]
        return insights_by(
            material, insights=[insight(f"{name} {n} {WORDS[name]}") for n in range(9)]
        )

    llm = StreamingLlm(many)
    async with thinking(access, embedder, llm) as mind:
        await call(mind, "think", {**ASKED, "mode": "parallel"})
    assert "creative-3" in llm.of("synthesis")[0].words
    assert "creative-4" not in llm.of("synthesis")[0].words


def _forget_steps(access: Access) -> None:
    with psycopg.connect(access.admin) as connection:
        for table in ("checkpoints", "checkpoint_blobs"):
            assert connection.execute(f"DELETE FROM {table}".encode()).rowcount
        connection.execute("DELETE FROM checkpoint_writes")


def _recorded(access: Access) -> int:
    with psycopg.connect(access.admin) as connection:
        return int(connection.execute("SELECT count(*) FROM llm_calls").fetchall()[0][0])
