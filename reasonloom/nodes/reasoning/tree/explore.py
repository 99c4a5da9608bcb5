"""The search of tree reasoning: each order runs as a task, and the search absorbs the results."""

import re
import time
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import Any, cast

from langgraph.runtime import Runtime

from reasonloom.errors import BudgetExceeded
from reasonloom.llm.off_schema import DEFAULT_CONFIDENCE
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.lookup import ask_informed_or_note
from reasonloom.nodes.reasoning.tree.state import (
    LABELLED,
    MODE,
    Approach,
    Result,
    TreeState,
    TreeTask,
    results_of,
)
from reasonloom.nodes.reasoning.tree_search.deduplication import ThoughtDistance
from reasonloom.nodes.reasoning.tree_search.machine import absorb, finished, open_orders
from reasonloom.nodes.reasoning.tree_search.orders import Order, as_order
from reasonloom.nodes.reasoning.tree_search.state import Pending, State
from reasonloom.nodes.runs.budget import ReservePolicy, cost_of
from reasonloom.nodes.runs.llm_call import OptionalReply, Question, ask_or_note
from reasonloom.nodes.similarity import similarity_of

JUDGE = "tree/judge"
LABEL = re.compile(r"\b([A-Z])\b")
PAIR = 2
"""Branches that are explored even if no budget would remain for comparing them."""


