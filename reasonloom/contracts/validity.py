"""The time at which what is found must hold: now, at a moment, or between two dates."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import Request, parse_moment


def _a_date(written: str) -> str:
    try:
        parse_moment(written)
    except ValueError:
        raise PydanticCustomError(
            "moment", "must be a date of ISO 8601, such as 2025-12-07 or 2025-12-07T10:30:00Z"
        ) from None
    return written


def _in_order(dates: list[str]) -> list[str]:
    moments = [parse_moment(each) for each in dates]
    if len(moments) != PAIR or moments != sorted(moments):
        raise PydanticCustomError(
            "between",
            'must be two dates, the earlier first, such as ["2025-03-01", "2025-05-31"]',
        )
    return dates


PAIR = 2

AsOf = Annotated[str, AfterValidator(_a_date)]
Between = Annotated[
    Annotated[list[AsOf], Field(max_length=PAIR), AfterValidator(_in_order)] | None,
    Field(description="Two dates"),
]


class HeldRequest(Request):
    """What was current at a time, rather than now."""

    as_of: AsOf | None = None
    between: Between = None

    @model_validator(mode="after")
    def name_one_time(self) -> HeldRequest:
        """Refuse a moment together with two dates."""
        if self.as_of and self.between:
            raise PydanticCustomError("times", "must hold either a moment or between, not both")
        return self
