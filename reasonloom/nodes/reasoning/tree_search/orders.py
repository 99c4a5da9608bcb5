"""The orders of a search, and the parsing of their results."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypedDict

from reasonloom.nodes.judging.ballots import label
from reasonloom.nodes.reasoning.tree_search.settings import is_number, read_cost
from reasonloom.nodes.reasoning.tree_search.state import Kind, Pending, Received, State, path


class Thought(TypedDict):
    """A thought as shown in orders; `path` holds the texts from the first step to the thought."""

    label: str
    text: str
    data: Any
    final: bool
    path: list[str]


class Order(TypedDict):
    """One unit of work.

    Attributes:
        key: identifies the order within its search, stable across replays.
        kind: propose or sample (candidates), value, vote or check.
        thoughts: the thought to continue from or to judge; for a vote, all thoughts of the ballot,
            whose order and labels reveal neither author nor time.
        count: number of requested candidates, values, or votes.
        sample: number of the first of them, for randomness that is stable across replays.
        paid: True if it may cost one call, False for a plain function.
    """

    key: str
    kind: Kind
    thoughts: list[Thought]
    count: int
    sample: int
    paid: bool


def plan_orders(
    state: State, kind: Kind, nodes: list[int], *, results: int, one_call: bool, paid: bool = True
) -> Iterator[Pending]:
    """Yield the orders for `results` results about `nodes`: one for all, or one for each."""
    about = f".{nodes[0]}" if len(nodes) == 1 else ""
    for sample in range(1 if one_call else results):
        yield Pending(
            key=f"{state['round']}.{kind}{about}.{sample}",
            kind=kind,
            nodes=nodes,
            count=results if one_call else 1,
            sample=sample,
            paid=paid,
        )


def as_order(state: State, pending: Pending) -> Order:
    """Return an order in the form that its executor may see."""
    return Order(
        key=pending["key"],
        kind=pending["kind"],
        thoughts=[
            Thought(
                label=label(place),
                text=state["nodes"][node]["text"],
                data=state["nodes"][node]["data"],
                final=state["nodes"][node]["final"],
                path=[step["text"] for step in path(state, node)],
            )
            for place, node in enumerate(pending["nodes"])
        ],
        count=pending["count"],
        sample=pending["sample"],
        paid=pending["paid"],
    )


MOST_FAULT = 200
NOTHING = "nothing that can be used came back"


def read_result(pending: Pending, result: object) -> Received:
    """Parse a result into its stored form; invalid results become faults, never exceptions.

    A result is a mapping with one of `candidates` (texts, or mappings with `text` and optionally
    `data`, which is JSON, `identity`, `final`, `value`), `values` (finite numbers), `votes`
    (labels), `verified` (bool), or `error`; and optionally `tokens`, `usd`, and `at` (seconds since
    the search began).
    """
    reader = READERS[pending["kind"]]
    return as_received(result, lambda answer: reader(pending, answer)[: pending["count"]])


def as_received(result: object, reader: Callable[[Mapping[str, Any]], list[Any]]) -> Received:
    """Return a result in its stored form, with the usable results that `reader` finds in it."""
    answer: Mapping[str, Any] = result if isinstance(result, Mapping) else {}
    error = answer.get("error")
    given = [] if error else reader(answer)
    return Received(
        given=given,
        fault=None if given else str(error or NOTHING)[:MOST_FAULT],
        tokens=read_cost(answer.get("tokens")),
        usd=read_cost(answer.get("usd")),
        at=read_cost(answer.get("at")),
    )


def _list(given: object) -> list[Any]:
    return given if isinstance(given, list) else []


def _candidates(pending: Pending, answer: Mapping[str, Any]) -> list[Any]:
    read = []
    for each in _list(answer.get("candidates")):
        candidate = each if isinstance(each, Mapping) else {"text": each}
        text = candidate.get("text")
        if isinstance(text, str) and text.strip():
            identity = candidate.get("identity")
            read.append(
                {
                    "text": text,
                    "data": candidate.get("data"),
                    "identity": identity if isinstance(identity, str) else text,
                    "final": candidate.get("final") is True,
                    "value": _value(candidate.get("value")),
                }
            )
    return read


def _value(given: object) -> float | None:
    return given if isinstance(given, int | float) and is_number(given) else None


def _values(pending: Pending, answer: Mapping[str, Any]) -> list[Any]:
    return [value for value in _list(answer.get("values")) if is_number(value)]


def _votes(pending: Pending, answer: Mapping[str, Any]) -> list[Any]:
    """Return the nodes voted for; this is the only place where labels are mapped back."""
    ballot = {label(place): node for place, node in enumerate(pending["nodes"])}
    named = [str(vote).strip().upper() for vote in _list(answer.get("votes"))]
    return [ballot[name] for name in named if name in ballot]


def _verdict(pending: Pending, answer: Mapping[str, Any]) -> list[Any]:
    verdict = answer.get("verified")
    return [verdict] if isinstance(verdict, bool) else []


READERS: dict[Kind, Callable[[Pending, Mapping[str, Any]], list[Any]]] = {
    "propose": _candidates,
    "sample": _candidates,
    "value": _values,
    "vote": _votes,
    "check": _verdict,
}
