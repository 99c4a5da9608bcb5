"""The state shared by all graphs; each mode adds its own keys."""

from operator import add
from typing import Annotated, Any, TypedDict


class ToolState(TypedDict, total=False):
    """The request, the answer, and notes on it.

    Only dicts and lists: a plain string would be stored again with every checkpoint.
    """

    request: dict[str, Any]
    answer: dict[str, Any]
    notes: Annotated[list[str], add]
