"""Plain JSON answers, errors as `Error: ...` with a typed object (reasoning, graph memory)."""

from collections.abc import Mapping
from typing import Any

from reasonloom import errors
from reasonloom.server.envelopes.envelope import Envelope, ResponseMeta, ToolResponse

TYPES: Mapping[type[errors.ReasonloomError], str] = {
    errors.InvalidArgument: "Validation",
    errors.SessionNotFound: "SessionNotFound",
    errors.ThoughtNotFound: "ThoughtNotFound",
    errors.BranchNotFound: "BranchNotFound",
    errors.CheckpointNotFound: "CheckpointNotFound",
    errors.GraphNotFound: "GraphNotFound",
    errors.NodeNotFound: "NodeNotFound",
    errors.LlmUnavailable: "LangbaseUnavailable",
    errors.LlmRefused: "ApiError",
    errors.TimedOut: "Timeout",
}
"""The reference's error types, used for every provider; other errors keep their class names."""

NEUTRAL = {"LangbaseUnavailable": "ModelUnavailable"}
"""Our names of types that name a provider; errors have the former one too, for one version."""


def success(answer: dict[str, Any], meta: ResponseMeta) -> ToolResponse:
    """Return the answer unchanged, plus `notes` and `check` if present."""
    return ToolResponse({**answer, **_more(meta)})


def failure(error: errors.ReasonloomError, meta: ResponseMeta) -> ToolResponse:
    """Return the error as text `Error: ...` and as an object with type, message and field."""
    message = error.message
    if isinstance(error, errors.InvalidArgument):
        where = f"{error.field} - " if error.field and error.field not in message else ""
        message = f"Validation failed: {where}{message}"
    body = _error_body(error, message, reference=meta.reference)
    return ToolResponse({"error": body}, f"Error: {message}")


def _error_body(error: errors.ReasonloomError, message: str, *, reference: bool) -> dict[str, Any]:
    kind = error_type(error)
    body = {"type": kind, "message": message, "field": getattr(error, "field", None)}
    if not reference and kind in NEUTRAL:
        body |= {"type": NEUTRAL[kind], "former_type": kind}
    retryable = error.retryable if isinstance(error, errors.ServiceFault) else None
    return body if retryable is None else {**body, "retryable": retryable}


def error_type(error: errors.ReasonloomError) -> str:
    """Return the reference's type of the nearest class, else the class name."""
    for kind in type(error).__mro__:
        if kind in TYPES:
            return TYPES[kind]
    return type(error).__name__


def schema(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer's schema unchanged."""
    return answer


PLAIN = Envelope(success, failure, schema)


def text_success(answer: dict[str, Any], meta: ResponseMeta) -> ToolResponse:
    """Return the answer's text with its notes below, and both as structured values."""
    text = "\n".join([answer["text"], *(f"[Note: {note}]" for note in meta.notes)])
    return ToolResponse({**answer, **_more(meta)}, text)


def _more(meta: ResponseMeta) -> dict[str, Any]:
    given = (("notes", list(meta.notes)), ("check", meta.check))
    return {name: value for name, value in given if value}


def text_failure(error: errors.ReasonloomError, meta: ResponseMeta) -> ToolResponse:
    """Return the error as a sentence that names the tool, and as an object."""
    body = {"tool": meta.tool, **_error_body(error, error.message, reference=meta.reference)}
    return ToolResponse({"error": body}, f'Tool "{meta.tool}" failed: {error.message}')


TEXT = Envelope(text_success, text_failure, schema)
