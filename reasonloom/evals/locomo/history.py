"""Evidence within a budget of tokens: `search` of past conversations beside `recall` of memory.

Each conversation is read as a plain transcript of its owner's, its turns are remembered one by one
in a space of their own, and every question is asked of both.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.door import read
from reasonloom.contracts.history import HistorySearch
from reasonloom.contracts.memory import Recall, Remember
from reasonloom.errors import InvalidArgument
from reasonloom.evals.home import throw_away_database
from reasonloom.evals.locomo.data import load
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.report import summary
from reasonloom.evals.retrieval.collection import Collection, Question, Source, Stored
from reasonloom.graphs.call import Call
from reasonloom.graphs.engine import Engine
from reasonloom.graphs.graph import load_graph
from reasonloom.nodes.past.ingest import ingest
from reasonloom.nodes.past.ingest_told import Wish
from reasonloom.transcripts import tokens

NAME = "locomo-history"
APART = ("adversarial",)
TURN = timedelta(seconds=20)
"""LoCoMo tells when a session began; its turns are put so far apart."""

WHEN = "%I:%M %p on %d %B, %Y"
MOST = 100
"""Memories that one call of `recall` gives at most."""

SPACE = re.compile(r"\s+")
Tell = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: the data, and the log."""

    data: Path | None
    log: Path


async def run(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Run the eval, or what is left of it, and return its result.

    Raises:
        InvalidArgument: the data is not LoCoMo's, or the log belongs to another run.
    """
    collections, digest = load(Source(plan.data))
    log = EvalLog(plan.log)
    async with (
        throw_away_database() as (settings, access),
        open_engine(settings, access=access, recover=False) as engine,
    ):
        head = {
            "eval": NAME,
            "data_sha256": digest,
            "embedder": engine.loom.embedder.model,
            "budget": settings.max_response_tokens,
        }
        log.begin(head)
        for collection in collections:
            await _one(engine, collection, log, tell)
    return {**head, "log": plan.log.name, **summary(log.records, apart=APART)}


async def _one(engine: Engine, collection: Collection, log: EvalLog, tell: Tell) -> None:
    done = log.done()
    left = [each for each in collection.questions if (each.id, 0) not in done]
    if not left:
        return
    await _ingested(engine, collection)
    for number, memory in enumerate(collection.memories):
        tell(f"{collection.id}: remember", number, len(collection.memories))
        await _call(engine, collection.id, "remember", Remember, {**memory.arguments})
    turns = {memory.id: said(memory)[1] for memory in collection.memories}
    for number, question in enumerate(left):
        tell(f"{collection.id}: ask", number, len(left))
        log.add(await _ask(engine, collection.id, question, turns))


async def _ingested(engine: Engine, collection: Collection) -> None:
    """Read the conversation as a file of plain turns."""
    with tempfile.TemporaryDirectory(prefix="reasonloom-eval-") as folder:
        path = Path(folder) / f"{collection.id}.jsonl"
        path.write_text("".join(lines(collection)), encoding="utf-8")
        told = await ingest(engine.loom, Caller(collection.id), [(path.name, path)], Wish())
    if not told[0].new:
        raise InvalidArgument("data: a conversation could not be read", field="data")


def lines(collection: Collection) -> Iterator[str]:
    """Yield the turns as lines of a plain conversation."""
    times: dict[str, datetime] = {}
    for memory in collection.memories:
        session = str(memory.arguments["sessionId"])
        at = times.get(session) or began(memory.arguments["metadata"].get("context"))
        name, text = said(memory)
        line: dict[str, Any] = {"role": name, "content": text, "session": session}
        if at:
            line["time"] = at.isoformat()
            times[session] = at + TURN
        yield json.dumps({**line, "project": f"/{collection.id}"}, ensure_ascii=False) + "\n"


def began(when: str | None) -> datetime | None:
    """Return when a session began, None where it is not told in LoCoMo's way."""
    try:
        return datetime.strptime(when or "", WHEN).replace(tzinfo=UTC)
    except ValueError:
        return None


def said(memory: Stored) -> tuple[str, str]:
    """Return who said a turn, and what."""
    name, _, text = str(memory.arguments["content"]).partition(": ")
    return name, text


async def _ask(engine: Engine, owner: str, question: Question, turns: Mapping[str, str]) -> Record:
    budget = engine.loom.settings.max_response_tokens
    started = time.perf_counter()
    found = await _call(engine, owner, "history_search", HistorySearch, {"query": question.text})
    took = (time.perf_counter() - started) * 1000
    recalled = await _call(engine, owner, "recall", Recall, {"text": question.text, "limit": MOST})
    wanted = [turns[turn] for turn in question.evidence]
    memories = recalled["memories"]
    scores = {
        **_shares("search", found["text"], wanted),
        **_shares("recall", "\n".join(_within(memories, budget, whole=True)), wanted),
        **_shares("recall contents", "\n".join(_within(memories, budget, whole=False)), wanted),
    }
    if tokens.count(found["text"]) > budget:
        raise InvalidArgument("data: an answer was longer than its budget", field="data")
    return Record(question.id, 0, question.category, scores, took)


def _shares(name: str, text: str, wanted: list[str]) -> dict[str, float]:
    """Return the share of the evidence that stands in a text, and whether all of it does."""
    flat = SPACE.sub(" ", text)
    found = sum(SPACE.sub(" ", turn).strip() in flat for turn in wanted) / len(wanted)
    return {name: found, f"{name}, all": float(found == 1)}


def _within(memories: list[dict[str, Any]], budget: int, *, whole: bool) -> Iterator[str]:
    """Yield the contents of the first memories that fit: as returned, or their contents alone."""
    for memory in memories:
        told = json.dumps(memory, ensure_ascii=False) if whole else memory["content"]
        budget -= tokens.count(told) + 1
        if budget < 0:
            return
        yield memory["content"]


async def _call(
    engine: Engine, owner: str, tool: str, contract: type[Any], arguments: dict[str, Any]
) -> dict[str, Any]:
    if tool in {"remember", "recall"}:
        arguments = {**arguments, "userId": owner}
    request = read(contract, arguments)
    given = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    outcome = await engine.call(Call(tool, load_graph(tool), given, Caller(owner)))
    return outcome.answer
