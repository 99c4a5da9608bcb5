"""The recommendation of tree reasoning: the branch, its confidence, and the reason."""

import re
from statistics import fmean
from typing import Any, cast

from langgraph.runtime import Runtime

from reasonloom.errors import LlmUnavailable, ServiceFault
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.tree.propose import search_for
from reasonloom.nodes.reasoning.tree.state import (
    LABELLED,
    UNEXPLORED,
    Approach,
    Outcome,
    Result,
    TreeState,
    Trial,
    results_of,
)
from reasonloom.nodes.reasoning.tree_search.state import Node, State
from reasonloom.nodes.runs.llm_call import restored_fault

ALONE = "It is the only approach that produced a result of its own; nothing was compared."
UNCAST = "No ballot was cast; of all approaches, it claims the highest confidence."
UNJUDGED = "Nothing was explored or judged."
NO_THOUGHT = "no branch produced a thought"


async def recommend(state: TreeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Evaluate the search's results; if there are none, use the first attempt's outcome.

    Raises:
        LlmUnavailable, LlmRefused, TimedOut, BudgetExceeded: every branch of the first attempt
            failed; the fault of the first.
    """
    outcomes, trial = state.get("outcomes", []), state["trial"]
    search, came = cast("State", state["search"]), results_of(state)
    if search and search["nodes"][1:]:
        outcome = outcome_of(search, came, trial["approaches"], runtime.context.loom.llm.offline)
        return {"outcomes": [*outcomes, outcome], "search": {}}
    if outcomes:
        return {"search": {}}
    return _restart_search(state, runtime.context, came)


def _restart_search(state: TreeState, execution: Execution, came: list[Result]) -> dict[str, Any]:
    """Restart the search, once each time the run is resumed; otherwise raise its fault."""
    run, trial = execution.run, state["trial"]
    if not run.retries or trial["redone"] == run.started:
        raise _fault(came)
    again = Trial(
        attempt=trial["attempt"],
        number=trial["number"] + 1,
        approaches=trial["approaches"],
        redone=run.started,
    )
    return {"trial": again, "search": search_for(execution, state["request"]["content"], again)}


def _fault(came: list[Result]) -> ServiceFault:
    fault = next((each["result"] for each in came if each["result"].get("error")), None)
    if fault is None:
        return LlmUnavailable(NO_THOUGHT)
    return restored_fault(fault["fault"], f"every branch failed: {fault['error']}")


def outcome_of(
    search: State, came: list[Result], approaches: list[Approach], offline: bool
) -> Outcome:
    """Return a search's outcome; the best branch has the most votes, then the highest score."""
    ballots = [each["result"] for each in came if each["result"].get("choice") is not None]
    numbered = [
        (node["data"]["approach"], _branch(search, node, ballots, approaches, offline))
        for node in search["nodes"][1:]
        if node["status"] != "twin"
    ]
    branches = [branch for _, branch in numbered]
    best = max(range(len(branches)), key=lambda place: (*_rank_key(branches[place]), -place))
    return Outcome(
        branches=branches,
        best=best,
        confidence=_confidence(branches[best], len(ballots)),
        reason=UNJUDGED
        if offline
        else _reason(numbered[best][0], ballots, approaches, len(branches)),
        failed=_failed(came, approaches),
        ballots=len(ballots),
        lost=sum(each["kind"] == "vote" for each in came) - len(ballots),
        exhausted=next(
            (each["result"]["limit"] for each in came if "limit" in each["result"]), None
        ),
    )


def _branch(
    search: State,
    node: Node,
    ballots: list[dict[str, Any]],
    approaches: list[Approach],
    offline: bool,
) -> dict[str, Any]:
    number = node["data"]["approach"]
    scores = [score for each in ballots for of, score in each["scores"] if of == number]
    twins = [each for each in search["nodes"] if each["status"] == "twin"]
    return {
        "name": approaches[number]["name"],
        "content": node["text"],
        "confidence": node["data"]["confidence"],
        "score": fmean(scores) if scores else None,
        "votes": sum(each["choice"] == number for each in ballots),
        "check": _check(offline, ballots),
        "merged": [
            approaches[each["data"]["approach"]]["name"]
            for each in twins
            if each["twin_of"] == node["id"]
        ],
    }


def _check(offline: bool, ballots: list[dict[str, Any]]) -> str:
    if offline:
        return UNEXPLORED
    return "blind_ballots" if ballots else "self_reported"


def _rank_key(branch: dict[str, Any]) -> tuple[float, ...]:
    score = branch["score"]
    return branch["votes"], -1.0 if score is None else score, branch["confidence"]


def _confidence(best: dict[str, Any], ballots: int) -> float:
    """Return the share of ballots for the best branch times its mean score.

    Without ballots, return the branch's own confidence.
    """
    sure = best["confidence"] if best["score"] is None else best["score"]
    return float(sure * best["votes"] / ballots if ballots and best["votes"] else sure)


def _reason(
    best: int, ballots: list[dict[str, Any]], approaches: list[Approach], branches: int
) -> str:
    """Return the first ballot's reason for the best branch, with labels replaced by names."""
    ballot = next((each for each in ballots if each["choice"] == best), None)
    if ballot is None:
        return ALONE if branches == 1 else UNCAST
    names = {label: approaches[number]["name"] for label, number in ballot["labels"]}
    reason = str(ballot["reason"])
    return LABELLED.sub(lambda found: _named(names, found), reason)


def _named(names: dict[str, str], found: re.Match[str]) -> str:
    name = names.get(found[1])
    return f"`{name}`" if name else found[0]


def _failed(came: list[Result], approaches: list[Approach]) -> list[dict[str, str]]:
    """Return the approaches without a thought and the reasons, in proposal order."""
    failed = [each for each in came if each["kind"] == "sample" and each["result"].get("error")]
    return [
        {"name": approaches[each["sample"]]["name"], "reason": str(each["result"]["error"])}
        for each in sorted(failed, key=lambda each: each["sample"])
    ]
