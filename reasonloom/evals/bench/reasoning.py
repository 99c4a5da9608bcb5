"""Times reasoning with instant or slow models (linear, tree, many sessions), and saved steps."""

import asyncio
import logging
import time
from functools import partial
from statistics import median
from typing import Any, TypedDict

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from reasonloom.errors import ReasonloomError
from reasonloom.evals.bench.environment import OWNER, BenchEngine, bench_engine, own_thread
from reasonloom.evals.bench.load import load
from reasonloom.evals.bench.timing import (
    WARM_UP,
    Figure,
    Work,
    summarise,
    time_alternately,
    time_each,
)
from reasonloom.evals.simulated.conversation import SimulatedModel
from reasonloom.llm.interfaces import Ask, Reply
from reasonloom.stores.saver import SavedSteps

SECONDS = 0.2
WAYS = (
    "rent a hall by the river", "ask the neighbours for a garden", "move it to the library cellar",
    "cancel and pay the guests back", "split it over two evenings", "hold it on the ferry",
    "let the school lend its gym", "dance in the covered market", "borrow the fire station",
    "put a tent up on the square",
)  # fmt: skip
"""Thoughts so different that none is merged with another."""


class SlowLlm(SimulatedModel):
    """Answers every prompt of linear and tree reasoning after `seconds`.

    `calls` holds the start and end of each call, by `time.perf_counter`.
    """

    name = "slow"

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self.calls: list[tuple[float, float]] = []

    async def answer(self, ask: Ask) -> Reply:
        """Return an answer of the requested schema."""
        started = time.perf_counter()
        await asyncio.sleep(self.seconds)
        self.calls.append((started, time.perf_counter()))
        wanted = (ask.schema or {})["required"][0]
        return Reply("", _answer(wanted, ask.material), self.name)

    def longest_chain(self) -> int:
        """Return the length of the longest chain of calls that waited for one another.

        A call is assumed to follow every call that had ended when it began.
        """
        lengths: list[tuple[float, int]] = []
        for begun, ended in sorted(self.calls):
            before = [length for end, length in lengths if end <= begun]
            lengths.append((ended, max(before, default=0) + 1))
        return max((length for _, length in lengths), default=0)


def _answer(wanted: str, material: Any) -> dict[str, Any]:
    if wanted == "approaches":
        ways = WAYS[: material["count"]]
        return {"approaches": [{"name": way, "approach": f"{way}."} for way in ways]}
    if wanted == "thought":
        way = str(material.get("approach", "It follows from the facts."))
        return {"thought": way, "confidence": 0.9}
    candidates = material["candidates"]
    scores = [
        {"label": each["label"], "flaw": "None was found.", "score": 0.5} for each in candidates
    ]
    best = min(candidates, key=lambda each: str(each["text"]))  # all ballots choose the same
    return {"scores": scores, "reason": "It can be had tomorrow.", "best": best["label"]}


LINEAR_GOAL = 3.0
LINEAR_THOUGHT = "What must we tell the restaurant?"


class BareState(TypedDict, total=False):
    """The bare graph's state."""

    question: dict[str, Any]
    answer: dict[str, Any]


async def measure_linear(ground: BenchEngine, times: int) -> list[Figure]:
    """Time `reasoning_linear` and a bare graph with the same saver, alternately on one database."""
    steps = SavedSteps(ground.database)
    bare = await _bare(steps)
    ours = partial(ground.call, "reasoning_linear", content=LINEAR_THOUGHT)
    floor, own = await time_alternately(bare, ours, times)
    await steps.close()
    note = "floor: a bare two-node graph, same saver; three steps saved by it, four by ours"
    return [summarise("reasoning_linear, instant llm", own, floor, LINEAR_GOAL, note)]


async def _bare(steps: SavedSteps) -> Work:
    async def think(state: BareState) -> BareState:
        return {"answer": {"thought": "It follows from the facts."}}

    async def keep(state: BareState) -> BareState:
        return {"answer": {**state["answer"], "kept": True}}

    graph = StateGraph(BareState)
    graph.add_node("think", think)
    graph.add_node("keep", keep)
    graph.add_edge(START, "think")
    graph.add_edge("think", "keep")
    graph.add_edge("keep", END)
    compiled = graph.compile(checkpointer=await steps.open())

    async def run() -> None:
        question: Any = {"question": {"content": LINEAR_THOUGHT}}
        await compiled.ainvoke(question, own_thread(), durability="sync")

    return run


NODES = 5
STATE = "What must we tell the restaurant? " * 30
"""About a thousand characters, like a short answer."""


class SmallState(TypedDict, total=False):
    """The small graph's state."""

    text: str
    step: int


async def measure_saving(ground: BenchEngine, times: int) -> list[Figure]:
    """Time the three in turn, under equal load; milliseconds per step."""
    steps = SavedSteps(ground.database)
    works = {
        "no saver": _walk(None),
        "saver in memory": _walk(InMemorySaver()),
        "our saver, Postgres": _walk(await steps.open()),
    }
    timed = await time_each(works, times)
    await steps.close()
    taken = {name: [took / NODES for took in each] for name, each in timed.items()}
    bare = taken.pop("no saver")
    figures = [summarise(f"one step of {NODES}, no saver", bare)]
    for name, each in taken.items():
        note = f"{median(each) - median(bare):.2f} ms more than bare"
        figures.append(summarise(f"one step of {NODES}, {name}", each, bare, note=note))
    return figures


