"""Labelled sets in JSON Lines: the base of their records, loading, and shared checks."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, ClassVar, Generic, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reasonloom.errors import InvalidArgument

Half = Literal["dev", "held"]
HALVES = (*get_args(Half), "all")
Words = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]


class Labelled(BaseModel):
    """Base of every record: its id and its half; nothing may be tuned on `held`.

    `label_field` names the field with the right answer, `body_field` the one with the text.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)
    label_field: ClassVar[str] = "kind"
    body_field: ClassVar[str] = "text"

    id: Words
    half: Half

    @property
    def label(self) -> str:
        """The right answer."""
        return str(getattr(self, self.label_field))

    @property
    def body(self) -> str:
        """The text to be judged."""
        return str(getattr(self, self.body_field))


T = TypeVar("T", bound=Labelled)


@dataclass(frozen=True)
class LabelledSet(Generic[T]):
    """Records in file order, and the SHA-256 of the file in hex."""

    items: tuple[T, ...]
    sha256: str


def halves_of(half: str) -> tuple[str, ...]:
    """Return the half of this name, or both for `all`."""
    return get_args(Half) if half == "all" else (half,)


def of_half(half: str, items: Sequence[T]) -> tuple[T, ...]:
    """Return the records of a half, or of `all`."""
    if half not in HALVES:
        raise InvalidArgument(f"half: must be one of {', '.join(HALVES)}", field="half")
    return tuple(item for item in items if half in (item.half, "all"))


def load_records(path: Path, form: type[T]) -> tuple[list[T], str]:
    """Load a file's records and its SHA-256 in hex; refuses a missing or malformed file."""
    try:
        raw = path.read_bytes()
    except OSError:
        raise InvalidArgument(f"{path.name}: there is no such file", field="data") from None
    lines = enumerate(raw.splitlines(), 1)
    return [_record(path.name, n, line, form) for n, line in lines], sha256(raw).hexdigest()


def _record(name: str, number: int, line: bytes, form: type[T]) -> T:
    try:
        return form.model_validate_json(line)
    except ValidationError as mistake:
        first = mistake.errors(include_url=False, include_input=False)[0]
        where = ", ".join([f"line {number}", *map(str, first["loc"])])
        why = first["msg"].removeprefix("Value error, ")
    raise InvalidArgument(f"{name}, {where}: {why}", field="data")


def require_unique(values: Iterable[str], where: str = "") -> None:
    """Refuse a set in which a value occurs twice; the error message starts with `where`."""
    for value, times in Counter(values).items():
        if times > 1:
            raise InvalidArgument(f"{where}{value!r} is there twice", field="data")


def require_balanced(name: str, found: Iterable[tuple[str, Half]], labels: Iterable[str]) -> None:
    """Refuse a set in which a label is absent or not equally frequent in both halves."""
    counted = Counter(found)
    for label in labels:
        dev, held = (counted[label, half] for half in get_args(Half))
        if dev != held or not dev:
            why = f"{label} has {dev} in dev and {held} in held; the halves must be equal"
            raise InvalidArgument(f"{name}: {why}", field="data")
