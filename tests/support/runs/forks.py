"""Short ways to fork a run, and to keep what is stored of it for comparison."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.call import Outcome
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.fork import Fork
from reasonloom.graphs.runs.resume import find_run
from reasonloom.llm.interfaces import Embedder, LanguageModel
from reasonloom.prompts.registry import PACKAGED, PromptRegistry
from reasonloom.prompts.validation import next_version
from reasonloom.settings import Settings
from reasonloom.stores.access import Access
from reasonloom.stores.runs.runs import RunRow

MARK = "Answer as the second version does."
RESULTS = "checkpoint_writes"
"""Of tasks; stored with an error or a question alone."""

STEPS = ("checkpoints", "checkpoint_blobs", RESULTS)


def next_versions(place: Path, *names: str) -> Path:
    """Write the next version of each prompt, marked in its system message; return the folder."""
    for name in names:
        about = PromptRegistry().get(name).about
        text = (PACKAGED / f"{name}.v{about.version}.md").read_text()
        text = next_version(text, about.version + 1).replace("\n- ", f"\n- {MARK}\n- ", 1)
        assert MARK in text
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / f"{name}.v{about.version + 1}.md").write_text(text)
    return place


@asynccontextmanager
async def engine_on(
    access: Access, embedder: Embedder, llm: LanguageModel, **more: Any
) -> AsyncIterator[Engine]:
    """Yield an engine whose leases are short."""
    settings = Settings(**{"lease_seconds": 1.0, **more})
    async with open_engine(settings, access=access, llm=llm, embedder=embedder) as engine:
        yield engine


async def fork(
    engine: Engine, run: str, at: str, *, owner: str = "local", **prompts: int
) -> Outcome:
    """Fork a run; `linear__continue=2` pins the prompt linear/continue."""
    versions = {name.replace("__", "/"): version for name, version in prompts.items()}
    caller = Caller(owner)
    return await engine.fork(caller, await find_run(engine, caller, run), Fork(at, versions))


async def row_of(engine: Engine, run: str) -> RunRow:
    """Return a run's row."""
    return await find_run(engine, Caller("local"), run)


def kept(access: Access, run: str, *, calls: bool = True) -> list[Any]:
    """Return all that is stored of a run: its row, its recorded replies, its saved steps."""
    found: list[Any] = []
    with psycopg.connect(access.admin) as connection:
        for table, condition in (
            ("runs", "id::text = %s"),
            ("llm_calls", "run_id::text = %s"),
            *((table, "split_part(thread_id, '/', 2) = %s") for table in STEPS),
        ):
            query = f"SELECT {table}::text FROM {table} WHERE {condition} ORDER BY 1"
            rows = connection.execute(query.encode(), [run]).fetchall()
            assert rows or table == RESULTS or (table == "llm_calls" and not calls), table
            found += rows
    return found
