"""A plan as a state machine: it issues orders, absorbs their results, and continues.

Operations start, in parallel, as soon as their inputs are available. Each is settled once all its
results have arrived, and in the order in which they were requested, so that arrival order has no
effect. Operations without a language model call are executed inline. When a limit is reached,
results that have arrived are absorbed, and the rest of the plan is completed without further calls.
"""

import math
from collections.abc import Mapping
from statistics import fmean
from typing import Any

from reasonloom.contracts.thought_graph.plans import Plan, name_of
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.thought_graph.ballot_scoring import JUDGE
from reasonloom.nodes.thought_graph.operations import results
from reasonloom.nodes.thought_graph.operations.orders import (
    Order,
    as_order,
    require_fit,
    step_orders,
)
from reasonloom.nodes.thought_graph.operations.parts import best_score, holds
from reasonloom.nodes.thought_graph.operations.results import read_result
from reasonloom.nodes.thought_graph.operations.state import START, WHOLE, Bill, State, Step, Thought
from reasonloom.nodes.thought_graph.operations.task import Task

FINISHED = ("done", "skipped")
RAN_OUT = "the budget of {limit} ran out: its thoughts continue unchanged"


def start_plan(plan: Plan, problem: str, task: Task) -> State:
    """Start a plan; return its state with the first orders.

    Raises:
        InvalidArgument: the problem is blank or invalid for the task, or a move is used on more or
            fewer thoughts than it takes (`field` is move or size).
        UnknownName: the task has no such move or check.
    """
    if not problem.strip():
        raise InvalidArgument("problem must not be blank", field="problem", kind="empty")
    require_fit(plan.operations, task)
    state = State(
        problem=problem,
        limits=plan.limits.model_dump(),
        stop_at=plan.stop_at,
        thoughts={f"{START}.0": _root(problem, task)},
        steps=_steps(plan),
        cuts={},
        drawn={},
        queued=[],
        pending=[],
        arrived={},
        bills={},
        elapsed=0.0,
        exhausted=None,
        ended=None,
    )
    _continue(state, task)
    return state


def open_orders(state: State) -> list[Order]:
    """Return the released orders without a result; all may run concurrently."""
    if state["ended"]:
        return []
    return [
        as_order(state, order) for order in state["pending"] if order["key"] not in state["bills"]
    ]


def absorb(state: State, results: Mapping[str, object], task: Task) -> State:
    """Return the state with `results` absorbed, a mapping from order keys to results.

    The given state is not modified. A second result for an order has no effect; an unusable one is
    recorded on its operation, and the plan continues with the rest.
    """
    after = _copied(state)
    pending = {order["key"]: order for order in after["pending"]}
    for key, result in results.items():
        if key in pending and key not in after["bills"]:
            received = read_result(pending[key], result)
            after["arrived"][key] = received
            after["bills"][key] = Bill(
                kind=pending[key]["kind"], tokens=received["tokens"], usd=received["usd"]
            )
            after["elapsed"] = max(after["elapsed"], received["at"])
    if not after["ended"]:
        _continue(after, task)
    return after


def _copied(state: State) -> State:
    """Return a copy with its own mutable parts; the contents of thoughts never change."""
    after = state.copy()
    after["thoughts"] = {name: thought.copy() for name, thought in state["thoughts"].items()}
    after["steps"] = {name: step.copy() for name, step in state["steps"].items()}
    after["cuts"], after["bills"] = state["cuts"].copy(), state["bills"].copy()
    after["drawn"] = state["drawn"].copy()
    after["queued"], after["pending"] = state["queued"].copy(), state["pending"].copy()
    after["arrived"] = state["arrived"].copy()
    return after


def finished(state: State) -> bool:
    """Return whether the plan has ended; `state["ended"]` says how."""
    return state["ended"] is not None


def frontier(state: State) -> list[Thought]:
    """Return the thoughts that the plan ends in so far: outputs that no finished step consumes."""
    over = {name: step for name, step in state["steps"].items() if step["standing"] in FINISHED}
    taken = {before for step in over.values() for before in step["after"]}
    ends = [step for name, step in over.items() if name not in taken]
    ids = dict.fromkeys(each for step in ends for each in step["outputs"])
    return [state["thoughts"][each] for each in ids]


def _root(problem: str, task: Task) -> Thought:
    return Thought(
        id=f"{START}.0",
        parents=[],
        kind="root",
        step=START,
        text=problem,
        data=task.begin(problem),
        part=WHOLE,
        depth=0,
        confidence=None,
        score=None,
        scores={},
        check="none",
        scored_by=None,
        valid=None,
    )


def _steps(plan: Plan) -> dict[str, Step]:
    start = _step(START, {"do": START}, [])
    start.update({"standing": "done", "outputs": [f"{START}.0"]})
    steps, before = {START: start}, START
    for place, operation in enumerate(plan.operations):
        name = name_of(operation, place)
        steps[name] = _step(
            name, operation.model_dump(exclude_none=True), operation.after or [before]
        )
        before = name
    return steps


def _step(name: str, operation: dict[str, Any], after: list[str]) -> Step:
    return Step(
        id=name,
        operation=operation,
        after=after,
        standing="waiting",
        inputs=[],
        outputs=[],
        round=0,
        best=None,
        fault=None,
    )


def _continue(state: State, task: Task) -> None:
    """Settle and begin steps until orders are in flight or everything is done."""
    moved = True
    while moved and not state["ended"]:
        moved = _settle_all(state) or _begin_all(state, task)
        release_orders(state)
        if state["exhausted"] and state["queued"]:
            _drop_queued(state)
            moved = True
        _check_for_end(state, moved)


