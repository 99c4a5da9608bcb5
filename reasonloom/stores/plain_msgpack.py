"""Deserializes saved steps: only plain values and a fixed set of types.

LangGraph's serializer imports the module that a saved value names and calls an object in it, so
that a crafted row, for example in a backup, could run code. Here every other type is refused.
"""

from collections import deque
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from uuid import UUID

import ormsgpack
from langgraph.checkpoint.serde.jsonplus import (
    EXT_CONSTRUCTOR_KW_ARGS,
    EXT_CONSTRUCTOR_POS_ARGS,
    EXT_CONSTRUCTOR_SINGLE_ARG,
    EXT_METHOD_SINGLE_ARG,
    JsonPlusSerializer,
)
from langgraph.types import Interrupt, Send

from reasonloom.errors import Conflict

SINGLE: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("builtins", "frozenset"): frozenset,
    ("builtins", "set"): set,
    ("collections", "deque"): deque,
    ("decimal", "Decimal"): Decimal,
    ("uuid", "UUID"): UUID,
}
POSITIONAL: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("datetime", "date"): date,
    ("datetime", "timedelta"): timedelta,
    ("datetime", "timezone"): timezone,
    ("langgraph.types", "Send"): Send,
}
BUILDERS: Mapping[int, tuple[Mapping[tuple[str, str], Callable[..., Any]], Any]] = {
    EXT_CONSTRUCTOR_SINGLE_ARG: (SINGLE, lambda build, value: build(value)),
    EXT_CONSTRUCTOR_POS_ARGS: (POSITIONAL, lambda build, values: build(*values)),
    EXT_CONSTRUCTOR_KW_ARGS: (
        {("langgraph.types", "Interrupt"): Interrupt},
        lambda build, values: build(**values),
    ),
    EXT_METHOD_SINGLE_ARG: (
        {("datetime", "datetime"): datetime.fromisoformat},
        lambda build, value: build(value),
    ),
}
"""For each extension code: its types by module and name, and how to build a value."""

KINDS = ("null", "bytes", "msgpack")


class PlainSerializer(JsonPlusSerializer):
    """LangGraph's serializer, for JSON's types and those above alone."""

    def __init__(self) -> None:
        super().__init__(__unpack_ext_hook__=_build)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return a stored value.

        Raises:
            Conflict: it has another type; nothing that it names was imported or called.
        """
        try:
            if data[0] in KINDS:
                return super().loads_typed(data)
        except ValueError:
            pass
        raise Conflict(
            "a saved step of this run has content that this version never saves; send the "
            "request again"
        )


def _build(code: int, data: bytes) -> Any:
    types, make = BUILDERS[code]
    module, name, value, *_ = ormsgpack.unpackb(
        data, ext_hook=_build, option=ormsgpack.OPT_NON_STR_KEYS
    )
    return make(types[module, name], value)
