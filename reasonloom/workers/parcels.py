"""The answer of a job as JSON: a value, or an error that its follower raises in its turn."""

import inspect
import json
from typing import Any

from reasonloom import errors
from reasonloom.errors import InternalFault, ReasonloomError

VALUE, ERROR = "value", "error"


def answered(value: Any) -> dict[str, Any]:
    """Return the answer that has a value."""
    return {VALUE: value}


def failed(error: ReasonloomError) -> dict[str, Any]:
    """Return the answer of a job that ended with an error of ours."""
    known = {name: value for name, value in vars(error).items() if _is_plain(value)}
    return {ERROR: {"type": type(error).__name__, "fields": known}}


def opened(answer: dict[str, Any]) -> Any:
    """Return the value of an answer.

    Raises:
        ReasonloomError: the answer is an error; it has the type and the fields that it had.
    """
    if ERROR in answer:
        raise error_of(answer[ERROR])
    return answer[VALUE]


def error_of(given: dict[str, Any]) -> ReasonloomError:
    """Return the error that was sent; one of an unknown type becomes an InternalFault."""
    kind = getattr(errors, str(given["type"]), None)
    if not (inspect.isclass(kind) and issubclass(kind, ReasonloomError)):
        return InternalFault(str(given["type"]))
    error: ReasonloomError = kind.__new__(kind)
    error.args = (given["fields"]["message"],)
    vars(error).update(given["fields"])
    return error


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True
