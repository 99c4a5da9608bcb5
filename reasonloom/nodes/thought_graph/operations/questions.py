"""Convert an order to a prompt, and the answer to a result."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from reasonloom.nodes.judging.ballots import label
from reasonloom.nodes.offline import QUOTED_CONFIDENCE, quotes_on
from reasonloom.nodes.thought_graph.ballot_scoring import JUDGED, LOCAL, total_score
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.state import Thought
from reasonloom.nodes.thought_graph.operations.task import Task, TaskQuestion
from reasonloom.text.extraction import Findings

UNTHOUGHT = "no language model answered"
NOT_JSON = "the answer was not the requested JSON"
UNREADABLE = "the answer could not be read: {fault}"


class PromptCall(NamedTuple):
    """The prompt call for an order: the prompt's name, its variables, and its pipe."""

    prompt: str
    variables: dict[str, Any]
    pipe: str


def question_for(task: Task, order: Order, memories: Sequence[dict[str, Any]] = ()) -> PromptCall:
    """Return the prompt call for an order."""
    if order["kind"] == "judge":
        return _ballot(order, memories)
    move = task.move(order["move"])
    return PromptCall(move.prompt, move.variables(_question_of(order, memories)), move.pipe)


def read_answer(
    task: Task, order: Order, parsed: Mapping[str, Any] | None, text: str
) -> dict[str, Any]:
    """Convert an answer to a result for `results.read_result`; `parsed` is None for non-JSON."""
    if order["kind"] == "judge":
        return {"ballot": _votes(order, parsed)} if parsed is not None else {"error": NOT_JSON}
    move = task.move(order["move"])
    if parsed is None:
        plain = {"candidates": [{"text": text}]}
        return plain if move.plain and text.strip() else {"error": NOT_JSON}
    try:
        found = move.read(_question_of(order), parsed)
    except (LookupError, TypeError, ValueError) as fault:
        return {"error": UNREADABLE.format(fault=type(fault).__name__)}
    return {"candidates": [each._asdict() for each in found]}


def offline_result(task: Task, order: Order, memories: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return an order's result without a language model: quotes, or a ballot by word matching."""
    if order["kind"] == "judge":
        return _offline_ballot(order)
    before = {each["text"] for each in (*order["thoughts"], *order["line"])}
    found = quotes_on(order["problem"]["text"], memories, most=order["count"] + len(before))
    quotes = [each for each in found if each not in before][: order["count"]]
    if not quotes or order["move"] != "generate" or not task.move("generate").plain:
        return {"error": UNTHOUGHT}
    return {"candidates": [{"text": each, "confidence": QUOTED_CONFIDENCE} for each in quotes]}


def _offline_ballot(order: Order) -> dict[str, Any]:
    """Return a ballot by word matching: the share of the problem's words that a thought contains.

    A thought that merely repeats the problem gets 0.
    """
    problem = order["problem"]["text"]
    shares = {
        each["id"]: {
            "total": Findings(problem, (each["text"],)).support * (each["text"] != problem)
        }
        for each in order["thoughts"]
    }
    return {"ballot": shares, "check": LOCAL}


def _question_of(order: Order, memories: Sequence[dict[str, Any]] = ()) -> TaskQuestion:
    return TaskQuestion(
        order["problem"], order["thoughts"], order["line"], memories, order["count"]
    )


def _ballot(order: Order, memories: Sequence[dict[str, Any]]) -> PromptCall:
    candidates = [
        {"label": name, "content": each["text"], "rests_on": []}
        for name, each in label_thoughts(order).items()
    ]
    variables = {
        "problem": order["problem"]["text"],
        "memories": memories,
        "candidates": candidates,
        "others": [],
    }
    return PromptCall("got/judge", variables, "got_score")


def label_thoughts(order: Order) -> dict[str, Thought]:
    """Return a ballot's thoughts by label, in display order."""
    listed = order["thoughts"]
    if not order.get("in_order"):
        listed = random.Random(order["key"]).sample(listed, len(listed))  # noqa: S311
    return {label(place): each for place, each in enumerate(listed)}


def _votes(order: Order, parsed: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the score parts of each thought, with their weighted mean as `total`."""
    of = {name: each["id"] for name, each in label_thoughts(order).items()}
    return {
        of[each["label"]]: _with_total({part: float(each[part]) for part in JUDGED})
        for each in parsed["scores"]
        if each["label"] in of
    }


def _with_total(parts: dict[str, float]) -> dict[str, float]:
    return {**parts, "total": total_score(parts)}
