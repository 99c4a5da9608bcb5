"""Text answers with the same facts as values; an error is a sentence that names its tool."""

from __future__ import annotations

from typing import Any

from reasonloom import errors
from reasonloom.server.envelopes.envelope import Form, Said, Told
from reasonloom.server.envelopes.plain import error_type


def success(answer: dict[str, Any], told: Told) -> Said:
    """Return the answer's own text, its notes below it, and all of it as values."""
    notes = list(told.notes)
    text = "\n".join([answer["text"], *(f"[Note: {note}]" for note in notes)])
    return Said({**answer, "notes": notes} if notes else answer, text)


def failure(error: errors.ReasonloomError, told: Told) -> Said:
    """Return the error as a sentence that begins with the tool's name, and as an object."""
    body: dict[str, Any] = {
        "tool": told.tool,
        "type": error_type(error),
        "message": error.message,
        "field": getattr(error, "field", None),
    }
    if isinstance(error, errors.ServiceFault):
        body["retryable"] = error.retryable
    return Said({"error": body}, f'Tool "{told.tool}" failed: {error.message}')


def schema(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the answer's schema as it is."""
    return answer


TEXT = Form(success, failure, schema)
