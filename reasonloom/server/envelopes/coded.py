"""Plain JSON answers, errors as a code and a message (mental models)."""

import re
from collections.abc import Mapping
from typing import Any

from reasonloom import errors
from reasonloom.contracts.mental_models.models import DOMAINS
from reasonloom.server.envelopes.envelope import Envelope, ResponseMeta, ToolResponse
from reasonloom.server.envelopes.plain_json import schema, success

CODES: Mapping[type[errors.ReasonloomError], str] = {
    errors.NotFound: "NOT_FOUND",
    errors.InvalidBasin: "INVALID_BASIN",
    errors.DuplicateName: "DUPLICATE_NAME",
    errors.WouldEmpty: "WOULD_EMPTY",
    errors.InvalidArgument: "INVALID_ARGUMENT",
}
"""The reference's codes by error class; other errors use their class names."""

INVALID_DOMAIN = "INVALID_DOMAIN"
DOMAIN_MESSAGE = f"Domain must be one of: {', '.join(DOMAINS)}"
WORD_START = re.compile(r"(?<!^)(?=[A-Z])")


def failure(error: errors.ReasonloomError, meta: ResponseMeta) -> ToolResponse:
    """Return the error as `success` false with a code, a message and details."""
    body: dict[str, Any] = {"success": False, "code": code_of(error), "message": error.message}
    if body["code"] == INVALID_DOMAIN:
        body["message"] = DOMAIN_MESSAGE
    if field := getattr(error, "field", None):
        body["field"] = field
    if isinstance(error, errors.InvalidBasin):
        body["suggestion"] = error.suggestion
    if isinstance(error, errors.ServiceFault):
        body["retryable"] = error.retryable
    return ToolResponse(body)


def code_of(error: errors.ReasonloomError) -> str:
    """Return the code of the nearest class, else the class name in upper snake case."""
    if isinstance(error, errors.InvalidArgument) and (error.field, error.kind) == (
        "domain",
        "choice",
    ):
        return INVALID_DOMAIN
    for kind in type(error).__mro__:
        if kind in CODES:
            return CODES[kind]
    return WORD_START.sub("_", type(error).__name__).upper()


CODED = Envelope(success, failure, schema)
