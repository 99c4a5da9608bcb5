"""Tree reasoning without a language model: distinct methods, filled honestly, judged by nobody."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.llm.offline.model import OfflineModel
from reasonloom.llm.port import Embedder
from reasonloom.nodes.reasoning.tree.offline_approaches import (
    METHODS,
    UNKNOWN,
    approaches_for,
    salient_words,
)
from reasonloom.nodes.reasoning.tree.propose import NOVELTY
from reasonloom.nodes.reasoning.tree_search.deduplication import ThoughtDistance
from reasonloom.nodes.similarity import similarity_of
from reasonloom.stores.access import Access
from reasonloom.text.words import words_in
from tests.support.calls import call, remember
from tests.support.reasoning.sessions import answered, thinking, whole

BRIDGE = "Where shall the footbridge over the Wiese go?"
FACT = "The footbridge over the Wiese must carry bicycles."
PROBLEMS = (
    BRIDGE,
    "?",
    "x",
    "Why does the kettle whistle, and how many litres does it hold without boiling over?",
    "Soll die Brücke über die Wiese oder über den Rhein gehen?",
    "橋はどこに架けるべきですか",
    "word " * 3_000,
    "Ünïcödé {braces} %s \\d+ [x",
)


@pytest.mark.parametrize("most", [2, 4, 10])
@pytest.mark.parametrize("content", PROBLEMS)
async def test_as_many_branches_come_as_are_asked_for(
    access: Access, embedder: Embedder, content: str, most: int
) -> None:
    async with thinking(access, embedder, OfflineModel()) as mind:
        outcome = await call(mind, "reasoning_tree", {"content": content, "max_branches": most})
        stored = await whole(mind, outcome.answer["session_id"])
    answer = outcome.answer
    assert answer["branches_explored"] == most
    assert len({each["content"] for each in answer["branches"]}) == most
    assert len({each["name"] for each in answer["branches"]}) == most
    assert len(stored.branches) == most + 1
    assert not any("were asked for" in note for note in outcome.notes)


async def test_the_answer_says_that_nobody_thought_and_nobody_judged(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, OfflineModel()) as mind:
        answer = await answered(mind, "tree", content=BRIDGE)
    assert answer["llm"] == "offline"
    assert "nobody has followed or judged any" in answer["suggestion"]
    assert answer["reason"].startswith("Without a language model nobody judged")
    assert (answer["confidence"], answer["ballots"]) == (0.0, 0)
    assert {(each["check"], each["score"], each["votes"]) for each in answer["branches"]} == {
        ("word_overlap", 0.0, 0)
    }
    for each in answer["branches"]:
        assert "footbridge" in each["content"]
        assert each["content"].endswith(UNKNOWN)


async def test_what_is_remembered_fills_the_approaches_and_their_score(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, OfflineModel(), auto_memory=True) as mind:
        await remember(mind, FACT)
        answer = await answered(mind, "tree", content=BRIDGE, max_branches=10)
    assert answer["branches_explored"] == 10
    asked = set(words_in(BRIDGE))
    share = len(asked & set(words_in(FACT))) / len(asked)
    for each in answer["branches"]:
        assert f"Known of it: {FACT}" in each["content"]
        assert each["score"] == pytest.approx(share)


@pytest.mark.parametrize(
    ("content", "first", "word"),
    [
        ("Why does the kettle whistle?", "looking for the cause", "Why"),
        ("Tea or coffee?", "elimination", "or"),
        ("The bridge must stand by May.", "constraints first", "must"),
        ("Warum pfeift der Kessel?", "looking for the cause", "Warum"),
        ("Kettles.", "decomposition", ""),
    ],
)
async def test_the_words_of_the_problem_decide_which_method_comes_first(
    access: Access, embedder: Embedder, content: str, first: str, word: str
) -> None:
    async with thinking(access, embedder, OfflineModel()) as mind:
        answer = await answered(mind, "tree", content=content, max_branches=2)
    best = next(each for each in answer["branches"] if each["id"] == answer["recommended_branch"])
    assert best["name"] == first
    assert (f"says `{word}`" if word else "fixed order") in answer["reason"]


async def test_a_second_attempt_takes_other_methods_and_says_where_they_run_out(
    access: Access, embedder: Embedder
) -> None:
    request: dict[str, Any] = {"content": BRIDGE, "confidence": 0.9, "max_branches": 10}
    async with thinking(access, embedder, OfflineModel()) as mind:
        outcome = await call(mind, "reasoning_tree", request)
    assert outcome.answer["below_threshold"] is True
    assert outcome.answer["branches_explored"] == 10
    assert "10 approaches were asked for, and 2 that differ were found" in outcome.notes


async def test_no_two_methods_are_taken_for_the_same(embedder: Embedder) -> None:
    material = {"memories": [{"content": f"{FACT} " + "The footbridge is wide. " * 20}]}
    texts = [each["approach"] for each in approaches_for(BRIDGE, material, len(METHODS))]
    assert len(texts) == len(METHODS) > 10
    apart = ThoughtDistance(await similarity_of(embedder, texts))
    nearest = min(apart(one, two) for one in texts for two in texts if one != two)
    assert nearest > NOVELTY


@given(st.text(min_size=1, max_size=200).filter(str.strip))
def test_any_problem_is_named_by_its_own_words(content: str) -> None:
    named = salient_words(content)
    assert named
    folded = content.casefold()
    written = content + folded + " ".join(content.split()) + "".join(words_in(content))
    assert all(word.rstrip("…") in written for word in named.split(", ")) or "…" in named
    assert [each["approach"] for each in approaches_for(content, {}, 12)] == [
        each["approach"] for each in approaches_for(content, {}, 12)
    ]
