"""Tree reasoning: what is explored at once, judged blind, stored, and recommended."""

from __future__ import annotations

import asyncio
import re
from uuid import uuid4

import psycopg
import pytest

from reasonloom.errors import BranchNotFound, SessionNotFound
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.reasoning.tree.propose import NOVELTY
from reasonloom.nodes.reasoning.tree_search.deduplication import ThoughtDistance
from reasonloom.nodes.similarity import similarity_of
from reasonloom.stores.access import Access
from tests.support.calls import call, remember
from tests.support.llms.exploration import THOUGHT, WORDS, ExploringLlm
from tests.support.reasoning.sessions import answered, lines, stored_rows, thinking, whole

QUESTION = "What is it?"


async def test_each_approach_is_a_branch_on_the_thought_of_the_call(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, ExploringLlm()) as mind:
        answer = await answered(mind, "tree", content=QUESTION)
        stored = await whole(mind, answer["session_id"])
        listed = await answered(mind, "tree_list", session_id=answer["session_id"])
    assert answer["branches_explored"] == 4
    assert [each["content"] for each in answer["branches"]] == [
        f"It is the {word}" for word in WORDS[:4]
    ]
    root, *others = listed["branches"]
    assert (root["id"], root["head_thought_id"]) == (answer["branch_id"], answer["thought_id"])
    assert listed["active_branch_id"] == answer["branch_id"]
    assert [each["id"] for each in others] == [each["id"] for each in answer["branches"]]
    assert {each["parent_id"] for each in others} == {answer["branch_id"]}
    assert {each["state"] for each in others} == {"active"}
    assert [each["priority"] for each in others] == [1, 0, 0, 0]
    assert [each["confidence"] for each in others] == [0.9, 0.45, 0.45, 0.45]
    for each in answer["branches"]:
        assert lines(stored)[each["id"]] == [answer["content"], each["content"]]
    assert (stored.session.mode, {each.mode for each in stored.thoughts}) == ("tree", {"tree"})


async def test_the_ballots_decide_and_not_the_author(access: Access, embedder: Embedder) -> None:
    def granite(thoughts: dict[str, str]) -> str:
        return next(label for label in thoughts if "granite" in thoughts[label])

    llm = ExploringLlm(judge=granite, score=0.8, confidence=0.1)
    async with thinking(access, embedder, llm) as mind:
        answer = await answered(mind, "tree", content=QUESTION)
    best = next(each for each in answer["branches"] if each["id"] == answer["recommended_branch"])
    assert (best["name"], best["votes"], best["score"]) == ("By granite", 3, pytest.approx(0.8))
    assert (best["confidence"], best["check"]) == (0.1, "blind_ballots")
    assert answer["confidence"] == pytest.approx(0.8)
    assert answer["content"].startswith("It is the granite\n")
    assert answer["reason"] == "`By granite` holds."
    assert "partial" not in answer


async def test_ballots_that_disagree_make_the_answer_less_sure(
    access: Access, embedder: Embedder
) -> None:
    turns = iter(["granite", "violin", "granite", "violin", "granite"])

    def torn(thoughts: dict[str, str]) -> str:
        word = next(turns)
        return next(label for label in thoughts if word in thoughts[label])

    async with thinking(access, embedder, ExploringLlm(judge=torn, score=0.9)) as mind:
        answer = await answered(mind, "tree", content=QUESTION)
    votes = {each["name"]: each["votes"] for each in answer["branches"]}
    assert votes == {"By harbour": 0, "By violin": 2, "By granite": 3, "By pepper": 0}
    score = (3 * 0.9 + 2 * 0.45) / 5
    assert answer["confidence"] == pytest.approx(score * 3 / 5)


async def test_the_finalists_are_compared_in_both_orders_and_may_change_places(
    access: Access, embedder: Embedder
) -> None:
    turns = iter(["granite", "violin", "granite", "violin", "violin"])

    def torn(thoughts: dict[str, str]) -> str:
        word = next(turns)
        return next(label for label in thoughts if word in thoughts[label])

    llm = ExploringLlm(judge=torn)
    async with thinking(access, embedder, llm) as mind:
        answer = await answered(mind, "tree", content=QUESTION)
    finals = [[text for _, text in THOUGHT.findall(each)] for each in llm.asked["judge"][3:]]
    assert finals == [
        ["It is the granite", "It is the violin"], ["It is the violin", "It is the granite"],
    ]  # fmt: skip
    best = next(each for each in answer["branches"] if each["id"] == answer["recommended_branch"])
    assert (best["name"], best["votes"], answer["ballots"]) == ("By violin", 3, 5)


