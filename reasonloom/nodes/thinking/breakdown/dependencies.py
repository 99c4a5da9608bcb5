"""Dependencies between problems: links across branches, cycle removal, order, critical path.

A problem starts before its parts, and its dependents start after it and all its parts. A link
from A to B therefore orders all of A before B and all parts of B.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from langgraph.runtime import Runtime

from reasonloom.nodes.execution import Cost, Execution
from reasonloom.nodes.runs.budget import ReservePolicy, cost_of
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.thinking.breakdown.state import (
    Basis,
    BreakdownState,
    Link,
    Problem,
    in_order,
    is_within,
    is_work,
    outline,
    place_of,
)

Predecessors = Mapping[str, set[str]]
CONTAINED = "{before} before {after} was left out: one is a part of the other"
UNKNOWN = "{before} before {after} was left out: there is no such sub-problem"
CYCLE = (
    "{before} before {after} was left out: it closes the circle {circle}, and is the least "
    "certain of it ({certainty:.2f})"
)
MOST_REPORTED = 10
"""Maximum dropped links that are reported with a reason or their cycle."""

SURE = 0.5
"""The default certainty of a link."""


class LinkCheck(NamedTuple):
    """The consistent links, the dropped ones, and notes on why those were dropped."""

    links: list[Link]
    dropped: list[Link]
    notes: list[str]


def check_links(problems: Sequence[Problem], links: Sequence[Link]) -> LinkCheck:
    """Drop invalid links: those with unknown ids, within one problem's subtree, or in cycles.

    Of duplicate links the most certain is retained. Of a cycle only the least certain link is
    dropped, as links are added one by one, most certain first.
    """
    ids = {each["id"] for each in problems}
    surest: dict[tuple[str, str], Link] = {}
    dropped: list[Link] = []
    notes: list[str] = []
    for link in sorted(links, key=certainty, reverse=True):
        before, after = link["before"], link["after"]
        if not {before, after} <= ids:
            reason = UNKNOWN
        elif is_within(before, after) or is_within(after, before):
            reason = CONTAINED
        else:
            surest.setdefault((before, after), link)
            continue
        dropped.append(link)
        notes.append(reason.format(**link))
    kept, closing = _break_cycles(problems, list(surest.values()))
    for link in closing:
        surer = [each for each in kept if certainty(each) >= certainty(link)]
        reported = len(notes) < MOST_REPORTED
        cycle = find_cycle(predecessors(problems, [*surer, link])) if reported else None
        circle = " > ".join(cycle or []) or "of others"
        notes.append(CYCLE.format(**{**link, "certainty": certainty(link), "circle": circle}))
    dropped += closing
    kept.sort(key=lambda each: (place_of(each["before"]), place_of(each["after"])))
    return LinkCheck(kept, dropped, notes)


def certainty(link: Link) -> float:
    """Return a link's certainty, 0..1."""
    return link.get("certainty", SURE)


def _break_cycles(
    problems: Sequence[Problem], links: Sequence[Link]
) -> tuple[list[Link], list[Link]]:
    """Split links, added one by one, into those that close no cycle and those that do.

    The transitive predecessors of each problem are a bit mask with one bit per problem.
    """
    bits = {each["id"]: 1 << at for at, each in enumerate(problems)}
    inside = {one: sum(bits[each] for each in bits if is_within(each, one)) for one in bits}
    earlier = {
        one: sum(bits[each] for each in bits if each != one and is_within(one, each))
        for one in bits
    }
    kept: list[Link] = []
    closing: list[Link] = []
    for link in links:
        first = inside[link["before"]]
        for each in (one for one in bits if first & bits[one]):
            first |= earlier[each]
        after = bits[link["after"]]
        if first & after:
            closing.append(link)
            continue
        kept.append(link)
        for one, bit in bits.items():
            if bit == after or earlier[one] & after:
                earlier[one] |= first
    return kept, closing


def predecessors(problems: Sequence[Problem], links: Sequence[Link]) -> dict[str, set[str]]:
    """Return the direct predecessors of each problem, without transitive ones."""
    ids = [each["id"] for each in problems]
    before: dict[str, set[str]] = {
        each["id"]: {parent} if (parent := each["parent"]) else set() for each in problems
    }
    ends = {link["before"] for link in links}
    inside = {end: {each for each in ids if is_within(each, end)} for end in ends}
    for link in links:
        before[link["after"]] |= inside[link["before"]]
    return before


def find_cycle(before: Predecessors) -> list[str] | None:
    """Return a cycle, each problem before its successor; None if there is none."""
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        return [str(each) for each in error.args[1]]
    return None


