"""What every graph's state holds; a mode's state adds its own to it."""

from __future__ import annotations

from operator import add
from typing import Annotated, Any, TypedDict


class ToolState(TypedDict, total=False):
    """The request that came in, the answer that goes out, and what must be said beside it.

    Dicts and lists only: a plain string would be stored again in every saved step.
    """

    request: dict[str, Any]
    answer: dict[str, Any]
    notes: Annotated[list[str], add]
