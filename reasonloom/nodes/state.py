"""The state that every graph shares; each mode adds its own keys."""

from operator import add
from typing import Annotated, Any, TypedDict


class ToolState(TypedDict, total=False):
    """The request, the answer, and the notes that go with it.

    Dicts and lists only: a plain string would be stored again in every saved step.
    """

    request: dict[str, Any]
    answer: dict[str, Any]
    notes: Annotated[list[str], add]