def topological_order(before: Predecessors) -> list[str]:
    """Return all problems in topological order, with ties in outline order."""
    sorter = TopologicalSorter(before)
    sorter.prepare()
    waiting: list[tuple[tuple[int, ...], str]] = []
    order: list[str] = []
    while sorter.is_active():
        for each in sorter.get_ready():
            heapq.heappush(waiting, (place_of(each), each))
        _, first = heapq.heappop(waiting)
        order.append(first)
        sorter.done(first)
    return order


def levels(
    problems: Sequence[Problem], before: Predecessors, order: Sequence[str]
) -> list[list[str]]:
    """Group the problems to be worked on by the earliest level at which they can start."""
    work = {each["id"] for each in problems if is_work(each)}
    level: dict[str, int] = {}
    found: dict[int, list[str]] = defaultdict(list)
    for each in order:
        level[each] = max((level[one] + (one in work) for one in before[each]), default=0)
        if each in work:
            found[level[each]].append(each)
    return [found[at] for at in sorted(found)]


class CriticalPath(NamedTuple):
    """The longest chain of dependent problems, its length, and the unit of that length."""

    problems: list[str]
    length: float
    basis: Basis


def critical_path(
    problems: Sequence[Problem], before: Predecessors, order: Sequence[str]
) -> CriticalPath:
    """Return the critical path, by effort if every problem to work on has one, else by count."""
    work = [each for each in problems if is_work(each)]
    by_effort = all("effort" in each for each in work)
    weights = {each["id"]: each["effort"] if by_effort else 1.0 for each in work}
    length: dict[str, float] = {}
    came_from: dict[str, str | None] = {}
    for each in order:
        last = max(sorted(before[each], key=place_of), key=lambda one: length[one], default=None)
        length[each] = (length[last] if last else 0.0) + weights.get(each, 0.0)
        came_from[each] = last
    at: str | None = max(order, key=lambda one: length[one])
    total, chain = length[str(at)], []
    while at is not None:
        chain += [at] if at in weights else []
        at = came_from[at]
    return CriticalPath(chain[::-1], total, "effort" if by_effort else "count")


PROMPT = "breakdown/link"
MORE_DROPPED = "{count} more dependencies were left out; droppedDependencies has them"
UNRELATED = "dependencies across the branches were not looked for"


def relation_reserve(execution: Execution, problem: str) -> Cost:
    """Estimate the cost of the call that finds links, without the parts that it reads."""
    variables = {"problem": problem, "parts": [], "known": []}
    return cost_of(execution, execution.loom.prompts.get(PROMPT).render(**variables))


async def relate(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Add the links across branches to those within branches, and check all of them."""
    execution = runtime.context
    links = list(state["links"])
    notes: list[str] = []
    unrelated = False
    parents = {each["parent"] for each in state["problems"] if each["parent"]}
    if len(parents) > 1 and not execution.loom.llm.offline:
        more, notes = await _ask_links(execution, state)
        links += more
        unrelated = UNRELATED in notes
    links, dropped, reasons = check_links(state["problems"], links)
    notes += reasons[:MOST_REPORTED]
    if len(reasons) > MOST_REPORTED:
        notes.append(MORE_DROPPED.format(count=len(reasons) - MOST_REPORTED))
    return {"links": links, "dropped": dropped, "unrelated": unrelated, "notes": notes}


async def _ask_links(execution: Execution, state: BreakdownState) -> tuple[list[Link], list[str]]:
    numbers = {outline(each["id"]): each["id"] for each in state["problems"]}
    question = Question(
        node="relate",
        prompt=PROMPT,
        variables={
            "problem": state["request"]["problem"],
            "parts": [
                {"number": outline(each["id"]), "description": each["description"]}
                for each in in_order(state["problems"])
                if each["parent"]
            ],
            "known": [
                {"before": outline(each["before"]), "after": outline(each["after"])}
                for each in state["links"]
            ],
        },
        pipe="breakdown",
        aside=ReservePolicy(last=True),
    )
    heard = await ask_or_note(execution, question, "the dependencies across branches")
    if heard.parsed is None:
        return [], [*heard.notes, UNRELATED]
    links = [
        Link(
            before=numbers.get(each["before"].strip(), each["before"]),
            after=numbers.get(each["after"].strip(), each["after"]),
            type=each["type"],
            certainty=float(each["certainty"]),
            why=each["why"],
        )
        for each in heard.parsed["dependencies"]
    ]
    return links, heard.notes
