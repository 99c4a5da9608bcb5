"""A whole plan as one call, as a real client over stdio sees it: plain form, errors, progress."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import jsonschema
import pytest
from mcp import StdioServerParameters

from tests.support.clients.processes import command
from tests.support.clients.sdk import Held, held
from tests.support.databases.rows import Rows

TOOL = "reasoning_got_run"
PROBLEM = "How do we sleep beside a band that is loud and must not be told?"
FACT = "The band that is loud plays on Fridays alone."
PLAN: dict[str, Any] = {
    "operations": [{"do": "generate"}, {"do": "refine"}, {"do": "score"}, {"do": "keep_best"}]
}


@pytest.fixture(scope="module", params=["legacy", "auto"])
def client(
    request: pytest.FixtureRequest,
    shared_env: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Held]:
    """A client of a server that offers the extras, and tools that remember and reason."""
    program, *arguments = command("--toolsets", "thought,reasoning,extras")
    folder = tmp_path_factory.mktemp("runner")
    env = {**shared_env, "REASONLOOM_ANSWERS": "full"}  # with the steps of the plan
    server = StdioServerParameters(command=program, args=arguments, env=env, cwd=folder)
    with held(server, request.param) as opened:
        where = {"userId": "local", "sessionId": "s", "primarySector": "semantic"}
        opened.call("remember", {"content": FACT, **where})  # something to be known
        yield opened


def kept(rows: Rows) -> list[int]:
    """Return how many graphs, sessions and thoughts there are."""
    counts = rows.counts()
    tables = ("thought_graphs", "sessions", "thoughts")
    return [counts[f"reasonloom.{table}"] for table in tables]


def test_a_plan_is_answered_in_the_plain_form_and_its_graph_can_be_gone_on_with(
    client: Held,
) -> None:
    result = client.call(TOOL, {"problem": PROBLEM, "plan": PLAN})
    answer = result.structured_content
    assert not result.is_error
    assert not {"success", "data", "metadata"} & set(answer)
    tools = {tool.name: tool for tool in client.tools()}
    jsonschema.validate(answer, tools[TOOL].output_schema, jsonschema.Draft202012Validator)
    assert [step["do"] for step in answer["steps"]] == [each["do"] for each in PLAN["operations"]]
    assert (answer["ended"], answer["check"], answer["whole"]) == ("complete", "local check", True)
    assert "offline" in answer["llm"]
    assert answer["suggestion"]
    graph = {"graph_id": answer["graph_id"]}
    state = client.call("reasoning_got_state", graph).structured_content
    assert (state["node_count"], state["has_cycle"]) == (answer["node_count"], False)
    node = {**graph, "node_id": answer["best"]["id"]}
    refined = client.call("reasoning_got_refine", node)
    assert not refined.is_error, refined.content


@pytest.mark.parametrize(
    ("plan", "kind", "field", "told"),
    [
        ("explor", "UnknownName", "plan", "there are deepen, explore, intersect, sort"),
        ({"operations": []}, "Validation", "plan.operations", "operations"),
        (
            {"operations": [{"do": "generate"}, {"do": "dance"}]},
            "Validation", "plan.operations.1.do", "generate",
        ),
        ({**PLAN, "stop_at": 2}, "Validation", "plan.stop_at", "1"),
        ({"operations": [{"do": "score", "by": "sorted"}]}, "UnknownName", "plan", "judge"),
        ({**PLAN, "task": "sorting"}, "Validation", "problem", "JSON"),
    ],
)  # fmt: skip
def test_an_ill_formed_plan_names_its_place_and_stores_nothing(
    client: Held, rows: Rows, plan: Any, kind: str, field: str, told: str
) -> None:
    before = kept(rows)
    result = client.call(TOOL, {"problem": PROBLEM, "plan": plan})
    assert result.is_error
    error = result.structured_content["error"]
    assert (error["type"], error["field"]) == (kind, field)
    assert told in error["message"]
    assert result.content[0].text == f"Error: {error['message']}"
    assert kept(rows) == before


def test_a_problem_said_again_is_no_conclusion(client: Held, rows: Rows) -> None:
    before = kept(rows)
    for problem in ("When must we leave the restaurant?", "Leave the restaurant in time"):
        result = client.call(TOOL, {"problem": problem})
        assert result.is_error
        message = result.structured_content["error"]["message"]
        assert message.startswith("the plan produced no thought: no language model is configured")
    assert kept(rows) == before


def test_progress_is_told_in_plain_words(client: Held) -> None:
    two = [{"do": "generate", "id": "a"}, {"do": "refine", "id": "b", "after": ["start"]}]
    result, reports = client.followed(TOOL, {"problem": PROBLEM, "plan": {"operations": two}})
    assert not result.is_error
    messages = [message for *_, message in reports]
    assert messages == [
        "begin plan", "carry out operations", "carry out operations, 1 of 2 done",
        "read the replies", "keep graph",
    ]  # fmt: skip
    assert not any("_" in message for message in messages)
    assert all(one[0] < other[0] for one, other in pairwise(reports))
    assert {total for _, total, _ in reports} == {None}
