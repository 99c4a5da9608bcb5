"""Loads conversations through `remember`, asks through `recall`, and scores what it finds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.compose import open_engine
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.door import read
from reasonloom.contracts.memory import Recall, Remember
from reasonloom.evals.home import throw_away_database
from reasonloom.evals.locomo.data import Conversation, Turn, load
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.ranking import DEPTHS, scores
from reasonloom.evals.report import summary
from reasonloom.graphs.engine import Call, Engine, Outcome
from reasonloom.graphs.graph import load_graph

if TYPE_CHECKING:
    from reasonloom.contracts.base import Request

NAME = "locomo"
OWNER = "eval"
APART = ("adversarial",)
Tell = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: the file, the log, and how often."""

    data: Path
    log: Path
    epochs: int = 1


async def run(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Run the eval, or what is left of it, and return its result.

    Raises:
        InvalidArgument: the file is not LoCoMo's, or the log belongs to another run.
    """
    conversations, digest = load(plan.data)
    log = EvalLog(plan.log)
    async with (
        throw_away_database(user=OWNER, read_only=True) as (settings, access),
        open_engine(settings, access=access) as engine,
    ):
        head = {
            "eval": NAME,
            "data_sha256": digest,
            "embedder": engine.loom.embedder.model,
            "epochs": plan.epochs,
        }
        log.begin(head)
        for conversation in conversations:
            await _one(engine, conversation, log, plan.epochs, tell)
    return {**head, "log": plan.log.name, **summary(log.records, apart=APART)}


async def _one(
    engine: Engine, conversation: Conversation, log: EvalLog, epochs: int, tell: Tell
) -> None:
    done = log.done()
    left = [
        (question, epoch)
        for epoch in range(epochs)
        for question in conversation.questions
        if (question.id, epoch) not in done
    ]
    if not left:
        return
    turns = await _remember(engine, conversation, tell)
    for number, (question, epoch) in enumerate(left):
        tell(f"{conversation.id}: recall", number, len(left))
        started = time.perf_counter()
        found = await _call(
            engine,
            "recall",
            Recall,
            {"userId": conversation.id, "text": question.text, "limit": max(DEPTHS)},
        )
        took = (time.perf_counter() - started) * 1000
        ranked = [turns[memory["id"]] for memory in found.answer["memories"]]
        log.add(
            Record(question.id, epoch, question.category, scores(ranked, question.evidence), took)
        )


async def _remember(engine: Engine, conversation: Conversation, tell: Tell) -> dict[str, str]:
    """Store every turn; return which memory is which turn."""
    known: dict[str, str] = {}
    for number, turn in enumerate(conversation.turns):
        tell(f"{conversation.id}: remember", number, len(conversation.turns))
        stored = await _call(engine, "remember", Remember, _arguments(conversation.id, turn))
        known[stored.answer["memoryId"]] = turn.id
    return known


def _arguments(user: str, turn: Turn) -> dict[str, Any]:
    return {
        "content": turn.content,
        "userId": user,
        "sessionId": turn.session,
        "primarySector": "episodic",
        "metadata": {"tags": [turn.speaker], "context": turn.when or None},
    }


async def _call(
    engine: Engine, tool: str, contract: type[Request], arguments: dict[str, Any]
) -> Outcome:
    request = read(contract, arguments)
    return await engine.call(
        Call(
            tool=tool,
            graph=load_graph(tool),
            request=request.model_dump(mode="json", by_alias=True, exclude_unset=True),
            caller=Caller(OWNER).within(request.space()),
        )
    )
