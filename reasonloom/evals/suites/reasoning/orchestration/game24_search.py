"""Game of 24 searches with the packaged prompts, all through the product's tree search.

A thought is one step, such as `4 + 6 = 10`; its data are the numbers left after it. Once only 24 is
left, the answer is written from all steps, so a search is four levels deep.
"""

import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from reasonloom.errors import LlmUnavailable
from reasonloom.evals.simulated.game24.check import TARGET, make_state, parse_number, solves
from reasonloom.evals.simulated.game24.constants import WORTH
from reasonloom.evals.suites.reasoning.orchestration.catalog import Result
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel
from reasonloom.nodes.reasoning.tree_search.machine import begin_search
from reasonloom.nodes.reasoning.tree_search.machine import run_search as machine_run_search
from reasonloom.nodes.reasoning.tree_search.orders import NOTHING, Order, Thought
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import State, rank_key

MOST = 100
"""At least as many steps as one answer can hold by its template, so never a limit."""

NUMBERS = 4
ALL = (3, 2, 1)
"""Numbers left at which the judge is called."""

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def nearness(left: str) -> float:
    """Return a value that rises as fewer numbers are left, at least that of any judgement."""
    return (NUMBERS - _count(left)) * WORTH["sure"]


@dataclass(frozen=True, slots=True)
class ThoughtRunner:
    """Proposes, judges and checks thoughts about one puzzle, such as `4 5 6 10`.

    The judge is called if the count of numbers left is in `judged`; `worth` values all other states
    (`nearness` prefers those closest to an answer). With `checked`, exact arithmetic rejects steps
    with a wrong result, or to a single number other than 24, before any call is spent on them.
    """

    meter: MeteredModel
    puzzle: str
    judged: Collection[int] = ALL
    worth: Callable[[str], float] = nearness
    checked: bool = False

    async def generate(self, order: Order) -> Mapping[str, Any]:
        """Return proposed steps, or the answer if only 24 is left."""
        (thought,) = order["thoughts"]
        left = thought["data"] if thought["path"] else self.puzzle
        if _count(left) > 1:
            return {"candidates": await self._steps(thought, left, order["sample"])}
        if left != str(TARGET):
            return {"candidates": []}
        answer = await self.meter.ask(
            "game24/answer", sample=order["sample"], puzzle=self.puzzle, steps=thought["path"]
        )
        return {"candidates": [{"text": answer["answer"], "final": True}]}

    async def judge(self, order: Order) -> Mapping[str, Any]:
        """Return the values of the numbers left, one per ordered judgement."""
        (thought,) = order["thoughts"]
        sample, count = order["sample"], order["count"]
        answer = await self.meter.ask(
            "game24/value", sample=sample, numbers=thought["data"], attempts=count
        )
        return {"values": [WORTH[each] for each in answer["judgements"]]}

    def proves(self, thought: Thought) -> bool:
        """Return whether an answer is right."""
        return solves(thought["text"], [int(each) for each in self.puzzle.split()])

    async def _steps(self, thought: Thought, left: str, sample: int) -> list[dict[str, Any]]:
        given = {"puzzle": self.puzzle, "steps": thought["path"], "numbers": left}
        answer = await self.meter.ask("game24/propose", sample=sample, **given)
        return [
            self._candidate(each["step"], each["left"])
            for each in answer["proposals"]
            if not self.checked or is_hopeful(left, each)
        ]

    def _candidate(self, step: str, left: str) -> dict[str, Any]:
        """Return a step as a search candidate, identified by the numbers left."""
        value = None if _count(left) in self.judged else self.worth(left)
        return {"text": step, "data": left, "identity": left, "value": value}


def is_hopeful(left: str, proposal: Mapping[str, str]) -> bool:
    """Return whether a step is correct and does not end in a single number other than 24."""
    try:
        a, sign, b, _, result = proposal["step"].split()
        taken = (parse_number(a), parse_number(b))
        made = OPERATIONS[sign](*map(Fraction, taken))
        rest = [parse_number(each) for each in left.split()]
        after = make_state([parse_number(each) for each in proposal["left"].split()])
        claimed = parse_number(result)
        for each in taken:
            rest.remove(each)
    except (ValueError, KeyError, ZeroDivisionError):
        return False
    right = made == claimed and after == make_state([*rest, claimed])
    return right and (len(after) > 1 or after == (TARGET,))


def _count(left: str) -> int:
    return len(left.split())


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
"""As published: three judgements per proposal, each state judged once, the best five of a level
kept with their own paths, and an answer written for each; the check then ends the search.
"""

ANYWHERE = replace(PUBLISHED, controller="best_first", width=1)
HOPELESS = 0.002
"""Depth-first prunes states below this mean of three judgements: all three `impossible`."""


@dataclass(frozen=True, slots=True)
class Search:
    """A row's search configuration; `judged` and `checked` are as in `ThoughtRunner`."""

    settings: SearchSettings
    judged: Collection[int] = ALL
    checked: bool = False


def searches(calls: int) -> Mapping[str, Search]:
    """Return the searches by name; those with backtracking may make up to `calls` calls."""
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


async def run_search(carrier: ThoughtRunner, settings: SearchSettings, concurrency: int) -> State:
    """Run a puzzle's search to the end; raises LlmUnavailable if a call failed."""
    state = await machine_run_search(
        begin_search(carrier.puzzle, settings),
        carrier.generate,
        carrier.judge,
        checker=carrier.proves,
        concurrency=concurrency,
    )
    for node in state["nodes"]:
        if (fault := node["fault"]) not in (None, NOTHING):  # an empty proposal is not a failure
            raise LlmUnavailable(str(fault))
    return state


def any_right(meter: MeteredModel, state: State) -> Result:
    """Return 1 if any answer was verified; `exhausted` is 1 if the call budget ran out."""
    return meter.result(
        float(state["ended"] == "verified"), exhausted=float(state["ended"] == "exhausted")
    )


def first_right(meter: MeteredModel, state: State) -> Result:
    """Return 1 if the answer written from the best-valued last step was verified."""
    last = [
        node
        for node in state["nodes"]
        if node["depth"] == NUMBERS - 1 and node["opened"] is not None
    ]
    first = min(last, key=rank_key, default=None)
    right = first is not None and any(
        node["parent"] == first["id"] and node["status"] == "verified" for node in state["nodes"]
    )
    return meter.result(float(right))
