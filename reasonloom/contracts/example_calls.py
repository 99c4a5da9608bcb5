"""Reads a model's arguments leniently, and adds to an error a call that works."""

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import reduce
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from reasonloom.contracts.base import Request
from reasonloom.contracts.leniency import TEXT_NAMES, item_at, repaired, text_field, wire_names
from reasonloom.contracts.schema import publish
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import CallerMistake, InvalidArgument, ReasonloomError

R = TypeVar("R", bound=Request)
MOST_TRIES = 20
SAMPLES: Mapping[str, Any] = {
    "content": "Anna is allergic to peanuts.",
    "new_content": "Anna is allergic to almonds.",
    "claim": "Anna is allergic to peanuts.",
    "problem": "Should we release on Friday or on Monday?",
    "text": "Should we release on Friday or on Monday?",
    "context": "We plan the next release.",
    "reasoning": "All tests pass, so the release is safe.",
    "trigger_description": "A release failed although all tests passed.",
    "message": "All tests pass.",
    "query": "allergies",
    "query_text": "allergies",
    "item": "allergies",
    "name": "before the release",
    "path": "notes.jsonl",
    "workspace_id": "ws_1",
    "userId": "local",
    "sessionId": "planning",
}
"""Values of required texts by name, for examples; ids that a server makes up have none."""

LONGEST_TEXT = 200
LONGEST_EXAMPLE = 1_000
"""Characters of an example, as JSON."""


class NoSample(Exception):
    """An example needs a value that cannot be made up."""


def parse_leniently(model: type[R], arguments: Mapping[str, Any]) -> R:
    """Return `arguments` as a `model`, with what has one reading only repaired.

    Raises:
        InvalidArgument: as `parse_request`, with arguments that fit as its example.
    """
    try:
        return parse_request(model, arguments, repair=repaired)
    except InvalidArgument as error:
        error.example = None if error.kind == "text" else example_call(model, arguments)
        raise


def example_line(error: ReasonloomError, tool: str) -> str:
    """Return a call of a tool that fits, for the model that made the error; empty without one."""
    if not isinstance(error, CallerMistake) or error.example is None:
        return ""
    return f"\nExample: {tool} {json.dumps(error.example, ensure_ascii=False)}"


def example_call(model: type[Request], arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the arguments without what does not fit, and with what is missing.

    Texts are cut to 200 characters. None if the call is too long, or if an id is missing that only
    the server can give.
    """
    given = dict(arguments)
    for _ in range(MOST_TRIES):
        try:
            model.model_validate(given)
        except ValidationError as error:
            details = error.errors(include_url=False)
            fixed = repaired(model, given, details)
            try:
                given = fixed if fixed != given else _made_valid(model, fixed, details)
            except NoSample:
                return None
            continue
        short = _shortened(given)
        return short if len(json.dumps(short, ensure_ascii=False)) <= LONGEST_EXAMPLE else None
    return None


def _made_valid(
    model: type[Request], given: dict[str, Any], errors: Iterable[ErrorDetails]
) -> dict[str, Any]:
    """Return arguments without the faulty ones; required ones get a sample, as does what lacks."""
    samples = publish(model)
    text = next((wire for wire, name in wire_names(model).items() if name == text_field(model)), "")
    for each in errors:
        *parents, last = each["loc"] or (text,)
        holder = reduce(item_at, parents, given)
        name = str(each["loc"][0]) if each["loc"] else text
        unknown = each["type"] == "extra_forbidden" and not parents and name in given
        free = [wire for wire in wire_names(model) if wire not in given]
        near = get_close_matches(name, free, n=1) if unknown else []
        if unknown and not near and text in free and get_close_matches(name, TEXT_NAMES):
            near = [text]
        if near:
            given[near[0]] = given.pop(name)
        elif parents and isinstance(holder, dict) and last in holder:
            del holder[last]
        elif name in samples.get("required", ()) or not each["loc"]:
            given[name] = model.example_values.get(name) or _sample(
                name, samples["properties"].get(name, {})
            )
        else:
            given.pop(name, None)
    return given


def _sample(name: str, schema: Mapping[str, Any]) -> Any:
    """Return a value of a schema.

    Raises:
        NoSample: it is a text of which there is no sample.
    """
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _sample(name, schema["anyOf"][0])
    inner, least = schema.get("properties", {}), schema.get("minimum", 1)
    samples: dict[str | None, Any] = {
        "integer": least,
        "number": least,
        "boolean": True,
        "array": [_sample(name.removesuffix("s"), schema["items"])] if "items" in schema else [],
        "object": {each: _sample(each, inner[each]) for each in schema.get("required", ())},
    }
    if schema.get("type") in samples:
        return samples[schema["type"]]
    if name not in SAMPLES:
        raise NoSample(name)
    return SAMPLES[name]


def _shortened(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    long = isinstance(value, str) and len(value) > LONGEST_TEXT
    return f"{value[:LONGEST_TEXT]}…" if long else value
