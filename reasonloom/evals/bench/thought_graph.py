"""Times a plan of operations without LangGraph, with it, with our saver, and as the whole tool.

A step is one order of the plan: a prompt is rendered and sent and its reply parsed; with LangGraph
it is also a separate task that is saved. Work per round and per run is spread over the steps;
persisting the resulting graph at the end of the tool's run is reported separately.
"""

import json
import time
from dataclasses import dataclass, field
from statistics import median
from typing import Any
from uuid import uuid4

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.evals.bench.environment import OWNER, BenchEngine, bench_engine, own_thread
from reasonloom.evals.bench.timing import Figure, Work, summarise, time_each
from reasonloom.evals.simulated.conversation import SimulatedModel, words
from reasonloom.evals.simulated.datasets import generate_sorting
from reasonloom.evals.simulated.sorting import SimulatedSorter
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel, PlanRunner
from reasonloom.evals.suites.reasoning.orchestration.sorting import SEED, plans
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Step
from reasonloom.graphs.thought_graph import dispatch_orders
from reasonloom.llm.interfaces import Ask, LanguageModel, Reply
from reasonloom.nodes.execution import CurrentRun, Execution
from reasonloom.nodes.thought_graph.operations.outcome import outcome, run_plan
from reasonloom.nodes.thought_graph.operations.tasks.sorting import SORTING
from reasonloom.nodes.thought_graph.run.steps import (
    GotRunState,
    OrderResult,
    PlanTask,
    absorb_results,
    begin_plan,
)
from reasonloom.stores.saver import SavedSteps

SIZES = (64, 128)
TOOL = "reasoning_got_run"
DRIVEN = "without LangGraph"
IN_MEMORY = "LangGraph, saver in memory"
SAVED = "LangGraph, our saver in Postgres"
RECORDED = "the same, calls recorded"
WAYS = (DRIVEN, IN_MEMORY, SAVED, RECORDED, TOOL)
"""`RECORDED` is the tool until it has all thoughts; the tool itself also persists the graph."""

MOST_STEPS = 200


@dataclass
class Instant(SimulatedModel):
    """Replays the answers of `llm` instantly, so that only our own time is measured."""

    llm: LanguageModel
    known: dict[tuple[tuple[str, str], int], Reply] = field(default_factory=dict)
    questions: int = 0
    name: str = "instant"

    async def answer(self, ask: Ask) -> Reply:
        """Return the answer of `llm`, which is called only the first time."""
        self.questions += 1
        key = (words(ask.messages), ask.sample)
        if key not in self.known:
            self.known[key] = await self.llm.answer(ask)
        return self.known[key]