async def test_no_finals_where_the_ballots_agree(access: Access, embedder: Embedder) -> None:
    llm = ExploringLlm()
    async with thinking(access, embedder, llm) as mind:
        agreed = await answered(mind, "tree", content=QUESTION)
        two = await answered(mind, "tree", content=QUESTION, max_branches=2)
    assert (agreed["ballots"], two["ballots"]) == (3, 2)
    first, second = (THOUGHT.findall(each) for each in llm.asked["judge"][3:])
    assert [text for _, text in first] == [text for _, text in second][::-1]


async def test_two_branches_on_which_the_ballots_differ_are_judged_once_more_with_the_reasons(
    access: Access, embedder: Embedder
) -> None:
    first_of_each = ExploringLlm(judge=lambda thoughts: "A")
    async with thinking(access, embedder, first_of_each) as mind:
        answer = await answered(mind, "tree", content=QUESTION, max_branches=2)
    asked = first_of_each.asked["judge"]
    assert (answer["ballots"], len(asked), len(set(asked))) == (4, 4, 4)
    assert ["<reasons>" in each for each in asked] == [False, False, True, True]
    for ballot in asked[2:]:  # each of both was the first on one of the ballots before
        assert sorted(re.findall(r"- (.*) holds", ballot)) == ["thought A", "thought B"]


async def test_a_ballot_shows_neither_order_nor_origin(access: Access, embedder: Embedder) -> None:
    llm = ExploringLlm()
    async with thinking(access, embedder, llm) as mind:
        for _ in range(30):  # at ten, one run in 300 leaves a place empty by chance
            await answered(mind, "tree", content=QUESTION)
    places: dict[str, set[int]] = {word: set() for word in WORDS[:4]}
    for ballot in llm.asked["judge"]:
        thoughts = THOUGHT.findall(ballot)
        assert [label for label, _ in thoughts] == ["A", "B", "C", "D"]
        for place, (_, text) in enumerate(thoughts):
            places[text.split()[-1]].add(place)
        assert not any(
            told in ballot for told in ("By ", "Use the", "0.5", "confidence", "1.sample")
        )
    assert set(map(frozenset, places.values())) == {frozenset(range(4))}
    assert len({*llm.asked["judge"][:3]}) > 1