def _drop_queued(state: State) -> None:
    for order in state["queued"]:
        state["steps"][order["step"]]["fault"] = RAN_OUT.format(limit=state["exhausted"])
    state["queued"] = []


def _settle_all(state: State) -> bool:
    """Settle every running step whose orders all have results; return whether there was one."""
    running = [step for step in state["steps"].values() if step["standing"] == "running"]
    ready = [step for step in running if not _waits(state, step)]
    for step in ready:
        came = [order for order in state["pending"] if order["step"] == step["id"]]
        results.settle_step(state, step, came)
        step["standing"] = "done"
        state["pending"] = [order for order in state["pending"] if order["step"] != step["id"]]
        for order in came:
            del state["arrived"][order["key"]]
    return bool(ready)


def _waits(state: State, step: Step) -> bool:
    orders_out = (*state["queued"], *state["pending"])
    return any(
        order["step"] == step["id"] and order["key"] not in state["arrived"] for order in orders_out
    )


def _begin_all(state: State, task: Task) -> bool:
    """Begin every waiting step whose inputs are available; return whether there was one."""
    ready = [
        step
        for step in state["steps"].values()
        if step["standing"] == "waiting"
        and all(state["steps"][before]["standing"] in FINISHED for before in step["after"])
    ]
    for step in ready:
        _begin(state, step, task)
    return bool(ready)


def _begin(state: State, step: Step, task: Task) -> None:
    outputs = (each for before in step["after"] for each in state["steps"][before]["outputs"])
    step["inputs"] = list(dict.fromkeys(outputs))
    operation = step["operation"]
    inputs = [state["thoughts"][each] for each in step["inputs"]]
    if "when" in operation and not holds(operation["when"], inputs):
        step.update({"standing": "skipped", "outputs": step["inputs"]})
    elif operation["do"] == "repeat":
        _repeat(state, step, inputs)
    elif not _run_locally(state, step, task):
        step["standing"] = "running"
        if state["exhausted"]:
            step["fault"] = RAN_OUT.format(limit=state["exhausted"])
        else:
            state["queued"] += step_orders(state, step, task)


def _run_locally(state: State, step: Step, task: Task) -> bool:
    """Execute an operation that needs no language model; return False for all others."""
    operation = step["operation"]
    match operation["do"]:
        case "keep_best":
            results.keep_best(state, step, task)
        case "validate":
            results.keep_valid(state, step, task)
        case "score" if operation["by"] != JUDGE:
            results.score_by_check(state, step, task)
        case _:
            return False
    step["standing"] = "done"
    return True


def _repeat(state: State, step: Step, inputs: list[Thought]) -> None:
    """Finish a repetition, or begin its body once more and make the step wait for it."""
    operation = step["operation"]
    until = operation.get("until")
    over = until is not None and holds(until, inputs, step["best"])
    if over or step["round"] >= operation["most"]:
        step.update({"standing": "done", "outputs": step["inputs"]})
        return
    before = step["after"]
    for place, inner in enumerate(operation["body"]):
        name = f"{step['id']}.{step['round'] + 1}.{place + 1}"
        state["steps"][name] = _step(name, inner, before)
        before = [name]
    step.update({"after": before, "best": best_score(inputs), "round": step["round"] + 1})


def _check_for_end(state: State, moved: bool) -> None:
    if state["stop_at"] is not None and any(_is_found(state, each) for each in frontier(state)):
        state["ended"] = "found"
    elif not moved and not in_flight(state):
        state["ended"] = "exhausted" if state["exhausted"] else "complete"


def _is_found(state: State, thought: Thought) -> bool:
    score, stop_at = thought["score"], state["stop_at"]
    whole = thought["part"] == WHOLE and thought["kind"] != "root"
    return whole and score is not None and stop_at is not None and score >= stop_at


def release_orders(state: State) -> None:
    """Move orders from the queue to the pending ones, as far as the limits allow.

    An order that would exceed a limit waits while others are in flight, since these may cost less
    than expected. With none in flight, the limit is recorded as exhausted.
    """
    while state["queued"]:
        limit = _limit_passed(state, state["queued"][0]["kind"])
        if limit:
            if not in_flight(state):
                state["exhausted"] = state["exhausted"] or limit
            return
        state["pending"].append(state["queued"].pop(0))


def in_flight(state: State) -> int:
    """Return how many released orders have no result yet."""
    return sum(order["key"] not in state["bills"] for order in state["pending"])


def spent(state: State, what: str) -> float:
    """Return the calls, tokens or US dollars of all orders with results, summed exactly."""
    if what == "calls":
        return len(state["bills"])
    return math.fsum(bill[what] for bill in state["bills"].values())  # type: ignore[literal-required]


def expected(state: State, kind: str, what: str) -> float:
    """Return an order's expected cost: the mean of its kind so far, else of all orders, else 0."""
    if what == "calls":
        return 1.0
    bills = list(state["bills"].values())
    alike = [bill for bill in bills if bill["kind"] == kind] or bills
    return fmean(bill[what] for bill in alike) if alike else 0.0  # type: ignore[literal-required]


def _limit_passed(state: State, kind: str) -> str | None:
    """Return the limit that another order of this kind would exceed, counting those in flight."""
    for what in ("calls", "tokens", "usd"):
        limit = state["limits"].get(what)
        if limit is None:
            continue
        used, each = spent(state, what), expected(state, kind, what)
        if used >= limit or used + (in_flight(state) + 1) * each > limit:
            return what
    seconds = state["limits"].get("seconds")
    return "seconds" if seconds is not None and state["elapsed"] >= seconds else None