@dataclass(frozen=True)
class Sorts:
    """Sorts one list by the published plan of a graph, in several ways; each returns the result."""

    prepared: BenchEngine
    llm: Instant
    size: int

    @property
    def plan(self) -> Plan:
        """The plan."""
        return plans(self.size)["graph"]

    @property
    def problem(self) -> str:
        """The list, as JSON."""
        return json.dumps(generate_sorting(1, self.size, SEED)[0].numbers)

    def driven(self) -> Work:
        """Return the plan run by the plain loop."""
        plan, problem = self.plan, self.problem

        async def run() -> str:
            carrier = PlanRunner(SORTING, MeteredModel(self.llm))
            return _sorted(await run_plan(plan, problem, SORTING, carrier))

        return run

    def walked(self, saver: BaseCheckpointSaver[Any]) -> Work:
        """Return the plan run by LangGraph: the tool's nodes and edges without the database.

        Calls are not recorded, and no graph is persisted.
        """
        request = self._request()

        async def run_order(state: PlanTask, runtime: Runtime[Execution]) -> dict[str, Any]:
            order = state["order"]
            result = await PlanRunner(SORTING, MeteredModel(self.llm))(order)
            at = time.perf_counter() - runtime.context.run.started
            return {"came": [OrderResult(key=order["key"], result={**result, "at": at})]}

        graph = StateGraph(GotRunState, context_schema=Execution)
        graph.add_node("begin_plan", begin_plan)
        graph.add_node("carry_out", run_order, input_schema=PlanTask)
        graph.add_node("take_in", absorb_results)
        graph.add_edge(START, "begin_plan")
        graph.add_conditional_edges("begin_plan", dispatch_orders, {"keep_graph": END})
        graph.add_edge("carry_out", "take_in")
        graph.add_conditional_edges("take_in", dispatch_orders, {"keep_graph": END})
        compiled = graph.compile(checkpointer=saver)

        async def run() -> str:
            config = own_thread()
            config["recursion_limit"] = MOST_STEPS
            given: Any = {"request": request}
            state = await compiled.ainvoke(
                given, config, context=self._execution(request), durability="sync"
            )
            return _sorted(state["work"])

        return run

    def called(self, kept: list[float]) -> Work:
        """Return the whole tool; appends the milliseconds of persisting each graph to `kept`."""
        graph = load_graph("got_run")
        begun = 0.0

        async def report(step: Step) -> None:
            nonlocal begun
            if step.name == graph.describe("keep_graph"):
                begun = time.perf_counter()

        call = Call(TOOL, graph, self._request(), Caller(OWNER), report=report)

        async def run() -> str:
            answer = (await self.prepared.engine.call(call)).answer
            kept.append((time.perf_counter() - begun) * 1000)
            return str(answer["content"])

        return run

    def _request(self) -> dict[str, Any]:
        return {"problem": self.problem, "plan": self.plan.model_dump(exclude_none=True)}

    def _execution(self, request: dict[str, Any]) -> Execution:
        loom = self.prepared.engine.loom
        now = time.perf_counter()
        run = CurrentRun(uuid4(), TOOL, "got_run", 1, request, now, created_at=loom.clock())
        return Execution(loom, Caller(OWNER), run)


def _sorted(state: Any) -> str:
    best = outcome(state)["best"]
    return best["text"] if best else ""


async def measure(times: int) -> list[Figure]:
    """Time the ways in turn for each size, under equal load; milliseconds per step."""
    llm = Instant(SimulatedSorter(0))
    figures: list[Figure] = []
    async with bench_engine(llm=llm, auto_memory=False) as prepared:
        steps = SavedSteps(prepared.database)
        for size in SIZES:
            sorts = Sorts(prepared, llm, size)
            kept: list[float] = []
            works = {
                DRIVEN: sorts.driven(),
                IN_MEMORY: sorts.walked(InMemorySaver()),
                SAVED: sorts.walked(await steps.open()),
                TOOL: sorts.called(kept),
            }
            count = await agreed(works, llm)
            taken = await time_each(works, times)
            taken[RECORDED] = [
                all_ - end for all_, end in zip(taken[TOOL], kept[-times:], strict=True)
            ]
            figures += _figures(f"sort {size}", taken, count)
        await steps.close()
    return figures


def _figures(plan: str, taken: dict[str, list[float]], count: int) -> list[Figure]:
    """Return a figure per way; times in `taken` are of a whole run of `count` steps."""
    steps = {name: [took / count for took in each] for name, each in taken.items()}
    return [
        summarise(
            f"{plan}, a step of {count}, {name}",
            steps[name],
            None if name == DRIVEN else steps[DRIVEN],
            note=f"{1000 / median(steps[name]):,.0f} steps a second",
        )
        for name in WAYS
    ]


async def agreed(works: dict[str, Work], llm: Instant) -> int:
    """Return how many questions each way asks; raises RuntimeError if the ways differ."""
    found = set()
    for work in works.values():
        llm.questions = 0
        came = await work()
        found.add((came, llm.questions))
    if len(found) != 1:
        raise RuntimeError(f"the ways differ: {found}")
    return found.pop()[1]
