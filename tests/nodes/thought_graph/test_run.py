"""Running a plan as one call: the graph that is kept, the thought, limits, faults, mistakes."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from reasonloom.errors import (
    CallerMistake,
    InvalidArgument,
    LlmRefused,
    LlmUnavailable,
    SessionNotFound,
)
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.llm.offline.model import OfflineModel
from reasonloom.stores.access import Access
from tests.support.calls import call, remember
from tests.support.llms.thought_graph import GraphingLlm
from tests.support.reasoning.sessions import answered, thinking, whole
from tests.support.reasoning.thought_graphs import everything

PROBLEM = "How to sleep beside a loud band?"


async def running(engine: Engine, **more: Any) -> Any:
    return (await call(engine, "reasoning_got_run", {"problem": PROBLEM, **more})).answer


def by_length(text: str) -> float:
    """Judge a thought by its length."""
    return min(1.0, len(text) / 40)


def for_merged(text: str) -> float:
    """Judge what was merged best."""
    return 0.9 if "together" in text else by_length(text) / 2


async def test_what_was_merged_must_beat_what_it_was_merged_from(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.judge = by_length
    outcome = await call(mind, "reasoning_got_run", {"problem": PROBLEM})
    assert outcome.answer["content"] == "A refined thought about walnuts"
    assert any("what was merged is no better than the best" in note for note in outcome.notes)
    contests = [each for each in llm.asked["judge"] if "All of it together" in each]
    assert len(contests) == 2
    assert len({each.index("All of it") < each.index("walnuts") for each in contests}) == 2


async def test_what_a_plan_came_to_is_a_graph_and_a_thought(mind: Engine, llm: GraphingLlm) -> None:
    llm.judge = for_merged
    ran = await running(mind)
    state = await answered(mind, "got_state", graph_id=ran["graph_id"])
    stored = await whole(mind, ran["session_id"])
    assert ran["content"] == ran["best"]["content"] == "All of it together"
    assert (ran["check"], ran["best"]["node_type"], ran["ended"]) == (
        "judge", "aggregation", "complete",
    )  # fmt: skip
    assert [(each.content, each.mode) for each in stored.thoughts] == [(ran["content"], "got")]
    assert state["node_count"] == ran["node_count"]
    assert state["node_types"]["refinement"] == 2
    assert state["has_cycle"] is False
    assert [step["id"] for step in ran["steps"]][:3] == ["generate1", "score2", "keep_best3"]
    assert ran["calls"] == sum(map(len, llm.asked.values()))
    assert ran["usd"] == pytest.approx(0.01 * ran["calls"])


async def test_what_led_to_nothing_is_kept_as_pruned_and_can_be_put_back(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.judge = by_length
    ran = await running(mind)
    before = await answered(mind, "got_state", graph_id=ran["graph_id"])
    assert before["pruned_nodes"] > 0
    back = await answered(mind, "got_prune", graph_id=ran["graph_id"], restore=True)
    assert len(back["restored"]) == before["pruned_nodes"]


async def test_a_graph_that_was_run_is_gone_on_with_by_single_operations(mind: Engine) -> None:
    ran = await running(mind)
    refined = await answered(
        mind, "got_refine", graph_id=ran["graph_id"], node_id=ran["best"]["id"]
    )
    assert refined["graph_id"] == ran["graph_id"]


async def test_a_plan_of_ones_own_is_run(mind: Engine) -> None:
    plan = {"operations": [{"do": "generate", "samples": 2}, {"do": "score"}, {"do": "keep_best"}]}
    ran = await running(mind, plan=plan)
    assert ran["node_count"] == 3
    assert ran["whole"] is True


async def test_limits_of_the_plan_hold_and_the_best_so_far_is_told(
    mind: Engine, llm: GraphingLlm
) -> None:
    plan = {
        "operations": [{"do": "generate", "samples": 2}, {"do": "refine"}, {"do": "aggregate"}],
        "limits": {"calls": 2},
    }
    ran = await running(mind, plan=plan)
    assert (ran["ended"], ran["exhausted"], ran["partial"], ran["calls"]) == (
        "exhausted", "calls", True, 2,
    )  # fmt: skip
    assert sum(map(len, llm.asked.values())) == 2
    assert ran["content"].startswith("Think about")


async def test_the_runs_own_budget_is_no_wider_than_the_plans(
    access: Access, embedder: Embedder, llm: GraphingLlm
) -> None:
    plan = {"operations": [{"do": "generate"}, {"do": "score"}], "limits": {"calls": 50}}
    async with thinking(access, embedder, llm, budget_calls=1) as mind:
        ran = await running(mind, plan=plan)
    assert (ran["exhausted"], ran["calls"]) == ("calls", 1)


async def test_a_fault_of_one_operation_is_told_and_the_rest_goes_on(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.says["refine"] = LlmUnavailable("away")
    llm.judge = for_merged
    ran = await running(mind)
    faults = {step["id"]: step["fault"] for step in ran["steps"] if "fault" in step}
    assert faults == {"refine4": "away"}
    assert ran["partial"] is True
    assert ran["content"] == "All of it together"


async def test_the_best_is_active_where_the_plan_ends_in_the_problem_itself(
    mind: Engine, llm: GraphingLlm
) -> None:
    llm.judge = lambda text: 0.9 if text == PROBLEM else 0.1
    plan = {"operations": [{"do": "refine"}, {"do": "score"}, {"do": "keep_best"}]}
    ran = await running(mind, plan=plan)
    assert (ran["content"], ran["best"]["is_active"]) == (llm.refined, True)
    node = {"graph_id": ran["graph_id"], "node_id": ran["best"]["id"]}
    assert (await answered(mind, "got_generate", **node, k=1))["nodes"]


async def test_where_nothing_comes_nothing_is_stored(
    mind: Engine, llm: GraphingLlm, access: Access
) -> None:
    llm.says = dict.fromkeys(("generate", "refine"), LlmUnavailable("away"))
    before = everything(access)
    with pytest.raises(LlmUnavailable, match="away"):
        await running(mind)
    assert everything(access) == before


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ("fly", "plan"),
        ({}, "plan.operations"),
        ({"operations": []}, "plan.operations"),
        ({"operations": [{"do": "fly"}]}, "plan.operations.0"),
        ({"operations": [{"do": "generate", "samples": 0}]}, "plan.operations.0.samples"),
        ({"operations": [{"do": "generate", "after": ["x"]}]}, "plan"),
        ({"operations": [{"do": "score", "by": "x"}]}, "plan"),
        ({"operations": [{"do": "generate", "move": "x"}]}, "plan"),
        ({"operations": [{"do": "generate"}], "task": "x"}, "plan"),
        ({"operations": [{"do": "aggregate"}], "task": "sorting"}, "plan"),
        ({"operations": [{"do": "generate"}], "stop_at": 2}, "plan.stop_at"),
        ({"operations": [{"do": "repeat", "body": [], "until": {}}]}, "plan.operations.0.body"),
        (3, "plan"),
    ],
)
async def test_an_ill_formed_plan_names_the_place(
    mind: Engine, access: Access, plan: Any, field: str
) -> None:
    before = everything(access)
    with pytest.raises(CallerMistake) as refused:
        await running(mind, plan=plan)
    assert str(refused.value.field).startswith(field)
    assert everything(access) == before


async def test_a_problem_that_is_none_of_the_task_is_refused(mind: Engine) -> None:
    with pytest.raises(InvalidArgument, match="JSON list of digits") as refused:
        await running(mind, plan="sort")
    assert refused.value.field == "problem"


async def test_an_unknown_session_is_refused(mind: Engine) -> None:
    with pytest.raises(SessionNotFound):
        await running(mind, session_id="2b1b1f4e-0000-4000-8000-000000000000")


async def test_two_owners_see_nothing_of_each_other(mind: Engine, access: Access) -> None:
    ran = (await call(mind, "reasoning_got_run", {"problem": PROBLEM}, owner="anna")).answer
    from reasonloom.errors import GraphNotFound

    with pytest.raises(GraphNotFound):
        await answered(mind, "got_state", graph_id=ran["graph_id"])
    with psycopg.connect(access.admin) as connection:
        owners = connection.execute("SELECT DISTINCT owner FROM reasonloom.graph_nodes").fetchall()
    assert owners == [("anna",)]


async def test_without_a_language_model_it_says_so(access: Access, embedder: Embedder) -> None:
    known = "The band that plays there is loud."
    async with thinking(access, embedder, OfflineModel(), auto_memory=True) as mind:
        await remember(mind, known)
        ran = await running(mind, problem="Which band is loud there?")
    assert (ran["llm"], ran["check"]) == ("offline", "local check")
    question = "On “Which band is loud there?”: What follows from this?"
    assert ran["content"].split("\n") == [f"“{known}” (mem-1)", question]
    assert (ran["memories_used"], ran["best"]["confidence"]) == (["mem-1"], 0.1)
    assert "No language model" in ran["suggestion"]


async def test_where_nothing_comes_without_a_language_model_that_is_said(
    access: Access, embedder: Embedder
) -> None:
    before = everything(access)
    async with thinking(access, embedder, OfflineModel()) as mind:
        with pytest.raises(LlmRefused, match="set REASONLOOM_LLM"):
            await running(mind, plan={"operations": [{"do": "generate"}]})
        for problem in (PROBLEM, "Sleep beside a loud band"):
            with pytest.raises(LlmRefused, match="nothing stored is about the problem"):
                await running(mind, problem=problem)  # the problem said again is no thought
    assert everything(access) == before


async def test_the_sorting_plan_runs_on_any_language_model_that_sorts(
    access: Access, embedder: Embedder
) -> None:
    from reasonloom.llm.interfaces import Ask, Reply

    class Sorts:
        name, offline = "sorts", False

        async def answer(self, ask: Ask) -> Reply:
            given = {
                name: json.loads(str(value))
                for name, value in ask.material.items()
                if isinstance(value, str)
            }
            if "size" in ask.material:
                digits = given["numbers"]
                made: dict[str, Any] = {
                    "parts": [digits[at : at + 16] for at in range(0, len(digits), 16)]
                }
            else:
                digits = (
                    given["numbers"] if "numbers" in given else given["first"] + given["second"]
                )
                made = {"sorted_lists": [sorted(digits)]}
            return Reply(json.dumps(made), made, "sorts")

        async def close(self) -> None:
            """Do nothing."""

    digits = [7, 3, 9, 0, 3] * 10
    async with thinking(access, embedder, Sorts()) as mind:
        ran = await running(mind, plan="sort", problem=json.dumps(digits))
    assert json.loads(ran["content"]) == sorted(digits)
    assert (ran["score"], ran["check"], ran["ended"]) == (1.0, "local check", "found")
