"""Reflection: the old answer stands until a blind judge prefers the revision."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from reasonloom.contracts.reasoning.reflection import ReasoningReflection, ReflectionWithQuestion
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument, LlmUnavailable, SessionNotFound, ThoughtNotFound
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.nodes.offline import NO_MODEL
from reasonloom.nodes.reasoning.reflection.steps import is_swapped
from reasonloom.stores.access import Access
from tests.support.calls import call, remember
from tests.support.llms.answering import AnsweringLlm, ReplyFields, words_of
from tests.support.reasoning.sessions import answered, lines, steps, stored_rows, thinking, whole

ANSWER = "Anna can eat there."
BETTER = "Anna can eat there if the cook leaves the peanut oil out."
KEYS = {
    "thought_id", "session_id", "content", "confidence", "strengths", "weaknesses",
    "recommendations", "improved_reasoning",
}  # fmt: skip


def critique(*weaknesses: str, **more: Any) -> dict[str, Any]:
    return {
        "strengths": ["short"], "weaknesses": list(weaknesses),
        "recommendations": ["name the oil"], "findings": [], "confidence": 0.4, **more,
    }  # fmt: skip


def preferring(content: str) -> Any:
    """Return a judge that prefers a content wherever it stands."""

    def judge(ask: Ask) -> ReplyFields:
        better = "first" if ask.material["first"] == content else "second"
        scores = {"first_score": 0.2, "second_score": 0.2, f"{better}_score": 0.8}
        return {"better": better, "reason": "safer", **scores}

    return judge


def llm_of(**more: Any) -> AnsweringLlm:
    said: dict[str, Any] = {
        "strengths": critique("it forgets the oil"), "revision": {"revision": BETTER},
        "reason": preferring(BETTER), "thought": {"thought": ANSWER, "confidence": 0.9},
    }  # fmt: skip
    return AnsweringLlm(**{**said, **more})


async def test_a_revision_that_the_judge_prefers_replaces_the_answer(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of()
    async with thinking(access, embedder, llm) as mind:
        found = await answered(mind, "reflection", content=ANSWER)
        stored = await whole(mind, found["session_id"])
    assert set(found) >= KEYS
    assert found["improved_reasoning"] == BETTER
    assert (found["iterations"], found["accepted"]) == (1, 1)
    assert (found["stopped_because"], found["confidence"]) == ("max_iterations", 0.8)
    assert found["weaknesses"] == ["it forgets the oil"]
    assert "partial" not in found
    (thought,) = stored.thoughts
    assert (thought.input, thought.content, thought.mode) == (
        ANSWER,
        found["content"],
        "reflection",
    )
    assert BETTER in found["content"]
    assert llm.counts == {"strengths": 1, "revision": 1, "reason": 1}


@pytest.mark.parametrize("judge", [preferring(ANSWER), {
    "better": "neither", "first_score": 0.5, "second_score": 0.5, "reason": "alike"}])  # fmt: skip
async def test_a_revision_that_the_judge_does_not_prefer_changes_nothing(
    access: Access, embedder: Embedder, judge: Any
) -> None:
    llm = llm_of(reason=judge)
    async with thinking(access, embedder, llm) as mind:
        found = await answered(mind, "reflection", content=ANSWER, max_iterations=5)
    assert found["improved_reasoning"] == ANSWER
    assert (found["iterations"], found["accepted"]) == (1, 0)
    assert found["stopped_because"] == "judge_preferred_the_old"
    assert BETTER not in found["content"]


async def test_the_judge_is_told_nothing_of_where_the_answers_come_from(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of()
    async with thinking(access, embedder, llm) as mind:
        found = [
            await answered(mind, "reflection", owner=f"o{number}", content=ANSWER)
            for number in range(8)
        ]
    for each, ask in zip(found, llm.asked["reason"], strict=True):
        assert (ask.material["first"] == BETTER) == is_swapped(each["run_id"], 1)
        assert each["improved_reasoning"] == BETTER, "wherever it stands"
        assert set(ask.material) == {
            "question", "history", "memories", "focus_areas", "first", "second",
        }  # fmt: skip
        assert ask.material["memories"] == []
        assert {ask.material["first"], ask.material["second"]} == {ANSWER, BETTER}
        assert not {"revis", "improve", "original", "old", "forgets"} & set(words_of(ask).split())
        assert ask.thread is None
    swaps = [is_swapped(str(uuid4()), 1) for _ in range(200)]
    assert 60 < sum(swaps) < 140


FACT = "Anna is allergic to peanuts: one bite put her into hospital."
ELSEWHERE = "The chef of that place fries everything in Erdnussöl, which is peanut oil."


async def test_an_answer_is_held_against_what_is_known(access: Access, embedder: Embedder) -> None:
    llm = llm_of(
        strengths=critique("it forgets the oil", used=["M1"], lookup=[]),
        revision={"revision": BETTER, "used": ["M1"]},
    )
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        known = await remember(mind, FACT)
        found = await answered(mind, "reflection", content=ANSWER)
    for kind in ("strengths", "revision", "reason"):
        assert FACT in words_of(llm.asked[kind][0]), kind
    assert found["memories_used"] == [known]
    assert found["improved_reasoning"] == BETTER


async def test_the_question_of_an_answer_is_given_with_it(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of(strengths=critique(used=[]))
    given = {"content": "Yes.", "question": "Can Anna eat at the fish stall?"}
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        await remember(mind, "The fish stall fries in peanut oil.")
        await answered(mind, "reflection", **given)
    (ask,) = llm.asked["strengths"]
    assert given["question"] in words_of(ask)
    assert "fries in peanut oil" in words_of(ask), "found by the question"


def test_a_stored_thought_has_a_question_of_its_own() -> None:
    with pytest.raises(InvalidArgument, match="question with content only"):
        parse_request(ReflectionWithQuestion, {"thought_id": "t", "question": "Why?"})


async def test_a_stored_thought_is_no_evidence_of_itself(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of()
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        thought = await answered(mind, "linear", content="Can Anna eat there?")
        await answered(mind, "reflection", thought_id=thought["thought_id"])
    assert llm.asked["strengths"][0].material["memories"] == []


async def test_what_only_says_the_answer_is_no_evidence_for_it(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of(strengths=critique("it forgets the oil", used=[], lookup=[ANSWER]))
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        await remember(mind, ANSWER)
        await remember(mind, FACT, sessionId="another")
        await answered(mind, "reflection", content=ANSWER)
    assert llm.counts == {"strengths": 1, "revision": 1, "reason": 1}, "nothing new was found"
    for (ask,) in llm.asked.values():
        memories: Any = ask.material["memories"]
        (memory,) = memories
        assert (memory["content"], memory["label"][:4]) == (FACT, "[M1,")


async def test_a_criticism_looks_up_what_would_decide(access: Access, embedder: Embedder) -> None:
    unsure = critique("unsure", used=[], lookup=["what the chef of that place fries in"])
    knowing = critique("the oil is peanut oil", used=["M1"], lookup=[])
    llm = llm_of(strengths=[unsure, knowing], revision={"revision": BETTER, "used": []})
    async with thinking(access, embedder, llm, auto_memory=True, context_tokens=200) as mind:
        for number in range(24):
            await remember(mind, f"Anna can eat there on day {number} with {number} friends.")
        await remember(mind, ELSEWHERE)
        found = await answered(mind, "reflection", content=ANSWER)
    assert ELSEWHERE not in words_of(llm.asked["strengths"][0])
    assert ELSEWHERE in words_of(llm.asked["strengths"][1])
    assert ELSEWHERE in words_of(llm.asked["revision"][0]), "later steps see it too"
    assert found["weaknesses"] == ["the oil is peanut oil"]


async def test_rounds_go_on_until_nothing_is_left_to_criticise(
    access: Access, embedder: Embedder
) -> None:
    def judge(ask: Ask) -> ReplyFields:
        pair = {ask.material["first"], ask.material["second"]}
        return dict(preferring("third" if "third" in pair else "second")(ask))

    llm = llm_of(
        strengths=[critique("a"), critique("b"), critique()],
        revision=[{"revision": "second"}, {"revision": "third"}],
        reason=judge,
    )
    async with thinking(access, embedder, llm) as mind:
        found = await answered(mind, "reflection", content=ANSWER, max_iterations=5)
    assert (found["improved_reasoning"], found["accepted"]) == ("third", 2)
    assert (found["iterations"], found["stopped_because"]) == (3, "no_weakness_found")
    assert found["weaknesses"] == ["a"], "what is said is said of the answer that was given"
    assert [ask.material["content"] for ask in llm.asked["strengths"]] == [
        ANSWER, "second", "third",
    ]  # fmt: skip


async def test_a_revision_that_changes_nothing_is_not_judged(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of(revision={"revision": ANSWER.upper()})
    async with thinking(access, embedder, llm) as mind:
        found = await answered(mind, "reflection", content=ANSWER, max_iterations=3)
    assert (found["stopped_because"], found["improved_reasoning"]) == ("nothing_changed", ANSWER)
    assert "reason" not in llm.asked


async def test_each_focus_area_gets_a_finding(access: Access, embedder: Embedder) -> None:
    some = critique("weak", findings=[{"area": 2, "finding": "No word of cost."}])
    llm = llm_of(strengths=some)
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(
            mind, "reasoning_reflection",
            {"content": ANSWER, "focus_areas": ["Anna's safety", "cost"]},
        )  # fmt: skip
    assert outcome.answer["focus"] == [
        {"area": "Anna's safety", "by": "none", "kind": "open_question",
         "finding": "On “Anna's safety”: How does the answer deal with it?"},
        {"area": "cost", "finding": "No word of cost.", "by": "llm"},
    ]  # fmt: skip
    assert any("left out focus areas" in note and "safety" in note for note in outcome.notes)
    for kind in ("strengths", "revision", "reason"):
        assert "Anna's safety" in words_of(llm.asked[kind][0])


async def test_a_stored_thought_is_reflected_on_where_it_stands(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of()
    async with thinking(access, embedder, llm) as mind:
        session = await steps(mind, "Can Anna eat there?", "And Ben?")
        stored = await whole(mind, session)
        first = str(stored.thoughts[0].id)
        found = await answered(mind, "reflection", thought_id=first)
        after = await whole(mind, session)
    assert (found["session_id"], found["reflects_on"]) == (session, first)
    assert found["previous_thought"] == str(stored.thoughts[1].id)
    assert lines(after)[session] == [ANSWER, ANSWER, found["content"]]
    assert llm.asked["strengths"][0].material["question"] == "Can Anna eat there?"
    assert llm.asked["strengths"][0].material["history"] == []


async def test_a_thought_of_another_session_or_owner_is_not_found(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, llm_of()) as mind:
        session, other = await steps(mind, "a"), await steps(mind, "b")
        thought = str((await whole(mind, session)).thoughts[0].id)
        before = stored_rows(access)
        wrongs: list[dict[str, Any]] = [
            {"thought_id": thought, "session_id": other},
            {"thought_id": thought, "owner": "ben"},
            {"thought_id": str(uuid4())},
            {"thought_id": "nonsense", "session_id": session},
        ]
        for wrong in wrongs:
            with pytest.raises(ThoughtNotFound) as caught:
                await answered(mind, "reflection", **wrong)
            assert caught.value.message == f"Thought not found: {wrong['thought_id']}"
        for owner, named in (("ben", session), ("local", str(uuid4()))):
            with pytest.raises(SessionNotFound):
                await answered(mind, "reflection", owner=owner, content="x", session_id=named)
        assert stored_rows(access) == before


@pytest.mark.parametrize("wrong", [{}, {"content": "x", "thought_id": "y"}])
def test_both_inputs_or_neither_are_refused_naming_the_fields(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument, match="give content or thought_id, one of the two"):
        parse_request(ReasoningReflection, wrong)


@pytest.mark.parametrize("number", [0, 6])
def test_iterations_are_one_to_five(number: int) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_request(ReasoningReflection, {"content": "x", "max_iterations": number})
    assert caught.value.field == "max_iterations"


@pytest.mark.parametrize(("kind", "said", "because"), [
    ("strengths", LlmUnavailable("not reached"), "llm_failed"),
    ("strengths", "Hm.", "unreadable_answer"),
    ("revision", 30.0, "llm_failed"),
    ("reason", LlmUnavailable("not reached"), "llm_failed"),
    ("reason", "Both are fine.", "unreadable_answer"),
])  # fmt: skip
async def test_an_answer_that_does_not_come_leaves_the_old_one_and_is_marked(
    access: Access, embedder: Embedder, kind: str, said: ReplyFields, because: str
) -> None:
    async with thinking(access, embedder, llm_of(**{kind: said}), tool_timeout=3.0) as mind:
        outcome = await call(mind, "reasoning_reflection", {"content": ANSWER})
    found = outcome.answer
    assert (found["partial"], found["stopped_because"]) == (True, because)
    assert (found["improved_reasoning"], found["accepted"]) == (ANSWER, 0)
    judged = found["strengths"] and found["weaknesses"] and found["recommendations"]
    assert bool(judged) is (kind != "strengths")
    assert ("kind" in found) is (not judged and isinstance(said, LlmUnavailable))
    assert any("of round 1" in note for note in outcome.notes)


async def test_text_that_is_no_json_is_used_as_far_as_it_goes(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of(revision=BETTER)
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "reasoning_reflection", {"content": ANSWER})
        llm.answers["strengths"] = "The oil is forgotten."
        told = await answered(mind, "reflection", content=ANSWER)
    assert (outcome.answer["improved_reasoning"], outcome.answer["accepted"]) == (BETTER, 1)
    assert any("not the JSON asked for" in note for note in outcome.notes)
    assert "The critic said: The oil is forgotten." in told["content"]


async def test_the_budget_ends_the_rounds_with_the_best_so_far(
    access: Access, embedder: Embedder
) -> None:
    llm = llm_of()
    async with thinking(access, embedder, llm, budget_calls=4) as mind:
        found = await answered(mind, "reflection", content=ANSWER, max_iterations=5)
    assert sum(llm.counts.values()) == 4
    assert (found["improved_reasoning"], found["accepted"]) == (BETTER, 1)
    assert (found["stopped_because"], found["partial"]) == ("budget", True)


async def test_without_a_language_model_nothing_is_judged_and_it_says_so(engine: Engine) -> None:
    text = "Maybe Anna can always eat there."
    found = await answered(engine, "reflection", content=text, focus_areas=["friends"])
    assert (found["suggestion"], found["kind"]) == (NO_MODEL, "open_question")
    assert (found["stopped_because"], found["improved_reasoning"]) == ("offline", text)
    assert (found["strengths"], found["weaknesses"], found["recommendations"]) == ([], [], [])
    question = "What holds in it, what does not, and what would mend it?"
    assert found["content"] == f"On “{text}”: {question}"
    (area,) = found["focus"]
    assert area == {
        "area": "friends", "by": "none", "kind": "open_question",
        "finding": "On “friends”: How does the answer deal with it?",
    }  # fmt: skip
    assert found["confidence"] == 0.0
    assert set(found) >= KEYS
