"""ThoughtMCP's envelope: success, data or error with a suggestion, and metadata."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from reasonloom import errors
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.server.envelopes.envelope import Envelope, ResponseMeta, ToolResponse

SECTOR_FIELDS = ("primarySector", "sectors")
RETRY = "Try again in a moment; `reasonloom doctor` shows what is wrong"
SUGGESTIONS: Mapping[type[errors.ReasonloomError], str] = {
    errors.MissingArgument: "Check input schema for required fields",
    errors.MemoryNotFound: "Verify memoryId exists and belongs to user",
    errors.DatabaseFull: "Make room on the database's disk, then try again",
    errors.DatabaseUnavailable: f"Check database configuration. {RETRY}",
    errors.TimedOut: "Reduce complexity or increase timeout",
    errors.BudgetExceeded: "Ask for less, or raise the budget named",
    errors.LlmUnavailable: RETRY,
    errors.LlmRefused: "Check the language model's settings with `reasonloom doctor`",
    errors.KeyTaken: "Send the same request with the same key again",
    errors.Conflict: "Use a new idempotency key for a new request",
    errors.InvalidArgument: "Check the field named against the tool's input schema",
    errors.ReasonloomError: "See `reasonloom doctor`; the server's log has the details",
}
FIXED_TEXTS: Mapping[type[errors.ReasonloomError], str] = {
    errors.MemoryNotFound: "Memory not found",
    errors.DatabaseFull: "The database has no room left",
    errors.DatabaseUnavailable: "Memory repository not initialized",
    errors.TimedOut: "Timeout exceeded",
}
"""The reference's own wording; the specific message goes into `detail`."""


def success(answer: dict[str, Any], meta: ResponseMeta) -> ToolResponse:
    """Return the answer as `data`."""
    return ToolResponse({"success": True, "data": answer, "metadata": _metadata(meta)})


def failure(error: errors.ReasonloomError, meta: ResponseMeta) -> ToolResponse:
    """Return the error with the reference's wording and a suggestion."""
    text = _text(error)
    body: dict[str, Any] = {"success": False, "error": text, "suggestion": _suggestion(error)}
    if error.message != text:
        body["detail"] = error.message
    if field := getattr(error, "field", None):
        body["field"] = field
    if isinstance(error, errors.ServiceFault):
        body["retryable"] = error.retryable
    return ToolResponse({**body, "metadata": _metadata(meta)})


def _text(error: errors.ReasonloomError) -> str:
    for kind, text in FIXED_TEXTS.items():
        if isinstance(error, kind):
            return text
    return f"Invalid sector: {error.message}" if _is_about_sector(error) else error.message


def _suggestion(error: errors.ReasonloomError) -> str:
    if _is_about_sector(error):
        return f"Use: {', '.join(SECTORS)}"
    if isinstance(error, errors.InvalidArgument) and error.kind == "empty":
        return f"Provide non-empty {error.field}"
    return next(SUGGESTIONS[kind] for kind in type(error).__mro__ if kind in SUGGESTIONS)


def _is_about_sector(error: errors.ReasonloomError) -> bool:
    return (
        isinstance(error, errors.InvalidArgument)
        and error.kind == "choice"
        and (error.field or "").split(".", maxsplit=1)[0] in SECTOR_FIELDS
    )


def _metadata(meta: ResponseMeta) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "timestamp": datetime.now(UTC).isoformat(),
        "processingTime": round(meta.seconds * 1000, 3),
        "componentsUsed": list(meta.components),
    }
    for name, value in (
        ("notes", list(meta.notes)),
        ("llm", meta.llm),
        ("runId", meta.run_id),
        ("check", meta.check),
    ):
        if value:
            metadata[name] = value
    return metadata


METADATA_SCHEMA = {
    "type": "object",
    "properties": {
        "timestamp": {"type": "string"},
        "processingTime": {"type": "number"},
        "componentsUsed": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["timestamp", "processingTime", "componentsUsed"],
}


def schema(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of the envelope around `answer`."""
    return {
        "type": "object",
        "properties": {
            "success": {"type": "boolean", "const": True},
            "data": answer,
            "metadata": METADATA_SCHEMA,
        },
        "required": ["success", "data", "metadata"],
    }


THOUGHT = Envelope(success, failure, schema)
