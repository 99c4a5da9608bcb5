"""The base of simulated language models: reading requests, answering, and pricing."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jsonschema import SchemaError
from jsonschema.exceptions import UnknownType
from langchain_core.messages import BaseMessage
from referencing.exceptions import Unresolvable

from reasonloom.llm.coercion import conforms
from reasonloom.llm.interfaces import Ask, Reply, Usage
from reasonloom.text.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per input and output token."""

    usd_in: float
    usd_out: float

    def usage(self, tokens_in: float, tokens_out: float) -> Usage:
        """Return the usage of a call, marked `estimated` because token counts come from a table.

        The input is charged once per call, however many samples the answer holds: pass the sum
        over all samples as `tokens_out`.
        """
        input_tokens, answered = round(tokens_in), round(tokens_out)
        cost = input_tokens * self.usd_in + answered * self.usd_out
        return Usage(tokens_in=input_tokens, tokens_out=answered, cost_usd=cost, estimated=True)


GPT_4 = Price(3e-5, 6e-5)
"""The price behind the published Game of 24 figures (GPT-4, 8k context, 2023)."""

GPT_35 = Price(1.5e-6, 2.0e-6)
"""The price behind the published Graph of Thoughts figures (GPT-3.5, 4k context, 2023)."""

MOST_CHARACTERS = 50_000
MOST_NUMBERS = 1_000
MOST_ATTEMPTS = 100

_OPENING = re.compile(r"<([a-z_]{1,40})>")
_NO_SCHEMA = (SchemaError, UnknownType, Unresolvable, re.error)


class Unreadable(Exception):  # reported to the caller as an answer, not as a fault
    """A question that a simulated language model cannot parse; the message gives the reason."""


def passages(words: str) -> dict[str, str]:
    """Return the text between the lines `<name>` and `</name>`, by name; the first of each wins.

    Tags inside a passage are plain text; an unclosed passage is ignored.
    """
    if len(words) > MOST_CHARACTERS:
        raise Unreadable(f"It is longer than {MOST_CHARACTERS} characters.")
    found: dict[str, str] = {}
    name, held = "", list[str]()
    for line in words.split("\n"):
        if not name and (opening := _OPENING.fullmatch(line)):
            name, held = opening[1], []
        elif name and line == f"</{name}>":
            found.setdefault(name, "\n".join(held))
            name = ""
        elif name:
            held.append(line)
    return found


def numbers(passages: Mapping[str, str], name: str) -> list[int]:
    """Parse a passage as a list of at most `MOST_NUMBERS` integers from 0 to 999,999."""
    found = whole_numbers(passages.get(name, ""))
    if found is None or any(each >= 10**6 for each in found):
        raise Unreadable(f"{name} should be a list of whole numbers, such as [3, 1, 2].")
    if len(found) > MOST_NUMBERS:
        raise Unreadable(f"{name} should have at most {MOST_NUMBERS} numbers.")
    return found


def whole_numbers(text: str) -> list[int] | None:
    """Parse a JSON list of non-negative integers; None if the text is something else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(found, list) and all(type(each) is int and each >= 0 for each in found):
        return found
    return None


def count(passages: Mapping[str, str], name: str, most: int) -> int:
    """Parse a passage as an integer from 1 to `most`."""
    digits = passages.get(name, "")
    if not re.fullmatch(r"[0-9]{1,6}", digits) or not 1 <= int(digits) <= most:
        raise Unreadable(f"{name} should be a number from 1 to {most}.")
    return int(digits)


def form_of(schema: dict[str, Any] | None, forms: Mapping[str, dict[str, Any]]) -> str:
    """Return the name of the first form whose example conforms to `schema`, else raise Unreadable.

    The example is validated as it is, so a schema with stricter bounds on counts does not match.
    """
    try:
        found = _form_of(json.dumps(schema), json.dumps(forms)) if schema is not None else None
    except (*_NO_SCHEMA, TypeError, ValueError, RecursionError):
        found = None
    if found is not None:
        return found
    raise Unreadable("The form of the answer should be one of: " + ", ".join(forms) + ".")


@lru_cache(maxsize=256)
def _form_of(schema: str, forms: str) -> str | None:
    known, wanted = json.loads(forms), json.loads(schema)
    return next((name for name, example in known.items() if conforms(example, wanted)), None)


NOT_UNDERSTOOD = "I do not understand the question."


def words(messages: Sequence[BaseMessage]) -> tuple[str, str]:
    """Return the system and user text: with the answer's schema, all that a simulated model sees.

    Non-text content and the model's own messages are omitted.
    """
    parts: dict[str, list[str]] = {"system": [], "human": []}
    for message in messages:
        if message.type in parts and isinstance(message.content, str):
            parts[message.type].append(message.content)
    return "\n".join(parts["system"]), "\n".join(parts["human"])


class SimulatedModel:
    """A scripted provider that sees only a question's text and the schema of its answer.

    `offline` is False because modes must treat it like any language model.
    """

    name: str
    price: Price
    offline = False

    def respond(self, question: tuple[str, str], ask: Ask) -> tuple[dict[str, Any], Usage]:
        """Return the answer to a question read by `words`, and its usage; may raise Unreadable."""
        raise NotImplementedError

    async def answer(self, ask: Ask) -> Reply:
        """Answer a question; an unreadable one gets a plain-text reply with the reason."""
        question = words(ask.messages)
        try:
            parsed, usage = self.respond(question, ask)
        except Unreadable as why:
            text = f"{NOT_UNDERSTOOD} {why}"
            return Reply(text, None, self.name, self.estimated_usage(question, text))
        return Reply(json.dumps(parsed, ensure_ascii=False), parsed, self.name, usage)

    def estimated_usage(self, question: tuple[str, str], text: str) -> Usage:
        """Return the usage estimated from the texts, for calls without a token table."""
        return self.price.usage(estimate_tokens("\n".join(question)), estimate_tokens(text))

    async def close(self) -> None:
        """Close nothing."""
