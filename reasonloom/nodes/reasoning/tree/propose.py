"""First steps of tree reasoning: propose distinct approaches, begin the search."""

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.tree import ReasoningTree
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import OPEN_QUESTION, open_question
from reasonloom.nodes.reasoning.lookup import Informed, ask_informed_or_note
from reasonloom.nodes.reasoning.tree.state import MODE, Approach, Outcome, TreeState, Trial
from reasonloom.nodes.reasoning.tree_search.deduplication import normalised
from reasonloom.nodes.reasoning.tree_search.machine import begin_search
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.runs.llm_call import OptionalReply, Question
from reasonloom.text.shortening import shorten

BALLOTS = 3
"""Maximum ballots of a comparison, limited to one per branch."""

NOVELTY = 0.1
"""Distance (see `ThoughtDistance`) at or below which two thoughts are the same."""

LONGEST_NAME = 80
SEEDS = 2**32
OWN_PATH = (
    "Path {number} of {count}: take an approach of your own, one that the others are unlikely "
    "to take."
)
NO_LIST = "no approaches could be read: each branch had to find one of its own"
FEWER = "{most} approaches were requested, and {came} that differ were found"
WHICH = "Which unlike approaches are there, and which serves best?"
DOUBT = (
    "A first exploration came out with confidence {confidence:.2f}, below the {wanted:.2f} asked "
    "for. It tried: {tried}. Give approaches that differ from these."
)


async def propose_approaches(state: TreeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Propose approaches and begin the search; if a second attempt fails, the first one counts."""
    execution, outcomes = runtime.context, state.get("outcomes", [])
    request = execution.request(ReasoningTree)
    before = state.get("trial")
    number = before["number"] + 1 if before else 1
    approaches, notes, added = await _approaches(execution, state, request, number)
    trial = Trial(
        attempt=len(outcomes) + 1, number=number, approaches=approaches, redone=None
    )  # fmt: skip
    search = search_for(execution, request.content, trial) if approaches else {}
    return {"trial": trial, "search": search, "outcomes": outcomes, "notes": notes, **added}


async def _approaches(
    execution: Execution, state: TreeState, request: ReasoningTree, number: int
) -> tuple[list[Approach], list[str], dict[str, Any]]:
    """Return the approaches, notes, and memory updates; no approaches if a second attempt fails.

    Raises:
        ServiceFault: the call of the first attempt failed.
    """
    outcomes, most = state.get("outcomes", []), request.max_branches
    if execution.loom.llm.offline:
        question = open_question(WHICH, request.content)
        return [Approach(name=OPEN_QUESTION, approach=question)], [], {}
    informed = await _ask_for_approaches(execution, state, request, number)
    heard = informed.reply
    if heard.fault is not None:
        if not outcomes:
            raise heard.fault
        return [], heard.notes, {}
    approaches = approaches_in(heard, most)
    notes = [NO_LIST] if heard.parsed is None else heard.notes
    came = len(approaches)
    fewer = [FEWER.format(most=most, came=came)] if came < most else []
    return approaches, [*notes, *informed.notes, *fewer], informed.added


async def _ask_for_approaches(
    execution: Execution, state: TreeState, request: ReasoningTree, number: int
) -> Informed[OptionalReply]:
    question = Question(
        node="propose_approaches",
        prompt="tree/propose",
        variables={
            "content": request.content,
            "history": state["history"],
            "memories": state["memories"],
            "count": request.max_branches,
            "doubt": _doubt(state.get("outcomes", []), request.confidence),
        },
        pipe=MODE,
        n=number,
        thread=state["place"]["id"],
    )
    return await ask_informed_or_note(execution, question, "the proposal of approaches")


def _doubt(outcomes: list[Outcome], wanted: float | None) -> str:
    if not outcomes:
        return ""
    last = outcomes[-1]
    tried = "; ".join(each["name"] for each in last["branches"])
    return DOUBT.format(confidence=last["confidence"], wanted=wanted, tried=tried)


def approaches_in(heard: OptionalReply, most: int) -> list[Approach]:
    """Return the distinct approaches of a reply, or open-ended paths if it has no list."""
    if heard.parsed is None:
        return [
            Approach(name=f"Path {i}", approach=OWN_PATH.format(number=i, count=most))
            for i in range(1, most + 1)
        ]
    different: dict[str, Approach] = {}
    for each in heard.parsed["approaches"]:
        name = shorten(each["name"].rstrip(" ."), LONGEST_NAME, placeholder="…") or each["name"]
        approach = Approach(name=name, approach=each["approach"])
        different.setdefault(normalised(each["approach"]), approach)
    return list(different.values())[:most]


def search_for(execution: Execution, content: str, trial: Trial) -> dict[str, Any]:
    """Return a one-level beam search; its cost is limited by the run's own budget."""
    settings = SearchSettings(
        controller="beam",
        generate="sample",
        branching=len(trial["approaches"]),
        depth=1,
        judge="vote",
        judgements=BALLOTS,
        novelty=NOVELTY,
        seed=execution.run.effect("seed", n=trial["number"]).int % SEEDS,
    )
    return dict(begin_search(content, settings))
