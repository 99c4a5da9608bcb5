"""The judges of grounding, and the state of its graph."""

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
    """The answer of one judge (lens); `said` is None if there was no answer."""

    lens: str
    said: dict[str, Any] | None


class JudgeTask(TypedDict):
    """The task of a judge: it sees the claim and the memories, but no computed result."""

    claim: str
    memories: list[str]
    lens: str


class GroundState(ToolState, total=False):
    """The state of grounding; keys of mappings are node ids as text.

    Attributes:
        alike: similarity of each node to the claim, 0..1.
        current: ids of the current nodes, most similar first.
        old: corrected nodes, each with the id of its current version.
        shown: ids of the nodes that the language model sees, in the order of their numbers there.
        texts: contents of the shown nodes.
        votes: the judges' answers.
    """

    alike: dict[str, float]
    current: list[int]
    old: dict[str, int]
    shown: list[int]
    texts: dict[str, str]
    votes: Annotated[list[Vote], add]
