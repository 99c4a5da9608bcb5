"""Replies drawn to fit any schema: the same for the same question."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.answers import Given, GivenReply, answer_run
from reasonloom.graphs.runs.call import Outcome, Round
from reasonloom.graphs.runs.engine import Engine

FIGURE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}|[0-9.:]+")
"""Ids, times and figures, which differ from run to run."""

NOT_BLANK = r"\S"
WORD = re.compile(r"[\w-]+")
LABELLED = re.compile(r'<\w+ label="([^"]+)"[^>]*>\n(.*?)\n</', re.DOTALL)
PAIRED = re.compile(r"<(first|second)>\n(.*?)\n</", re.DOTALL)
NOUNS = (
    "anvil", "bridge", "candle", "desert", "engine", "falcon", "garden", "harbour", "island",
    "jacket", "kettle", "ladder", "market", "needle", "orchard", "parcel", "quarry", "ribbon",
    "saddle", "tunnel", "umbrella", "valley", "window", "yarn", "zipper", "barley", "copper",
    "dragon", "emerald", "fiddle", "glacier", "hammer", "igloo", "jungle", "lantern", "magnet",
)  # fmt: skip


def drawn_reply(text: str, schema: dict[str, Any] | None, seed: int = 0) -> dict[str, Any]:
    """Return an object that follows `schema`; labels are those that the question names.

    The order and the labels of what is judged change nothing but the labels in the reply; ids and
    figures in the question change nothing.
    """
    content = dict([*LABELLED.findall(text), *PAIRED.findall(text)])
    unlabelled = sorted(FIGURE.sub("", LABELLED.sub(r"\2", text)).splitlines())
    draw = random.Random(f"{seed}/{unlabelled}")  # noqa: S311
    value = Drawing(draw, text, content, seed).value(schema or {"type": "object"})
    assert isinstance(value, dict)
    return value


@dataclass(frozen=True)
class Drawing:
    """Draws values; labels, and texts of a form, are those that the question holds."""

    draw: random.Random
    text: str
    content: dict[str, str]
    seed: int

    def value(self, schema: dict[str, Any], name: str = "") -> Any:  # noqa: PLR0911
        if name.removesuffix("_score") in self.content:
            return self._worth(self.content[name.removesuffix("_score")])
        if self.content.keys() & set(schema.get("enum", ())):
            return self._best()
        if "enum" in schema:
            return self.draw.choice(schema["enum"])
        match schema.get("type", "string"):
            case "object":
                properties = schema.get("properties", {})
                return {key: self.value(each, key) for key, each in properties.items()}
            case "array":
                return self._items(schema, name)
            case "boolean":
                return self.draw.random() < 0.5
            case "integer":
                least, most = schema.get("minimum", 0), schema.get("maximum", 9)
                return self.draw.randint(int(least), int(most))
            case "number":
                least, most = schema.get("minimum", 0), schema.get("maximum", 1)
                return round(self.draw.uniform(least, most), 3)
        return self._text(schema, name)

    def _text(self, schema: dict[str, Any], name: str) -> str:
        if name in ("label", "best", "to") and self.content:
            return self._best()
        form = schema.get("pattern", NOT_BLANK)
        if form != NOT_BLANK:
            known = [word for word in WORD.findall(self.text) if re.search(form, word)]
            return str(self.draw.choice(known))
        return " ".join(self.draw.sample(NOUNS, 5)).capitalize() + "."

    def _of_label(self, schema: dict[str, Any], label: str) -> dict[str, Any]:
        draw = random.Random(f"{self.seed}/{self.content[label]}")  # noqa: S311
        drawn = replace(self, draw=draw).value(schema)
        drawn |= {"score": self._worth(self.content[label])} if "score" in drawn else {}
        return {**drawn, "label": label}

    def _best(self) -> str:
        return max(self.content, key=lambda label: self._worth(self.content[label]))

    def _worth(self, content: str) -> float:
        return round(random.Random(f"{self.seed}/{content}").random(), 3)  # noqa: S311

    def _items(self, schema: dict[str, Any], name: str) -> list[Any]:
        items = schema.get("items", {"type": "string"})
        if "label" in items.get("properties", {}):
            return [self._of_label(items, label) for label in self.content]
        least, most = schema.get("minItems", 0), min(schema.get("maxItems", 4), 4)
        count = self.draw.randint(max(least, min(1, most)), max(least, most))
        return [self.value(items, name) for _ in range(count)]


def replies_to(round_: Round, seed: int = 0, **more: Any) -> Given:
    """Return drawn replies to all open questions of a round."""
    return Given(
        [
            GivenReply(each.id, drawn_reply(each.system_text + each.user_text, each.schema, seed))
            for each in round_.questions
        ],
        **more,
    )


async def answered_through(
    engine: Engine, outcome: Outcome, seed: int = 0, owner: str = "local"
) -> tuple[Outcome, list[Round]]:
    """Answer all rounds of a run; return its last outcome, and the rounds."""
    rounds: list[Round] = []
    while outcome.round is not None:
        rounds.append(outcome.round)
        assert len(rounds) < 60, [each.role for each in outcome.round.questions]
        given = replies_to(outcome.round, seed)
        outcome = (await answer_run(engine, Caller(owner), str(outcome.run_id), given)).outcome
        assert outcome.round is None or outcome.round.misfits == {}
    return outcome, rounds
