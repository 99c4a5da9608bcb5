"""Fourth step of tree reasoning: the search takes in what its orders brought."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, cast

from langgraph.runtime import Runtime

from reasonloom.nodes.likeness import Likeness, likeness_of
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.tree.state import Result, TreeState
from reasonloom.nodes.treesearch.machine import absorb, wanted
from reasonloom.nodes.treesearch.state import State

MOST_WORDS = 2_000
"""Words of a text that are compared one by one."""

ALIKE = 0.9
"""Below this cosine the order of the words is not looked at."""


@dataclass(frozen=True, slots=True)
class Apart:
    """How far apart two thoughts are, 0..1: by their vectors and by their words in order.

    Vectors alone do not tell `A rather than B` from `B rather than A`.
    """

    likeness: Likeness

    def __call__(self, first: str, second: str) -> float:
        """Return the greater of 1 - cosine and the share of words that are not in common order."""
        cosine = self.likeness.cosine(first, second)
        if cosine < ALIKE:
            return 1 - cosine
        one, other = (text.casefold().split()[:MOST_WORDS] for text in (first, second))
        return max(1 - cosine, 1 - SequenceMatcher(None, one, other, autojunk=False).ratio())


async def take_in(state: TreeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Give the search every result that it waits for."""
    search = cast("State", state["search"])
    by_key = {each["key"]: each["result"] for each in results_of(state)}
    came = [(order, by_key[order["key"]]) for order in wanted(search) if order["key"] in by_key]
    texts = [each["text"] for _, result in came for each in result.get("candidates", [])]
    likeness = await likeness_of(runtime.context.loom.embedder, texts)
    for order, result in came:
        search = absorb(search, order, result, Apart(likeness))
    return {"search": dict(search), "notes": likeness.notes}


def results_of(state: TreeState) -> list[Result]:
    """Return what came of the search at work, of all that came in the run."""
    number = state["trial"]["number"]
    return [each for each in state.get("results", []) if each["trial"] == number]
