"""Runs a plan of operations: each order is a task of its own, all at the same time."""

from __future__ import annotations

import time
from typing import Any, cast

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.got_run import GotRun
from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.contracts.validation import read
from reasonloom.errors import CallerMistake
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.attempts import recall_for
from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.nodes.sessions.session_place import place_in
from reasonloom.nodes.thought_graph.operations.machine import absorb, begin, wanted
from reasonloom.nodes.thought_graph.operations.plans import packaged
from reasonloom.nodes.thought_graph.operations.questions import counted, result, wording
from reasonloom.nodes.thought_graph.operations.state import State
from reasonloom.nodes.thought_graph.operations.tasks.table import task_of
from reasonloom.nodes.thought_graph.run.state import Came, Carried, GotRunState


async def begin_plan(state: GotRunState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Read the plan and the problem, find the session, and recall what the problem calls for."""
    execution = runtime.context
    request = GotRun.model_validate(state["request"])
    plan = plan_of(request)
    work = _begun(_within(plan, execution), request.problem)
    place, _ = await place_in(execution, request.session_id, request.problem)
    memories, notes = await recall_for(execution, request.problem)
    return {
        "place": place,
        "memories": memories,
        "plan": plan.model_dump(exclude_none=True),
        "work": dict(work),
        "notes": notes,
    }


def plan_of(request: GotRun) -> Plan:
    """Return the plan that a request names or brings.

    Raises:
        CallerMistake: there is none such, or it is ill-formed; `field` names the place in it.
    """
    if isinstance(request.plan, str):
        return packaged(request.plan)
    try:
        return read(Plan, request.plan)
    except CallerMistake as mistake:
        whole = mistake.field in (None, "arguments")
        field = "plan" if whole else f"plan.{mistake.field}"
        told = mistake.message.removeprefix("arguments: ")
        raise type(mistake)(f"plan: {told}", field=field) from None


def _begun(plan: Plan, problem: str) -> State:
    """Begin a plan.

    Raises:
        CallerMistake: it names what its task has not, or the problem is none of the task.
    """
    try:
        return begin(plan, problem, task_of(plan.task))
    except CallerMistake as mistake:
        if mistake.field == "problem":
            raise
        raise type(mistake)(f"plan: {mistake.message}", field="plan") from None


def _within(plan: Plan, execution: Execution) -> Plan:
    """Return the plan with limits that are no wider than those of the run."""
    settings = execution.loom.settings
    run = {
        "calls": settings.budget_calls,
        "tokens": settings.budget_tokens,
        "usd": settings.budget_usd,
        "seconds": settings.tool_timeout,
    }
    given = plan.limits.model_dump(exclude_none=True)
    narrower = {name: min(limit, given.get(name, limit)) for name, limit in run.items()}
    limits = plan.limits.model_copy(update=narrower)
    return plan.model_copy(update={"limits": limits})


def tasks(state: GotRunState) -> list[Carried]:
    """Return what the plan wants done now, all of it at once; none where it has ended."""
    work = cast("State", state["work"])
    return [
        Carried(task=state["plan"]["task"], order=order, memories=state["memories"])
        for order in wanted(work)
    ]


async def carry_out(state: Carried, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Ask what one order wants; a fault is a result too."""
    execution, order, task = runtime.context, state["order"], task_of(state["task"])
    if order["kind"] == "judge" and execution.loom.llm.offline:
        return {"came": [Came(key=order["key"], result=counted(order))]}
    words = wording(task, order, state["memories"])
    question = Question(
        node="carry_out",
        prompt=words.prompt,
        variables=words.variables,
        pipe=words.pipe,
        task=order["key"],
        sample=order["sample"],
    )
    heard = await ask_or_say(execution, question, f"operation {order['key'].split('/')[0]}")
    if heard.fault is not None:
        told: dict[str, Any] = {"error": heard.fault.message}
    else:
        told = result(task, order, heard.parsed, heard.text)
    told |= {
        "tokens": heard.usage.tokens_in + heard.usage.tokens_out,
        "usd": heard.usage.cost_usd or 0.0,
        "at": time.perf_counter() - execution.run.started,
    }
    return {"came": [Came(key=order["key"], result=told)], "notes": heard.notes}


async def take_in(state: GotRunState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Give the plan every result that it waits for."""
    work = cast("State", state["work"])
    came = {each["key"]: each["result"] for each in state.get("came", [])}
    results = {order["key"]: came[order["key"]] for order in wanted(work) if order["key"] in came}
    return {"work": dict(absorb(work, results, task_of(state["plan"]["task"])))}
