"""What grounding carries: the memories beside the claim, and what the lenses said."""

from __future__ import annotations

from operator import add
from typing import Annotated, Any, TypedDict

from reasonloom.nodes.state import ToolState


class Vote(TypedDict):
    """What one lens said; None where no answer came."""

    lens: str
    said: dict[str, Any] | None


class Look(TypedDict):
    """One task: a lens on the claim and the memories, told nothing of what was computed."""

    claim: str
    memories: list[str]
    lens: str


class GroundState(ToolState, total=False):
    """`alike` maps nodes to how alike they are, `old` those corrected to what holds now.

    `shown` are the nodes that the language model sees, in the order of their numbers there.
    """

    alike: dict[str, float]
    current: list[int]
    old: dict[str, int]
    shown: list[int]
    texts: dict[str, str]
    votes: Annotated[list[Vote], add]
