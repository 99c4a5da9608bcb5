"""Evaluating a session: figures computed by hand, thoughts named, an opinion beside."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from reasonloom.errors import LlmUnavailable, SessionNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.sessions.figures import coherence, confidence, links_of, measure_coverage
from reasonloom.nodes.similarity import Similarity, similarity_of
from reasonloom.stores.access import Access
from reasonloom.stores.sessions.thoughts import ThoughtRow
from tests.support.calls import call
from tests.support.llms.answering import AnsweringLlm, words_of
from tests.support.llms.embedders import LeavingEmbedder
from tests.support.reasoning.sessions import answered, steps, thinking

KEYS = {
    "session_id", "thought_count", "coherence", "confidence", "coverage", "open_branches",
    "strengths", "weaknesses", "recommendations",
}  # fmt: skip
OPINION = {
    "opinion": "Step 2 does not follow.", "strengths": [], "weaknesses": ["a leap"],
    "recommendations": ["say why"],
}  # fmt: skip
PLAN = [
    {"thought": "Anna is allergic to peanuts.", "confidence": 0.9},
    {"thought": "The kitchen cooks with peanut oil, so Anna is in danger.", "confidence": 0.3},
    {"thought": "The train leaves at six.", "confidence": 0.6},
]
ASKED = "What must we tell the restaurant about Anna and her allergy?"


def row(content: str, sure: float, parent: UUID | None = None, asked: str = "q") -> ThoughtRow:
    return ThoughtRow(
        id=uuid4(), session_id=uuid4(), position=1, parent_id=parent, branch_id=None,
        mode="linear", input=asked, content=content, confidence=sure, llm="x", run_id=None,
        metadata={}, created_at=datetime.now(UTC),
    )  # fmt: skip


def planned(**more: Any) -> AnsweringLlm:
    return AnsweringLlm(thought=list(PLAN), opinion=OPINION, **more)


def test_figures_are_those_of_the_documented_formulas() -> None:
    vectors = {"a": [1.0, 0.0], "b": [0.6, 0.8], "c": [0.0, 1.0]}
    first = row("a", 1.0)
    second = row("b", 0.5, first.id)
    beside = row("c", 0.0, first.id)
    thoughts = [first, second, beside]
    links = links_of(thoughts, Similarity(vectors, floor=0.2))
    assert [round(link.likeness, 9) for link in links] == [0.5, 0.0]
    assert coherence(thoughts, links) == pytest.approx(0.25)
    weights = [2**-0.4, 2**-0.2, 1]
    mean = (weights[0] * 1.0 + weights[1] * 0.5) / sum(weights)
    assert confidence(thoughts) == pytest.approx(mean)
    assert (coherence([first], []), coherence([], []), confidence([])) == (1.0, 0.0, 0.0)


async def test_coverage_takes_a_word_of_the_same_meaning_and_names_what_is_missed(
    embedder: Embedder,
) -> None:
    thoughts = [row("The cost of the journey is high.", 0.9, asked="The price of the penguin?")]
    assert await measure_coverage(embedder, thoughts) == (0.5, ["penguin"])
    leaving = LeavingEmbedder(embedder)
    leaving.gone = True
    assert await measure_coverage(leaving, thoughts) == (0.0, ["price", "penguin"])


async def test_a_session_is_measured_and_its_weak_thoughts_are_named(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, planned()) as mind:
        session = await steps(mind, ASKED, "And the kitchen?", "And then?")
        found = await answered(mind, "reflection_evaluate", session_id=session)
    assert set(found) >= KEYS
    assert (found["session_id"], found["thought_count"], found["open_branches"]) == (session, 3, 1)
    texts = [str(each["thought"]) for each in PLAN]
    likeness = await similarity_of(embedder, texts)
    wanted = (likeness.of(texts[0], texts[1]) + likeness.of(texts[1], texts[2])) / 2
    assert found["coherence"] == pytest.approx(wanted, abs=1e-4)
    assert 0.3 < found["confidence"] < 0.9
    faults = " ".join(found["weaknesses"])
    assert "thought 3 (" in found["weaknesses"][0]
    assert "has little to do with thought 2 (" in faults
    assert "unsure of itself (0.30)" in faults
    assert "restaurant" not in faults
    assert len(found["recommendations"]) == len(found["weaknesses"])
    assert any("thought 1 (" in each and "0.90" in each for each in found["strengths"])


async def test_open_branches_are_counted_and_finished_ones_are_not(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, planned()) as mind:
        session = await steps(mind, ASKED)
        point = await answered(mind, "checkpoint_create", session_id=session, name="p")
        await steps(mind, "more", session=session)
        await answered(mind, "backtrack", checkpoint_id=point["id"], new_direction="else")
        found = await answered(mind, "reflection_evaluate", session_id=session)
        assert found["open_branches"] == 2
        assert any("branch main is still open at thought 2" in w for w in found["weaknesses"])
        await answered(mind, "tree_complete", session_id=session, branch_id=session,
                       state="completed")  # fmt: skip
        found = await answered(mind, "reflection_evaluate", session_id=session)
        assert (found["open_branches"], found["thought_count"]) == (1, 3)


async def test_an_opinion_stands_beside_and_changes_no_figure(
    access: Access, embedder: Embedder
) -> None:
    llm = planned()
    async with thinking(access, embedder, llm) as mind:
        session = await steps(mind, ASKED, "And the kitchen?")
        with_opinion = await answered(mind, "reflection_evaluate", session_id=session)
        llm.answers["opinion"] = LlmUnavailable("not reached")
        outcome = await call(mind, "reasoning_reflection_evaluate", {"session_id": session})
        without = outcome.answer
        llm.answers["opinion"] = "Well, well."
        nonsense = await answered(mind, "reflection_evaluate", session_id=session)
    assert with_opinion["opinion"] == {"llm": "answering", **OPINION}
    assert "Anna is allergic" in words_of(llm.asked["opinion"][0])
    assert without["partial"] is True
    assert "opinion" not in without
    assert "the opinion: not reached" in outcome.notes
    assert nonsense["opinion"]["opinion"] == "Well, well."
    for name in KEYS - {"session_id", "strengths", "weaknesses", "recommendations"}:
        assert with_opinion[name] == without[name] == nonsense[name]
    assert with_opinion["weaknesses"] == nonsense["weaknesses"]
    (computed,) = set(without["weaknesses"]) - set(with_opinion["weaknesses"])
    assert "nobody takes up" in computed


async def test_an_opinion_that_comes_too_late_is_done_without(
    access: Access, embedder: Embedder
) -> None:
    llm = planned()
    async with thinking(access, embedder, llm, tool_timeout=1.5) as mind:
        session = await steps(mind, ASKED)
        llm.answers["opinion"] = 30.0
        found = await answered(mind, "reflection_evaluate", session_id=session)
    assert (found["partial"], found["thought_count"]) == (True, 1)


async def test_without_a_language_model_it_says_so(engine: Engine) -> None:
    session = await steps(engine, ASKED)
    found = await answered(engine, "reflection_evaluate", session_id=session)
    assert "No language model" in found["suggestion"]
    assert "opinion" not in found
    assert found["coherence"] == 1.0


async def test_an_unknown_or_foreign_session_is_not_found(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, planned()) as mind:
        session = await steps(mind, ASKED)
        for owner, wrong in (("ben", session), ("local", str(uuid4())), ("local", "nonsense")):
            with pytest.raises(SessionNotFound) as caught:
                await answered(mind, "reflection_evaluate", owner=owner, session_id=wrong)
            assert caught.value.message == f"Session not found: {wrong}"
