"""Breaking a problem down without a language model: by its own words, and it says so."""

from __future__ import annotations

import time
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.offline import NO_MODEL
from reasonloom.nodes.thinking.breakdown.grow import MOST_PROBLEMS
from reasonloom.nodes.thinking.breakdown.text_division import MOST_PARTS, divide_text
from reasonloom.text.words import words_in
from tests.support.calls import call, remember

PROBLEMS = (
    "Build a scalable web application",
    "Migrate the orders database to Postgres without losing data, then switch off the old server",
    "Why does our checkout fail on Mondays?",
    "Plan a wedding: find a venue, invite the guests, hire a band and order the food",
    "Should we rent an office or let everybody work from home?",
    "Write the grant proposal and hire two engineers before the summer school begins",
    "1. Collect the ballots\n2. Count them twice\n3. Publish the result and archive the paper",
    "Die Wohnung streichen und danach die Möbel aufbauen, ohne den Boden zu beschädigen",
    "Traduire le manuel et former les vendeurs afin de lancer le produit en Espagne",
    "Organizar la mudanza y luego vender el piso viejo",
    "为什么数据库很慢？检查索引，优化查询。",
    "Reduce the hospital's waiting time while keeping the number of nurses",
    "If the sensor drifts, recalibrate it; if it breaks, replace the board.",
    "Learn to play the violin",
    "How many seats does the new theatre need?",
    "Design and build a fast and reliable boat",
    "Our bees die in winter. The hives are wet. Find the leak and dry the hives.",
    "Teach fractions to a class of ten-year-olds",
    "After the roof is repaired, insulate the attic and paint the ceiling",
    "Предотвратить утечку воды в подвале, заменить трубы, проверить давление",
)


async def broken(engine: Engine, problem: str, **more: Any) -> dict[str, Any]:
    return (await call(engine, "breakdown", {"problem": problem, **more})).answer


def parts(answer: dict[str, Any]) -> list[str]:
    return [each["description"] for each in answer["subProblems"][1:]]


async def test_twenty_problems_get_twenty_answers_in_their_own_words(engine: Engine) -> None:
    answers = [await broken(engine, problem) for problem in PROBLEMS]
    for one, other in combinations(answers, 2):
        assert not set(parts(one)) & set(parts(other))
        assert one["drawing"] != other["drawing"]
    for problem, answer in zip(PROBLEMS, answers, strict=True):
        described = [each["description"] for each in answer["subProblems"]]
        said = {word for part in parts(answer) or described for word in words_in(part)}
        own = set(words_in(problem))
        assert len(own & said) >= 0.7 * len(own), problem
        divided = answer["totalSubProblems"] >= 3
        assert answer["confidence"] == (0.3 if divided else 0.0)
        assert answer["suggestion"] == NO_MODEL
        assert answer["llm"] == "offline"


async def test_parts_that_no_words_show_are_an_open_question(engine: Engine) -> None:
    assert (await broken(engine, PROBLEMS[1]))["subProblems"][0]["splitBy"] == "words"
    answer = await broken(engine, PROBLEMS[2])
    (whole,) = answer["subProblems"]
    assert (whole["description"], whole["kind"]) == (PROBLEMS[2], "open_question")
    assert whole["why"] == f"On “{PROBLEMS[2]}”: Which parts does it have, and in which order?"


async def test_the_answer_says_that_no_model_made_it(engine: Engine) -> None:
    outcome = await call(engine, "breakdown", {"problem": PROBLEMS[9]})
    assert any("without a language model" in note for note in outcome.notes)
    assert any("English, German, French and Spanish" in note for note in outcome.notes)


