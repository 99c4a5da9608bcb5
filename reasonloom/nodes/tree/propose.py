"""Second step of tree reasoning: distinct approaches, and the search that explores them."""

from __future__ import annotations

from textwrap import shorten
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning_tree import ReasoningTree
from reasonloom.errors import BudgetExceeded
from reasonloom.llm.port import Usage
from reasonloom.nodes.ask import Question
from reasonloom.nodes.ask_or_say import Heard, ask_or_say
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.tree.state import MODE, Approach, Outcome, TreeState, Trial
from reasonloom.nodes.treesearch.machine import begin
from reasonloom.nodes.treesearch.settings import SearchSettings
from reasonloom.nodes.treesearch.twins import normalised

BALLOTS = 3
"""Ballots of a comparison: an odd number, so that two approaches cannot tie."""

NOVELTY = 0.1
"""Distance (see `take_in.Apart`) at or below which two thoughts are one."""

LONGEST_NAME = 80
SEEDS = 2**32
OWN_PATH = (
    "Path {number} of {count}: take an approach of your own, one that the others are unlikely "
    "to take."
)
NO_LIST = "no approaches could be read: each branch was left to find one of its own"
DOUBT = (
    "A first exploration came out with confidence {confidence:.2f}, below the {wanted:.2f} asked "
    "for. It tried: {tried}. Give approaches that differ from these."
)
NO_CALLS = (
    "the run's budget of {limit} calls is used up before any approach was explored; raise "
    "REASONLOOM_BUDGET_CALLS"
)


async def propose_approaches(state: TreeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask for approaches and begin the search; a second attempt that fails leaves the first."""
    execution, outcomes = runtime.context, state.get("outcomes", [])
    request = ReasoningTree.model_validate(state["request"])
    before = state.get("trial")
    number = before["number"] + 1 if before else 1
    heard = await _heard(execution, state, request, number)
    limits, spent = execution.loom.settings, execution.run.spent
    fault = heard.fault
    if fault is None and spent.calls >= limits.budget_calls:
        fault = BudgetExceeded(NO_CALLS.format(limit=limits.budget_calls))
    if fault is not None and not outcomes:
        raise fault
    approaches = [] if fault else approaches_in(heard, request.max_branches)
    trial = Trial(
        attempt=len(outcomes) + 1, number=number, approaches=approaches, redone=None
    )  # fmt: skip
    search = search_for(execution, request.content, trial, heard.usage) if approaches else {}
    notes = [NO_LIST] if heard.parsed is None and not fault else heard.notes
    return {"trial": trial, "search": search, "outcomes": outcomes, "notes": notes}


async def _heard(
    execution: Execution, state: TreeState, request: ReasoningTree, number: int
) -> Heard:
    question = Question(
        node="propose_approaches",
        prompt="tree/propose",
        variables={
            "content": request.content,
            "history": state["history"],
            "memories": state["memories"],
            "count": request.max_branches,
            "doubt": _doubt(state.get("outcomes", []), request.confidence),
        },
        pipe=MODE,
        n=number,
        thread=state["place"]["id"],
    )
    return await ask_or_say(execution, question, "the proposal of approaches")


def _doubt(outcomes: list[Outcome], wanted: float | None) -> str:
    if not outcomes:
        return ""
    last = outcomes[-1]
    tried = "; ".join(each["name"] for each in last["branches"])
    return DOUBT.format(confidence=last["confidence"], wanted=wanted, tried=tried)


def approaches_in(heard: Heard, most: int) -> list[Approach]:
    """Return the approaches of a reply, each once; where it has no list, as many own paths."""
    if heard.parsed is None:
        return [
            Approach(name=f"Path {i}", approach=OWN_PATH.format(number=i, count=most))
            for i in range(1, most + 1)
        ]
    different: dict[str, Approach] = {}
    for each in heard.parsed["approaches"]:
        name = shorten(each["name"].rstrip(" ."), LONGEST_NAME, placeholder="…") or each["name"]
        approach = Approach(name=name, approach=each["approach"])
        different.setdefault(normalised(each["approach"]), approach)
    return list(different.values())[:most]


def search_for(
    execution: Execution, content: str, trial: Trial, usage: Usage | None = None
) -> dict[str, Any]:
    """Return a beam search of one level within what the run has left.

    A call is expected to cost what the proposal did (`usage`), until one has been seen.
    """
    usage = usage or Usage()
    limits, spent = execution.loom.settings, execution.run.spent
    settings = SearchSettings(
        controller="beam",
        generate="sample",
        branching=len(trial["approaches"]),
        depth=1,
        judge="vote",
        judgements=1 if execution.loom.llm.offline else BALLOTS,
        novelty=NOVELTY,
        seed=execution.run.effect("seed", n=trial["number"]).int % SEEDS,
        most_calls=max(1, limits.budget_calls - spent.calls),
        most_tokens=max(0, limits.budget_tokens - spent.tokens),
        most_usd=max(0.0, limits.budget_usd - spent.usd),
        most_seconds=limits.tool_timeout,
        expected_tokens=usage.tokens_in + usage.tokens_out,
        expected_usd=usage.cost_usd or 0.0,
    )
    return dict(begin(content, settings))