def _walk(saver: BaseCheckpointSaver[Any] | None) -> Work:
    graph = StateGraph(SmallState)
    names = [f"step_{number}" for number in range(NODES)]
    for number, name in enumerate(names):
        graph.add_node(name, _Step(number))
    for one, other in zip([START, *names], names, strict=False):
        graph.add_edge(one, other)
    compiled = graph.compile(checkpointer=saver)

    async def run() -> None:
        given: Any = {"text": STATE}
        await compiled.ainvoke(given, own_thread(), durability="sync" if saver else None)

    return run


class _Step:
    """A node that does next to nothing."""

    def __init__(self, number: int) -> None:
        self._number = number

    async def __call__(self, state: SmallState) -> SmallState:
        return {"step": self._number, "text": f"{self._number}: {STATE}"}


TREE_GOAL = 1.3
BRANCHES = 4
TREE_MEMORIES = 1_000
"""Memories of the owner, so that recall has work to do."""

TREE_QUESTION = "Where do we hold the dance when the hall is closed?"


async def measure_tree(times: int) -> list[Figure]:
    """Time `reasoning_tree` with and without memory against its critical path.

    The floor is the longest chain of calls that wait for one another.
    """
    return [await _tree_measured(times, memory=memory) for memory in (True, False)]


async def _tree_measured(times: int, *, memory: bool) -> Figure:
    llm = SlowLlm()
    async with bench_engine(llm=llm, auto_memory=memory) as prepared:
        if memory:
            await load(prepared.database, prepared.embedder, OWNER, TREE_MEMORIES)

        async def explore() -> None:
            llm.calls.clear()
            await prepared.call("reasoning_tree", content=TREE_QUESTION, max_branches=BRANCHES)

        taken, embedding, database = await prepared.time_parts(explore, times)
    chain = llm.longest_chain()
    note = (
        f"floor: {chain} calls of {llm.seconds * 1000:.0f} ms, one after another, of "
        f"{len(llm.calls)}; embedding {embedding:.1f}, transactions {database:.1f}, some at once"
    )
    name = f"reasoning_tree, {BRANCHES} branches, {'with' if memory else 'without'} memory"
    return summarise(name, taken, chain * llm.seconds * 1000, TREE_GOAL, note)


log = logging.getLogger(__name__)
SESSIONS = 32
SESSION_MEMORIES = 1_000
SESSION_QUESTION = "What must we tell the restaurant?"
SESSION_REQUEST: dict[str, dict[str, Any]] = {
    "reasoning_linear": {"content": SESSION_QUESTION},
    "reasoning_tree": {"content": SESSION_QUESTION, "max_branches": 4},
}


class ConcurrentSessions:
    """Concurrent sessions; the time of each step, and the number of failures."""

    def __init__(self, ground: BenchEngine, tool: str) -> None:
        self._ground = ground
        self._tool = tool
        self.taken: list[float] = []
        self.failed = 0

    async def think(self, sessions: int, steps: int) -> float:
        """Run concurrent sessions of `steps` steps each; return successful steps per second."""
        self.taken.clear()
        started = time.perf_counter()
        await asyncio.gather(*(self._session(steps) for _ in range(sessions)))
        return len(self.taken) / (time.perf_counter() - started)

    async def _session(self, steps: int) -> None:
        own: dict[str, str] = {}
        for _ in range(steps):
            started = time.perf_counter()
            try:
                outcome = await self._ground.call(self._tool, **SESSION_REQUEST[self._tool], **own)
            except ReasonloomError as error:
                log.warning("a step failed: %s", error.message)
                self.failed += 1
                continue
            self.taken.append((time.perf_counter() - started) * 1000)
            own = {"session_id": outcome.answer["session_id"]}


async def measure_sessions(steps: int) -> list[Figure]:
    """Time one session and then many, with default pools and settings."""
    llm = SlowLlm()
    async with bench_engine(llm=llm) as prepared:
        await load(prepared.database, prepared.embedder, OWNER, SESSION_MEMORIES)
        return [await _measured(prepared, tool, steps) for tool in SESSION_REQUEST]


async def _measured(prepared: BenchEngine, tool: str, steps: int) -> Figure:
    crowd = ConcurrentSessions(prepared, tool)
    await crowd.think(1, WARM_UP)
    alone = await crowd.think(1, steps)
    floor = median(crowd.taken)
    together = await crowd.think(SESSIONS, steps)
    note = (
        f"{together:.1f} steps a second, alone {alone:.1f}: {together / alone:.1f} times; "
        f"{crowd.failed} of {SESSIONS * steps} failed; floor: a step alone"
    )
    name = f"{tool}, {SESSIONS} sessions at once"
    return summarise(name, crowd.taken, floor, note=note)
