"""What grounding carries: the memories beside the claim, and what the lenses said."""

from collections.abc import Mapping
from operator import add
from types import MappingProxyType
from typing import Annotated, Any, TypedDict

from reasonloom.nodes.state import ToolState

JUDGES: Mapping[str, str] = MappingProxyType(
    {
        "clerk": "You go through the claim part by part, and for each part look for the memory "
        "that says it.",
        "opponent": "You look for the memory that makes the claim false: another figure, another "
        "name, a denial, an exception, a condition that the claim leaves out.",
        "reader": "You read the memories as their writer meant them, and ask what a careful "
        "person would conclude from them and nothing else.",
    }
)


class Vote(TypedDict):
    """What one lens said; None where no answer came."""

    lens: str
    said: dict[str, Any] | None


class JudgeTask(TypedDict):
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
