"""Third phase of a round: have the new thoughts judged, each once, blind where compared."""

from __future__ import annotations

from hashlib import sha256
from statistics import fmean

from reasonloom.nodes.reasoning.tree_search.deduplication import original
from reasonloom.nodes.reasoning.tree_search.state import Node, Pending, State, Status, settings_of
from reasonloom.nodes.reasoning.tree_search.treesearch_orders import planned


def orders(state: State) -> list[Pending]:
    """Return the orders for values, first judgements of all before second ones; or for votes."""
    settings = settings_of(state)
    new = _to_judge(state)
    if settings.judge == "vote":
        return _ballots(state, new) if len(new) > 1 else []
    values = [
        order
        for node in new
        for order in planned(
            state, "value", [node], asked=settings.judgements, one_call=settings.batched
        )
    ]
    return sorted(values, key=lambda order: order["sample"])


def _to_judge(state: State) -> list[int]:
    """Return one new thought of each kind; a value that is known is not asked for again.

    It is known where the original has one, or where the thought brought one along. A vote
    compares the thoughts of a round, so that neither counts there.
    """
    by_vote = settings_of(state).judge == "vote"
    firsts: dict[int, int] = {}
    for node in state["nodes"]:
        known = node["twin_of"] is not None or node["value"] is not None
        if node["status"] == "new" and (by_vote or not known):
            firsts.setdefault(original(node), node["id"])
    return list(firsts.values())


def _ballots(state: State, nodes: list[int]) -> list[Pending]:
    """Return the votes of a round, each with the thoughts in an order of its own."""
    settings = settings_of(state)
    ballots = planned(state, "vote", nodes, asked=settings.judgements, one_call=settings.batched)
    return [
        {**ballot, "nodes": shuffled(nodes, f"{settings.seed}|{ballot['key']}")}
        for ballot in ballots
    ]


def shuffled(nodes: list[int], seed: str) -> list[int]:
    """Return nodes in an order that only the seed decides, on every machine the same."""
    return sorted(nodes, key=lambda node: sha256(f"{seed}|{node}".encode()).digest())


def settle(state: State) -> None:
    """Give the new thoughts their values and say which may be gone on from."""
    by_vote = settings_of(state).judge == "vote"
    values = _votes(state) if by_vote else _means(state)
    for node in [each for each in state["nodes"] if each["born"] == state["round"]]:
        new = node["status"] == "new"
        if by_vote or node["value"] is None:
            lent = None if by_vote and new else state["nodes"][original(node)]["value"]
            node["value"] = values.get(original(node), lent)
        if new:
            node["status"] = _status(state, node)


def _means(state: State) -> dict[int, float]:
    """Return the mean of the values that came, by node; a fault is kept on its node."""
    heard: dict[int, list[float]] = {}
    for order in state["pending"]:
        node, received = order["nodes"][0], state["arrived"][order["key"]]
        heard.setdefault(node, []).extend(received["given"])
        state["nodes"][node]["fault"] = received["fault"] or state["nodes"][node]["fault"]
    return {node: fmean(values) for node, values in heard.items() if values}


def _votes(state: State) -> dict[int, float]:
    """Return each thought's share of the votes; a single thought needs none to be the best."""
    new = [state["nodes"][node] for node in _to_judge(state)]
    if len(new) == 1:
        return {original(new[0]): 1.0}
    received = [state["arrived"][order["key"]] for order in state["pending"]]
    votes = [node for each in received for node in each["given"]]
    fault = next((each["fault"] for each in received if each["fault"]), None)
    for node in new:
        node["fault"] = fault or node["fault"]
    return {original(node): votes.count(node["id"]) / len(votes) for node in new if votes}


def _status(state: State, node: Node) -> Status:
    threshold = settings_of(state).prune_below
    if node["value"] is None:
        return "unjudged"
    if threshold is not None and node["value"] < threshold:
        return "pruned"
    return "answer" if node["final"] else "open"
