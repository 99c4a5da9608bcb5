"""The suite `triggers`: matches messages to triggers as `predict_with_model` does."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import numpy as np
from pydantic import Field, model_validator

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Answer, Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.way import AnswerContext, Answering, Opening
from reasonloom.evals.log import EvalLog
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.suites.figures import DIGITS, rounded_value, share
from reasonloom.evals.suites.labelled import (
    Labelled,
    Words,
    halves_of,
    load_records,
    of_half,
    require_unique,
)
from reasonloom.evals.suites.packaged import Packaged, embedder_model
from reasonloom.llm.embedding.from_settings import choose_embedder
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.mental_models.predict import read_against_triggers
from reasonloom.nodes.mental_models.triggers import match_trigger
from reasonloom.settings import load_settings

HERE = Path(__file__).parent

Kind = Literal["other words", "own words", "same words", "near", "apart"]
Language = Literal["en", "de", "fr", "es", "ru", "ja"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FIRING: tuple[Kind, ...] = ("other words", "own words")
"""Kinds of messages on which the trigger must fire."""


class Trigger(Labelled):
    """A trigger, worded as in a template."""

    id: Annotated[str, Field(pattern=r"^t\d\d$")]
    language: Language
    text: Words


class Message(Labelled):
    """A message and whether its trigger must fire on it."""

    id: Annotated[str, Field(pattern=r"^t\d\d-m\d$")]
    language: Language
    trigger: Annotated[str, Field(pattern=r"^t\d\d$")]
    kind: Kind
    fires: bool
    text: Words

    @model_validator(mode="after")
    def _agrees(self) -> Message:
        if self.fires is not (self.kind in FIRING):
            raise ValueError(f"fires: must not be {self.fires} for {self.kind}")
        return self


@dataclass(frozen=True)
class Triggered:
    """A trigger and its messages."""

    trigger: Trigger
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class TriggerSet:
    """Triggers in file order, and the SHA-256 (hex) of both files by name."""

    items: tuple[Triggered, ...]
    sha256: dict[str, str]


def load_triggers(half: str = "dev", folder: Path = HERE) -> TriggerSet:
    """Load the triggers of a half or of `all`; `folder` may hold another set in this format."""
    known, first = load_records(folder / "triggers.jsonl", Trigger)
    messages, second = load_records(folder / "messages.jsonl", Message)
    require_unique(
        value for item in (*known, *messages) for value in (item.id, item.body.casefold())
    )
    halves = {each.id: each.half for each in known}
    for message in messages:
        if halves.get(message.trigger) != message.half:
            raise InvalidArgument(f"{message.id}: its trigger is in another half", field="data")
    items = [
        Triggered(each, tuple(one for one in messages if one.trigger == each.id)) for each in known
    ]
    for one in items:
        kinds = Counter(each.kind for each in one.messages)
        if kinds != {**dict.fromkeys(KINDS, 1), "other words": 2}:
            raise InvalidArgument(f"{one.trigger.id}: has {dict(kinds)}", field="data")
    wanted = of_half(half, known)
    return TriggerSet(
        tuple(one for one in items if one.trigger in wanted),
        {"triggers.jsonl": first, "messages.jsonl": second},
    )


NAME = "triggers"
NOTE = (
    "Half of the messages are to fire: to fire always has an F1 of 67 %. cosine: the likeness of"
    " trigger and message alone, with the threshold that is best on dev. words: without an"
    " embedder. The writer of the set wrote the list of situations too: held is not blind."
)
GOAL = 0.8


def packaged(half: str = "dev", data: Path | None = None) -> Packaged:
    """Return the suite for a half; `data` is a folder that replaces the packaged one."""
    folder = data or HERE
    sets = {each: load_triggers(each, folder) for each in halves_of(half)}
    dev = load_triggers("dev", folder)
    suite = Suite(
        NAME,
        [
            _item(one.trigger, message)
            for each in sets.values()
            for one in each.items
            for message in one.messages
        ],
        (Measure("right", lambda item, output: output["fires"] is item.target),),
        Opening(open_triggers, "match"),
        about={"data_sha256": dev.sha256, "half": half, "embedder": embedder_model()},
    )
    reported = partial(report_by_threshold, NOTE, _cosines, _best, _summary, sets, dev)
    return Packaged(suite, reported)


def _item(trigger: Trigger, message: Message) -> Item:
    question = {"trigger": trigger.text, "message": message.text}
    return Item(message.id, question, message.fires, cluster=trigger.id, group=message.kind)


@asynccontextmanager
async def open_triggers(parts: AnswerContext) -> AsyncIterator[Answering]:
    """Yield the answering function, which matches with the embedder and by words alone."""
    embedder = choose_embedder(parts.settings)

    async def answer(item: Item, epoch: int) -> Answer:
        fires, took = await timed_match(embedder, item)
        words = match_trigger(item.input["trigger"], item.input["message"], None)
        return Answer({"fires": fires, "words": words.fires}, latency_ms=took)

    try:
        yield answer
    finally:
        await embedder.close()


async def timed_match(embedder: Embedder, item: Item) -> tuple[bool, float]:
    """Return whether an item's trigger fires on its message, and the milliseconds taken."""
    trigger, message = item.input["trigger"], item.input["message"]
    started = time.perf_counter()
    fires = (await read_against_triggers(embedder, message, [trigger])).match(trigger).fires
    return fires, (time.perf_counter() - started) * 1000


