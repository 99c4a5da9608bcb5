"""Content for the studio benchmark: many memories, a long session, one of everything else."""

import time
from pathlib import Path
from uuid import UUID, uuid4

import psycopg

from reasonloom.contracts.caller import Caller
from reasonloom.evals.bench.environment import OWNER, BenchEngine, execute
from reasonloom.evals.bench.history.search import load_chunks
from reasonloom.evals.bench.load import load
from reasonloom.evals.bench.timing import Figure
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Function
from reasonloom.evals.scorers.text import exact
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.stores.sessions import branches, sessions
from reasonloom.stores.sessions.thoughts import NewThought
from reasonloom.stores.vector_indexes import maintain

CHUNKS = 500
BATCH = 100
QUESTION = "What must we tell the restaurant?"
TEMPLATE = {"trigger": "asks", "predict": "wants an answer", "suggest": "answer"}
CALLER = Caller(OWNER)
BASIN = (
    "INSERT INTO basins (owner, id, name, named_by, centroid, model, coherence)"
    " VALUES (%s, %s, 'b', 'words', '[1,2]', 'm', 0.5)"
)


class Grown:
    """A session that grows by exactly one commit at a time."""

    def __init__(self, ground: BenchEngine, outcome: Outcome) -> None:
        self.id = str(outcome.answer["session_id"])
        self._run = outcome.run_id
        self._database = ground.database

    async def grow(self, thought: str, times: int = 1) -> float:
        """Store thoughts in one transaction; return the time just before its commit."""
        async with self._database.begin(CALLER) as tx:
            for _ in range(times):
                session = await sessions.hold(tx, self.id)
                branch = await branches.active(tx, session)
                await branches.extend(tx, self._next(branch, thought), fork=uuid4())
            at = time.time()
        return at

    def _next(self, branch: branches.BranchRow, thought: str) -> NewThought:
        return NewThought(
            uuid4(), UUID(self.id), branch.head_id, branch.id, "linear", QUESTION, thought, 0.9,
            "instant", self._run,
        )  # fmt: skip


async def session_of(ground: BenchEngine, thoughts: int) -> Grown:
    """Return a session of `thoughts` thoughts, the first stored by a tool call."""
    grown = Grown(ground, await ground.call("reasoning_linear", content=QUESTION))
    left = thoughts - 1
    while left > 0:
        await grown.grow("It follows from the facts.", min(BATCH, left))
        left -= BATCH
    return grown


async def fill_studio(
    ground: BenchEngine, memories: int, thoughts: int, home: Path
) -> tuple[dict[str, str], Figure]:
    """Fill the database and the evals folder; return ids by kind, and the time taken."""
    started = time.perf_counter()
    await load(ground.database, ground.embedder, OWNER, memories)
    await load_chunks(ground.database, ground.embedder, OWNER, CHUNKS)
    ids = await _one_of_each(ground)
    ids["session"] = (await session_of(ground, thoughts)).id
    await _evals(home / "evals")
    await maintain(ground.access)
    await execute(ground.access, "ANALYZE")
    async with await psycopg.AsyncConnection.connect(ground.access.admin) as connection:
        query = "SELECT project, session FROM chunks WHERE owner = %s LIMIT 1"
        row = await (await connection.execute(query, (OWNER,))).fetchone()
    assert row  # noqa: S101 - chunks were stored above
    ids["project"], ids["talk"] = str(row[0]), str(row[1])
    took = (time.perf_counter() - started) * 1000
    note = f"{took / 1000:.1f} s: {memories:,} memories, a session of {thoughts:,} thoughts"
    return ids, Figure("loading what the pages show", took, took, said=note)


async def _one_of_each(ground: BenchEngine) -> dict[str, str]:
    linear = await ground.call("reasoning_linear", content=QUESTION)
    graph, ponder = [
        await ground.engine.call(Call(tool, load_graph(name), {"problem": QUESTION}, CALLER))
        for tool, name in (("reasoning_got_run", "got_run"), ("ponder", "deliberate"))
    ]
    return {
        "run": str(linear.run_id),
        "graph": str(graph.answer["graph_id"]),
        "ponder": str(ponder.run_id),
        "memory": "1",
        "model": await _model(ground),
    }


async def _model(ground: BenchEngine) -> str:
    basin = uuid4()
    async with await psycopg.AsyncConnection.connect(ground.access.admin) as connection:
        await connection.execute(BASIN, (OWNER, basin))
    made = await ground.call(
        "create_model", name="m", domain="user", prediction_templates=[TEMPLATE],
        basin_ids=[str(basin)],
    )  # fmt: skip
    return str(made.answer["model_id"])


async def _evals(folder: Path) -> None:
    items = [Item(str(number), f"w{number}", f"W{number}") for number in range(20)]
    ways = (
        Function(lambda item, _: str(item.input).upper(), "one"),
        Function(lambda item, _: str(item.input), "two"),
    )
    for way in ways:
        log = folder / f"{way.name}.jsonl"
        await run(Suite("capitals", items, (exact(case=True),), way), log=log)
