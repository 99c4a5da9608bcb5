"""The finals of tree reasoning: the two best branches, compared in both orders.

Held only if the ballots on all branches disagree; the judges of the finals see their reasons.
"""

from statistics import fmean
from typing import Any, cast

from reasonloom.nodes.reasoning.tree.state import Result, TreeState
from reasonloom.nodes.reasoning.tree_search.machine import finished
from reasonloom.nodes.reasoning.tree_search.orders import Order, as_order
from reasonloom.nodes.reasoning.tree_search.state import Pending, State

FINALISTS = 2


def final_orders(state: TreeState, came: list[Result]) -> list[Order]:
    """Return the ballots on the finalists of a search that has just ended, or none if not due.

    `came` are the search's results. The finals cost two calls, so they are skipped if the budget is
    exhausted.
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
