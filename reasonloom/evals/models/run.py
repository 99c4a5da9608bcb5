"""Runs the eval of triggers: every message put to its trigger as `predict_with_model` does it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.metacognition.figures import Figure, share
from reasonloom.evals.models.data import HERE, KINDS, Message, TriggerSet, triggers
from reasonloom.llm.embedding.choose import choose_embedder
from reasonloom.llm.port import Embedder
from reasonloom.nodes.models.triggers import match
from reasonloom.settings import load_settings

NAME = "triggers"
NOTE = (
    "Half of the messages are to fire: to fire always has an F1 of 67 %. cosine: the likeness of"
    " trigger and message alone, with the threshold that is best on dev. words: without an"
    " embedder. The writer of the set wrote the list of situations too: held is not blind."
)
GOAL = 0.8
DIGITS = 4

Tell = Callable[[str, int, int], None]
"""Told of progress: what is being done, how many are done, of how many."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is run: its log, which half, and a folder with a set of another's own."""

    log: Path
    half: str = "dev"
    data: Path | None = None


async def run(plan: Plan, tell: Tell) -> dict[str, Any]:
    """Run the eval, or what is left of it, with the embedder of the settings.

    Raises:
        InvalidArgument: another half, a set that is not of its form, or the log belongs to
            another run.
    """
    folder, embedder = plan.data or HERE, choose_embedder(load_settings())
    wanted = ("dev", "held") if plan.half == "all" else (plan.half,)
    sets = {half: triggers(half, folder) for half in wanted}
    dev = triggers("dev", folder)
    total = sum(len(item.messages) for one in sets.values() for item in one.items)
    head = {
        "eval": NAME,
        "data_sha256": dev.sha256,
        "half": plan.half,
        "messages": total,
        "embedder": embedder.model,
    }
    log = EvalLog(plan.log)
    log.begin(head)
    for one in sets.values():
        await _ask(one, embedder, log, lambda what: tell(what, len(log.records), total))
    threshold = _best(dev, await _cosines(dev, embedder))
    halves = {
        half: _summary(one, log, await _cosines(one, embedder), threshold)
        for half, one in sets.items()
    }
    await embedder.close()
    return {**head, "log": plan.log.name, "note": NOTE, "cosine": threshold, "halves": halves}


async def _ask(
    one: TriggerSet, embedder: Embedder, log: EvalLog, tell: Callable[[str], None]
) -> None:
    """Put what is left of the messages to their triggers."""
    for item in one.items:
        for message in item.messages:
            if (message.id, 0) in log.done():
                continue
            tell(item.trigger.text)
            started = time.perf_counter()
            first, second = await embedder.embed([item.trigger.text, message.text])
            found = match(item.trigger.text, message.text, float(np.dot(first, second)))
            took = (time.perf_counter() - started) * 1000
            words = match(item.trigger.text, message.text, None)
            scores = {
                "right": found.fires is message.fires,
                "fires": found.fires,
                "words": words.fires,
            }
            told = {name: float(value) for name, value in scores.items()}
            log.add(Record(message.id, 0, message.kind, told, round(took, 3)))


async def _cosines(one: TriggerSet, embedder: Embedder) -> dict[str, float]:
    cosines: dict[str, float] = {}
    for item in one.items:
        rows = np.asarray(
            await embedder.embed([item.trigger.text, *(each.text for each in item.messages)])
        )
        near = rows[1:] @ rows[0]
        cosines |= {each.id: float(value) for each, value in zip(item.messages, near, strict=True)}
    return cosines


def _best(one: TriggerSet, cosines: Mapping[str, float]) -> float:
    """Return the threshold by which the cosine alone has its best F1."""
    said = _messages(one)
    steps = sorted(round(value, DIGITS) for value in cosines.values())
    return max(steps, key=lambda least: f1(said, {k: v >= least for k, v in cosines.items()}))


def f1(said: Sequence[Message], fires: Mapping[str, bool]) -> float:
    """Return the harmonic mean of precision and recall over messages that are to fire."""
    hits = sum(fires[each.id] and each.fires for each in said)
    told = sum(fires[each.id] for each in said)
    wanted = sum(each.fires for each in said)
    return 2 * hits / (told + wanted) if told + wanted else 0.0


def _summary(
    one: TriggerSet, log: EvalLog, cosines: Mapping[str, float], threshold: float
) -> dict[str, Any]:
    said = _messages(one)
    records = {each.item: each for each in log.records}
    fires = {key: bool(each.scores["fires"]) for key, each in records.items()}
    words = {key: bool(each.scores["words"]) for key, each in records.items()}
    alone = {key: value >= threshold for key, value in cosines.items()}
    right = {each.id: records[each.id].scores["right"] for each in said}
    figures = [share("triggers", "right", list(right.values()))]
    for kind in KINDS:
        hits = [right[each.id] for each in said if each.kind == kind]
        figures.append(share("triggers", "right", hits, of=kind))
    for language in dict.fromkeys(each.language for each in said):
        hits = [right[each.id] for each in said if each.language == language]
        figures.append(share("triggers", "right", hits, of=language))
    found = f1(said, fires)
    return {
        "f1": round(found, DIGITS),
        "f1_words": round(f1(said, words), DIGITS),
        "f1_cosine": round(f1(said, alone), DIGITS),
        "precision": _rounded(share("t", "p", [float(e.fires) for e in said if fires[e.id]])),
        "recall": _rounded(share("t", "r", [float(fires[e.id]) for e in said if e.fires])),
        "met": found >= GOAL,
        "figures": [asdict(each) | {"value": _rounded(each)} for each in figures],
        "wrong": [
            {"message": each.id, "kind": each.kind, "fired": fires[each.id]}
            for each in said
            if not right[each.id]
        ],
    }


def _rounded(figure: Figure) -> float | None:
    return None if figure.value is None else round(figure.value, DIGITS)


def _messages(one: TriggerSet) -> list[Message]:
    return [each for item in one.items for each in item.messages]
