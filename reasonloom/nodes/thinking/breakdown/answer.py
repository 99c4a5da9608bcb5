"""Builds and persists the answer of `breakdown`."""

from statistics import fmean
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.thinking.breakdown import Breakdown, BrokenDown, Dependency, SubProblem
from reasonloom.contracts.thinking.think import returned_context
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.offline import quotes_on, remark
from reasonloom.nodes.reasoning.lookup import memories_used_in
from reasonloom.nodes.reasoning.persist import StoredStep, persist_step
from reasonloom.nodes.sessions.context import new_place, next_thought
from reasonloom.nodes.thinking.breakdown.dependencies import (
    critical_path,
    levels,
    predecessors,
    topological_order,
)
from reasonloom.nodes.thinking.breakdown.diagram import draw_breakdown
from reasonloom.nodes.thinking.breakdown.state import (
    BreakdownState,
    Link,
    Problem,
    in_order,
    is_work,
    outline,
)
from reasonloom.stores.sessions.thoughts import NewThought
from reasonloom.text.shortening import shortened

MODE = "breakdown"
ANSWER_KEYS = ("description", "depth", "parent", "split_by", "method", "reason", "why",
               "duplicate_of", "effort", "known", "kind")  # fmt: skip
MOST_IN_MEMORY = 40

OUT_OF_BUDGET = "{count} sub-problems were left undivided for want of budget: {why}"
MEMORY_TEXT = "{problem}\nis broken down into:\n{parts}"
WHICH_WORDS = (
    "made without a language model: words that divide are known in English, German, French and "
    "Spanish; other languages are divided by lists, sentences and marks alone"
)


async def persist_breakdown(state: BreakdownState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Persist the breakdown as a new session's thought, and complete the run."""
    execution = runtime.context
    problems = _listed_problems(execution, state)
    notes = []
    if left := [each for each in problems if each.get("reason") == "budget"]:
        notes.append(OUT_OF_BUDGET.format(count=len(left), why=left[0]["why"]))
    if execution.loom.llm.offline:
        notes.append(WHICH_WORDS)
    quotes = "\n".join(one for each in problems for one in each.get("known", ()))
    return await persist_step(
        execution,
        state,
        _new_thought(execution, state, problems),
        lambda step: _answer(execution, state, problems, step),
        used=memories_used_in(execution, quotes, state),
        notes=notes,
        distinct=True,
    )


def _listed_problems(execution: Execution, state: BreakdownState) -> list[Problem]:
    problems = in_order(state["problems"])
    if not execution.loom.llm.offline:
        return problems
    context = execution.request(Breakdown).context
    background = context.known() if context else ""
    return [
        {**each, "known": known}
        if is_work(each)
        and (known := quotes_on(each["description"], state["memories"], background))
        else each
        for each in problems
    ]


def _new_thought(
    execution: Execution, state: BreakdownState, problems: list[Problem]
) -> NewThought:
    lines = [f"{outline(each['id'])} {each['description']}" for each in problems[1:]]
    more = [f"and {len(lines) - MOST_IN_MEMORY} more"] if len(lines) > MOST_IN_MEMORY else []
    parts = "\n".join([*lines[:MOST_IN_MEMORY], *more]) or "nothing: it was left undivided"
    problem = state["request"]["problem"]
    return next_thought(
        execution,
        new_place(execution),
        mode=MODE,
        question=problem,
        content=MEMORY_TEXT.format(problem=shortened(problem, 300), parts=parts),
        confidence=confidence(problems),
    )


def confidence(problems: list[Problem]) -> float:
    """Return the splits' mean confidence times the share of problems that did not fail, 0..1."""
    sure = [each["sure"] for each in problems if "sure" in each]
    failed = sum(each.get("reason") in ("failed", "budget") for each in problems)
    return round(fmean(sure) * (1 - failed / len(problems)), 4) if sure else 0.0


def _answer(
    execution: Execution, state: BreakdownState, problems: list[Problem], step: StoredStep
) -> BrokenDown:
    request, links = execution.request(Breakdown), state["links"]
    before = predecessors(problems, links)
    order = topological_order(before)
    path, length, basis = critical_path(problems, before, order)
    hierarchy = [
        Dependency(from_=parent, to=each["id"], type="hierarchical")
        for each in problems
        if (parent := each["parent"])
    ]
    return BrokenDown(
        problem=request.problem,
        sub_problems=[_sub_problem(each) for each in problems],
        dependencies=[*hierarchy, *(_dependency(each) for each in links)],
        execution_order=order,
        total_sub_problems=len(problems),
        max_depth=request.max_depth,
        parallel_levels=levels(problems, before, order),
        critical_path=path,
        critical_path_length=length,
        critical_path_by=basis,
        dropped_dependencies=[_dependency(each) for each in state["dropped"]],
        drawing=draw_breakdown(problems, links, path),
        confidence=step.thought.confidence,
        llm=step.thought.llm,
        run_id=str(execution.run.id),
        session_id=str(step.thought.session_id),
        thought_id=str(step.thought.id),
        memories_used=step.memories,
        **_remarks(execution, state, problems),
    )


def _remarks(
    execution: Execution, state: BreakdownState, problems: list[Problem]
) -> dict[str, Any]:
    marks: dict[str, Any] = returned_context(execution.request(Breakdown).context)
    offline = execution.loom.llm.offline
    short = any(each.get("reason") in ("failed", "budget") for each in problems)
    words_only = not offline and problems[0].get("split_by", "llm") != "llm"
    if short or state.get("unrelated") or words_only:
        marks["partial"] = True
    return marks | remark(execution)


def _sub_problem(problem: Problem) -> SubProblem:
    facts = {name: problem[name] for name in ANSWER_KEYS if problem.get(name) is not None}  # type: ignore[literal-required]
    return SubProblem(id=problem["id"], atomic="split_by" not in problem, **facts)


def _dependency(link: Link) -> Dependency:
    facts = {name: link[name] for name in ("why", "certainty") if name in link}
    return Dependency(from_=link["before"], to=link["after"], type=link["type"], **facts)
