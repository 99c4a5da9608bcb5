"""All that a simulated language model sees of a question, and the forms its answer can take."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jsonschema import SchemaError
from jsonschema.exceptions import UnknownType
from referencing.exceptions import Unresolvable

from reasonloom.llm.port import Reply, Usage
from reasonloom.llm.structured_output import conforms
from reasonloom.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.messages import BaseMessage


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for one token of the question and one of the answer."""

    usd_in: float
    usd_out: float

    def usage(self, tokens_in: float, tokens_out: float) -> Usage:
        """Return what a call costs; its tokens are counts of a table, hence `estimated`.

        The question is paid once a call, however many samples its answer holds: add up the
        samples in `tokens_out`, and call once.
        """
        asked, answered = round(tokens_in), round(tokens_out)
        cost = asked * self.usd_in + answered * self.usd_out
        return Usage(tokens_in=asked, tokens_out=answered, cost_usd=cost, estimated=True)


GPT_4 = Price(3e-5, 6e-5)
"""The price of the published Game of 24 figures (GPT-4 with 8k of context, 2023)."""

GPT_35 = Price(1.5e-6, 2.0e-6)
"""The price of the published Graph of Thoughts figures (GPT-3.5 with 4k of context, 2023)."""

MOST_CHARACTERS = 50_000
MOST_NUMBERS = 1_000
MOST_ATTEMPTS = 100

_OPENING = re.compile(r"<([a-z_]{1,40})>")
_NO_SCHEMA = (SchemaError, UnknownType, Unresolvable, re.error)


class Unreadable(Exception):  # no fault: told to whoever asked, as an answer
    """A question that a simulated language model cannot read; the message says why."""


def passages(words: str) -> dict[str, str]:
    """Return what stands between the lines `<name>` and `</name>`, by name, the first of each.

    Within a passage other marks are text; one that is never closed is none.

    Raises:
        Unreadable: longer than `MOST_CHARACTERS`.
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


def numbers(told: Mapping[str, str], name: str) -> list[int]:
    """Return the list of whole numbers, none negative, in a passage.

    Raises:
        Unreadable: there is none such, or more than `MOST_NUMBERS`.
    """
    try:
        found = json.loads(told.get(name, ""))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(_is_count(each) for each in found):
        raise Unreadable(f"{name} should be a list of whole numbers, such as [3, 1, 2].")
    if len(found) > MOST_NUMBERS:
        raise Unreadable(f"{name} should have at most {MOST_NUMBERS} numbers.")
    return found


def count(told: Mapping[str, str], name: str, most: int) -> int:
    """Return the number in a passage, 1 to `most`.

    Raises:
        Unreadable: there is none such.
    """
    digits = told.get(name, "")
    if not re.fullmatch(r"[0-9]{1,6}", digits) or not 1 <= int(digits) <= most:
        raise Unreadable(f"{name} should be a number from 1 to {most}.")
    return int(digits)


def form_of(schema: dict[str, Any] | None, forms: Mapping[str, dict[str, Any]]) -> str:
    """Return which of the forms an answer can have follows `schema`; the first that does.

    The example stands for all answers of its form: bounds on how many there are go unread.

    Args:
        schema: as the question brings it.
        forms: an example of each form's answer, by the form's name.

    Raises:
        Unreadable: none does, or no form is asked for.
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
    known, asked = json.loads(forms), json.loads(schema)
    return next((name for name, example in known.items() if conforms(example, asked)), None)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**6


NOT_UNDERSTOOD = "I do not understand the question."


def words(messages: Sequence[BaseMessage]) -> tuple[str, str]:
    """Return the system's words and the user's: with the answer's schema, all that a model sees.

    What is not text, or was said by the model itself, is left out.
    """
    said: dict[str, list[str]] = {"system": [], "human": []}
    for message in messages:
        if message.type in said and isinstance(message.content, str):
            said[message.type].append(message.content)
    return "\n".join(said["system"]), "\n".join(said["human"])


def in_json(parsed: dict[str, Any], *, model: str, usage: Usage) -> Reply:
    """Return an answer as the object that was asked for."""
    text = json.dumps(parsed, ensure_ascii=False)
    return Reply(text=text, parsed=parsed, model=model, usage=usage)


def not_understood(question: tuple[str, str], why: str, *, model: str, price: Price) -> Reply:
    """Return the plain text of a model that cannot read the question, and says why.

    `question` is what `words` returned; as it is in no table, its tokens are estimated.
    """
    text = f"{NOT_UNDERSTOOD} {why}"
    asked = estimate_tokens("\n".join(question))
    return Reply(
        text=text, parsed=None, model=model, usage=price.usage(asked, estimate_tokens(text))
    )
