"""The history of a branch: within its budget, the newest whole, the older as an extract."""

from __future__ import annotations

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.nodes.sessions.context import fit_history
from reasonloom.stores.access import Access
from reasonloom.stores.sessions.thoughts import PastThought
from reasonloom.text.sentences import sentences_in
from reasonloom.text.tokens import estimate_tokens
from tests.support.calls import remember
from tests.support.llms.numbered import TellingLlm
from tests.support.reasoning.sessions import answered, thinking

TRAIN = "The last train home leaves at 22:40."
FERRY = "The ferry leaves at noon."
"""Found for its stem, and no word of it is a word of the question."""


@pytest.mark.parametrize(
    ("asked", "quotes", "used"),
    [
        ("When does the last train home leave?", [f"“{TRAIN}” (mem-1)"], ["mem-1"]),
        ("When must we leave the restaurant?", [], []),
    ],
)
async def test_what_is_said_fits_together(
    access: Access, embedder: Embedder, asked: str, quotes: list[str], used: list[str]
) -> None:
    async with thinking(access, embedder, OfflineModel(), auto_memory=True) as mind:
        await remember(mind, TRAIN)
        await remember(mind, FERRY)
        answer = await answered(mind, "linear", content=asked)
    question = f"On “{asked}”: What is the next step?"
    assert answer["content"].split("\n") == [*quotes, question]
    assert answer["memories_used"] == used
    assert answer["confidence"] == (0.1 if quotes else 0.0)


TEXTS = st.lists(
    st.text("abc efg. \n!äß漢字", max_size=600).filter(lambda text: bool(text.strip())), max_size=30
)


def step(content: str, asked: str = "why") -> PastThought:
    return PastThought(uuid4(), asked, content)


def tokens(steps: list[dict[str, str]]) -> int:
    return sum(estimate_tokens(each["input"]) + estimate_tokens(each["content"]) for each in steps)


def test_what_fits_is_given_whole_and_without_a_note() -> None:
    history = fit_history([step("First."), step("Second.")], "what", 100)
    assert [each["content"] for each in history.steps] == ["First.", "Second."]
    assert history.notes == []


def test_the_newest_are_whole_and_the_older_are_an_extract_that_says_so() -> None:
    old = "The train leaves at ten. Nobody likes the rain. The tickets cost nine euros."
    past = [step(old), step("Filler. " * 40), *(step(f"Newest number {n}.") for n in range(3))]
    history = fit_history(past, "When does the train leave?", 100)
    first, *rest = history.steps
    assert [each["content"] for each in rest] == [f"Newest number {n}." for n in range(3)]
    assert first["input"].startswith("2 earlier steps of this session, as an extract")
    assert "The train leaves at ten." in first["content"]
    assert "newest 3 steps are given in full, 2 older ones as an extract" in history.notes[0]
    assert fit_history(past, "When does the train leave?", 100) == history


def test_a_step_that_is_longer_than_all_is_an_extract() -> None:
    history = fit_history([step("The sum is nine. " + "x" * 100_000)], "sum", 200)
    (only,) = history.steps
    assert only["content"].startswith("The sum is nine.")
    assert tokens(history.steps) <= 200


@given(texts=TEXTS, question=st.text("abcef ", max_size=20), budget=st.integers(100, 1_000))
def test_any_history_keeps_to_its_budget(texts: list[str], question: str, budget: int) -> None:
    past = [step(text) for text in texts]
    history = fit_history(past, question, budget)
    assert tokens(history.steps) <= budget
    known = {sentence for text in texts for sentence in sentences_in(text)}
    whole = [each["content"] for each in history.steps if each["input"] == "why"]
    assert whole == texts[len(texts) - len(whole) :]
    for each in history.steps:
        if each["input"] != "why":
            assert set(sentences_in(each["content"])) <= known
    if tokens([{"input": "why", "content": text} for text in texts]) <= budget:
        assert len(whole) == len(texts)
    elif whole != texts:
        assert history.notes


async def test_a_long_session_is_asked_about_within_the_setting(
    access: Access, embedder: Embedder
) -> None:
    llm = TellingLlm()
    async with thinking(access, embedder, llm, history_tokens=100) as engine:
        session = None
        for number in range(12):
            answer = await answered(
                engine, "linear", content=f"step {number} about the harbour", session_id=session
            )
            session = answer["session_id"]
        shown = llm.seen["step 11 about the harbour"]
        assert shown[1:] == [f"thought about step {n} about the harbour" for n in range(7, 11)]
        assert "thought about step" in shown[0]
        assert sum(map(estimate_tokens, shown)) <= 100


@pytest.mark.parametrize("tokens_given", [99, 0, -1])
def test_a_budget_too_small_is_refused(tokens_given: int) -> None:
    from reasonloom.errors import SettingMistake
    from reasonloom.settings import load_settings

    with pytest.raises(SettingMistake, match="REASONLOOM_HISTORY_TOKENS"):
        load_settings(history_tokens=tokens_given)
