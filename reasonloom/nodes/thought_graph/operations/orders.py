"""The orders of a plan's operations; one order is one language model call."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, TypedDict

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.judging.ballots import balanced_orders
from reasonloom.nodes.thought_graph.ballot_scoring import BALLOTS, JUDGE, ON_ONE
from reasonloom.nodes.thought_graph.graph import reachable
from reasonloom.nodes.thought_graph.operations.parts import neighbours
from reasonloom.nodes.thought_graph.operations.state import (
    START,
    Kind,
    Pending,
    State,
    Step,
    Thought,
)
from reasonloom.nodes.thought_graph.operations.task import Task, TaskQuestion


class Order(TypedDict):
    """One question to a language model.

    Attributes:
        key: identifies the order within its plan, stable across replays.
        kind: generate, refine, aggregate, or judge.
        move: the name of the task's move.
        problem: the first thought, which is the problem.
        thoughts: the thoughts to continue, improve, merge, or judge.
        line: the ancestors of the first of them, oldest first, without the problem.
        count: number of requested results; `sample` is the number of the first of them, among all
            those requested by the same question.
        in_order: a ballot shows the thoughts in the order given here. Orders created by an older
            version use an order derived from their key instead.
    """

    key: str
    kind: Kind
    move: str
    problem: Thought
    thoughts: list[Thought]
    line: list[Thought]
    count: int
    sample: int
    in_order: bool


def as_order(state: State, pending: Pending) -> Order:
    """Return an order in the form that its executor sees."""
    return Order(
        key=pending["key"],
        kind=pending["kind"],
        move=pending["move"],
        problem=state["thoughts"][f"{START}.0"],
        thoughts=[state["thoughts"][each] for each in pending["thoughts"]],
        line=_line(state, pending["thoughts"][0]),
        count=pending["count"],
        sample=pending["sample"],
        in_order=pending.get("in_order", False),
    )


def _line(state: State, thought: str) -> list[Thought]:
    """Return a thought's ancestors by first parent, oldest first, without the problem."""
    line: list[Thought] = []
    current = state["thoughts"][thought]
    while current["parents"]:
        current = state["thoughts"][current["parents"][0]]
        line.append(current)
    return line[-2::-1]


def step_orders(state: State, step: Step, task: Task) -> list[Pending]:
    """Return the orders of an operation that calls a language model."""
    operation = step["operation"]
    inputs = [state["thoughts"][each] for each in step["inputs"]]
    if operation["do"] == "score":
        return _ballots(step, _to_compare(state, unscored(inputs, JUDGE)))
    if operation["do"] == "aggregate":
        merged = [each for each in merge_groups(state, step) if len(each) > 1]
        return [_order(state, step, task, n, each) for n, each in enumerate(merged)]
    chosen = [each for each in inputs if _is_chosen(operation, each)]
    return [_order(state, step, task, n, [each]) for n, each in enumerate(chosen)]


def _to_compare(state: State, thoughts: Sequence[Thought]) -> list[Thought]:
    """Return the thoughts to judge, refined or merged ones preceded by their rivals."""
    listed: dict[str, Thought] = {}
    for each in thoughts:
        rivals = [rival for rival in rivals_of(state, each) if rival["text"] != each["text"]]
        listed |= {thought["id"]: thought for thought in (*rivals, each)}
    return list(listed.values())


def rivals_of(state: State, thought: Thought) -> list[Thought]:
    """Return a refined or merged thought's sources, or only the best if a judge scored them all.

    Only sources about the same part of the problem are comparable.
    """
    if thought["kind"] not in ("refine", "aggregate"):
        return []
    parents = [state["thoughts"][each] for each in thought["parents"]]
    same = [each for each in parents if each["part"] == thought["part"]]
    scores = [each["score"] for each in same if each["scored_by"] == JUDGE]
    if len(scores) < len(same) or None in scores:
        return same
    return sorted(same, key=lambda each: -(each["score"] or 0.0))[:1]