@pytest.mark.parametrize(
    ("text", "found", "order"),
    [
        ("Wash the car then wax the roof", ["Wash the car", "wax the roof"], [(0, 1)]),
        ("Wash the red car before you wax the roof", ["Wash the red car", "you wax the roof"],
         [(0, 1)]),
        ("Wax the whole roof after you wash the car", ["Wax the whole roof", "you wash the car"],
         [(1, 0)]),
        ("Finish the report before Friday", None, []),
        ("Build a fast and reliable boat", None, []),
        ("Bread and butter", None, []),
        ("If it rains then stay in", None, []),
        ("Buy apples, pears and plums", ["Buy apples", "pears", "plums"], []),
        ("Pay 1,500 euros", None, []),
        ("Ship it; sell it", ["Ship it", "sell it"], []),
        ("- one thing\n- another thing\n", ["one thing", "another thing"], []),
        ("Paint the hall without closing it", ["Paint the hall", "without closing it"], []),
        ("Wash the car. Then wax it.", ["Wash the car", "wax it"], [(0, 1)]),
        ("", None, []),
        ("?!", None, []),
    ],
)  # fmt: skip
def test_words_divide_as_they_say(
    text: str, found: list[str] | None, order: list[tuple[int, int]]
) -> None:
    division = divide_text(text)
    assert (list(division.parts) if division else None) == found
    assert (list(division.order) if division else []) == order


def test_more_parts_than_seven_are_put_together_and_divide_again() -> None:
    things = [f"paint house {number}" for number in range(30)]
    division = divide_text("\n".join(f"- {each}" for each in things))
    assert division and len(division.parts) == MOST_PARTS
    again = [part for each in division.parts for part in (divide_text(each) or pytest.fail()).parts]
    assert again == things
    chain = divide_text(", then ".join(things))
    assert chain and chain.order == tuple((at, at + 1) for at in range(6))
    assert all((divide_text(each) or pytest.fail()).order for each in chain.parts)


@given(st.text(max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_divided_into_what_it_says_or_not_at_all(text: str) -> None:
    division = divide_text(text)
    if division is None:
        return
    assert 2 <= len(division.parts) <= MOST_PARTS
    plain = "".join(text.split())
    for part in division.parts:
        assert words_in(part)
        for piece in part.split("\n"):
            assert "".join(piece.removeprefix("- ").split())[:3] in plain or ", then" in part


@pytest.mark.parametrize("text", [" " * 99_999 + "x", "x, " * 33_000 + "y", "then " * 20_000,
                                  "a b. " * 20_000, "-\n" * 50_000, "before after " * 7_600,
                                  "if a" * 25_000, ":" * 99_999 + "a"], ids=range(8))  # fmt: skip
async def test_no_text_takes_long(engine: Engine, text: str) -> None:
    answer = await broken(engine, text, maxDepth=5)
    assert answer["totalSubProblems"] <= MOST_PROBLEMS


@pytest.mark.parametrize("piece", ["x, ", "then ", "a b. ", "-\n", "before after ", "if a", ":",
                                   " ", "; ", "and ", ", then "], ids=range(11))  # fmt: skip
def test_time_grows_with_a_text_and_not_with_its_square(piece: str) -> None:
    def took(count: int) -> float:
        started = time.process_time()
        divide_text(f"a{piece * count}b")
        return time.process_time() - started

    count = 100_000 // len(piece)
    short = max(min(took(count // 8) for _ in range(3)), 0.005)
    assert min(took(count) for _ in range(2)) < 8 * 3 * short


async def test_constraints_are_seen_to_after_all_the_rest(engine: Engine) -> None:
    context = {"constraints": ["No downtime on Fridays", "It costs nothing"]}
    answer = await broken(engine, PROBLEMS[6], context=context)
    last = answer["subProblems"][-1]
    assert last["description"] == ("No downtime on Fridays; It costs nothing")
    assert answer["executionOrder"][-1] == last["id"]
    assert answer["parallelLevels"][-1] == [last["id"]]


async def test_background_and_memories_are_told_with_what_they_speak_of(engine: Engine) -> None:
    await remember(engine, "The old server stands in the cellar.")
    context = {"background": "Lunch is at noon. The orders database has forty tables."}
    answer = await broken(engine, PROBLEMS[1], context=context)
    known = {each["description"]: each.get("known") for each in answer["subProblems"]}
    assert known["Migrate the orders database to Postgres"] == [
        "“The orders database has forty tables.” (background)"
    ]
    assert known["switch off the old server"] == ["“The old server stands in the cellar.” (mem-1)"]
    assert answer["memoriesUsed"] == ["mem-1"]


async def test_a_problem_without_words_is_left_whole(engine: Engine) -> None:
    answer = await broken(engine, "?!")
    assert answer["totalSubProblems"] == 1
    assert answer["subProblems"][0]["why"] == "it has no words"
    assert answer["confidence"] == 0.0
