"""Breaking a problem down with a language model: tree, dependencies, limits, faults, storing."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import psycopg
import pytest

from reasonloom.contracts.thinking.breakdown import Breakdown
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument, LlmUnavailable, MissingArgument
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Ask, Embedder
from reasonloom.nodes.thinking.breakdown.grow import MOST_PROBLEMS
from reasonloom.stores.access import Access
from tests.support.calls import call, remember
from tests.support.llms.analysis import growing, into, link, splitting, whole
from tests.support.llms.answering import AnsweringLlm, ReplyFields, words_of
from tests.support.reasoning.sessions import stored_rows, thinking
from tests.support.reasoning.sessions import whole as whole_session

SHOP = "Open a shop for violins"
SITE, STOCK, STAFF = "Find premises", "Buy violins", "Hire a luthier"
TREE: dict[str, ReplyFields] = {
    SHOP: into(SITE, STOCK, STAFF, links=[link(1, 2), link(3, 2, 0.6, "blocks")]),
    SITE: into("View three streets", "Sign the lease", links=[link(1, 2)]),
}


async def broken(mind: Engine, problem: str = SHOP, **more: Any) -> dict[str, Any]:
    return (await call(mind, "breakdown", {"problem": problem, **more})).answer


def by_id(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["id"].removeprefix("problem-1-0"): each for each in answer["subProblems"]}


def pairs(answer: dict[str, Any], kind: str) -> list[tuple[str, str]]:
    return [
        (each["from"].removeprefix("problem-1-0"), each["to"].removeprefix("problem-1-0"))
        for each in answer["dependencies"]
        if each["type"] == kind
    ]


async def test_a_tree_has_ids_depths_dependencies_and_an_order(
    access: Access, embedder: Embedder
) -> None:
    llm = splitting(TREE, {"dependencies": [link("1.1", "3")]})
    async with thinking(access, embedder, llm) as mind:
        answer = await broken(mind)
    found = by_id(answer)
    assert list(found) == ["", "-0", "-0-0", "-0-1", "-1", "-2"]
    assert [each["depth"] for each in found.values()] == [1, 2, 3, 3, 2, 2]
    assert "parent" not in found[""] and found["-0-1"]["parent"] == "problem-1-0-0"
    assert found[""]["description"] == SHOP
    assert found["-0-1"]["description"] == "Sign the lease"
    assert pairs(answer, "hierarchical") == [
        ("", "-0"), ("-0", "-0-0"), ("-0", "-0-1"), ("", "-1"), ("", "-2"),
    ]  # fmt: skip
    assert pairs(answer, "needs") == [("-0", "-1"), ("-0-0", "-0-1"), ("-0-0", "-2")]
    assert pairs(answer, "blocks") == [("-2", "-1")]
    order = [each.removeprefix("problem-1-0") for each in answer["executionOrder"]]
    assert order == ["", "-0", "-0-0", "-0-1", "-2", "-1"]
    assert (answer["totalSubProblems"], answer["maxDepth"]) == (6, 3)
    levels = [[each[-3:] for each in level] for level in answer["parallelLevels"]]
    assert levels == [["0-0"], ["0-1", "0-2"], ["0-1"]]
    assert (answer["criticalPathLength"], answer["criticalPathBy"]) == (3.0, "count")
    assert "partial" not in answer and "suggestion" not in answer
    assert "-.->|needs|" in answer["drawing"] and "==>|blocks|" in answer["drawing"]


async def test_leaves_say_why_they_are_atomic(access: Access, embedder: Embedder) -> None:
    tree = {**TREE, STOCK: whole("one order does it")}
    async with thinking(access, embedder, splitting(tree)) as mind:
        found = by_id(await broken(mind))
    assert (found["-1"]["atomic"], found["-1"]["reason"]) == (True, "indivisible")
    assert found["-1"]["why"] == "one order does it"
    assert (found["-0-0"]["reason"], found["-0-0"]["why"]) == ("max_depth", "maxDepth is 3")
    assert found["-0"]["atomic"] is False and "reason" not in found["-0"]
    assert found["-0"]["splitBy"] == "llm"


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
async def test_the_depth_is_never_passed(access: Access, embedder: Embedder, depth: int) -> None:
    llm = splitting({}, other=growing(2))
    async with thinking(access, embedder, llm) as mind:
        answer = await broken(mind, maxDepth=depth)
    assert answer["totalSubProblems"] == 2**depth - 1
    assert max(each["depth"] for each in answer["subProblems"]) == depth
    assert llm.counts["atomic"] == 2 ** (depth - 1) - 1
    assert llm.counts["dependencies"] == (depth > 2)


async def test_a_level_is_divided_at_once_and_is_a_barrier(
    access: Access, embedder: Embedder
) -> None:
    llm = splitting({}, other=growing(5))
    llm.seconds = 0.2
    async with thinking(access, embedder, llm) as mind:
        await broken(mind)
    assert llm.most_at_once == 5
    second = llm.asked["atomic"][1:]
    assert len(second) == 5
    for ask in second:
        assert words_of(ask).count("- ") >= 4, "each sees the others of its level"


async def test_a_division_sees_context_memories_and_what_is_above(
    access: Access, embedder: Embedder
) -> None:
    llm = splitting(TREE)
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        memory = await remember(mind, "The shop for violins must open in May.")
        context = {"background": "Anna lends 9000.", "constraints": ["No debts"]}
        answer = await broken(mind, maxDepth=4, context=context)
    assert answer["memoriesUsed"] == [memory]
    for ask in llm.asked["atomic"]:
        for said in ("open in May", "Anna lends 9000.", "No debts", SHOP):
            assert said in words_of(ask)
    deepest = next(ask for ask in llm.asked["atomic"] if ask.material["part"] == "Sign the lease")
    assert deepest.material["line"] == [SITE]
    assert deepest.material["others"] == ["View three streets"]


async def test_what_is_the_same_is_found_and_not_divided_again(
    access: Access, embedder: Embedder
) -> None:
    tree = {**TREE, STAFF: into("Advertise the post", "sign the  LEASE")}
    llm = splitting(tree, other=growing(2))
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "breakdown", {"problem": SHOP, "maxDepth": 4})
    found = by_id(outcome.answer)
    assert found["-2-1"]["reason"] == "duplicate"
    assert found["-2-1"]["duplicateOf"] == "problem-1-0-0-1"
    assert ("-0-1", "-2-1") in pairs(outcome.answer, "needs")
    assert any("3.2 is the same as 1.2" in note for note in outcome.notes)
    assert "sign the  LEASE" not in [ask.material["part"] for ask in llm.asked["atomic"]]
    assert "problem-1-0-2-1" not in str(outcome.answer["parallelLevels"])


async def test_a_circle_is_broken_and_said(access: Access, embedder: Embedder) -> None:
    tree = {SHOP: into(SITE, STOCK, STAFF, links=[link(1, 2), link(2, 3, 0.2), link(3, 1)])}
    async with thinking(access, embedder, splitting(tree)) as mind:
        outcome = await call(mind, "breakdown", {"problem": SHOP})
    dropped = outcome.answer["droppedDependencies"]
    assert [(each["from"][-1], each["to"][-1], each["certainty"]) for each in dropped] == [
        ("1", "2", 0.2)
    ]
    assert any("closes the circle" in note for note in outcome.notes)
    assert [each[-1] for each in outcome.answer["criticalPath"]] == ["2", "0", "1"]


async def test_efforts_are_summed_where_all_have_one(access: Access, embedder: Embedder) -> None:
    tree = {SHOP: into((SITE, 50), (STOCK, 30), (STAFF, 60), links=[link(1, 2)])}
    async with thinking(access, embedder, splitting(tree)) as mind:
        answer = await broken(mind)
        some = await broken(mind, "Other")
    assert (answer["criticalPathBy"], answer["criticalPathLength"]) == ("effort", 80.0)
    assert (some["criticalPathBy"], some["criticalPathLength"]) == ("count", 1.0)


async def test_a_division_that_fails_is_marked_and_the_rest_goes_on(
    access: Access, embedder: Embedder
) -> None:
    tree = {**TREE, STOCK: LlmUnavailable("not reached"), STAFF: "I would rather not."}
    async with thinking(access, embedder, splitting(tree)) as mind:
        outcome = await call(mind, "breakdown", {"problem": SHOP})
    found = by_id(outcome.answer)
    assert (found["-1"]["reason"], found["-1"]["why"]) == ("failed", "not reached")
    assert found["-2"]["reason"] == "failed"
    assert found["-0"]["atomic"] is False
    assert outcome.answer["partial"] is True
    assert "the division of 2: not reached" in outcome.notes
    assert outcome.answer["confidence"] < 0.6


async def test_where_the_whole_cannot_be_divided_nothing_is_stored(
    access: Access, embedder: Embedder
) -> None:
    llm = splitting({SHOP: LlmUnavailable("not reached")})
    async with thinking(access, embedder, llm) as mind:
        before = stored_rows(access)
        with pytest.raises(LlmUnavailable, match="not reached"):
            await call(mind, "breakdown", {"problem": SHOP}, key="k")
        assert stored_rows(access) == before
        llm.answers["atomic"] = whole()
        again = await call(mind, "breakdown", {"problem": SHOP}, key="k")
    assert again.answer["totalSubProblems"] == 1


async def test_an_unreadable_division_of_the_whole_is_made_by_words(
    access: Access, embedder: Embedder
) -> None:
    problem = "Find premises in the old town, then buy forty violins"
    async with thinking(access, embedder, splitting({problem: "Well."})) as mind:
        answer = await broken(mind, problem)
    found = by_id(answer)
    assert (answer["partial"], found[""]["splitBy"]) == (True, "words")
    assert found["-1"]["description"] == "buy forty violins"


STRANGE = {
    "none": into(),
    "one": into(SITE),
    "the same twice": into(SITE, f" {SITE.upper()}"),
    "itself": into(SHOP, SITE),
    "places that are none": into(SITE, STOCK, links=[link(1, 7), link(2, 2), link(1, 2)]),
}


@pytest.mark.parametrize("said", STRANGE)
async def test_strange_divisions_are_mended_or_marked(
    access: Access, embedder: Embedder, said: str
) -> None:
    strange = {"dependencies": [link("9.9", "1"), link("", "nonsense")]}
    async with thinking(access, embedder, splitting({SHOP: STRANGE[said]}, strange)) as mind:
        outcome = await call(mind, "breakdown", {"problem": SHOP})
    found = by_id(outcome.answer)
    if said in ("none", "one", "the same twice"):
        assert (found[""]["reason"], outcome.answer["partial"]) == ("failed", True)
        assert any("fewer than two" in note for note in outcome.notes)
    elif said == "itself":
        assert found["-0"]["duplicateOf"] == "problem-1-0"
        assert pairs(outcome.answer, "needs") == []
    else:
        assert pairs(outcome.answer, "needs") == [("-0", "-1")]
        assert any("2 dependencies named with 0 are none" in note for note in outcome.notes)


async def test_links_across_branches_that_name_nobody_are_left_out(
    access: Access, embedder: Embedder
) -> None:
    llm = splitting(TREE, {"dependencies": [link("9.9", "1"), link("1", "1.2"), link("2", "3")]})
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "breakdown", {"problem": SHOP})
    assert len(outcome.answer["droppedDependencies"]) == 3
    assert any("9.9 before problem-1-0-0 was left out: there is no" in n for n in outcome.notes)
    assert any("one is a part of the other" in n for n in outcome.notes)
    assert any("closes the circle" in n for n in outcome.notes)


async def test_without_the_links_across_branches_the_rest_stands(
    access: Access, embedder: Embedder
) -> None:
    llm = splitting(TREE, LlmUnavailable("not reached"))
    async with thinking(access, embedder, llm) as mind:
        outcome = await call(mind, "breakdown", {"problem": SHOP})
    assert outcome.answer["partial"] is True
    assert "dependencies across the branches were not looked for" in outcome.notes
    assert len(pairs(outcome.answer, "needs")) == 2


async def test_the_budget_of_calls_holds_and_leaves_the_last_call(
    access: Access, embedder: Embedder
) -> None:
    llm = splitting({}, other=growing(4))
    async with thinking(access, embedder, llm, budget_calls=6) as mind:
        outcome = await call(mind, "breakdown", {"problem": SHOP, "maxDepth": 5})
    assert llm.counts == {"atomic": 5, "dependencies": 1}
    answer = outcome.answer
    assert (answer["partial"], answer["totalSubProblems"]) == (True, 1 + 4 * 5)
    left = [each for each in answer["subProblems"] if each.get("reason") == "budget"]
    assert len(left) == 16
    assert sum("budget" in note for note in outcome.notes) == 1


async def test_a_tree_has_so_many_problems_and_no_more(access: Access, embedder: Embedder) -> None:
    llm = splitting({}, other=growing(7))
    async with thinking(access, embedder, llm, budget_calls=500, budget_usd=99) as mind:
        answer = await broken(mind, maxDepth=5)
    assert MOST_PROBLEMS - 7 < answer["totalSubProblems"] <= MOST_PROBLEMS
    assert answer["partial"] is True


async def test_it_is_kept_as_a_thought_and_a_memory(access: Access, embedder: Embedder) -> None:
    async with thinking(access, embedder, splitting(TREE), auto_memory=True) as mind:
        await remember(mind, "The shop for violins must open in May.")
        answer = await broken(mind)
        stored = await whole_session(mind, answer["sessionId"])
    assert [str(each.id) for each in stored.thoughts] == [answer["thoughtId"]]
    with psycopg.connect(access.admin) as connection:
        kept = connection.execute(
            "SELECT content FROM memories WHERE source_kind = 'derived'"
        ).fetchall()
        edges = connection.execute(
            "SELECT source_id, target_id FROM edges WHERE type = 'derived_from'"
        ).fetchall()
    assert len(kept) == 1 and "1.2 Sign the lease" in kept[0][0]
    assert edges == [(2, 1)]


async def test_without_automatic_memory_none_is_read_or_kept(
    access: Access, embedder: Embedder
) -> None:
    async with thinking(access, embedder, splitting(TREE)) as mind:
        await remember(mind, "The shop for violins must open in May.")
        assert (await broken(mind))["memoriesUsed"] == []
    with psycopg.connect(access.admin) as connection:
        assert connection.execute("SELECT count(*) FROM memories").fetchall() == [(1,)]


async def test_two_owners_see_nothing_of_each_other(access: Access, embedder: Embedder) -> None:
    llm = splitting(TREE)
    async with thinking(access, embedder, llm, auto_memory=True) as mind:
        await remember(mind, "The shop for violins must open in May.", owner="anna")
        mine = (await call(mind, "breakdown", {"problem": SHOP}, owner="ben", key="k")).answer
        theirs = (await call(mind, "breakdown", {"problem": SHOP}, owner="anna", key="k")).answer
    assert (mine["memoriesUsed"], theirs["memoriesUsed"]) == ([], ["mem-1"])
    assert mine["runId"] != theirs["runId"]
    assert "May" not in str(mine)


async def test_a_run_taken_up_again_pays_no_recorded_reply_twice(
    access: Access, embedder: Embedder
) -> None:
    def said(ask: Ask) -> ReplyFields:
        return 60.0 if ask.material["part"] == STAFF and not awake else TREE.get(
            str(ask.material["part"]), whole()
        )  # fmt: skip

    awake: list[bool] = []
    llm = AnsweringLlm(atomic=said, dependencies={"dependencies": []})
    async with thinking(access, embedder, llm) as mind:
        task = asyncio.create_task(call(mind, "breakdown", {"problem": SHOP}, key="k"))
        while recorded(access) < 3:
            await asyncio.sleep(0.02)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert llm.counts == {"atomic": 4}
        awake.append(True)
        answer = (await call(mind, "breakdown", {"problem": SHOP}, key="k")).answer
    assert llm.counts == {"atomic": 5, "dependencies": 1}
    assert (answer["totalSubProblems"], recorded(access)) == (6, 5)


def recorded(access: Access) -> int:
    with psycopg.connect(access.admin) as connection:
        return int(connection.execute("SELECT count(*) FROM llm_calls").fetchall()[0][0])


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"problem": ""}, "problem"), ({"problem": " \n"}, "problem"),
     ({"problem": "x" * (1 << 20)}, "problem"), ({"problem": 7}, "problem"),
     ({"problem": "x", "maxDepth": 0}, "maxDepth"), ({"problem": "x", "maxDepth": 6}, "maxDepth"),
     ({"problem": "x", "maxDepth": 2.5}, "maxDepth"),
     ({"problem": "x", "maxDepth": "3"}, "maxDepth"),
     ({"problem": "x", "context": "c"}, "context"),
     ({"problem": "x", "context": {"constraints": "c"}}, "context.constraints"),
     ({"problem": "x", "context": {"constraints": [" "]}}, "context.constraints.0"),
     ({"problem": "x", "depth": 3}, "depth")],
)  # fmt: skip
def test_bad_input_is_refused_by_its_field(arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_request(Breakdown, arguments)
    assert caught.value.field == field


def test_a_missing_problem_is_named() -> None:
    with pytest.raises(MissingArgument, match="Missing required parameter: problem"):
        parse_request(Breakdown, {})
