"""What a search asks others to do; one order is one call, or one use of a plain function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypedDict

from reasonloom.nodes.reasoning.tree_search.state import Kind, Pending, State, path


class Thought(TypedDict):
    """A thought as it is shown; `path` leads to it from the problem, itself last."""

    label: str
    text: str
    data: Any
    final: bool
    path: list[str]


class Order(TypedDict):
    """One thing to be done.

    Attributes:
        key: names the order within its search, the same on every replay.
        kind: propose or sample (candidates), value, vote or check.
        thoughts: the thought to go on from or to judge; for a vote all of the ballot, whose
            order and labels tell nothing of who wrote them or when.
        count: candidates of a propose or sample order, values, or votes asked for.
        sample: number of the first of them, for randomness that replays.
        paid: True where it may cost one call, False for a plain function.
    """

    key: str
    kind: Kind
    thoughts: list[Thought]
    count: int
    sample: int
    paid: bool


def planned(
    state: State, kind: Kind, nodes: list[int], *, asked: int, one_call: bool, paid: bool = True
) -> Iterator[Pending]:
    """Yield the orders for `asked` results about `nodes`: one call for all, or one for each."""
    about = f".{nodes[0]}" if len(nodes) == 1 else ""
    for sample in range(1 if one_call else asked):
        yield Pending(
            key=f"{state['round']}.{kind}{about}.{sample}",
            kind=kind,
            nodes=nodes,
            count=asked if one_call else 1,
            sample=sample,
            paid=paid,
        )


def shown(state: State, pending: Pending) -> Order:
    """Return an order as whoever carries it out may see it."""
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


def label(place: int) -> str:
    """Return the label of a place on a ballot: A to Z, AA to ZZ, AAA and so on."""
    return chr(ord("A") + place % 26) * (place // 26 + 1)
