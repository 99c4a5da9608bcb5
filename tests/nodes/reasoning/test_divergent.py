"""Divergent reasoning: unlike lenses at once, novelty measured, constraints held against each."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import psycopg
import pytest

from reasonloom.contracts.reasoning.divergent import ReasoningDivergent
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument, LlmUnavailable, SessionNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.nodes.offline import NO_MODEL
from reasonloom.nodes.reasoning.divergent.lenses import LENSES
from reasonloom.nodes.similarity import similarity_of
from reasonloom.stores.access import Access
from tests import ROOT
from tests.support.calls import call, remember
from tests.support.llms.answering import AnsweringLlm, ReplyFields, words_of
from tests.support.llms.embedders import LeavingEmbedder
from tests.support.reasoning.sessions import answered, lines, steps, stored_rows, thinking, whole

PLAIN = "Ask the cook to leave the peanuts out."
VIEWS = {
    "inversion": "Ask the cook to leave the peanuts out.",
    "analogy": "Aviation uses checklists before each flight; a kitchen could as well.",
    "constraint removal": "Eat at home, where Anna cooks with her own oil.",
    "": PLAIN,
}
TOPIC = "How do we keep Anna safe at dinner?"
SYNTHESIS: ReplyFields = {
    "synthesis": "Ask the cook for a checklist (P1, P2).",
    "sources": ["P2", "P9"],
    "confidence": 0.7,
}
KEYS = {"thought_id", "session_id", "content", "confidence", "perspectives", "synthesis"}


def view(ask: Ask) -> ReplyFields:
    """Answer by the lens that is asked for."""
    lens = ask.material["lens"]
    name = str(lens["name"]) if isinstance(lens, dict) else ""
    return {"viewpoint": VIEWS.get(name, f"Seen by {name}."), "confidence": 0.8}


def judged(ask: Ask) -> ReplyFields:
    """Find that eating at home breaks the first constraint."""
    kept = "home" not in str(ask.material["viewpoint"])
    verdict = {"constraint": 1, "kept": kept, "why": "it says so"}
    return {"verdicts": [verdict, {"constraint": 2, "kept": True, "why": "fine"}]}


def llm_of(**more: Any) -> AnsweringLlm:
    said: dict[str, Any] = {
        "viewpoint": view, "verdicts": judged, "synthesis": SYNTHESIS,
        "thought": {"thought": "We dine out.", "confidence": 0.9},
    }  # fmt: skip
    return AnsweringLlm(**{**said, **more})


async def test_perspectives_are_answered_with_every_key_and_stored_as_thoughts(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of()
    async with thinking(access, embedder, llm) as mind:
        session = await steps(mind, "Where do we dine?")
        found = await answered(mind, "divergent", content=TOPIC, session_id=session)
        stored = await whole(mind, session)
    assert set(found) >= KEYS
    assert [each["lens"] for each in found["perspectives"]] == [lens.name for lens in LENSES[:3]]
    ids = [each["id"] for each in found["perspectives"]]
    assert found["sources"] == ids[:2]
    assert found["content"] == found["synthesis"] == "Ask the cook for a checklist (P1, P2)."
    assert "partial" not in found
    assert {str(each.id) for each in stored.thoughts} >= {*ids, found["thought_id"]}
    assert lines(stored)[session] == ["We dine out.", found["synthesis"]]
    for each in found["perspectives"]:
        assert lines(stored)[each["branch_id"]] == ["We dine out.", each["viewpoint"]]
    assert [each.state for each in stored.branches] == ["active"] + ["completed"] * 3
    assert "We dine out." in words_of(llm.asked["viewpoint"][0])
    assert llm.counts == {"thought": 1, "viewpoint": 4, "synthesis": 1}


async def test_novelty_is_the_distance_to_the_nearest_other_view_or_the_plain_answer(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, llm_of()) as mind:
        found = await answered(mind, "divergent", content=TOPIC)
    likeness = await similarity_of(embedder, list(VIEWS.values()))
    scores = {each["lens"]: each["novelty_score"] for each in found["perspectives"]}
    others = [VIEWS["analogy"], PLAIN]
    nearest = max(likeness.cosine(VIEWS["constraint removal"], each) for each in others)
    assert scores["inversion"] == 0.0, "it says what the plain answer says"
    assert scores["constraint removal"] == pytest.approx(1 - nearest, abs=1e-4)
    assert scores["analogy"] > 0.5


@pytest.mark.parametrize(
    ("synthesis", "sure"),
    [
        ({"synthesis": "Ask the cook.", "sources": ["P1"], "confidence": 0.6}, 0.6),
        ({"synthesis": "Postgres keeps dead rows.", "sources": ["P1"], "confidence": 0.6}, 0.6),
        ("Ask the cook.", 0.8),
        (LlmUnavailable("not reached"), 0.4),
    ],
    ids=["stated", "stated in other words", "not stated", "nobody has weighed them"],
)
async def test_confidence_is_what_the_synthesis_states_in_whatever_words(
    access: Access, embedder: Embedder, synthesis: ReplyFields, sure: float
) -> None:
    async with thinking(access, embedder, llm_of(synthesis=synthesis)) as mind:
        found = await answered(mind, "divergent", content=TOPIC)
    assert found["confidence"] == pytest.approx(sure)


async def test_each_perspective_is_held_against_each_constraint(
    access: Access, embedder: Embedder
) -> None:
    rules = ["Nobody cooks at home", "It costs nothing"]
    llm = llm_of()
    async with thinking(access, embedder, llm) as mind:
        found = await answered(mind, "divergent", content=TOPIC, constraints=rules)
    marks = {each["lens"]: each["violates"] for each in found["perspectives"]}
    assert marks == {"inversion": False, "analogy": False, "constraint removal": True}
    checked = found["perspectives"][2]["constraints"]
    assert [(each["constraint"], each["kept"], each["by"]) for each in checked] == [
        (rules[0], False, "llm"), (rules[1], True, "llm"),
    ]  # fmt: skip
    assert llm.counts["verdicts"] == 3
    assert "constraint removal; breaks: Nobody cooks" in words_of(llm.asked["synthesis"][0])
    assert all("Look" not in words_of(ask) for ask in llm.asked["verdicts"]), "the judge is blind"


async def test_a_judge_that_fails_leaves_a_check_of_words_that_says_so(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of(verdicts="I cannot say.")
    async with thinking(access, embedder, llm) as mind:
        found = await answered(
            mind, "divergent", content=TOPIC, constraints=["no peanuts", "never aviation"]
        )
    by_lens = {each["lens"]: each["constraints"] for each in found["perspectives"]}
    assert {check["by"] for checks in by_lens.values() for check in checks} == {"words"}
    assert all("by words only" in check["why"] for checks in by_lens.values() for check in checks)
    assert [check["kept"] for check in by_lens["inversion"]] == [False, True]
    assert [check["kept"] for check in by_lens["analogy"]] == [True, False]


async def test_a_perspective_that_fails_is_left_out_and_said(
    access: Access, embedder: Embedder
) -> None:
    def one_fails(ask: Ask) -> ReplyFields:
        lens = ask.material["lens"]
        if isinstance(lens, dict) and lens["name"] == "analogy":
            return LlmUnavailable("not reached")
        return view(ask)

    async with thinking(access, embedder, llm_of(viewpoint=one_fails)) as mind:
        outcome = await call(mind, "reasoning_divergent", {"content": TOPIC})
    assert [each["lens"] for each in outcome.answer["perspectives"]] == [
        "inversion", "constraint removal",
    ]  # fmt: skip
    assert outcome.answer["partial"] is True
    assert "the perspective analogy: not reached" in outcome.notes
    assert outcome.answer["sources"] == [outcome.answer["perspectives"][0]["id"]]
    assert any("named sources that do not exist: P2, P9" in note for note in outcome.notes)


async def test_where_no_perspective_comes_the_fault_is_told_and_nothing_stored(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of(viewpoint=LlmUnavailable("not reached"))
    async with thinking(access, embedder, llm) as mind:
        before = stored_rows(access)
        with pytest.raises(LlmUnavailable, match="no perspective came: not reached"):
            await answered(mind, "divergent", content=TOPIC)
        assert stored_rows(access) == before


@pytest.mark.parametrize("said", [LlmUnavailable("not reached"), 30.0])
async def test_without_a_synthesis_the_perspectives_are_answered_and_marked(
    access: Access, embedder: Embedder, said: ReplyFields
) -> None:
    async with thinking(access, embedder, llm_of(synthesis=said), tool_timeout=4.0) as mind:
        found = await answered(mind, "divergent", content=TOPIC, confidence=0.99)
    assert (found["partial"], found["below_threshold"]) == (True, True)
    assert found["content"].startswith("P1: Ask the cook to leave the peanuts out.")
    assert len(found["sources"]) == 3


async def test_text_that_is_no_json_is_taken_as_what_it_says(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of(viewpoint="Just ask the cook.", synthesis="Ask the cook.")
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "reasoning_divergent", {"content": TOPIC})
    assert outcome.answer["content"] == "Ask the cook."
    assert [each["viewpoint"] for each in outcome.answer["perspectives"]] == (
        ["Just ask the cook."] * 3
    )
    assert len(outcome.answer["sources"]) == 3
    assert sum("not the JSON asked for" in note for note in outcome.notes) == 5


async def test_below_the_confidence_asked_for_the_synthesis_is_tried_once_more(
    access: Access, embedder: Embedder
) -> None:
    far: ReplyFields = {"synthesis": "Hire a taster.", "sources": ["P1"], "confidence": 0.3}
    llm = llm_of(synthesis=[far, SYNTHESIS])
    async with thinking(access, embedder, llm) as mind:
        found = await answered(mind, "divergent", content=TOPIC, confidence=0.95)
    assert llm.counts == {"viewpoint": 4, "synthesis": 2}
    assert "below the 0.95 asked" in words_of(llm.asked["synthesis"][1])
    assert found["below_threshold"] is True
    assert found["content"] == "Ask the cook for a checklist (P1, P2)."


async def test_a_second_synthesis_that_fails_leaves_the_first(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of(synthesis=[SYNTHESIS, LlmUnavailable("not reached")])
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(
            mind, "reasoning_divergent", {"content": TOPIC, "confidence": 0.99}
        )  # fmt: skip
    assert outcome.answer["content"] == "Ask the cook for a checklist (P1, P2)."
    assert outcome.answer["below_threshold"] is True
    assert "the synthesis: not reached" in outcome.notes


async def test_perspectives_are_taken_at_once(access: Access, embedder: Embedder) -> None:
    llm = llm_of()
    llm.seconds = 0.1
    async with thinking(access, embedder, llm) as mind:
        await answered(mind, "divergent", content=TOPIC, num_perspectives=10)
    assert llm.most_at_once == 11


async def test_the_budget_of_calls_holds_for_calls_at_once(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of()
    async with thinking(access, embedder, llm, budget_calls=3) as mind:
        outcome = await call(mind, "reasoning_divergent", {"content": TOPIC, "num_perspectives": 5})
    assert sum(llm.counts.values()) == 3
    assert outcome.answer["partial"] is True
    assert len(outcome.answer["perspectives"]) in (2, 3)
    assert any("budget of 3 calls" in note for note in outcome.notes)


async def test_memory_is_recalled_before_and_the_synthesis_kept_after(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of()
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        memory = await remember(mind, "Anna is safe without peanuts at dinner.")
        found = await answered(mind, "divergent", content=TOPIC)
    assert found["memories_used"] == [memory]
    with psycopg.connect(access.admin) as connection:
        query = (
            "SELECT m.content FROM edges e JOIN memories m ON m.id = e.source_id "
            "WHERE e.type = 'derived_from'"
        )
        assert connection.execute(query).fetchall() == [(found["synthesis"],)]


async def test_without_an_embedder_likeness_is_counted_by_words(
    access: Access, embedder: Embedder
) -> None:
    leaving = LeavingEmbedder(embedder)
    async with thinking(access, leaving, llm_of()) as mind:
        leaving.gone = True
        outcome = await call(mind, "reasoning_divergent", {"content": TOPIC})
    assert "no embedder: likeness was counted by shared words" in outcome.notes
    assert outcome.answer["perspectives"][0]["novelty_score"] == 0.0


async def test_without_a_language_model_the_lenses_ask_and_say_so(engine: Engine) -> None:
    await remember(engine, "Anna is safe at dinner without peanuts.")
    found = await answered(
        engine, "divergent", content=TOPIC, num_perspectives=10, constraints=["no peanuts"]
    )
    assert (found["suggestion"], found["kind"]) == (NO_MODEL, "open_question")
    assert [each["lens"] for each in found["perspectives"]] == [lens.name for lens in LENSES]
    assert [each["constraints"][0]["kept"] for each in found["perspectives"]] == [None] * 10
    for view, lens in zip(found["perspectives"], LENSES, strict=True):
        assert view["viewpoint"] == f"On “{TOPIC}”: {lens.question}"
        assert (view["kind"], view["novelty_score"], view["confidence"]) == (
            "open_question", 0.0, 0.0,
        )  # fmt: skip
    assert "“Anna is safe at dinner without peanuts.” (mem-1)" in found["synthesis"]
    assert (found["sources"], found["confidence"]) == ([], 0.1)


async def test_an_unknown_or_foreign_session_is_not_found(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, llm_of()) as mind:
        session = await steps(mind, "Where?")
        before = stored_rows(access)
        for owner, wrong in (("ben", session), ("local", str(uuid4()))):
            with pytest.raises(SessionNotFound):
                await answered(mind, "divergent", owner=owner, content="x", session_id=wrong)
        assert stored_rows(access) == before


def test_the_page_lists_the_lenses_in_their_order() -> None:
    page = (ROOT / "docs/reasoning.md").read_text(encoding="utf-8")
    assert ", ".join(lens.name for lens in LENSES) in " ".join(page.split())


@pytest.mark.parametrize("wrong", [{"num_perspectives": 1}, {"num_perspectives": 11},
                                   {"constraints": [" "]}, {"confidence": 1.5}])  # fmt: skip
def test_wrong_arguments_are_refused_by_name(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_request(ReasoningDivergent, {"content": "x", **wrong})
    assert str(caught.value.field).startswith(next(iter(wrong)))