async def test_all_branches_are_explored_at_once_and_all_ballots_cast_at_once(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm(seconds=0.2)
    async with thinking(access, embedder, llm) as mind:
        await answered(mind, "tree", content=QUESTION)
        assert llm.most == {"propose": 1, "explore": 4, "judge": 3}
        answer = await answered(mind, "tree", content=QUESTION, max_branches=10)
    assert (answer["branches_explored"], llm.most["explore"]) == (10, 10)
    assert {kind: len(asked) for kind, asked in llm.asked.items()} == {
        "propose": 2, "explore": 14, "judge": 6,
    }  # fmt: skip


async def test_a_tree_goes_on_from_its_session_and_from_the_branch_that_is_named(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm()
    async with thinking(access, embedder, llm) as mind:
        first = await answered(mind, "tree", content=QUESTION, max_branches=2)
        session, violin = first["session_id"], first["branches"][1]
        second = await answered(mind, "tree", content="And then?", session_id=session)
        third = await answered(mind, "tree", content="Or else?", branch_id=violin["id"])
        fourth = await answered(
            mind, "tree", content="More?", session_id=session, branch_id=violin["id"]
        )
        stored = await whole(mind, session)
        listed = await answered(mind, "tree_list", session_id=session)
    assert (second["branch_id"], second["previous_thought"]) == (session, first["thought_id"])
    assert (third["branch_id"], third["previous_thought"]) == (violin["id"], violin["thought_id"])
    assert fourth["previous_thought"] == third["thought_id"]
    assert listed["active_branch_id"] == session
    assert lines(stored)[violin["id"]] == [
        first["content"], violin["content"], third["content"], fourth["content"],
    ]  # fmt: skip
    asked = next(each for each in llm.asked["explore"] if "Or else?" in each)
    assert "concluded: It is the violin" in asked
    assert "And then?" not in asked


async def test_an_unknown_foreign_or_strange_branch_is_not_found(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, ExploringLlm()) as mind:
        mine = await answered(mind, "tree", content=QUESTION)
        other = await answered(mind, "tree", content=QUESTION)
        theirs = await answered(mind, "tree", content=QUESTION, owner="bob")
        before = stored_rows(access)
        strange = (other["recommended_branch"], other["branch_id"], theirs["recommended_branch"],
                   str(uuid4()), "nonsense")  # fmt: skip
        for branch in strange:
            with pytest.raises(BranchNotFound, match=f"Branch not found: {branch}"):
                await answered(
                    mind, "tree", content="x", session_id=mine["session_id"], branch_id=branch
                )
        for branch in (theirs["recommended_branch"], theirs["branch_id"], str(uuid4()), "nonsense"):
            with pytest.raises(BranchNotFound):
                await answered(mind, "tree", content="x", branch_id=branch)
        with pytest.raises(SessionNotFound):
            await answered(mind, "tree", content="x", session_id=theirs["session_id"])
        assert stored_rows(access) == before


async def test_the_answer_is_remembered_as_derived_from_what_it_used(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm()
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        await remember(mind, "The thing in the box is heavy.")
        answer = await answered(mind, "tree", content="What is the heavy thing in the box?")
    assert answer["memories_used"] == ["mem-1"]
    assert all("heavy" in each for kind in llm.asked.values() for each in kind)
    with psycopg.connect(access.admin) as connection:
        kept = connection.execute(
            "SELECT content, source_kind FROM memories ORDER BY id DESC LIMIT 1"
        ).fetchall()
        edges = connection.execute(
            "SELECT source_id, target_id FROM edges WHERE type = 'derived_from'"
        ).fetchall()
    assert kept == [(answer["content"], "derived")]
    assert edges == [(2, 1)]


async def test_approaches_that_come_to_the_same_are_one_branch_and_judged_once(
    access: Access, embedder: Embedder
) -> None:
    llm = ExploringLlm(broken={"violin": "it is  the HARBOUR"})
    async with thinking(access, embedder, llm) as mind:
        answer = await answered(mind, "tree", content=QUESTION)
        stored = await whole(mind, answer["session_id"])
    assert [each["name"] for each in answer["branches"]] == [
        "By harbour",
        "By granite",
        "By pepper",
    ]
    assert answer["branches"][0]["merged"] == ["By violin"]
    assert [len(THOUGHT.findall(each)) for each in llm.asked["judge"]] == [3, 3, 3]
    assert len(stored.branches) == 4


async def test_what_says_the_opposite_in_the_same_words_is_not_the_same(embedder: Embedder) -> None:
    long = "We should take the early train and book the seats today, since it is cheap."
    texts = [long, long.replace("cheap", "cheap!"), "Take tea rather than coffee",
             "Take coffee rather than tea", "Elephants forget."]  # fmt: skip
    apart = ThoughtDistance(await similarity_of(embedder, texts))
    assert apart(texts[0], texts[1]) <= NOVELTY < apart(texts[2], texts[3])
    assert apart.likeness.cosine(texts[2], texts[3]) > 0.98
    assert apart(texts[0], texts[4]) > NOVELTY
    assert apart(texts[0], texts[0]) == 0


async def test_two_trees_at_once_in_a_session_lose_nothing(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, ExploringLlm(seconds=0.1)) as mind:
        first = await answered(mind, "tree", content=QUESTION, max_branches=2)
        session = first["session_id"]
        jobs = [call(mind, "reasoning_tree", {"content": QUESTION, "session_id": session})
                for _ in range(2)]  # fmt: skip
        one, other = await asyncio.gather(*jobs)
        stored = await whole(mind, session)
    stands = {one.answer["branch_id"], other.answer["branch_id"]}
    assert session in stands and len(stands) == 2
    assert [any("another run" in note for note in each.notes) for each in (one, other)].count(
        True
    ) == 1
    assert len(stored.branches) == 1 + 2 + 4 + 1 + 4
    for each in (one.answer, other.answer):
        assert lines(stored)[each["branches"][3]["id"]][-2] == each["content"]
