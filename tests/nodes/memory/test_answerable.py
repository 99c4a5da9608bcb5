"""What recall and automatic recall say where nothing stored answers a question."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.memory.retrieval.answerable import BAR
from tests.support.calls import call, remember

MEMORIES = (
    "Petra's birthday is 3 May 1988.",
    "Petra has moved to Graz, to a flat above a locksmith.",
    "The standup is at 9:30 by the whiteboard.",
)
ANSWERED = "When is Petra's birthday?"
UNANSWERED = "Which car does Petra drive?"


@pytest.fixture
async def stored(engine: Engine) -> Engine:
    for content in MEMORIES:
        await remember(engine, content)
    return engine


async def ask(engine: Engine, text: str | None, **more: Any) -> tuple[dict[str, Any], list[str]]:
    outcome = await call(engine, "recall", {"text": text, **more} if text else more)
    return outcome.answer, outcome.notes


async def test_what_is_stored_is_answerable(stored: Engine) -> None:
    answer, notes = await ask(stored, ANSWERED)
    assert answer["memories"][0]["content"] == MEMORIES[0]
    assert BAR <= answer["answerable"] <= 1
    assert all("nearest" not in each for each in answer["memories"])
    assert not any("nothing stored" in note for note in notes)


@pytest.mark.parametrize(
    ("memory", "question"),
    [
        ("Anna lives in Vienna.", "Where does Anna live?"),
        ("We deploy on Fridays.", "When do we deploy?"),
        ("Tom works at Siemens.", "Where does Tom work?"),
        ("The wifi password is in the vault.", "Where is the wifi password?"),
        ("My dentist is Dr. Huber.", "Who is my dentist?"),
    ],
)
async def test_a_short_question_is_not_refused(stored: Engine, memory: str, question: str) -> None:
    await remember(stored, memory)
    answer, notes = await ask(stored, question)
    assert answer["memories"][0]["content"] == memory
    assert answer["answerable"] >= BAR
    assert notes == []


@pytest.mark.parametrize("question", ["Where does Ben live?", "Which car does Anna drive?"])
async def test_a_short_question_of_another_matter_is_refused(stored: Engine, question: str) -> None:
    await remember(stored, "Anna lives in Vienna.")
    answer, _ = await ask(stored, question)
    assert answer["answerable"] < BAR


async def test_what_is_not_stored_is_said_and_the_nearest_are_marked(stored: Engine) -> None:
    answer, notes = await ask(stored, UNANSWERED)
    assert 0 <= answer["answerable"] < BAR
    assert answer["memories"], "the nearest are shown"
    assert all(each["nearest"] for each in answer["memories"])
    assert any(note.startswith("nothing stored answers this") for note in notes)


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("Petra's phone number", {}),
        (None, {}),
        ("Wie lautet die Telefonnummer von Petra, und wo wohnt sie jetzt?", {}),
        (UNANSWERED, {"offset": 1}),
    ],
)
async def test_it_is_left_out_where_it_cannot_be_told(
    stored: Engine, text: str | None, more: dict[str, Any]
) -> None:
    answer, notes = await ask(stored, text, **more)
    assert "answerable" not in answer
    assert not any("nothing stored" in note for note in notes)


async def test_an_empty_space_answers_nothing(engine: Engine) -> None:
    answer, _ = await ask(engine, UNANSWERED)
    assert (answer["memories"], answer["answerable"]) == ([], 0.0)
