"""Times the studio by a headless browser's clock: first paints, and steps that appear.

`python -m tests.support.studio.bench` takes some minutes, and needs `make browser`.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

import psycopg
from playwright.async_api import Browser, Page, async_playwright

from reasonloom.cli.bench import print_figures
from reasonloom.contracts.caller import Caller
from reasonloom.evals.bench.environment import OWNER, BenchEngine, bench_engine, execute
from reasonloom.evals.bench.history.search import load_chunks
from reasonloom.evals.bench.load import load
from reasonloom.evals.bench.mental_models import BASIN
from reasonloom.evals.bench.server.servers import HOST, child_environment, free_port, listening
from reasonloom.evals.bench.timing import Figure, percentile_95, summarise
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Function
from reasonloom.evals.scorers.text import exact
from reasonloom.graphs.graph import load_graph
from reasonloom.graphs.runs.call import Call, Outcome
from reasonloom.llm.from_settings import choose_llm
from reasonloom.nodes.sharing.administration import create_space
from reasonloom.settings import load_settings
from reasonloom.stores.sessions import branches, sessions
from reasonloom.stores.sessions.thoughts import NewThought
from reasonloom.stores.vector_indexes import maintain
from tests.support.studio.browser import FLAGS, found_chromium

CHUNKS = 500
BATCH = 100
QUESTION = "What must we tell the restaurant?"
TEMPLATE = {"trigger": "asks", "predict": "wants an answer", "suggest": "answer"}
CALLER = Caller(OWNER)


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
    assert row
    ids["project"], ids["talk"] = str(row[0]), str(row[1])
    took = (time.perf_counter() - started) * 1000
    note = f"{took / 1000:.1f} s: {memories:,} memories, a session of {thoughts:,} thoughts"
    return ids, Figure("loading what the pages show", took, took, said=note)


async def _one_of_each(ground: BenchEngine) -> dict[str, str]:
    linear = await ground.call("reasoning_linear", content=QUESTION)
    await create_space(ground.engine.loom, CALLER, "notes")
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


PAINTED = """() => new Promise((done) => {
  const look = () => {
    const [first] = performance.getEntriesByName('first-contentful-paint');
    if (first && document.querySelector('.studio-main h1, .studio-main h2')) done(first.startTime);
    else requestAnimationFrame(look);
  };
  look();
})"""
"""Milliseconds from navigation to first paint, once the heading is present."""

APPEARED = """(text) => new Promise((done) => {
  const look = () => {
    if (document.querySelector('.studio-main').textContent.includes(text))
      requestAnimationFrame(() => done(performance.timeOrigin + performance.now()));
    else setTimeout(look, 2);
  };
  look();
})"""
"""Milliseconds since 1970 at the frame after a text appeared on the page."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Yield a browser.

    Raises:
        SystemExit: there is none.
    """
    path = found_chromium()
    if path is None:
        raise SystemExit("there is no chromium on this machine; `make browser` installs it")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        await browser.close()


async def painted(browser: Browser, url: str) -> float:
    """Return the milliseconds to the first paint of a page, with a cold cache."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(url)
    took = float(await page.evaluate(PAINTED))
    await context.close()
    return took


async def open_page(browser: Browser, url: str) -> Page:
    """Return an open page that follows new steps."""
    page = await browser.new_page()
    await page.goto(url)
    await page.wait_for_function("() => window.socket?.connected")
    await page.locator("button.studio-step").first.wait_for()
    return page


MEMORIES, THOUGHTS = 100_000, 2_000
LOADS, STEPS = 5, 20
FIRST, GOAL = 1_000.0, 300.0
"""Milliseconds: of a first paint, and from a step's commit until it is visible."""

SMALL = 20
PAGES = (
    "/", "/sessions", "/session/{session}", "/runs",
    "/runs/compare?a={run}&b={ponder}", "/search?q=restaurant", "/run/{run}",
    "/graphs", "/graph/{graph}", "/ponder", "/ponder/{ponder}",
    "/memory", "/memory/review", "/memory/{memory}",
    "/recall?q=restaurant", "/spaces", "/space?name=me/notes", "/spaces/log",
    "/history", "/history/chain?q=restaurant", "/history/session/{talk}?project={project}",
    "/history/{project}", "/models", "/model/{model}", "/basins", "/evals",
    "/evals/compare?base=one.jsonl&other=two.jsonl", "/eval/one.jsonl", "/nothing/here",
)  # fmt: skip


async def measure(
    memories: int = MEMORIES, thoughts: int = THOUGHTS, loads: int = LOADS
) -> list[Figure]:
    """Fill a database, serve it from a separate process, and load its pages."""
    llm = choose_llm(load_settings(llm="offline"))
    async with chromium() as browser, bench_engine(llm) as prepared:
        home = prepared.engine.loom.settings.home
        ids, loaded = await fill_studio(prepared, memories, thoughts, home)
        small = await session_of(prepared, SMALL)
        long = await session_of(prepared, thoughts)
        port = free_port()
        command = (sys.executable, "-m", "reasonloom", "studio", "--http", f"{HOST}:{port}")
        async with listening(command, port, await _environment(prepared)):
            root = f"http://{HOST}:{port}/studio"
            figures = [loaded]
            await painted(
                browser, f"{root}/"
            )  # so that the engine is open and the models are loaded
            for page in PAGES:
                figures.append(await _painted(browser, root, page, ids, loads))
            for session, count in ((small, SMALL), (long, thoughts)):
                figures.append(await _appearing(browser, root, session, count))
            return figures


async def _environment(prepared: BenchEngine) -> dict[str, str]:
    settings, embedded = prepared.engine.loom.settings, prepared.access.embedded
    assert embedded
    address = await asyncio.to_thread(embedded.ensure)
    url = address.dsn("postgres", "eval")
    return child_environment(settings, DATABASE_URL=url, REASONLOOM_USER=OWNER)


async def _painted(
    browser: Browser, root: str, page: str, ids: dict[str, str], loads: int
) -> Figure:
    times = [await painted(browser, root + page.format(**ids)) for _ in range(loads)]
    reached = "reached" if median(times) <= FIRST else "missed"
    note = f"median of {loads} with a cold cache; goal {FIRST:g} ms: {reached}"
    return summarise(f"first paint, {page}", times, note=note)


async def _appearing(browser: Browser, root: str, session: Grown, thoughts: int) -> Figure:
    """Time how long steps of another process take from their commit to an open page."""
    page = await open_page(browser, f"{root}/session/{session.id}")
    times = []
    for number in range(STEPS):
        thought = f"step {number} is here"
        seen = asyncio.create_task(page.evaluate(APPEARED, thought))
        await asyncio.sleep(0.5 + number % 7 * 0.05)
        committed = await session.grow(thought)
        times.append(float(await seen) - committed * 1000)
    await page.close()
    reached = "reached" if percentile_95(times) <= GOAL else "missed"
    thought = f"{STEPS} steps of another process; goal {GOAL:g} ms: {reached}"
    name = f"from a step's commit to its being seen, session of {thoughts:,} thoughts"
    return summarise(name, times, note=thought)


if __name__ == "__main__":
    print_figures(asyncio.run(measure()))
