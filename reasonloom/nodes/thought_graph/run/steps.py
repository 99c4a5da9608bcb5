"""Steps of running a plan of operations; orders run in parallel, one task each."""

import time
from functools import partial
from operator import add
from typing import Annotated, Any, TypedDict, cast

from langgraph.runtime import Runtime

from reasonloom.contracts.thought_graph.plans import GotRun, Plan
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import CallerMistake
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.reasoning.context import recall_for
from reasonloom.nodes.reasoning.lookup import Informed, MemoryState, ask_informed
from reasonloom.nodes.runs.llm_call import Question, ask_or_note
from reasonloom.nodes.sessions.context import session_context
from reasonloom.nodes.thought_graph.operations.machine import absorb, open_orders, start_plan
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.plans import packaged_plan
from reasonloom.nodes.thought_graph.operations.questions import (
    offline_result,
    question_for,
    read_answer,
)
from reasonloom.nodes.thought_graph.operations.state import State
from reasonloom.nodes.thought_graph.operations.tasks import task_of


class OrderResult(TypedDict):
    """The result of one order; `result` is in the form read by `operations.results.read_result`."""

    key: str
    result: dict[str, Any]


class GotRunState(MemoryState, total=False):
    """`place` holds the ids of the session, of the branch, and of its head (None at first)."""

    place: dict[str, Any]
    plan: dict[str, Any]
    work: dict[str, Any]
    came: Annotated[list[OrderResult], add]


class PlanTask(TypedDict):
    """The payload of an order's task."""

    task: str
    order: Order
    memories: list[dict[str, Any]]


async def begin_plan(state: GotRunState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Parse the plan and the problem, find the session, and recall relevant memories."""
    execution = runtime.context
    request = execution.request(GotRun)
    plan = plan_of(request)
    work = _start(_limited(plan, execution), request.problem)
    place, history = await session_context(execution, request.session_id, request.problem)
    memories, notes = await recall_for(execution, request.problem, history.problem)
    return {
        "place": place,
        "memories": memories,
        "plan": plan.model_dump(exclude_none=True),
        "work": dict(work),
        "notes": notes,
    }


def plan_of(request: GotRun) -> Plan:
    """Return the plan that a request names or contains.

    Raises:
        CallerMistake: there is no such plan, or it is invalid; `field` is the location in it.
    """
    if isinstance(request.plan, str):
        return packaged_plan(request.plan)
    try:
        return parse_request(Plan, request.plan)
    except CallerMistake as mistake:
        whole = mistake.field in (None, "arguments")
        field = "plan" if whole else f"plan.{mistake.field}"
        message = mistake.message.removeprefix("arguments: ")
        raise type(mistake)(f"plan: {message}", field=field) from None


def _start(plan: Plan, problem: str) -> State:
    """Start a plan.

    Raises:
        CallerMistake: the plan uses something that its task lacks, or the problem is invalid.
    """
    try:
        return start_plan(plan, problem, task_of(plan.task))
    except CallerMistake as mistake:
        if mistake.field == "problem":
            raise
        raise type(mistake)(f"plan: {mistake.message}", field="plan") from None


def _limited(plan: Plan, execution: Execution) -> Plan:
    """Return the plan with its limits capped at those of the run."""
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


def tasks(state: GotRunState) -> list[PlanTask]:
    """Return a task for each open order of the plan; none once it has ended."""
    work = cast("State", state["work"])
    return [
        PlanTask(task=state["plan"]["task"], order=order, memories=state["memories"])
        for order in open_orders(work)
    ]


async def run_order(state: PlanTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Execute one order; a fault is also recorded as a result."""
    execution, order, task = runtime.context, state["order"], task_of(state["task"])
    if execution.loom.llm.offline:
        result = offline_result(task, order, state["memories"])
        return {"came": [OrderResult(key=order["key"], result=result)]}
    words = question_for(task, order, state["memories"])
    question = Question(
        node="carry_out",
        prompt=words.prompt,
        blind=order["kind"] == "judge",
        variables=words.variables,
        pipe=words.pipe,
        task=order["key"],
        sample=order["sample"],
    )
    asking = partial(ask_or_note, execution, what=f"operation {order['key'].split('/')[0]}")
    if order["kind"] == "judge":
        informed = Informed(await asking(question), found=[], used=[], notes=[])
    else:
        informed = await ask_informed(execution, question, asking)
    heard = informed.reply
    if heard.fault is not None:
        answered: dict[str, Any] = {"error": heard.fault.message}
    else:
        answered = read_answer(task, order, heard.parsed, heard.text)
    answered |= {
        "tokens": heard.usage.tokens_in + heard.usage.tokens_out,
        "usd": heard.usage.cost_usd or 0.0,
        "at": time.perf_counter() - execution.run.started,
    }
    came, notes = OrderResult(key=order["key"], result=answered), [*heard.notes, *informed.notes]
    return {"came": [came], "notes": notes, **informed.added}


async def absorb_results(state: GotRunState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Pass all available results to the plan."""
    work = cast("State", state["work"])
    came = {each["key"]: each["result"] for each in state.get("came", [])}
    results = {
        order["key"]: came[order["key"]] for order in open_orders(work) if order["key"] in came
    }
    return {"work": dict(absorb(work, results, task_of(state["plan"]["task"])))}
