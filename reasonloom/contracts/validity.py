"""The time at which what is found must hold: now, at a moment, or between two dates."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import Moment, Request, parse_moment


def _in_order(dates: list[str]) -> list[str]:
    first, last = map(parse_moment, dates)
    if first > last:
        raise PydanticCustomError(
            "reversed",
            'must have the earlier date first, such as ["2025-03-01", "2025-05-31"]',
        )
    return dates


AsOf = Annotated[Moment | None, Field(description="What was current then")]
Between = Annotated[
    Annotated[list[Moment], Field(min_length=2, max_length=2), AfterValidator(_in_order)] | None,
    Field(description="What was current at some time between two dates"),
]


class HeldRequest(Request):
    """What was current at a time, rather than now."""

    as_of: AsOf = None
    between: Between = None

    @model_validator(mode="after")
    def name_one_time(self) -> HeldRequest:
        """Refuse a moment together with two dates."""
        if self.as_of and self.between:
            raise PydanticCustomError("times", "must hold either a moment or between, not both")
        return self
