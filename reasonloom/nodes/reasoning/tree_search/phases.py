"""The phases of a round: generate candidates, check answers, judge the new thoughts.

Answers are checked before a judge is paid. Each thought is judged once, and comparisons are blind.
"""

from statistics import fmean
from typing import Any

from reasonloom.nodes.judging.ballots import balanced_orders
from reasonloom.nodes.reasoning.tree_search.controllers import CONTROLLERS
from reasonloom.nodes.reasoning.tree_search.deduplication import (
    Distance,
    normalised,
    original,
    original_of,
    reopenable_duplicate,
)
from reasonloom.nodes.reasoning.tree_search.orders import plan_orders
from reasonloom.nodes.reasoning.tree_search.state import Node, Pending, State, Status, settings_of


def root(problem: str) -> Node:
    """Return the problem as the root node."""
    return _node(0, None, 0, {"text": problem, "identity": problem, "data": None, "final": False})


def candidate_orders(state: State) -> list[Pending]:
    """Return the orders for candidates, or none if the controller selects no node."""
    settings = settings_of(state)
    chosen = _choose(state)
    if not chosen:
        return []
    state["round"] += 1
    return [
        order
        for node in chosen
        for order in plan_orders(
            state,
            "propose" if settings.generate == "propose" else "sample",
            [node],
            results=settings.branching,
            one_call=settings.batched or settings.generate == "propose",
        )
    ]


def _choose(state: State) -> list[int]:
    settings = settings_of(state)
    choose = CONTROLLERS[settings.controller]
    chosen = choose(state, settings)
    if not chosen and (duplicate := reopenable_duplicate(state)):
        duplicate["status"] = "open"
        chosen = choose(state, settings)
    return chosen


def settle_candidates(state: State, distance: Distance | None) -> None:
    """Add the candidates to the tree in the order they were requested."""
    for order in state["pending"]:
        parent = state["nodes"][order["nodes"][0]]
        parent["opened"] = state["round"]
        parent["fault"] = state["arrived"][order["key"]]["fault"] or parent["fault"]
        for candidate in state["arrived"][order["key"]]["given"]:
            _add(state, parent, candidate, distance)
    parents = {node["parent"] for node in state["nodes"] if node["born"] == state["round"]}
    for order in state["pending"]:
        node = state["nodes"][order["nodes"][0]]
        node["status"] = "opened" if node["id"] in parents else "barren"


def _add(state: State, parent: Node, candidate: dict[str, Any], distance: Distance | None) -> None:
    settings = settings_of(state)
    depth = parent["depth"] + 1
    node = _node(len(state["nodes"]), parent["id"], depth, candidate)
    node["born"] = state["round"]
    node["twin_of"] = original_of(state, node, distance)
    node["final"] = node["final"] or depth == settings.depth
    if settings.twins == "close" and node["twin_of"] is not None:
        node["status"] = "twin"
    elif node["twin_of"] == 0:  # the problem is never judged, so it has no value to share
        node["twin_of"] = None
    state["nodes"].append(node)


def _node(number: int, parent: int | None, depth: int, candidate: dict[str, Any]) -> Node:
    return Node(
        id=number,
        parent=parent,
        depth=depth,
        text=candidate["text"],
        data=candidate["data"],
        identity=normalised(candidate["identity"]),
        final=candidate["final"],
        status="open" if parent is None else "new",
        value=candidate.get("value"),  # a search saved by an older version has none
        twin_of=None,
        born=0,
        opened=None,
        fault=None,
    )


def check_orders(state: State) -> list[Pending]:
    """Return one check for each new answer that is not a duplicate."""
    check = settings_of(state).check
    if check == "none":
        return []
    return [
        order
        for node in _answers(state)
        if node["twin_of"] is None
        for order in plan_orders(
            state, "check", [node["id"]], results=1, one_call=True, paid=check == "call"
        )
    ]


def settle_checks(state: State) -> None:
    """Record the check results; the first verified answer ends the search."""
    for order in state["pending"]:
        node, received = state["nodes"][order["nodes"][0]], state["arrived"][order["key"]]
        node["fault"] = received["fault"]
        if received["given"]:
            node["status"] = "verified" if received["given"][0] else "refuted"
    for node in _answers(state):
        if node["twin_of"] is not None and state["nodes"][node["twin_of"]]["status"] == "refuted":
            node["status"] = "refuted"
    if any(node["status"] == "verified" for node in state["nodes"]):
        state["ended"] = "verified"


def _answers(state: State) -> list[Node]:
    return [node for node in state["nodes"] if node["status"] == "new" and node["final"]]


def judging_orders(state: State) -> list[Pending]:
    """Return the orders for votes, or for values: all first judgements before any second ones."""
    settings = settings_of(state)
    new = _to_judge(state)
    if settings.judge == "vote":
        return _ballots(state, new) if len(new) > 1 else []
    values = [
        order
        for node in new
        for order in plan_orders(
            state, "value", [node], results=settings.judgements, one_call=settings.batched
        )
    ]
    return sorted(values, key=lambda order: order["sample"])


def _to_judge(state: State) -> list[int]:
    """Return the new thoughts to judge, one per original; known values are not requested again.

    A value is known if the original has one or the candidate came with one. Votes compare all new
    thoughts of a round, so known values do not count there.
    """
    by_vote = settings_of(state).judge == "vote"
    firsts: dict[int, int] = {}
    for node in state["nodes"]:
        known = node["twin_of"] is not None or node["value"] is not None
        if node["status"] == "new" and (by_vote or not known):
            firsts.setdefault(original(node), node["id"])
    return list(firsts.values())


def _ballots(state: State, nodes: list[int]) -> list[Pending]:
    """Return the votes of a round in balanced orders, with no two ballots in the same order."""
    settings = settings_of(state)
    ballots = plan_orders(
        state, "vote", nodes, results=settings.judgements, one_call=settings.batched
    )
    seed = f"{settings.seed}|{state['round']}"
    orders = balanced_orders(nodes, settings.judgements, seed)
    return [{**ballot, "nodes": order} for ballot, order in zip(ballots, orders, strict=False)]


def settle_judgements(state: State) -> None:
    """Assign values to the new thoughts, and decide which may be continued."""
    by_vote = settings_of(state).judge == "vote"
    values = _votes(state) if by_vote else _means(state)
    for node in [each for each in state["nodes"] if each["born"] == state["round"]]:
        new = node["status"] == "new"
        if by_vote or node["value"] is None:
            shared = None if by_vote and new else state["nodes"][original(node)]["value"]
            node["value"] = values.get(original(node), shared)
        if new:
            node["status"] = _status(state, node)


def _means(state: State) -> dict[int, float]:
    """Return the mean of the received values by node; faults are recorded on the node."""
    heard: dict[int, list[float]] = {}
    for order in state["pending"]:
        node, received = order["nodes"][0], state["arrived"][order["key"]]
        heard.setdefault(node, []).extend(received["given"])
        state["nodes"][node]["fault"] = received["fault"] or state["nodes"][node]["fault"]
    return {node: fmean(values) for node, values in heard.items() if values}


def _votes(state: State) -> dict[int, float]:
    """Return each thought's share of the votes; a single thought needs no vote."""
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
