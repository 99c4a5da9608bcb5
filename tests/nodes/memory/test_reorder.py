"""In which order the best memories of a question come after they were read with it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.calendar.periods import NOW, QuestionTime
from reasonloom.nodes.memory.retrieval.reorder import by_reading, held_first, possible_moves, rivals
from reasonloom.nodes.memory.retrieval.scoring import RelevanceSignals, ScoredMemory, ScoreParts
from reasonloom.stores.memory.search.retrieval import FoundMemory, tags_in
from tests.support.calls import recalled, remember

TODAY = datetime(2026, 1, 1, tzinfo=UTC)
BEFORE = QuestionTime(looks_back=True)
IN_2023 = QuestionTime(date(2023, 1, 1), date(2024, 1, 1))


def memory(number: int, year: int, *, score: float = 0.5, **more: Any) -> ScoredMemory:
    """Return a ranked memory that was said in a year."""
    fields: dict[str, Any] = dict.fromkeys(FoundMemory.__dataclass_fields__)
    fields |= {"id": number, "valid_from": datetime(year, 1, 1, tzinfo=UTC)}
    fields |= {"sector": "semantic", "tags": [], "source_kind": "user", **more}
    parts = ScoreParts(0.0, 0.0, 0.0, similarity=score / 0.6)
    return ScoredMemory(FoundMemory(**fields), parts, RelevanceSignals())


def order(found: list[ScoredMemory], time: QuestionTime, cosine: float = 0.6) -> list[int]:
    """Return the ids in the order of what held at a time, all pairs being equally alike."""
    moves = possible_moves(found, time, dict.fromkeys(rivals(found, TODAY), cosine))
    return [each.memory.id for each in held_first(found, moves)]


def test_the_newest_answers_now_and_the_oldest_what_was_before() -> None:
    found = [memory(1, 2023), memory(2, 2025)]
    assert order(found, NOW) == [2, 1]
    assert order(found, BEFORE) == [1, 2]
    assert order(found[::-1], NOW) == [2, 1]
    assert order(found[::-1], BEFORE) == [1, 2]


def test_a_period_is_answered_by_the_newest_that_was_known_then() -> None:
    later, then, earlier = memory(3, 2025), memory(2, 2023), memory(1, 2021)
    assert order([later, then], IN_2023) == [2, 3]
    assert order([earlier, then], IN_2023) == [2, 1]
    assert order([earlier, later], IN_2023) == [1, 3]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"sector": "episodic"}, {}),
        ({}, {"score": 0.3}),
        ({}, {"superseded_by": 9}),
        ({}, {"year": 2027}),
        ({"tags": ["petra"]}, {"tags": ["bernd"]}),
    ],
)
def test_a_newer_one_that_gives_another_thing_stays_behind(
    older: dict[str, Any], newer: dict[str, Any]
) -> None:
    found = [memory(1, 2023, **older), memory(2, **{"year": 2025, **newer})]
    assert order(found, NOW, cosine=0.45) == [1, 2]


def test_a_suspicious_one_stays_behind() -> None:
    found = [memory(1, 2023), memory(2, 2025)]
    signals = found[1].signals
    assert signals
    signals.suspicion = 0.5
    assert order(found, NOW) == [1, 2]


def test_common_tags_make_two_memories_more_alike() -> None:
    found = [memory(1, 2023, tags=["key"]), memory(2, 2025, tags=["key"])]
    assert order(found, NOW, cosine=0.35) == [2, 1]
    assert order([memory(1, 2023), memory(2, 2025)], NOW, cosine=0.35) == [1, 2]


def test_what_answers_better_comes_first_among_near_scores() -> None:
    found = [memory(1, 2023), memory(2, 2023, score=0.48), memory(3, 2023, score=0.47)]
    assert by_reading(found, {1: -1.0, 2: 1.0}) == [found[1], found[0], found[2]]
    assert by_reading(found, {1: 0.0, 2: 0.5}) == found
    assert by_reading(found[:1], {1: 0.0}) == found[:1]


def test_what_somebody_settled_keeps_its_order() -> None:
    newer, older = memory(2, 2025, score=0.3), memory(1, 2023, superseded_by=2)
    other = memory(3, 2024, score=0.48)
    for found in ([newer, older], [older, newer], [newer, other, older]):
        assert by_reading(found, {1: 3.0, 2: -3.0, 3: 3.0}) == found


def test_of_several_the_most_alike_goes_first() -> None:
    found = [memory(1, 2022), memory(2, 2024), memory(3, 2023)]
    moves = possible_moves(found, NOW, {(1, 2): 0.5, (1, 3): 0.6, (3, 2): 0.1})
    assert [each.memory.id for each in held_first(found, moves)] == [3, 1, 2]


async def test_only_tags_of_many_memories_are_taken_out_of_a_question(engine: Engine) -> None:
    for number in range(11):
        tags = ["petra", *(["address"] if number == 0 else [])]
        await remember(engine, f"Petra has seen film {number}.", metadata={"tags": tags})
    async with engine.loom.database.begin(Caller("local")) as tx:
        found = await tags_in(tx, "What is Petra's address?")
    assert found == {"address": False, "petra": True}


async def test_both_orders_are_found_by_recall(engine: Engine) -> None:
    old, new = "Petra lives in Graz.", "Petra lives in Linz."
    for content, context in ((new, "8 March 2025"), (old, "8 March 2023")):
        await remember(engine, content, metadata={"context": context})
    assert (await recalled(engine, "Where does Petra live?"))[0] == new
    assert (await recalled(engine, "Where did Petra live originally?"))[0] == old
    assert (await recalled(engine, "Where did Petra live in May 2024?"))[0] == old