S = TypeVar("S")
Near = TypeVar("Near")


async def report_by_threshold(
    note: str,
    near: Callable[[S, Embedder], Awaitable[Near]],
    best: Callable[[S, Near], float],
    summary: Callable[[S, EvalLog, Near, float], dict[str, Any]],
    sets: Mapping[str, S],
    dev: S,
    log: EvalLog,
) -> dict[str, Any]:
    """Return each half's summary, with the threshold of `near` that is best on dev."""
    embedder = choose_embedder(load_settings())
    try:
        threshold = best(dev, await near(dev, embedder))
        halves = {
            half: summary(one, log, await near(one, embedder), threshold)
            for half, one in sets.items()
        }
    finally:
        await embedder.close()
    return {"note": note, "cosine": threshold, "halves": halves}


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
    """Return the threshold at which cosine similarity alone has its best F1."""
    messages = _messages(one)
    steps = sorted(round(value, DIGITS) for value in cosines.values())
    return max(steps, key=lambda least: f1(messages, {k: v >= least for k, v in cosines.items()}))


def f1(messages: Sequence[Message], fires: Mapping[str, bool]) -> float:
    """Return the F1 score of firing; 0 if no trigger fires or should fire."""
    hits = sum(fires[each.id] and each.fires for each in messages)
    fired = sum(fires[each.id] for each in messages)
    wanted = sum(each.fires for each in messages)
    return 2 * hits / (fired + wanted) if fired + wanted else 0.0


def _summary(
    one: TriggerSet, log: EvalLog, cosines: Mapping[str, float], threshold: float
) -> dict[str, Any]:
    messages = _messages(one)
    records = {each.item: each for each in log.records}
    fires = {key: bool(each.output["fires"]) for key, each in records.items()}
    words = {key: bool(each.output["words"]) for key, each in records.items()}
    alone = {key: value >= threshold for key, value in cosines.items()}
    right = {each.id: records[each.id].scores["right"] for each in messages}
    figures = [share("triggers", "right", list(right.values()))]
    for of in (*KINDS, *dict.fromkeys(each.language for each in messages)):
        hits = [right[each.id] for each in messages if of in (each.kind, each.language)]
        figures.append(share("triggers", "right", hits, of=of))
    found = f1(messages, fires)
    return {
        "f1": round(found, DIGITS),
        "f1_words": round(f1(messages, words), DIGITS),
        "f1_cosine": round(f1(messages, alone), DIGITS),
        "precision": rounded_value(
            share("t", "p", [float(e.fires) for e in messages if fires[e.id]])
        ),
        "recall": rounded_value(share("t", "r", [float(fires[e.id]) for e in messages if e.fires])),
        "met": found >= GOAL,
        "figures": [asdict(each) | {"value": rounded_value(each)} for each in figures],
        "wrong": [
            {"message": each.id, "kind": each.kind, "fired": fires[each.id]}
            for each in messages
            if not right[each.id]
        ],
    }


def _messages(one: TriggerSet) -> list[Message]:
    return [each for item in one.items for each in item.messages]
