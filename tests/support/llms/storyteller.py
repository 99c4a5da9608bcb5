"""A language model for pages to look at: fills any schema with sentences of one story.

It speaks a provider's protocol on loopback. What it says is chosen by a digest of what it was
asked, so that the same question has the same answer.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from random import Random
from typing import Any

from tests.support.llms.providers import Chatting, answering

SENTENCES = (
    "The bakery loses money on weekdays, because the village buys bread in town.",
    "A stall at the Saturday market reaches more people than the shop does in a week.",
    "Neighbours would lend the oven's repair if they were paid back in bread.",
    "Two bakers nearby share one delivery round and save a driver each.",
    "The school and the inn order every day, but nobody has asked them for a year.",
    "Opening at six instead of seven catches everybody who takes the first train.",
    "A subscription of ten loaves tells on Monday how much flour is needed.",
    "The rent is fixed until spring, so the choice has to be made before that.",
    "Selling cake in the afternoon needs a licence that takes six weeks.",
    "If the oven fails again, the repair costs more than a month of sales.",
)
LABEL = re.compile(r"\^([A-Z])\[0-9\]\+\$")
INSIGHT = re.compile(
    r"\b((?:analytical|creative|critical|synthetic)-\d+)(?: \(new\))?: (.{10,200})"
)


class Story:
    """Answers one question."""

    def __init__(self, asked: str, sentences: Sequence[str] = SENTENCES) -> None:
        self._sentences = sentences
        self._chance = Random(sha256(asked.encode()).hexdigest())  # noqa: S311 - no secret
        self._heard = INSIGHT.findall(asked)

    def fill(self, schema: Mapping[str, Any], name: str = "") -> Any:
        """Return a value of the schema."""
        if "enum" in schema:
            return self._chance.choice(schema["enum"])
        if options := schema.get("anyOf") or schema.get("oneOf"):
            return self.fill(options[0], name)
        kind = schema.get("type", "object")
        kind = kind[0] if isinstance(kind, list) else kind
        return getattr(self, f"_{kind}")(schema, name)

    def _object(self, schema: Mapping[str, Any], name: str) -> dict[str, Any]:
        made = {key: self.fill(part, key) for key, part in schema.get("properties", {}).items()}
        if "quote" in made and "to" in made and self._heard:
            made["to"], made["quote"] = self._chance.choice(self._heard)
        return made

    def _array(self, schema: Mapping[str, Any], name: str) -> list[Any]:
        if name == "reactions" and not self._heard:
            return []
        least, most = schema.get("minItems", 0), min(schema.get("maxItems", 3), 3)
        return [self.fill(schema.get("items", {}), name) for _ in range(max(least, most))]

    def _string(self, schema: Mapping[str, Any], name: str) -> str:
        if labelled := LABEL.fullmatch(schema.get("pattern", "")):
            return f"{labelled[1]}{self._chance.randint(1, 3)}"
        said = self._chance.choice(self._sentences)
        if name in ("name", "label", "lens"):
            said = " ".join(said.split()[1:4])
        return said[: schema.get("maxLength", len(said))]

    def _number(self, schema: Mapping[str, Any], name: str) -> float:
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        return round(self._chance.uniform(low, high), 2)

    def _integer(self, schema: Mapping[str, Any], name: str) -> int:
        return self._chance.randint(schema.get("minimum", 0), schema.get("maximum", 3))

    def _boolean(self, schema: Mapping[str, Any], name: str) -> bool:
        return name != "agree" and self._chance.random() < 0.7  # so that streams go on

    def _null(self, schema: Mapping[str, Any], name: str) -> None:
        return None


def story_reply(body: Mapping[str, Any], sentences: Sequence[str] = SENTENCES) -> str:
    """Return the answer to a request: JSON where it has a schema, else a sentence."""
    story = Story("\n".join(str(each["content"]) for each in body["messages"]), sentences)
    form = body.get("response_format") or {}
    schema = form.get("json_schema", {}).get("schema")
    return json.dumps(story.fill(schema)) if schema else story.fill({"type": "string"})


@contextmanager
def storyteller(seconds: float = 0.0, sentences: Sequence[str] = SENTENCES) -> Iterator[Chatting]:
    """Serve on a free port of 127.0.0.1; each answer takes so many seconds."""

    def answer(body: Mapping[str, Any]) -> str:
        time.sleep(seconds)
        return story_reply(body, sentences)

    with answering(answer) as found:
        yield found
