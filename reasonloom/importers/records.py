"""What the readers of other programs yield: records, and what they skip with the reason."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from reasonloom.contracts.base import parse_moment
from reasonloom.errors import InvalidArgument

T = TypeVar("T")
LARGEST_FILE = 256 * 2**20
"""Maximum bytes of a file that is read at once."""

KINDS = frozenset({"caused_by", "derived_from", "supports", "contradicts", "part_of"})
"""Names of relations that are also types of links; all others become `related_to`.

`supersedes` is not among them: it would take a memory out of recall on another program's word.
"""


@dataclass(frozen=True, slots=True)
class Link:
    """A link to the record with the key `target`."""

    target: str
    kind: str = "related_to"
    weight: float = 1.0
    origin: str = "import"
    created_at: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A memory of another program.

    Attributes:
        key: identifies the memory in its source, whenever it is read.
        where: its place in the source, such as `line 3`.
        fields: fields of `PortableMemory`, without those made from the attributes below.
        details: what the source knows in addition; kept in the metadata.
        links: links that start here.
        user: whose memory it is in the source.
        origin: the uuid of a memory that was exported from here; identifies it instead of `key`.
        superseded_by: the key of the record that replaced it.
    """

    key: str
    where: str
    fields: Mapping[str, Any]
    details: Mapping[str, Any] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    user: str | None = None
    origin: str | None = None
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something in the source that is not imported, and why."""

    where: str
    reason: str


Entries = Iterator[Record | Skipped]


class BadRecordError(ValueError):
    """One record cannot be imported; the text names the field and the fault."""


def read_each(
    items: Iterable[tuple[str, T]], read: Callable[[str, T], Iterable[Record]]
) -> Entries:
    """Yield the records of each item, given with its place; a bad item is skipped as a whole."""
    for where, item in items:
        try:
            yield from list(read(where, item))
        except BadRecordError as error:
            yield Skipped(where, str(error))


def text_in(item: Mapping[str, Any], name: str, example: str = "Anna likes tea.") -> str:
    """Return a required text; `example` is for the error.

    Raises:
        BadRecordError: it is missing, not text, or blank.
    """
    value = item.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadRecordError(f'{name}: must be text that is not empty, such as "{example}"')
    return value


def moment_in(item: Mapping[str, Any], name: str) -> str | None:
    """Return a moment in ISO 8601; None if it is missing. Without a zone it is UTC.

    Raises:
        BadRecordError: it is neither a moment nor a text of ISO 8601.
    """
    value = item.get(name)
    if value is None or isinstance(value, date):
        return value.isoformat() if value else None
    try:
        return parse_moment(value).isoformat()
    except (TypeError, ValueError):
        raise BadRecordError(
            f"{name}: must be a date and time of ISO 8601, such as 2025-12-07T10:30:00Z"
        ) from None


def is_past(moment: str | None, now: datetime) -> bool:
    """Return whether an ISO 8601 moment is over."""
    return moment is not None and parse_moment(moment) <= now


def plain(value: Any) -> Any:
    """Return a value of YAML or a database as JSON has it: dates as text, keys as text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [plain(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    finite = isinstance(value, float) and isfinite(value)
    return value if value is None or isinstance(value, str | int) or finite else str(value)


def texts_in(item: Mapping[str, Any], name: str) -> list[str]:
    """Return a list of texts, or a text with commas as a list; [] if it is missing.

    Raises:
        BadRecordError: it is neither.
    """
    value = item.get(name)
    if isinstance(value, str):
        value = value.split(",")
    if value is None or (isinstance(value, list) and all(isinstance(v, str | int) for v in value)):
        return [text for each in value or () if (text := str(each).strip().lstrip("#"))]
    raise BadRecordError(f"{name}: must be a list of texts, such as [tea, Anna]")


def kind_of(relation: str) -> str:
    """Return the type of link for another program's name of a relation."""
    name = relation.strip().lower().replace("-", "_").replace(" ", "_")
    return name if name in KINDS else "related_to"


def relation_record(
    source: str, target: str, where: str, subject: str, relation: Mapping[str, Any], other: str
) -> Record:
    """Return the sentence of a relation, linked to the keys `source` and `target`."""
    name = text_in(relation, "relationType", "works_at")
    context = relation.get("context")
    words = name.replace("_", " ")
    return Record(
        key=f"relation {source}\n{name}\n{target}",
        where=where,
        fields={
            "content": f"{subject} {words} {other}" + (f" ({context})" if context else ""),
            "context": context,
        },
        details={"from": subject, "relation": name, "to": other},
        links=(Link(source), Link(target)),
    )


def load_json(text: str) -> Any:
    """Parse JSON.

    Raises:
        ValueError: it is no JSON, has NaN or infinity, or is nested too deeply.
    """

    def refuse(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_lines(text: str) -> list[tuple[str, Any]]:
    """Return the value of each line that is not empty, with its place; None if it is no JSON."""
    found: list[tuple[str, Any]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            with suppress(ValueError):
                found.append((f"line {number}", load_json(line)))
                continue
            found.append((f"line {number}", None))
    return found


def read_text(path: Path) -> str:
    """Return a file's text.

    Raises:
        InvalidArgument: it cannot be read, is too large or is not UTF-8.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InvalidArgument(f"{path.name}: larger than {LARGEST_FILE // 2**20} MB")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InvalidArgument(f"{path.name}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidArgument(f"{path.name}: must be text in UTF-8") from None
