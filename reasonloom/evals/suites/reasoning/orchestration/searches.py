"""The searches of a Game of 24, all through the one searcher, and what is read off their trees."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from reasonloom.errors import LlmUnavailable
from reasonloom.evals.suites.reasoning.orchestration.catalog import Result
from reasonloom.evals.suites.reasoning.orchestration.game24_search import (
    ALL,
    MOST,
    NUMBERS,
    Carrier,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import Meter
from reasonloom.nodes.reasoning.tree_search.drive import drive
from reasonloom.nodes.reasoning.tree_search.machine import begin
from reasonloom.nodes.reasoning.tree_search.orders import NOTHING
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import State, rank

NO_LIMIT = 10**9

PUBLISHED = SearchSettings(
    controller="beam",
    width=5,
    branching=MOST,
    depth=NUMBERS,
    judgements=3,
    batched=True,
    check="function",
    twins="keep",
    most_calls=NO_LIMIT,
)
"""As published: all proposals judged in threes, each state once, the best five of a level kept on
their own paths, and an answer written for each of them. The check then ends the search."""

ANYWHERE = replace(PUBLISHED, controller="best_first", width=1)
HOPELESS = 0.002
"""Mean of three judgements below which depth-first does not go on: all of them `impossible`."""


@dataclass(frozen=True, slots=True)
class Search:
    """How one row searches.

    Attributes:
        settings: of the searcher.
        judged, checked: as `Carrier` has them.
    """

    settings: SearchSettings
    judged: Collection[int] = ALL
    checked: bool = False


def searches(calls: int) -> Mapping[str, Search]:
    """Return the searches by name; those that go back may make so many calls."""
    anywhere = replace(ANYWHERE, most_calls=calls)
    depth_first = replace(anywhere, controller="depth_first", prune_below=HOPELESS)
    return MappingProxyType(
        {
            "tree-1": Search(replace(PUBLISHED, width=1)),
            "tree-5": Search(PUBLISHED),
            "depth-first": Search(depth_first),
            "best-first-unchecked": Search(anywhere),
            "best-first-all-judged": Search(anywhere, checked=True),
            "best-first": Search(anywhere, judged=(3,), checked=True),
            "best-first-unjudged": Search(anywhere, judged=(), checked=True),
            "ceiling": Search(replace(PUBLISHED, width=NO_LIMIT), judged=()),
        }
    )


async def searched(carrier: Carrier, settings: SearchSettings, concurrency: int) -> State:
    """Return the finished search of the carrier's puzzle.

    Raises:
        LlmUnavailable: the language model did not understand a question, or was not understood.
    """
    state = await drive(
        begin(carrier.puzzle, settings),
        carrier.generate,
        carrier.judge,
        checker=carrier.proves,
        concurrency=concurrency,
    )
    fault = next((node["fault"] for node in state["nodes"] if _is_failure(node["fault"])), None)
    if fault:
        raise LlmUnavailable(fault)
    return state


def any_right(meter: Meter, state: State) -> Result:
    """Return 1 where any answer was proved right; `exhausted` is 1 where the budget ran out."""
    return meter.result(
        float(state["ended"] == "verified"), exhausted=float(state["ended"] == "exhausted")
    )


def first_right(meter: Meter, state: State) -> Result:
    """Return 1 where the answer to the best-valued last step was proved right."""
    last = [
        node
        for node in state["nodes"]
        if node["depth"] == NUMBERS - 1 and node["opened"] is not None
    ]
    first = min(last, key=rank, default=None)
    right = first is not None and any(
        node["parent"] == first["id"] and node["status"] == "verified" for node in state["nodes"]
    )
    return meter.result(float(right))


def _is_failure(fault: str | None) -> bool:
    """Return whether a call failed; that nothing came to mind is no failure."""
    return fault not in (None, NOTHING)
