"""The checks with one call for all viewpoints: what is asked, what is missing, what is joined."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.contracts.metacognition import BiasesDetected
from reasonloom.contracts.schema import publish
from reasonloom.errors import LlmUnavailable
from reasonloom.llm.coercion import conforms
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.metacognition.judges import JUDGES
from reasonloom.server.catalogue.selection import choose
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.graphs.metacognition.test_checks import ASKED, PARTS, QUOTE, TEXT
from tests.support.calls import LINES, call
from tests.support.llms.checks import GOOD, asks_of, bias, looking
from tests.support.reasoning.sessions import thinking


def found(kind: str, quote: str, why: str, confidence: float = 0.9) -> dict[str, Any]:
    return {"biases": [bias(kind, quote, confidence) | {"why": why}]}


@pytest.mark.parametrize("tool", PARTS)
async def test_one_call_takes_all_viewpoints_of_a_part(
    access: Access, embedder: Embedder, tool: str
) -> None:
    llm = looking()
    async with thinking(access, embedder, llm) as mind:
        answer = (await call(mind, tool, ASKED[tool])).answer
    wanted = [JUDGES[part] for part in PARTS[tool]]
    asks = asks_of(llm)
    assert len(asks) == len(wanted)
    for ask in asks:
        lenses: Any = ask.material["lenses"]
        assert {each["name"]: each["view"] for each in lenses} in wanted
    count = sum(map(len, wanted))
    assert (answer["lensesAsked"], answer["lensesHeard"]) == (count, count)


async def test_the_answers_used_here_follow_the_packaged_schema(
    access: Access, embedder: Embedder
) -> None:
    llm = looking(bias=found("framing", QUOTE, "It is put as a loss."))
    async with thinking(access, embedder, llm) as mind:
        await call(mind, "evaluate", ASKED["evaluate"])
    for ask in asks_of(llm):
        answer: Any = llm.answers["views"]
        assert conforms(answer(ask), ask.schema or {})


async def test_a_viewpoint_that_is_missing_leaves_the_others(
    access: Access, embedder: Embedder
) -> None:
    seen = found("framing", QUOTE, "It is put as a loss.")
    async with thinking(access, embedder, looking(bias=seen, bias_opponent="none")) as mind:
        outcome = await call(mind, "detect_bias", {"reasoning": TEXT})
    assert (outcome.answer["partial"], outcome.answer["lensesHeard"]) == (True, 2)
    assert outcome.answer["biases"][0]["lenses"] == ["auditor", "advocate"]
    assert sum("the opponent's look at bias is missing" in note for note in outcome.notes) == 1


@pytest.mark.parametrize("lost", [LlmUnavailable("away"), "no JSON at all", '{"views": ['], ids=str)
async def test_a_call_that_fails_leaves_what_was_computed(
    access: Access, embedder: Embedder, lost: Any
) -> None:
    async with thinking(access, embedder, looking(bias=lost)) as mind:
        outcome = await call(mind, "detect_bias", {"reasoning": TEXT})
    assert (outcome.answer["partial"], outcome.answer["lensesHeard"]) == (True, 0)
    assert all(each["by"] == "words" for each in outcome.answer["biases"])
    assert sum("the look at bias" in note for note in outcome.notes) == 1


async def test_a_bias_under_two_names_is_one_with_both(access: Access, embedder: Embedder) -> None:
    llm = looking(
        bias={"biases": []},
        bias_auditor=found("sunk_cost", QUOTE, "The money is gone either way."),
        bias_opponent=found("framing", "already " + QUOTE, "It is put as a loss.", 0.7),
    )
    async with thinking(access, embedder, llm) as mind:
        answer = (await call(mind, "detect_bias", {"reasoning": TEXT})).answer
    (joined,) = answer["biases"]
    assert (joined["type"], joined["also"], joined["count"]) == ("sunk_cost", ["framing"], 2)
    assert joined["reason"] == "The money is gone either way. It is put as a loss."
    assert joined["evidence"] == ["already " + QUOTE]
    assert joined["lenses"] == ["auditor", "opponent"]
    line = LINES["detect_bias"]
    assert line.reference_answer is BiasesDetected
    plain = BiasesDetected.model_validate(answer).wire()
    assert {"also", "count", "reason"}.isdisjoint(plain["biases"][0])


async def test_faults_of_the_same_words_are_one_finding(access: Access, embedder: Embedder) -> None:
    def faulty(fault: str, quote: str) -> dict[str, Any]:
        return {**GOOD, "faults": [{"quote": quote, "fault": fault, "cure": "Ask what is left."}]}

    llm = looking(
        quality_logician=faulty("Spent money decides nothing.", QUOTE),
        quality_auditor=faulty("No ledger shows the sum.", "spent two million"),
        quality_opponent=faulty("Spent money decides nothing here.", ""),
    )
    async with thinking(access, embedder, llm) as mind:
        answer = (await call(mind, "evaluate", {"reasoning": TEXT, "includeBias": False})).answer
    judged = [each for each in answer["findings"] if each["kind"] == "judged"]
    assert [(each["told"], each["count"]) for each in judged] == [
        ("Spent money decides nothing. No ledger shows the sum.", 2),
        ("Spent money decides nothing here.", 1),
    ]
    assert [span["text"] for span in judged[0]["spans"]] == [QUOTE]
    assert answer["recommendations"].count("Ask what is left.") == 1
    assert answer["strengths"] == ["It counts."]


@pytest.mark.parametrize("tool", ["detect_bias", "evaluate"])
def test_a_reference_is_served_without_what_is_joined(tool: str) -> None:
    def published(**given: Any) -> str:
        served = {each.name: each.line for each in choose(load_settings(**given)).tools}
        return str(publish(served[tool].answer, answer=True))

    assert "'also'" in published(toolsets=("all",))
    assert "'also'" not in published(serve_as="thoughtmcp")
    assert "'count'" not in published(serve_as="thoughtmcp")
