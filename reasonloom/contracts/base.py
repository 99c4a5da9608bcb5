"""What every request and answer shares: strict values, wire names, no silent extras."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PrivateAttr,
    StringConstraints,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, PydanticCustomError

from reasonloom.contracts.brief import WHOLE, Brief

CONTENT_LIMIT = 100_000
"""Characters one content may have."""

NAME_LIMIT = 256
"""Characters an id, name, tag or keyword may have."""

LIST_LIMIT = 100
"""Items a list of texts may have."""

OTHER_KEYS_LIMIT = 16_384
"""Bytes of JSON that an open object's unnamed keys may come to."""


def without_nulls(value: Any) -> Any:
    """Return `value` with the keys left out whose value is null: null equals absent."""
    if isinstance(value, Mapping):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return value


class Request(BaseModel):
    """A tool's arguments. The class docstring is the description that an agent reads."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        allow_inf_nan=False,
        validate_default=False,
        defer_build=True,  # a server over stdio serves few of the contracts, and starts fast
    )

    example_values: ClassVar[Mapping[str, Any]] = {}
    """Values of fields whose schema does not show what fits, by wire name."""

    @model_validator(mode="before")
    @classmethod
    def read_null_as_absent(cls, value: Any) -> Any:
        """Drop explicit nulls, at any depth."""
        return without_nulls(value)

    def space(self) -> str | None:
        """Return the space the request names, None for the owner's default space."""
        return None


class CamelRequest(Request):
    """A request whose wire names are camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


class OpenObject(Request):
    """An object within a request that keeps keys of the caller's own."""

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="after")
    def limit_other_keys(self) -> Self:
        """Refuse more of the caller's own keys than are kept."""
        require_few_other_keys(self.other_keys())
        return self

    def other_keys(self) -> dict[str, Any]:
        """Return the keys that the schema does not name."""
        return dict(self.__pydantic_extra__ or {})


def require_few_other_keys(keys: Mapping[str, Any]) -> None:
    """Check that the caller's own keys are within `OTHER_KEYS_LIMIT`.

    Raises:
        PydanticCustomError: they are not.
    """
    size = len(json.dumps(keys, ensure_ascii=False).encode()) if keys else 0
    if size > OTHER_KEYS_LIMIT:
        raise PydanticCustomError(
            "other_keys",
            "may hold at most {limit} bytes of JSON under keys of your own, and these come to "
            '{size}; keep them short, such as {"ticket": "AB-12"}',
            {"limit": OTHER_KEYS_LIMIT, "size": size},
        )


@dataclass(frozen=True, slots=True)
class CallInfo:
    """The call that an answer comes from.

    Attributes:
        run_id: the recorded run.
        notes: what was estimated, cut short, self-judged or made without a language model.
    """

    run_id: str
    notes: tuple[str, ...] = ()


class Answer(BaseModel):
    """A tool's answer when it succeeds; its JSON Schema is published."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False, defer_build=True)

    brief: ClassVar[Brief] = WHOLE
    """What a short answer keeps of it."""

    _call: CallInfo | None = PrivateAttr(None)

    @property
    def call(self) -> CallInfo | None:
        """The call it comes from; None for an answer within another."""
        return self._call

    def of_call(self, run_id: object, notes: Iterable[str]) -> Self:
        """Return this answer with its call set."""
        self._call = CallInfo(str(run_id), tuple(notes))
        return self

    def wire(self) -> dict[str, Any]:
        """Return the answer as JSON-ready values under their wire names."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


Kind = Literal["open_question"]
"""Marks what no language model has thought through: its text asks, and quotes what is known."""


class CamelAnswer(Answer):
    """An answer whose wire names are camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)


class _PublishedAsNumber:
    """Publishes a whole number as `number`, as a reference does, and still refuses 2.5."""

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {**handler(core_schema), "type": "number"}


def _whole(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _filled(value: str) -> str:
    if not value.strip():
        raise PydanticCustomError("empty", "must not be empty")
    return value


def _moment(value: str) -> str:
    try:
        parse_moment(value)
    except ValueError:
        raise PydanticCustomError(
            "moment", "must be a date and time of ISO 8601, such as 2025-12-07T10:30:00Z"
        ) from None
    return value


def parse_moment(value: str) -> datetime:
    """Return the moment that an ISO 8601 text names; without a zone it is UTC.

    Raises:
        ValueError: the text is no date.
    """
    moment = datetime.fromisoformat(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Filled = AfterValidator(_filled)
Content = Annotated[str, StringConstraints(max_length=CONTENT_LIMIT), Filled]
Name = Annotated[str, StringConstraints(max_length=NAME_LIMIT), Filled]
Names = Annotated[list[Name], Field(max_length=LIST_LIMIT)]
Moment = Annotated[
    str,
    AfterValidator(_moment),
    Field(max_length=NAME_LIMIT, json_schema_extra={"format": "date-time"}),
]
Unit = Annotated[float, Field(ge=0, le=1)]
WholeNumber = Annotated[int, BeforeValidator(_whole), _PublishedAsNumber()]
Whole = Annotated[int, BeforeValidator(_whole)]
