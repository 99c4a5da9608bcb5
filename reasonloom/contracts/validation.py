"""Parses raw arguments into a request, or refuses them with the field and the valid form."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from reasonloom.contracts.base import Request
from reasonloom.errors import InvalidArgument, MissingArgument

R = TypeVar("R", bound=Request)
Repair = Callable[[type[BaseModel], Mapping[str, Any], list[ErrorDetails]], dict[str, Any]]
"""Returns arguments with errors repaired, or as they were."""

MAX_LISTED = 5
MAX_DEPTH = 200
"""Levels of nesting in arguments."""

MAX_NAME_LENGTH = 100
MAX_KEY_LENGTH = 200
PLAIN_FORMS = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "list_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "dict_type": "must be an object",
}
"""Messages for pydantic's error types whose own messages speak of Python."""
NO_TEXT = re.compile(
    "[\0\ud800-\udfff\ufdd0-\ufdef"
    + "".join(
        f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
    )
    + "]"
)
"""NUL, lone surrogates, and the noncharacters: 32 in one block and the last two of each plane."""


NEVER_FAULTY = (int, bool, type(None))
"""Types of values that JSON and Postgres can always represent."""


def parse_request(
    model: type[R], arguments: Mapping[str, Any], *, repair: Repair | None = None
) -> R:
    """Return `arguments` as a `model`; with `repair` what it repairs is accepted too.

    Raises:
        MissingArgument: a required argument is not there.
        InvalidArgument: a value is not text, not finite, of another type, out of range,
            or under a name that the tool does not have.
    """
    for field, fault in text_faults(arguments, ()):
        raise InvalidArgument(f"{field}: {fault}", field=field, kind="text")
    try:
        return model.model_validate(dict(arguments))
    except ValidationError as error:
        if repair and (fixed := repair(model, arguments, _details(error))) != arguments:
            return parse_request(model, fixed, repair=repair)
        raise _error_for(model, error, arguments) from None


def _details(error: ValidationError) -> list[ErrorDetails]:
    return error.errors(include_url=False)


def require_idempotency_key(key: object, field: str) -> str | None:
    """Return an idempotency key, None if none was given.

    Raises:
        InvalidArgument: it is not a printable string of 1 to 200 characters.
    """
    if key is None:
        return None
    if not isinstance(key, str) or not 0 < len(key) <= MAX_KEY_LENGTH or not key.isprintable():
        raise InvalidArgument(
            f"{field}: must be a printable string of 1 to {MAX_KEY_LENGTH} characters", field=field
        )
    return key


