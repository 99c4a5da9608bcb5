"""The suite `locomo-history`: evidence in a token budget, `history_search` against `recall`.

Each conversation has its own owner, for whom it is ingested as a plain transcript and also
remembered turn by turn; every question is put to both tools.
"""

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.history import HistorySearch
from reasonloom.contracts.memory.recall import Recall
from reasonloom.contracts.memory.tools import Remember
from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.summary import means_by_group
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import Opening
from reasonloom.evals.engine import call_tool, temporary_engine, timed_call
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.memory.datasets import Collection, DatasetMemory, Source, load_locomo
from reasonloom.evals.suites.memory.retrieval import open_collections, retrieval_items
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history.ingestion.pipeline import ingest
from reasonloom.nodes.history.ingestion.reports import IngestOptions
from reasonloom.settings import load_settings
from reasonloom.text import tokens

NAME = "locomo-history"
SEPARATE_CATEGORIES = ("adversarial",)
TURN = timedelta(seconds=20)
"""Spacing of the turns of a session, because LoCoMo dates only sessions."""

WHEN = "%I:%M %p on %d %B, %Y"
MOST = 100
"""Maximum number of memories that one call of `recall` returns."""

SPACE = re.compile(r"\s+")
SCORES = tuple(
    f"{name}{how}" for name in ("search", "recall", "recall contents") for how in ("", ", all")
)


def packaged(data: Path | None) -> Packaged:
    """Return the suite of the questions in a LoCoMo file."""
    collections, digest = load_locomo(Source(data))
    opened = partial(open_collections, collections, _ask, store=_stored, opened=temporary_engine)
    suite = Suite(
        NAME,
        retrieval_items(collections),
        [Measure(name, partial(_read, name)) for name in SCORES],
        Opening(opened, "history_search, recall"),
        about={
            "data_sha256": digest,
            "embedder": embedder_model(),
            "budget": load_settings().max_response_tokens,
        },
    )
    return Packaged(suite, lambda log: means_by_group(log.records, excluded=SEPARATE_CATEGORIES))


def _read(name: str, item: Item, shares: Mapping[str, float]) -> float:
    return shares[name]


async def _stored(engine: Engine, collection: Collection) -> dict[str, str]:
    """Ingest and remember a conversation; return the texts of its turns by id."""
    await _ingested(engine, collection)
    for memory in collection.memories:
        await _called(engine, collection.id, "remember", Remember, memory.arguments)
    return {memory.id: speaker_and_text(memory)[1] for memory in collection.memories}


async def _ingested(engine: Engine, collection: Collection) -> None:
    """Ingest the conversation as a plain transcript."""
    with tempfile.TemporaryDirectory(prefix="reasonloom-eval-") as folder:
        path = Path(folder) / f"{collection.id}.jsonl"
        path.write_text("".join(transcript_lines(collection)), encoding="utf-8")
        results = await ingest(
            engine.loom, Caller(collection.id), [(path.name, path)], IngestOptions()
        )
    if not results[0].new:
        raise InvalidArgument("data: a conversation could not be read", field="data")


def transcript_lines(collection: Collection) -> Iterator[str]:
    """Yield the turns as lines of a plain transcript."""
    times: dict[str, datetime] = {}
    for memory in collection.memories:
        session = str(memory.arguments["sessionId"])
        at = times.get(session) or session_start(memory.arguments["metadata"].get("context"))
        name, text = speaker_and_text(memory)
        line: dict[str, Any] = {"role": name, "content": text, "session": session}
        if at:
            line["time"] = at.isoformat()
            times[session] = at + TURN
        yield json.dumps({**line, "project": f"/{collection.id}"}, ensure_ascii=False) + "\n"


def session_start(when: str | None) -> datetime | None:
    """Parse the start of a session; None if it is not in LoCoMo's format."""
    try:
        return datetime.strptime(when or "", WHEN).replace(tzinfo=UTC)
    except ValueError:
        return None


def speaker_and_text(memory: DatasetMemory) -> tuple[str, str]:
    """Return the speaker and the text of a turn."""
    name, _, text = str(memory.arguments["content"]).partition(": ")
    return name, text


async def _ask(engine: Engine, owner: str, turns: Mapping[str, str], item: Item) -> Answer:
    budget = engine.loom.settings.max_response_tokens
    query = {"query": item.input}
    found, took = await timed_call(engine, owner, "history_search", HistorySearch, query)
    recalled = await _called(engine, owner, "recall", Recall, {"text": item.input, "limit": MOST})
    wanted = [turns[turn] for turn in item.target]
    memories = recalled["memories"]
    if tokens.count_tokens(found["text"]) > budget:
        raise InvalidArgument("data: an answer was longer than its budget", field="data")
    shares = {
        **_shares("search", found["text"], wanted),
        **_shares("recall", "\n".join(_within(memories, budget, whole=True)), wanted),
        **_shares("recall contents", "\n".join(_within(memories, budget, whole=False)), wanted),
    }
    return Answer(shares, latency_ms=took)


def _shares(name: str, text: str, wanted: list[str]) -> dict[str, float]:
    """Return the share of the evidence found in a text, and whether all of it was found."""
    flat = SPACE.sub(" ", text)
    found = sum(SPACE.sub(" ", turn).strip() in flat for turn in wanted) / len(wanted)
    return {name: found, f"{name}, all": float(found == 1)}


def _within(memories: list[dict[str, Any]], budget: int, *, whole: bool) -> Iterator[str]:
    """Yield the contents of the first memories that fit into the token budget.

    `whole` counts a memory's full JSON, otherwise only its content counts.
    """
    for memory in memories:
        counted = json.dumps(memory, ensure_ascii=False) if whole else memory["content"]
        budget -= tokens.count_tokens(counted) + 1
        if budget < 0:
            return
        yield memory["content"]


async def _called(
    engine: Engine, owner: str, tool: str, contract: type[Request], arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Call a memory tool with the owner as its user."""
    return await call_tool(engine, owner, tool, contract, {**arguments, "userId": owner})
