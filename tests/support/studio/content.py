"""Something to see on every page, made by real tool calls, with words no page may obey."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from reasonloom.compose import open_engine
from reasonloom.evals.core.run import run
from reasonloom.evals.core.system import System
from reasonloom.evals.core.way import Function
from reasonloom.graphs.runs.engine import Engine
from reasonloom.llm.interfaces import Embedder
from reasonloom.settings import Settings
from tests.support.databases.postgres import TestPostgres
from tests.support.evals.suites import Echo, shouting, suite
from tests.support.isolation.owners import settle
from tests.support.isolation.tool_calls import USES, Known, value_at
from tests.support.llms.storyteller import SENTENCES

IMAGES = "<img src=http://evil.example/x> ![picture](http://evil.example/y.png)"
FOREIGN = (*SENTENCES[:4], f"{IMAGES} is what the village said.")
"""What a storyteller says of which a part would be fetched if it were not text."""

CALLS = (
    "remember", "update_memory", "think", "ponder", "reasoning_linear", "reasoning_tree",
    "reasoning_divergent", "reasoning_checkpoint_create", "reasoning_got_init",
    "reasoning_got_generate", "reasoning_got_score", "reasoning_got_aggregate",
    "reasoning_got_refine", "create_model", "predict_with_model", "resolve_prediction",
    "memory_promote", "space_grant",
)  # fmt: skip
TOPICS = ("dog", "database", "kitchen")


async def filled(
    play: Callable[..., Awaitable[dict[str, Any]]], url: str, folder: Path, embedder: Embedder
) -> dict[str, str]:
    """Fill the database of a studio whose process began in `folder`; return its addresses."""
    known = Known("local", "lantern")
    await asyncio.to_thread(settle, url, folder, known, TOPICS, embedder)
    known.words = f"lantern {IMAGES}"
    for name in CALLS:
        answer = await play(name, **USES[name].arguments(known))
        for kind, path in USES[name].tells.items():
            known.ids[kind] = value_at(answer, path.removeprefix("data."))
    with psycopg.connect(url) as connection:
        runs: dict[str, Any] = dict(
            connection.execute("SELECT tool, id FROM reasonloom.runs").fetchall()
        )
    known.ids |= {"ponder": runs["ponder"], "run": runs["reasoning_tree"]}
    evals = folder / "home" / "evals"
    await run(suite(4, shouting()), System(llm=Echo()), log=evals / "one.jsonl")
    quiet = Function(lambda item, epoch: f"{item.input} {IMAGES}", "saying back")
    await run(suite(4, quiet), System(llm=Echo()), log=evals / "two.jsonl")
    return addresses(known.ids)


def addresses(ids: Mapping[str, Any]) -> dict[str, str]:
    """Return for the pattern of each page an address of it, with these ids where one is asked."""

    def of(kind: str) -> str:
        return quote(str(ids.get(kind, "none")).removeprefix("mem-"), safe="")

    return {
        "/": "/",
        "/sessions": "/sessions",
        "/session/{id}": f"/session/{of('session')}",
        "/runs": "/runs",
        "/runs/compare": f"/runs/compare?a={of('run')}&b={of('ponder')}",
        "/run/{id}": f"/run/{of('run')}",
        "/graphs": "/graphs",
        "/graph/{id}": f"/graph/{of('graph')}",
        "/ponder": "/ponder",
        "/ponder/{id}": f"/ponder/{of('ponder')}",
        "/memory": "/memory",
        "/memory/{id}": f"/memory/{of('memory')}",
        "/memory/review": "/memory/review",
        "/recall": "/recall?q=lantern",
        "/spaces": "/spaces",
        "/space": "/space?name=me/kept",
        "/spaces/log": "/spaces/log?in=me/kept",
        "/history": "/history",
        "/history/chain": "/history/chain?q=lantern",
        "/history/session/{id:path}": f"/history/session/{of('talk')}?project={of('project')}",
        "/history/{id}": f"/history/{of('project')}",
        "/models": "/models",
        "/model/{id}": f"/model/{of('model')}",
        "/basins": "/basins",
        "/evals": "/evals",
        "/evals/compare": "/evals/compare?base=one.jsonl&other=two.jsonl",
        "/eval/{name}": "/eval/two.jsonl",
        "/search": "/search?q=lantern",
        "/{rest:path}": "/nothing/here",
    }


@pytest.fixture
async def pages_engine(
    postgres: TestPostgres, pages_database: str, settings: Settings, embedder: Embedder
) -> AsyncIterator[Engine]:
    """An engine of this test's own."""
    access = postgres.access(pages_database)
    async with open_engine(settings, access=access, embedder=embedder, recover=False) as engine:
        yield engine