def text_faults(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the field and the fault of every value that JSON or Postgres cannot represent."""
    if len(path) > MAX_DEPTH:
        yield path[0], f"is nested more than {MAX_DEPTH} levels deep"
    elif isinstance(value, str):
        if fault := _string_fault(value):
            yield _dotted(path) or "arguments", fault
    elif isinstance(value, float) and not math.isfinite(value):
        yield _dotted(path) or "arguments", "must be a finite number; NaN and Infinity are not"
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if fault := _string_fault(str(key)):
                yield _dotted(path) or "arguments", f"a name in it {fault}"
            yield from text_faults(item, (*path, str(key)))
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            if type(item) not in NEVER_FAULTY:  # lists may have thousands of numbers
                yield from text_faults(item, (*path, str(place)))


def _string_fault(value: str) -> str | None:
    if value.isascii():
        return "holds a NUL character; remove it" if "\0" in value else None
    if NO_TEXT.search(value):
        return "holds NUL, a lone surrogate or a noncharacter; send Unicode text"
    return None


def _error_for(
    model: type[BaseModel], error: ValidationError, arguments: Mapping[str, Any]
) -> InvalidArgument:
    found = [_explain(model, detail, arguments) for detail in _details(error)]
    first = found[0]
    missing = [str(mistake.field) for mistake in found if mistake.kind == "missing"]
    if missing == [mistake.field for mistake in found]:
        return MissingArgument(
            f"Missing required parameter: {', '.join(missing)}", field=first.field, kind="missing"
        )
    listed = "; ".join(mistake.message for mistake in found[:MAX_LISTED])
    more = f"; and {len(found) - MAX_LISTED} more" if len(found) > MAX_LISTED else ""
    return type(first)(listed + more, field=first.field, kind=first.kind)


def _explain(
    model: type[BaseModel], detail: ErrorDetails, arguments: Mapping[str, Any]
) -> InvalidArgument:
    """Turn one error of pydantic into a sentence with the field and the valid form."""
    path = _as_written(detail["loc"], arguments)
    if detail["type"].startswith("union_tag"):
        path = (*path, str(detail["ctx"]["discriminator"]).strip("'"))
    field = _dotted(path) or "arguments"
    match detail["type"]:
        case "missing" | "union_tag_not_found":
            return MissingArgument(
                f"Missing required parameter: {field}", field=field, kind="missing"
            )
        case "extra_forbidden":
            return InvalidArgument(
                f"{field}: unknown field{_nearest(model, detail['loc'], arguments)}",
                field=field,
                kind="unknown",
            )
        case "empty":
            return InvalidArgument(f"{_title(path)} cannot be empty", field=field, kind="empty")
        case "literal_error" | "union_tag_invalid":
            given = detail.get("ctx", {})
            expected = str(given.get("expected") or given.get("expected_tags", ""))
            expected = expected.replace(" or ", ", ")
            return InvalidArgument(
                f"{field}: must be one of {expected}", field=field, kind="choice"
            )
        case _:
            return InvalidArgument(f"{field}: {_sentence(detail)}", field=field, kind="value")


def _as_written(loc: tuple[int | str, ...], arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the path to a value as the caller wrote it: pydantic adds the tags of unions."""
    path: list[str] = []
    value: Any = arguments
    for part in loc:
        if isinstance(value, Mapping) and part not in value and part in list(value.values()):
            continue
        path.append(str(part))
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
    return tuple(path)


def _sentence(detail: ErrorDetails) -> str:
    if plain := PLAIN_FORMS.get(detail["type"]):
        return plain
    text = detail["msg"].removeprefix("Input ").removeprefix("String ").removeprefix("List ")
    return text.replace("should ", "must ", 1).replace(" after validation", "", 1)


def _nearest(
    model: type[BaseModel], loc: tuple[int | str, ...], arguments: Mapping[str, Any]
) -> str:
    """Return a hint on the names that may be at `loc`: the nearest that is not given, or all."""
    names = valid_names(model, tuple(map(str, loc[:-1])))
    given: Any = arguments
    for part in _as_written(loc[:-1], arguments):
        given = given[int(part)] if isinstance(given, list) else given.get(part, {})
    free = [name for name in names if name not in given]
    near = get_close_matches(str(loc[-1]), free, n=1, cutoff=0.6)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; the fields are {', '.join(names)}" if names else "; it takes no fields"


def valid_names(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """Return the wire names that the object at `path` of `model` may have."""
    choices: list[type[BaseModel]] = [model]
    for part in path:
        model = choices[0]
        field = next((f for key, f in model.model_fields.items() if part in (key, f.alias)), None)
        chosen = [each for each in choices if part in _types_of(each)]
        choices = chosen or (_models_in(field.annotation) if field else [])
        if not choices:
            return []
    model = choices[0]
    return [field.alias or key for key, field in model.model_fields.items()]


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    candidates = (annotation, *getattr(annotation, "__args__", ()))
    return [each for each in candidates if isinstance(each, type) and issubclass(each, BaseModel)]


def _types_of(model: type[BaseModel]) -> tuple[Any, ...]:
    """Return the values of `type` that select a model of a union."""
    field = model.model_fields.get("type")
    return get_args(field.annotation) if field else ()


def _dotted(path: tuple[str, ...]) -> str:
    """Return the dotted path; long names of the caller are cut."""
    return ".".join(
        part if len(part) <= MAX_NAME_LENGTH else f"{part[:MAX_NAME_LENGTH]}…" for part in path
    )


def _title(path: tuple[str, ...]) -> str:
    name = _dotted(path) if path[-1].isdigit() else path[-1]
    return name[:1].upper() + name[1:]
