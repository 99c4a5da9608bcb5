"""Grows the tree of problems level by level.

Each level is a barrier: its problems are split in parallel, and the next level starts when all are
done, so that duplicates are detected before they would be split again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.thinking.breakdown import Breakdown
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.reasoning.tree_search.deduplication import ThoughtDistance
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thinking.breakdown.offline_split import split_offline
from reasonloom.nodes.thinking.breakdown.state import (
    ROOT,
    BreakdownState,
    Link,
    Problem,
    Split,
    SplitTask,
    is_open,
    is_within,
    outline,
)
from reasonloom.text.shortening import shortened

MOST_PROBLEMS = 200
MOST_PARTS = 7
NOVELTY = 0.1
"""Maximum distance of two problems that count as the same."""

LONGEST_DESCRIPTION = 500

FULL = "the tree has {count} problems, and {most} at most"
DEEP = "maxDepth is {depth}"
SAME = "{number} is the same as {other} and was not divided again"


async def recall_context(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Recall memories, and start the tree with the whole problem as its root."""
    request = runtime.context.request(Breakdown)
    memories, notes = await recall_for(runtime.context, request.problem)
    text = request.problem
    root = Problem(id=ROOT, text=text, description=text, depth=1, parent=None)
    problems = _limited([root], request.max_depth)
    return {"memories": memories, "problems": problems, "links": [], "notes": notes}


def dispatch_splits(state: BreakdownState) -> list[Send]:
    """Return one task for each unprocessed problem."""
    return [
        Send("split_problem", _task(state, each)) for each in state["problems"] if is_open(each)
    ]


def _task(state: BreakdownState, problem: Problem) -> SplitTask:
    above = [each for each in state["problems"] if is_within(problem["id"], each["id"])]
    line = [each["description"] for each in above if each["id"] not in (ROOT, problem["id"])]
    others = [
        each["description"]
        for each in state["problems"]
        if each["depth"] == problem["depth"] and each["id"] != problem["id"]
    ]
    return SplitTask(memories=state["memories"], problem=problem, line=line, others=others)


async def grow(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Add the parts of the current level's problems."""
    splits = {each["id"]: each for each in state["splits"]}
    return await grow_level(state, splits, runtime.context)


async def divide_offline(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Split all levels by words only."""
    request = runtime.context.request(Breakdown)
    now, notes = state, []
    while pending := [each for each in now["problems"] if is_open(each)]:
        splits = {each["id"]: split_offline(each, request) for each in pending}
        added = await grow_level(now, splits, runtime.context)
        notes += added["notes"]
        now = {**now, "problems": added["problems"], "links": added["links"]}
    return {"problems": now["problems"], "links": now["links"], "notes": notes}


async def grow_level(
    state: BreakdownState, splits: Mapping[str, Split], execution: Execution
) -> dict[str, Any]:
    """Return the tree extended by the parts of each open problem and their links."""
    request = execution.request(Breakdown)
    before: list[Problem] = []
    fresh: list[Problem] = []
    links = list(state["links"])
    for each in state["problems"]:
        split = splits.get(each["id"]) if is_open(each) else None
        before.append(_with_split(each, split) if split else each)
        if split and "split_by" in split:
            fresh += _parts(each, split)
            links += _links(each, split)
    fresh, more, notes = await _mark_duplicates(before, fresh, execution.loom.embedder)
    problems = _limited([*before, *fresh], request.max_depth)
    return {"problems": problems, "links": [*links, *more], "notes": notes}


def _with_split(problem: Problem, split: Split) -> Problem:
    facts = {name: value for name, value in split.items() if name not in ("id", "parts", "links")}
    return Problem(**{**problem, **facts})  # type: ignore[typeddict-item]


def _parts(problem: Problem, split: Split) -> list[Problem]:
    made = []
    for place, part in enumerate(split["parts"]):
        one = Problem(
            id=f"{problem['id']}-{place}",
            text=part["text"],
            description=shortened(
                part["text"].replace("\n- ", "; ").removeprefix("- "), LONGEST_DESCRIPTION
            ),
            depth=problem["depth"] + 1,
            parent=problem["id"],
        )
        if "effort" in part:
            one["effort"] = float(part["effort"])
        if "why" in part:  # the part that checks constraints is not split
            one |= {"reason": "indivisible", "why": part["why"]}
        made.append(one)
    return made


def _links(problem: Problem, split: Split) -> list[Link]:
    ids = [f"{problem['id']}-{place}" for place in range(len(split["parts"]))]
    return [
        Link(**{**each, "before": ids[each["before"]], "after": ids[each["after"]]})  # type: ignore[typeddict-item]
        for each in split["links"]
    ]


async def _mark_duplicates(
    before: Sequence[Problem], fresh: Sequence[Problem], embedder: Embedder
) -> tuple[list[Problem], list[Link], list[str]]:
    """Mark new problems that duplicate an earlier one, and link them to it."""
    texts = [each["text"] for each in (*before, *fresh) if len(each["text"]) <= LONGEST_DESCRIPTION]
    distance = ThoughtDistance(await similarity_of(embedder, texts if fresh else []))
    seen = [each for each in before if "duplicate_of" not in each]
    marked: list[Problem] = []
    links: list[Link] = []
    notes = list(distance.likeness.notes)
    for each in fresh:
        twin = next((one for one in seen if _is_same(distance, each, one)), None)
        if twin is None:
            seen.append(each)
            marked.append(each)
            continue
        why = SAME.format(number=outline(each["id"]), other=outline(twin["id"]))
        marked.append({**each, "reason": "duplicate", "why": why, "duplicate_of": twin["id"]})
        notes.append(why)
        if not is_within(each["id"], twin["id"]):
            links.append(
                Link(before=twin["id"], after=each["id"], type="needs", certainty=1.0, why=why)
            )
    return marked, links, notes


def _is_same(distance: ThoughtDistance, one: Problem, other: Problem) -> bool:
    """Return whether two problems are the same; long ones must have identical words."""
    texts = [each["text"] for each in (one, other)]
    first, second = (text.casefold().split() for text in texts)
    short = all(len(text) <= LONGEST_DESCRIPTION for text in texts)
    return first == second or (short and distance(*texts) <= NOVELTY)


def _limited(problems: list[Problem], depth: int) -> list[Problem]:
    """Mark the open problems that are too deep or whose parts would exceed `MOST_PROBLEMS`."""
    room = (MOST_PROBLEMS - len(problems)) // MOST_PARTS
    full = FULL.format(count=len(problems), most=MOST_PROBLEMS)
    limited: list[Problem] = []
    for each in problems:
        if not is_open(each):
            limited.append(each)
        elif each["depth"] >= depth:
            limited.append({**each, "reason": "max_depth", "why": DEEP.format(depth=depth)})
        elif room <= 0:
            limited.append({**each, "reason": "budget", "why": full})
        else:
            limited.append(each)
            room -= 1
    return limited
