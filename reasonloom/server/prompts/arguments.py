"""What the arguments of prompts are: texts as they are given, JSON where a template needs more.

MCP's arguments are texts. One that a template only prints is never read as anything else, so that
nobody's words are changed on their way into a prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS

from reasonloom.prompts.variables import Use
from reasonloom.server.prompts.as_written import read_written

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

PARTED = {Use.WALKED, Use.TAKEN_APART}
WANTED = "{name}: must be a list or an object, given as JSON"


def told_of(uses: AbstractSet[Use]) -> str:
    """Return what form an argument has that a template uses so."""
    if uses & PARTED:
        return "A list, as JSON." if Use.TAKEN_APART not in uses else "An object, as JSON."
    if Use.COUNTED in uses:
        return "A number."
    if Use.PASSED_ON in uses:
        return "A text; a list or an object as JSON."
    return "true or false." if uses == {Use.TESTED} else "A text."


def read_argument(name: str, text: str, uses: AbstractSet[Use], *, required: bool) -> object:
    """Return the value that a template is given for an argument; a blank one stays unsaid.

    Raises:
        MCPError: the template takes it apart, and it is no JSON list or object.
    """
    if not text.strip() and not (required and uses & PARTED):
        return text
    value = _value(text)
    if uses & PARTED:
        if not isinstance(value, (list, dict)):
            raise MCPError(code=INVALID_PARAMS, message=WANTED.format(name=name))
        return value
    if Use.COUNTED in uses:
        return value if isinstance(value, (int, float)) else text
    if Use.PASSED_ON in uses:
        return value if isinstance(value, (list, dict)) else text
    return value if uses == {Use.TESTED} else text


def _value(text: str) -> object:
    """Return what a text means as JSON; the text itself where it is none."""
    try:
        return read_written(text)
    except ValueError:
        return text
