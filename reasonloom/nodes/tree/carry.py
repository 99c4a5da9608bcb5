"""Third step of tree reasoning: one order of the search a task, all at the same time."""

from __future__ import annotations

import re
import time
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.errors import BudgetExceeded
from reasonloom.llm.extract import Findings
from reasonloom.nodes.ask import Question
from reasonloom.nodes.ask_or_say import Heard, ask_or_say
from reasonloom.nodes.attempts import DEFAULT_CONFIDENCE
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.tree.state import MODE, Approach, Carried, Result

LABEL = re.compile(r"\b([A-Z])\b")


async def explore_branch(state: Carried, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Follow one approach to its end; without a language model it stays as it was proposed."""
    execution, approach = runtime.context, state["approach"] or Approach(name="", approach="")
    if execution.loom.llm.offline:
        text = approach["approach"]
        return _came(execution, state, _candidate(state, text, overlap(state["content"], text)))
    variables = {
        "content": state["content"],
        "approach": approach["approach"],
        "history": state["history"],
        "memories": state["memories"],
    }
    question = _question("explore_branch", "tree/explore", variables, state)
    heard = await ask_or_say(execution, question, f"the approach `{approach['name']}`")
    parsed = heard.parsed or {"thought": heard.text, "confidence": DEFAULT_CONFIDENCE}
    found = _candidate(state, parsed["thought"], parsed["confidence"])
    return _came(execution, state, found, heard)


async def judge_branches(state: Carried, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Cast one ballot: it shows what the branches came to, and nothing of whose or when."""
    execution, thoughts = runtime.context, state["order"]["thoughts"]
    if execution.loom.llm.offline:
        scores = {each["label"]: overlap(state["content"], each["text"]) for each in thoughts}
        best = max(scores, key=lambda label: scores[label])
        return _came(execution, state, _ballot(state, best, scores, ""))
    variables = {
        "content": state["content"],
        "memories": state["memories"],
        "candidates": [{"label": each["label"], "text": each["text"]} for each in thoughts],
    }
    question = _question("judge_branches", "tree/judge", variables, state)
    heard = await ask_or_say(execution, question, "a ballot")
    if heard.parsed is None:
        return _came(execution, state, {}, heard)
    scores = {label_in(each["label"]): each["score"] for each in heard.parsed["scores"]}
    ballot = _ballot(state, label_in(heard.parsed["best"]), scores, heard.parsed["reason"])
    return _came(execution, state, ballot, heard)


def label_in(text: str) -> str:
    """Return the label that a text names: `Thought B.` names B."""
    found = LABEL.search(text)
    return found[1] if found else text.strip().upper()


def overlap(question: str, text: str) -> float:
    """Return the share (0..1) of the question's words that a text has."""
    return Findings(question, (text,)).support


def _question(node: str, prompt: str, variables: dict[str, Any], state: Carried) -> Question:
    """Return a question without a thread: what runs beside it must not be heard in it."""
    task = f"{state['trial']}.{state['order']['key']}"
    return Question(node=node, prompt=prompt, variables=variables, pipe=MODE, task=task)


def _candidate(state: Carried, text: str, confidence: float) -> dict[str, Any]:
    data = {"approach": state["order"]["sample"], "confidence": confidence}
    return {"candidates": [{"text": text, "data": data, "final": True}]}


def _ballot(state: Carried, best: str, scores: dict[str, float], reason: str) -> dict[str, Any]:
    """Return a ballot with its labels turned back into numbers of approaches."""
    of = {each["label"]: each["data"]["approach"] for each in state["order"]["thoughts"]}
    return {
        "votes": [best],
        "choice": of.get(best),
        "scores": [[of[label], score] for label, score in scores.items() if label in of],
        "labels": [[label, number] for label, number in of.items()],
        "reason": reason,
    }


def _limit(execution: Execution) -> str:
    """Return the limit of the run that is reached: calls, tokens, usd, or else seconds."""
    limits, spent = execution.loom.settings, execution.run.spent
    reached = {
        "calls": spent.calls >= limits.budget_calls,
        "tokens": spent.tokens >= limits.budget_tokens,
        "usd": spent.usd >= limits.budget_usd,
        "seconds": True,
    }
    return next(name for name, holds in reached.items() if holds)


def _came(
    execution: Execution, state: Carried, result: dict[str, Any], heard: Heard | None = None
) -> dict[str, Any]:
    """Return what a task adds to the state: the result with its cost, or its fault."""
    heard = heard or Heard()
    if heard.fault is not None:
        result = {"error": heard.fault.message, "fault": type(heard.fault).__name__}
    if isinstance(heard.fault, BudgetExceeded):
        result["limit"] = _limit(execution)
    told = {
        **result,
        "tokens": heard.usage.tokens_in + heard.usage.tokens_out,
        "usd": heard.usage.cost_usd or 0.0,
        "at": time.perf_counter() - execution.run.started,
    }
    order = state["order"]
    came = Result(
        trial=state["trial"], key=order["key"], kind=order["kind"], sample=order["sample"],
        result=told,
    )  # fmt: skip
    return {"results": [came], "notes": heard.notes}
