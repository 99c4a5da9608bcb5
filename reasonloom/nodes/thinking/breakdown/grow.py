"""Grows the tree by one level: takes up what its problems were divided into.

A level is a barrier: its problems are divided at the same time, and only when all have been is
the next one looked at. So what is the same as another problem is found, and not divided again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.contracts.thinking.breakdown import Breakdown
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.attempts import recall_for
from reasonloom.nodes.reasoning.tree_search.deduplication import ThoughtDistance
from reasonloom.nodes.similarity import similarity_of
from reasonloom.nodes.thinking.breakdown.offline_split import OF_METHOD, split_offline
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

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder

MOST_PROBLEMS = 200
"""Problems of one tree."""

MOST_PARTS = 7
NOVELTY = 0.1
"""How far apart two problems are at least, or they are the same."""

LONGEST = 500
"""Characters of a sub-problem that are shown."""

FULL = "the tree has {count} problems, and {most} at most"
DEEP = "maxDepth is {depth}"
SAME = "{number} is the same as {other} and was not divided again"


async def recall_context(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the memories that the problem calls for, and begin the tree with the whole of it."""
    request = Breakdown.model_validate(state["request"])
    memories, notes = await recall_for(runtime.context, request.problem)
    text = request.problem
    root = Problem(id=ROOT, text=text, description=text, depth=1, parent=None)
    problems = _limited([root], request.max_depth)
    return {"memories": memories, "problems": problems, "links": [], "notes": notes}


def dispatch_splits(state: BreakdownState) -> list[Send]:
    """Return one task for each problem that nobody has looked at yet."""
    return [
        Send("split_problem", _task(state, each)) for each in state["problems"] if is_open(each)
    ]


def _task(state: BreakdownState, problem: Problem) -> SplitTask:
    above = [each for each in state["problems"] if is_within(problem["id"], each["id"])]
    line = [each["description"] for each in above if each["id"] not in (ROOT, problem["id"])]
    beside = [
        each["description"]
        for each in state["problems"]
        if each["depth"] == problem["depth"] and each["id"] != problem["id"]
    ]
    return SplitTask(
        request=state["request"],
        memories=state["memories"],
        problem=problem,
        line=line,
        others=beside,
    )


async def grow(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Take up what the level was divided into."""
    splits = {each["id"]: each for each in state["splits"]}
    return await grow_level(state, splits, runtime.context.loom.embedder)


async def divide_offline(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Divide all levels by words alone: no language model has to be waited for."""
    request = Breakdown.model_validate(state["request"])
    now, notes = state, []
    while pending := [each for each in now["problems"] if is_open(each)]:
        splits = {each["id"]: split_offline(each, request) for each in pending}
        added = await grow_level(now, splits, runtime.context.loom.embedder)
        notes += added["notes"]
        now = {**now, "problems": added["problems"], "links": added["links"]}
    return {"problems": now["problems"], "links": now["links"], "notes": notes}


async def grow_level(
    state: BreakdownState, splits: Mapping[str, Split], embedder: Embedder
) -> dict[str, Any]:
    """Return the tree with the parts of each problem that was open, and the links among them."""
    request = Breakdown.model_validate(state["request"])
    before: list[Problem] = []
    fresh: list[Problem] = []
    links = list(state["links"])
    for each in state["problems"]:
        split = splits.get(each["id"]) if is_open(each) else None
        before.append(_with_split(each, split) if split else each)
        if split and "split_by" in split:
            fresh += _parts(each, split)
            links += _links(each, split)
    fresh, more, notes = await _mark_duplicates(before, fresh, embedder)
    problems = _limited([*before, *fresh], request.max_depth)
    return {"problems": problems, "links": [*links, *more], "notes": notes}


def _with_split(problem: Problem, split: Split) -> Problem:
    told = {name: value for name, value in split.items() if name not in ("id", "parts", "links")}
    return Problem(**{**problem, **told})  # type: ignore[typeddict-item]


def _parts(problem: Problem, split: Split) -> list[Problem]:
    made = []
    for place, part in enumerate(split["parts"]):
        one = Problem(
            id=f"{problem['id']}-{place}",
            text=part["text"],
            description=shortened(part["text"].replace("\n- ", "; ").removeprefix("- "), LONGEST),
            depth=problem["depth"] + 1,
            parent=problem["id"],
        )
        if "effort" in part:
            one["effort"] = float(part["effort"])
        if "why" in part:  # a step of a method, a check of constraints: it quotes, and has no parts
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
    """Mark each new problem that is the same as an earlier one, and let it come after that one."""
    texts = [each["text"] for each in (*before, *fresh) if len(each["text"]) <= LONGEST]
    apart = ThoughtDistance(await similarity_of(embedder, texts if fresh else []))
    seen = [each for each in before if "duplicate_of" not in each]
    marked: list[Problem] = []
    links: list[Link] = []
    notes = list(apart.likeness.notes)
    for each in fresh:
        twin = next((one for one in seen if _is_same(apart, each, one)), None)
        if twin is None or each.get("why") == OF_METHOD:
            seen.append(each)
            marked.append(each)
            continue
        told = SAME.format(number=outline(each["id"]), other=outline(twin["id"]))
        marked.append({**each, "reason": "duplicate", "why": told, "duplicate_of": twin["id"]})
        notes.append(told)
        if not is_within(each["id"], twin["id"]):
            links.append(Link(before=twin["id"], after=each["id"], type="needs", certainty=1.0,
                              why=told))  # fmt: skip
    return marked, links, notes


def _is_same(apart: ThoughtDistance, one: Problem, other: Problem) -> bool:
    """Tell whether two problems come to the same; long ones only where their words are the same."""
    texts = [each["text"] for each in (one, other)]
    first, second = (text.casefold().split() for text in texts)
    short = all(len(text) <= LONGEST for text in texts)
    return first == second or (short and apart(*texts) <= NOVELTY)


def _limited(problems: list[Problem], depth: int) -> list[Problem]:
    """Mark the problems that may not be divided: too deep, or no room for their parts."""
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
