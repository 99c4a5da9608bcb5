"""What a check carries: what it is given, what was computed, and what the lenses said."""

from __future__ import annotations

from collections.abc import Mapping
from operator import add
from typing import Annotated, Any, Literal, TypedDict

from reasonloom.nodes.state import ToolState

PartName = Literal["quality", "confidence", "bias", "emotion"]


Done = Mapping[PartName, dict[str, Any]]
"""What was computed of other parts already."""


class Given(TypedDict):
    """What is to be checked, and how: the parts asked for, in order."""

    text: str
    evidence: list[str]
    context: str
    parts: list[PartName]


class Vote(TypedDict):
    """What one lens of the language model said of one part; None where no answer came."""

    part: PartName
    lens: str
    said: dict[str, Any] | None


class Look(TypedDict):
    """One task: a lens that looks at one part, told nothing of what was computed."""

    given: Given
    part: PartName
    lens: str


class CheckState(ToolState, total=False):
    """`measured` holds for each part what was computed, `milliseconds` how long that took."""

    given: Given
    language: dict[str, Any]
    milliseconds: list[float]
    measured: dict[str, dict[str, Any]]
    votes: Annotated[list[Vote], add]