async def explore_branch(state: TreeTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Follow one approach to its end; without a language model, return it as proposed."""
    execution, approach = runtime.context, state["approach"] or Approach(name="", approach="")
    if execution.loom.llm.offline:
        return _as_result(execution, state, _candidate(state, approach["approach"], 0.0))
    variables = {
        "content": state["content"],
        "approach": approach["approach"],
        "history": state["history"],
        "memories": state["memories"],
    }
    question = _question("explore_branch", "tree/explore", variables, state)
    question = replace(question, aside=_reserve_policy(execution, state))
    what = f"the approach `{approach['name']}`"
    informed = await ask_informed_or_note(execution, question, what)
    heard = informed.reply
    parsed = heard.parsed or {"thought": heard.text, "confidence": DEFAULT_CONFIDENCE}
    found = _candidate(state, parsed["thought"], parsed["confidence"])
    added = _as_result(execution, state, found, heard)
    return {**added, "notes": [*added["notes"], *informed.notes], **informed.added}


async def judge_branches(state: TreeTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Cast one ballot on the branches' contents, without seeing their authors or order."""
    execution, thoughts = runtime.context, state["order"]["thoughts"]
    candidates = [{"label": each["label"], "text": each["text"]} for each in thoughts]
    variables = _ballot_variables(execution, state, candidates)
    question = _question("judge_branches", JUDGE, variables, state)
    question = replace(question, aside=ReservePolicy(last=True), blind=True)
    heard = await ask_or_note(execution, question, "a ballot")
    if heard.parsed is None:
        return _as_result(execution, state, {}, heard)
    scores = {label_in(each["label"]): each["score"] for each in heard.parsed["scores"]}
    ballot = _ballot(state, label_in(heard.parsed["best"]), scores, heard.parsed["reason"])
    return _as_result(execution, state, ballot, heard)


def label_in(text: str) -> str:
    """Return the label named in a text, such as `B` in `Thought B.`."""
    found = LABEL.search(text)
    return found[1] if found else text.strip().upper()


def _ballot_variables(
    execution: Execution, state: TreeTask, candidates: list[dict[str, str]]
) -> dict[str, Any]:
    """Return the variables of a ballot; older versions of its prompt have no `reasons`."""
    declared = execution.loom.prompts.get(JUDGE).about.variables
    reasons = {"reasons": _relabelled(state)} if "reasons" in declared else {}
    return {
        "content": state["content"],
        "memories": state["memories"],
        "candidates": candidates,
        **reasons,
    }


def _relabelled(state: TreeTask) -> list[str]:
    """Return the reasons of earlier ballots, with thoughts relabelled as on this ballot."""
    earlier = state.get("reasons", [])
    if not earlier:
        return []
    now = {each["data"]["approach"]: each["label"] for each in state["order"]["thoughts"]}

    def here(labels: dict[str, int], found: re.Match[str]) -> str:
        label = now.get(labels.get(found[1].upper(), -1))
        return f"thought {label}" if label else "another thought"

    return [LABELLED.sub(partial(here, dict(each["labels"])), each["reason"]) for each in earlier]


def _reserve_policy(execution: Execution, state: TreeTask) -> ReservePolicy:
    """Reserve the cost of one ballot, except for the first two branches, which it needs."""
    if state["order"]["sample"] < PAIR:
        return ReservePolicy(read=True)
    empty = execution.loom.prompts.get(JUDGE).render(**_ballot_variables(execution, state, []))
    return ReservePolicy(leave=cost_of(execution, empty), read=True)


def _question(node: str, prompt: str, variables: dict[str, Any], state: TreeTask) -> Question:
    """Build a question without a thread, so that parallel tasks do not influence each other."""
    order = state["order"]
    return Question(
        node=node, prompt=prompt, variables=variables, pipe=MODE,
        task=f"{state['trial']}.{order['key']}", sample=order["sample"],
    )  # fmt: skip


def _candidate(state: TreeTask, text: str, confidence: float) -> dict[str, Any]:
    data = {"approach": state["order"]["sample"], "confidence": confidence}
    return {"candidates": [{"text": text, "data": data, "final": True}]}


def _ballot(state: TreeTask, best: str, scores: dict[str, float], reason: str) -> dict[str, Any]:
    """Return a ballot with its labels mapped back to approach numbers."""
    of = {each["label"]: each["data"]["approach"] for each in state["order"]["thoughts"]}
    return {
        "votes": [best],
        "choice": of.get(best),
        "scores": [[of[label], score] for label, score in scores.items() if label in of],
        "labels": [[label, number] for label, number in of.items()],
        "reason": reason,
    }


def _as_result(
    execution: Execution,
    state: TreeTask,
    result: dict[str, Any],
    heard: OptionalReply | None = None,
) -> dict[str, Any]:
    """Return a task's state update: the result with its cost, or its fault."""
    heard = heard or OptionalReply()
    if heard.fault is not None:
        result = {"error": heard.fault.message, "fault": type(heard.fault).__name__}
    if isinstance(heard.fault, BudgetExceeded):
        result["limit"] = heard.fault.limit
    measured = {
        **result,
        "tokens": heard.usage.tokens_in + heard.usage.tokens_out,
        "usd": heard.usage.cost_usd or 0.0,
        "at": time.perf_counter() - execution.run.started,
    }
    order = state["order"]
    came = Result(
        trial=state["trial"], key=order["key"], kind=order["kind"], sample=order["sample"],
        result=measured,
    )  # fmt: skip
    return {"results": [came], "notes": heard.notes}


async def absorb_results(state: TreeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Pass the available results to the search, and create the orders of its finals if due."""
    search = cast("State", state["search"])
    by_key = {each["key"]: each["result"] for each in results_of(state)}
    came = [
        (order, by_key[order["key"]]) for order in open_orders(search) if order["key"] in by_key
    ]
    texts = [each["text"] for _, result in came for each in result.get("candidates", [])]
    likeness = await similarity_of(runtime.context.loom.embedder, texts)
    for order, result in came:
        search = absorb(search, order, result, ThoughtDistance(likeness))
    added = {"search": dict(search), "notes": likeness.notes}
    if "finals" in state["trial"]:
        return added
    finals = final_orders({**state, "search": dict(search)}, results_of(state))
    return {**added, "trial": {**state["trial"], "finals": finals}} if finals else added


FINALISTS = 2


def final_orders(state: TreeState, came: list[Result]) -> list[Order]:
    """Return the ballots on the finalists of a search that has just ended, or none if not due.

    `came` are the search's results. The two best branches are compared in both orders, only if the
    ballots on all branches disagree; the judges see their reasons. The finals cost two calls, so
    they are skipped if the budget is exhausted.
    """
    search = cast("State", state["search"])
    if not search or not finished(search) or search["exhausted"]:
        return []
    ballots = [each["result"] for each in came if each["result"].get("choice") is not None]
    nodes = {
        node["data"]["approach"]: node["id"]
        for node in search["nodes"][1:]
        if node["status"] != "twin"
    }
    if len({each["choice"] for each in ballots} & nodes.keys()) < FINALISTS:
        return []
    finalists = [nodes[each] for each in _ranked(list(nodes), ballots)[:FINALISTS]]
    orders = (finalists, finalists[::-1])
    return [_order(search, nodes, sample) for sample, nodes in enumerate(orders, len(ballots))]


def _ranked(approaches: list[int], ballots: list[dict[str, Any]]) -> list[int]:
    """Rank approaches by votes, then by the mean of their ballot scores."""

    def key(approach: int) -> tuple[int, float]:
        votes = sum(each["choice"] == approach for each in ballots)
        scores = [score for each in ballots for of, score in each["scores"] if of == approach]
        return votes, fmean(scores) if scores else 0.0

    return sorted(approaches, key=key, reverse=True)


def _order(search: State, nodes: list[int], sample: int) -> Order:
    pending = Pending(
        key=f"{search['round']}.final.{sample}", kind="vote", nodes=nodes, count=1, sample=sample,
        paid=True,
    )  # fmt: skip
    return as_order(search, pending)
