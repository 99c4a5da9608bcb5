"""Every tool by name, and its arguments in Python's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic_core import PydanticSerializationError, to_jsonable_python

from reasonloom.contracts.base import Request
from reasonloom.contracts.leniency import text_field
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import CallerMistake, InvalidArgument, MissingArgument, UnknownName
from reasonloom.server.toolsets import modes
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from reasonloom.server.toolsets.toolset import ToolLine

TOOLS: Mapping[str, ToolLine] = {
    line.name: line for toolset in (*TOOLSETS, *EXTRA_TOOLSETS) for line in toolset.tools
}
ANSWERS = {name: line.answer for name, line in TOOLS.items()}
MODES: Mapping[str, ToolLine] = {
    **{name: mode.line for name, mode in modes.MODES.items()},
    "got_run": modes.MODES["got"].line,
    **{
        name: TOOLS[name]
        for name in ("think", "assess_confidence", "detect_bias", "detect_emotion", "evaluate")
    },
}
"""The reasoning modes by name: `tree` is `reasoning_tree`."""


def find(name: str, known: Mapping[str, ToolLine], kind: str) -> ToolLine:
    """Return a tool by name.

    Raises:
        UnknownName: there is none; the message names the nearest, or all.
    """
    if isinstance(name, str) and name in known:
        return known[name]
    near = get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else f"the {kind}s are {', '.join(known)}"
    raise UnknownName(f"no {kind} {str(name)[:80]!r}; {hint}", field=kind)


USER = "user_id"
"""Some tools require it of their clients; here it is the loom's user by default."""


def input_name(line: ToolLine) -> str:
    """Return the argument that the input of a runnable becomes."""
    return text_field(line.request) or positional_names(line)[0]


def required_names(line: ToolLine) -> list[str]:
    """Return the arguments that a method requires."""
    fields = line.request.model_fields
    return [name for name, each in fields.items() if each.is_required() and name != USER]


def positional_names(line: ToolLine) -> list[str]:
    """Return the arguments that may be given by position: the required ones, or else the text."""
    text = text_field(line.request)
    return required_names(line) or ([text] if text else [])


def build_request(
    line: ToolLine, user: str, values: Sequence[Any], named: Mapping[str, Any]
) -> Request:
    """Return a tool's request, built from Python arguments.

    Fields have their Python names (`user_id`); objects may be models or dicts. A tool that
    requires a user gets `user` by default.

    Raises:
        InvalidArgument: an argument is missing, unknown, given twice, or of a wrong type.
    """
    fields = line.request.model_fields
    positional = positional_names(line)
    if len(values) > len(positional):
        raise InvalidArgument(
            f"{line.name}: takes {len(positional)} positional arguments "
            f"({', '.join(positional) or 'none'}), not {len(values)}; name the others",
            field="arguments",
        )
    by_position = dict(zip(positional, values, strict=False))
    for name in by_position.keys() & named.keys():
        raise InvalidArgument(f"{name}: is given twice", field=name)
    default = {USER: user} if USER in fields and fields[USER].is_required() else {}
    wire = {name: each.alias for name, each in fields.items() if each.alias}
    given = {
        name: as_json(value, name) for name, value in {**default, **by_position, **named}.items()
    }
    try:
        return parse_request(
            line.request, {wire.get(name, name): value for name, value in given.items()}
        )
    except InvalidArgument as error:
        raise in_python_names(error, line) from None


def as_json(value: Any, field: str = "arguments") -> Any:
    """Return a Python value as JSON-ready values; models become objects.

    Raises:
        InvalidArgument: there is no such form of it.
    """
    try:
        return to_jsonable_python(value, by_alias=True, exclude_none=True)
    except (PydanticSerializationError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
        raise InvalidArgument(f"{field}: is not JSON: {reason}", field=field) from None


def in_python_names(error: CallerMistake, line: ToolLine) -> CallerMistake:
    """Return an error with arguments named as in Python, and the values a missing one may have."""
    for name, each in line.request.model_fields.items():
        alias = each.alias or name
        error.message = error.message.replace(f"{alias}:", f"{name}:")
        if error.field and error.field.split(".")[0] == alias:
            error.field = name + error.field[len(alias) :]
    if isinstance(error, MissingArgument) and error.field in line.request.model_fields:
        values = get_args(line.request.model_fields[error.field].annotation)
        if all(isinstance(each, str) for each in values) and values:
            error.message += f"; it is one of {', '.join(values)}"
    error.args = (error.message,)
    return error
