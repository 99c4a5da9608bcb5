"""Repairs what has one reading only: names in another case, synonyms, values written as text.

Pydantic says what does not fit; only that is repaired, so that a correct call passes as it is.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic_core import ErrorDetails

TEXT_FIELDS = (
    "content", "problem", "reasoning", "text", "question", "query_text", "claim", "query",
)  # fmt: skip
"""Names of the field that holds the text which a tool is about."""

TEXT_NAMES = frozenset(
    (
        *TEXT_FIELDS, "q", "prompt", "input", "message", "memory", "fact", "statement", "thought",
        "topic", "claims",
    )
)  # fmt: skip
"""Names under which that text is accepted."""

SYNONYMS: tuple[frozenset[str], ...] = (
    frozenset({"limit", "topk", "k", "n", "maxresults", "numresults"}),
    frozenset({"primarysector", "sector", "type", "memorytype"}),
    frozenset({"maxbranches", "numbranches", "numperspectives"}),
    frozenset({"preferredframework", "framework"}),
    frozenset({"timeout", "timeoutms"}),
    frozenset({"reply", "answer", "response"}),
)
"""Names of one meaning, as letters alone."""

OPTIONS = "options"
"""A field for arguments that the contract does not name."""

WHOLE = re.compile(r"\s*([-+]?\d{1,18})(?:\.0+)?\s*")
NUMBER = re.compile(r"\s*[-+]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})\s*")
WORDS = re.compile(r"\s*[^\s,]+(?:\s*,\s*[^\s,]+)*\s*")
CHOICE = re.compile(r"'([^']*)'")
LEAST_PREFIX = 4
"""Letters that must be given of a choice that begins with them."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An error of pydantic, and the model of the objects that are expected there, if any."""

    detail: ErrorDetails
    items: type[BaseModel] | None


def text_field(model: type[BaseModel]) -> str | None:
    """Return the field that holds the text which a request is about, None if it has none."""
    return next((name for name in TEXT_FIELDS if name in model.model_fields), None)


def repaired(
    model: type[BaseModel], arguments: Mapping[str, Any], errors: Iterable[ErrorDetails]
) -> dict[str, Any]:
    """Return the arguments with those errors repaired that have one reading only."""
    fixed: dict[str, Any] = _copied(arguments)
    for each in errors:
        *parents, last = each["loc"] or ("",)
        holder: Any = fixed
        holder_model = model
        for part in parents:
            holder = item_at(holder, part)
            holder_model = _model_at(holder_model, part)
        if each["type"] == "extra_forbidden" and isinstance(holder, dict):
            _rename(holder_model, holder, str(last))
        elif (read := READERS.get(each["type"])) and item_at(holder, last) is not None:
            items = _inner_models(holder_model).get(last) if isinstance(last, str) else None
            holder[last] = read(holder[last], Mismatch(each, items))
    return fixed


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value


def item_at(holder: Any, part: int | str) -> Any:
    """Return an item of an object or a list; None where the path has a union's tag."""
    if isinstance(holder, dict):
        return holder.get(part)
    known = isinstance(holder, list) and isinstance(part, int) and part < len(holder)
    return holder[part] if known else None


def _model_at(model: type[BaseModel], part: int | str) -> type[BaseModel]:
    """Return the model of a field's value or items; the model itself for an index."""
    inner = None if isinstance(part, int) else _inner_models(model).get(part)
    return inner or model


def wire_names(model: type[BaseModel]) -> dict[str, str]:
    """Return the names of a model's fields, by their wire names."""
    return {each.alias or name: name for name, each in model.model_fields.items()}


def _inner_models(model: type[BaseModel]) -> dict[str, type[BaseModel]]:
    """Return the models of fields that hold an object or a list of objects, by wire name."""
    found = {
        wire: _model_in(model.model_fields[name].annotation)
        for wire, name in wire_names(model).items()
    }
    return {wire: inner for wire, inner in found.items() if inner}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, BaseModel) else None
    inner = (_model_in(each) for each in getattr(annotation, "__args__", ()))
    return next(filter(None, inner), None)


