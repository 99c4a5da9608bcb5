"""What a call costs a server in processor time, and the longest texts that its fields take."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.support.clients.processes import COLD, Spoken
from tests.support.fuzzing.inputs import Pool
from tests.support.fuzzing.wires import LOADING, WARMING
from tests.support.fuzzing.wrong_values import Field, fields_of
from tests.support.isolation.tool_calls import USES, Known

MAX_LENGTH = 100_000
"""Letters of a text whose schema does not say how many it takes."""

SHORT = 4_000
"""Letters of a field of which one kind of text is enough: none costs much."""

TEXTS = {
    "prose": "The old lighthouse keeper Anna Berg, 54, never trusted what Ben said in May 2021. ",
    "one word": "a",
    "words": "because not if ",
    "short lines": "- a: 1.\n",
    "signs": "([{<\"'`*_#|\\,;:!?",
    "Chinese": "春人は音楽会でピアノを弾いた。",
    "marks": "e\u0301\u0323",
    "names": "Anna Berg and Carl Dahl, ",
}
"""What the longest texts repeat; each is made slow for another kind of reader."""

LOOP_SECONDS = 0.05
"""Processor time of `loop_seconds` on the machine on which the bounds were set."""


@dataclass(frozen=True)
class Costly:
    """A call, and what it cost in seconds of processor time."""

    tool: str
    arguments: dict[str, Any]
    label: str
    seconds: float
    answer: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.tool} {self.label}: {self.seconds:.2f} s"


class MeteredServer(Spoken):
    """A stdio server that is no fork, so that its processor time can be read."""

    def __init__(self, env: Mapping[str, str], folder: Path) -> None:
        super().__init__(env, folder, COLD)
        self.handshake()
        for number, (tool, arguments) in enumerate(WARMING):
            params = {"name": tool, "arguments": arguments}
            self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
            self.answer(number, LOADING)

    def processor_seconds(self) -> float:
        """Return the processor time that the server and its processes have used."""
        spent = psutil.Process(self.child.pid).cpu_times()
        return sum(spent[:4])

    def cost(self, tool: str, arguments: dict[str, Any], label: str = "") -> Costly:
        """Call a tool; return what it cost."""
        before = self.processor_seconds()
        self._last += 1
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self._last, "method": "tools/call", "params": params}
        self.send(message)
        answer = self.answer(self._last, LOADING)
        return Costly(tool, arguments, label, self.processor_seconds() - before, answer)


def loop_seconds() -> float:
    """Return the processor time of a fixed amount of work, the least of five passes."""
    passes = []
    for _ in range(5):
        begun = time.thread_time()
        sum(number * number for number in range(1_000_000))
        passes.append(time.thread_time() - begun)
    return min(passes)


def of_length(piece: str, length: int) -> str:
    """Return a text of a length that repeats a piece, and neither begins nor ends with a blank."""
    return (piece * (length // len(piece) + 1))[:length].strip() or "a"


def text_fields(schema: dict[str, Any]) -> Iterator[Field]:
    """Yield the fields of a tool that take free text."""
    for field in fields_of(schema):
        closed = {"enum", "format", "const", "pattern"} & field.schema.keys()
        if field.schema.get("type") == "string" and not closed:
            yield field


FRESH = {
    "got_generate": ("reasoning_got_init",),
    "got": ("reasoning_got_init", "reasoning_got_generate"),
    "predict_with_model": ("create_model",),
    "resolve_prediction": ("create_model", "predict_with_model"),
    "revise_model": ("create_model",),
}
"""By a part of a tool's name, the calls whose new ids it needs: others may be settled."""


def longest(arguments: dict[str, Any], field: Field, text: Any) -> dict[str, Any]:
    """Return a call's arguments with a text in a field, lists having it as their only item."""
    made = deepcopy(arguments)
    if field.path == ("content",) and "thought_id" in made:
        del made["thought_id"]
    place: Any = made
    for step, following in zip(field.path, (*field.path[1:], None), strict=True):
        if following == "0" and field.path[-1] == "0":
            place[step] = [text]
            break
        if following is None:
            place[step] = text
        elif isinstance(place, dict):
            place = place.setdefault(step, {})
        if following == "0":
            place = place[0]
    return made


def refused_length(answer: dict[str, Any]) -> int | None:
    """Return how many letters a refused text may have; None where it was not refused for that."""
    told = re.search(r"must have at most (\d+) characters", json.dumps(answer))
    return int(told[1]) if told else None


def costs_of_longest(
    server: MeteredServer, pool: Pool, tool: str, schema: dict[str, Any], kinds: Iterable[str]
) -> Iterator[Costly]:
    """Yield what the longest text of each kind in each field of a tool costs a server."""
    for field in text_fields(schema):
        length = MAX_LENGTH
        for place, kind in enumerate(kinds):
            if place and length <= SHORT:
                break
            renew(server, pool, tool)
            cost = _cost_of(server, pool, tool, field, of_length(TEXTS[kind], length))
            if (most := refused_length(cost.answer)) and most < length:
                length = most
                cost = _cost_of(server, pool, tool, field, of_length(TEXTS[kind], length))
            yield cost


def _cost_of(server: MeteredServer, pool: Pool, tool: str, field: Field, text: str) -> Costly:
    arguments = longest(USES[tool].arguments(known(pool)), field, text)
    return server.cost(tool, arguments, f"{field.name} of {len(text):,}: {text[:12]!r}")


def known(pool: Pool) -> Known:
    """Return what the calls of the owner are made with, in words of their own."""
    return Known("local", f"quxown vexown {secrets.token_hex(4)}", pool.own)


def renew(server: MeteredServer, pool: Pool, tool: str) -> None:
    """Make the calls whose new ids a tool needs."""
    calls = next((calls for part, calls in FRESH.items() if part in tool), ())
    if "create_model" in (tool, *calls):  # upkeep may have replaced the clusters meanwhile
        listed = server.call("list_basins", {"limit": 100})["structuredContent"]["basins"]
        pool.own |= {"basin": listed[0]["id"], "spare": listed[-1]["id"]}
    for before in calls:
        answer = server.call(before, USES[before].arguments(known(pool)))
        assert not answer["isError"], answer
        pool.learn(before, answer["structuredContent"])


def short(arguments: dict[str, Any], length: int = 160) -> str:
    """Return arguments as JSON in which long texts are told by their beginning and length."""

    def cut(value: Any) -> Any:
        if isinstance(value, str) and len(value) > 40:
            return f"{value[:24]}… ({len(value):,})"
        if isinstance(value, dict):
            return {key: cut(each) for key, each in value.items()}
        if isinstance(value, list):
            more = [f"… ({len(value):,})"] if len(value) > 3 else []
            return [cut(each) for each in value[:3]] + more
        return value

    return json.dumps(cut(arguments), ensure_ascii=False)[:length]
