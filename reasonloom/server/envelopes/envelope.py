"""What a form is: three functions between our answers and errors and a reference's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.errors import ReasonloomError


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """What a tool says in the end: the structured value, and its text if not just that value."""

    structured: dict[str, Any] | None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ResponseMeta:
    """What an answer tells beside its data.

    Attributes:
        notes: what was estimated, cut or missing.
        seconds: how long the call took.
        components: the parts used, as the `thought` reference names them.
        llm: the language model that answered, None where none was asked.
        run_id: the run's id.
        tool: what clients call the tool.
    """

    notes: Sequence[str] = ()
    seconds: float = 0.0
    components: Sequence[str] = ()
    llm: str | None = None
    run_id: str | None = None
    tool: str | None = None


@dataclass(frozen=True, slots=True)
class Envelope:
    """One reference's form.

    Attributes:
        success: puts an answer into the reference's envelope.
        failure: turns an error into the reference's error form.
        schema: wraps an answer's JSON Schema into the envelope's.
    """

    success: Callable[[dict[str, Any], ResponseMeta], ToolResponse]
    failure: Callable[[ReasonloomError, ResponseMeta], ToolResponse]
    schema: Callable[[dict[str, Any]], dict[str, Any]]