def _rename(model: type[BaseModel], holder: dict[str, Any], key: str) -> None:
    """Move the value of an unknown key to where it belongs, if that is one free place."""
    free = [name for name in wire_names(model) if name not in holder]
    places = _same_letters(key, free) or _synonyms(key, free) or _main(model, key, free)
    if len(places) == 1:
        holder[places[0]] = holder.pop(key)
        return
    inner = [name for name, each in _inner_models(model).items() if key in wire_names(each)]
    target = OPTIONS if OPTIONS in wire_names(model) else inner[0] if len(inner) == 1 else ""
    if target and isinstance(part := holder.setdefault(target, {}), dict):
        part.setdefault(key, holder.pop(key))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _same_letters(key: str, names: Iterable[str]) -> list[str]:
    return [each for each in names if _letters(each).rstrip("s") == _letters(key).rstrip("s")]


def _synonyms(key: str, names: Iterable[str]) -> list[str]:
    group = next((each for each in SYNONYMS if _letters(key) in each), frozenset())
    return [each for each in names if _letters(each) in group]


def _main(model: type[BaseModel], key: str, free: Iterable[str]) -> list[str]:
    """Return the field of the main text, or of the only required id, if a key means that."""
    if key in TEXT_NAMES:
        return [each for each in free if wire_names(model)[each] == text_field(model)]
    required = {name for name, each in model.model_fields.items() if each.is_required()}
    ids = [
        each for each in free if wire_names(model)[each] in required and each[-2:].lower() == "id"
    ]
    return ids if key == "id" else []


def _whole(value: Any, _: Mismatch) -> Any:
    found = WHOLE.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else value


def _number(value: Any, _: Mismatch) -> Any:
    return float(value) if isinstance(value, str) and NUMBER.fullmatch(value) else value


def _boolean(value: Any, _: Mismatch) -> Any:
    words = {"true": True, "false": False}
    return words.get(value.strip().casefold(), value) if isinstance(value, str) else value


def _text(value: Any, mismatch: Mismatch) -> Any:
    """Return a list of one text as text, and an object where it is background."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    if isinstance(value, dict) and value and mismatch.detail["loc"][-1] == "context":
        return json.dumps(value, ensure_ascii=False)
    return value


def _json(value: str, kind: type) -> Any:
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, kind) else None


def _list(value: Any, mismatch: Mismatch) -> Any:
    """Return JSON as a list, words between commas as its items, another text as its only item.

    Where objects are expected, an object without their names is one of first to second value.
    """
    if isinstance(value, str) and (found := _json(value, list)) is not None:
        return found
    if isinstance(value, str) and WORDS.fullmatch(value):
        return [each.strip() for each in value.split(",")]
    names = list(wire_names(mismatch.items)) if mismatch.items else []
    if names and value and isinstance(value, dict) and value.keys().isdisjoint(names):
        return [dict(zip(names, pair, strict=False)) for pair in value.items()]
    single = bool(value) and isinstance(value, dict if mismatch.items else str)
    return [value] if single else value


def _object(value: Any, _: Mismatch) -> Any:
    found = _json(value, dict) if isinstance(value, str) else None
    return value if found is None else found


def _choice(value: Any, mismatch: Mismatch) -> Any:
    """Return the choice of the same letters, or the only one that begins with them."""
    if not isinstance(value, str):
        return value
    given = _letters(value)
    choices = CHOICE.findall(str(mismatch.detail.get("ctx", {}).get("expected", "")))
    same = [each for each in choices if _letters(each) == given]
    begun = [each for each in choices if _letters(each).startswith(given)]
    near = same or (begun if len(given) >= LEAST_PREFIX else [])
    return near[0] if len(near) == 1 else value


READERS: Mapping[str, Callable[[Any, Mismatch], Any]] = {
    "int_type": _whole,
    "float_type": _number,
    "bool_type": _boolean,
    "string_type": _text,
    "list_type": _list,
    "dict_type": _object,
    "model_type": _object,
    "model_attributes_type": _object,
    "literal_error": _choice,
}
"""How a value that does not fit is read, by pydantic's type of the error."""
