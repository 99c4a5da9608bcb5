"""An envelope: three functions that convert answers, errors and schemas to a reference's form."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reasonloom.errors import ReasonloomError


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """A tool's result: the structured value, and the text if it is not that value as JSON."""

    structured: dict[str, Any] | None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class ResponseMeta:
    """Metadata of an answer.

    Attributes:
        notes: notes on estimated, cut or missing data.
        seconds: duration of the call.
        components: the components used, as named in the `thought` reference.
        llm: the language model that answered, None if none was called.
        run_id: the run's id.
        tool: the tool's name for clients.
        check: if the caller is the language model, whether it judged its own text:
            `self-judged` or `independent`.
        reference: whether the tool is served as its reference, with all of its names.
    """

    notes: Sequence[str] = ()
    seconds: float = 0.0
    components: Sequence[str] = ()
    llm: str | None = None
    run_id: str | None = None
    tool: str | None = None
    check: str | None = None
    reference: bool = False


@dataclass(frozen=True, slots=True)
class Envelope:
    """One reference's envelope.

    Attributes:
        success: wraps an answer.
        failure: wraps an error.
        schema: wraps the JSON Schema of an answer.
    """

    success: Callable[[dict[str, Any], ResponseMeta], ToolResponse]
    failure: Callable[[ReasonloomError, ResponseMeta], ToolResponse]
    schema: Callable[[dict[str, Any]], dict[str, Any]]