def merge_groups(state: State, step: Step) -> list[list[Thought]]:
    """Return the groups of thoughts that an aggregation merges.

    A thought is never merged with its ancestor: the better of the two is used, ties go to the
    later.
    """
    inputs = [state["thoughts"][each] for each in step["inputs"]]
    lines = {
        each["id"]: reachable(each["parents"], lambda name: state["thoughts"][name]["parents"])
        for each in inputs
    }
    chosen: list[str] = []
    later_first = [*reversed(inputs)]
    for each in sorted(later_first, key=lambda each: -(each["score"] or 0.0)):
        name = each["id"]
        if not any(name in lines[other] or other in lines[name] for other in chosen):
            chosen.append(name)
    kept = [each for each in inputs if each["id"] in chosen]
    return neighbours(kept, step["operation"].get("size"))


def unscored(thoughts: Sequence[Thought], by: str) -> list[Thought]:
    """Return the thoughts not scored under this name, the first of those with equal texts."""
    different: dict[tuple[str, str], Thought] = {}
    for each in thoughts:
        if each["scored_by"] != by:
            different.setdefault((each["part"], each["text"]), each)
    return list(different.values())


def _is_chosen(operation: dict[str, Any], thought: Thought) -> bool:
    below = operation.get("only_below")
    return below is None or thought["score"] is None or thought["score"] < below


def _order(state: State, step: Step, task: Task, place: int, thoughts: list[Thought]) -> Pending:
    operation = step["operation"]
    question = _question(state, task, operation["move"], thoughts)
    sample = state["drawn"].get(question, 0)
    state["drawn"][question] = sample + operation["samples"]
    return Pending(
        key=f"{step['id']}/{place}",
        step=step["id"],
        kind=operation["do"],
        move=operation["move"],
        thoughts=[each["id"] for each in thoughts],
        count=operation["samples"],
        sample=sample,
    )


def _question(state: State, task: Task, name: str, thoughts: list[Thought]) -> str:
    """Return a hash of a question's wording.

    Questions about different thoughts are the same if their prompts are; `count` is ignored.
    """
    move, problem = task.move(name), state["thoughts"][f"{START}.0"]
    line = _line(state, thoughts[0]["id"])
    variables = move.variables(TaskQuestion(problem, thoughts, line, (), count=0))
    words = json.dumps([move.prompt, variables], sort_keys=True, default=str)
    return sha256(words.encode()).hexdigest()


def _ballots(step: Step, thoughts: list[Thought]) -> list[Pending]:
    """Return the ballots on thoughts in balanced orders, the first ballots of all batches first."""
    ids = [each["id"] for each in thoughts]
    batches = [ids[at : at + ON_ONE] for at in range(0, len(ids), ON_ONE)]
    ballots = [
        Pending(
            key=f"{step['id']}/{place}.{ballot}",
            step=step["id"],
            kind="judge",
            move=JUDGE,
            thoughts=order,
            count=1,
            sample=ballot,
            in_order=True,
        )
        for place, batch in enumerate(batches)
        for ballot, order in enumerate(balanced_orders(batch, BALLOTS, f"{step['id']}/{place}"))
    ]
    return sorted(ballots, key=lambda each: each["sample"])


def require_fit(operations: Sequence[Any], task: Task) -> None:
    """Check that operations, including those inside repetitions, fit the task.

    Raises:
        UnknownName: the task has no such move or check.
        InvalidArgument: a move is used on more or fewer thoughts than it takes; `field` is move or
            size.
    """
    for operation in operations:
        if operation.do == "repeat":
            require_fit(operation.body, task)
        elif operation.do == "aggregate":
            _require_merging(operation, task)
        elif operation.do in ("generate", "refine"):
            _require_one(operation, task)
        elif operation.do in ("score", "validate") and operation.by != JUDGE:
            task.check(operation.by)


def _require_one(operation: Any, task: Task) -> None:
    if task.move(operation.move).takes != 1:
        message = f"{operation.do} cannot use the move {operation.move}, which merges thoughts"
        raise InvalidArgument(message, field="move")


def _require_merging(operation: Any, task: Task) -> None:
    takes = task.move(operation.move).takes
    if takes == 1:
        message = f"aggregate cannot use the move {operation.move}, which takes one thought"
        raise InvalidArgument(message, field="move")
    if takes not in (None, operation.size):
        message = f"aggregate with the move {operation.move} of {task.name} must have size {takes}"
        raise InvalidArgument(message, field="size")
