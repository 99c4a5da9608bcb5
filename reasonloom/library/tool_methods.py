"""The tools as methods; `tool_methods.pyi` holds their signatures, written from the contracts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from inspect import Parameter, Signature
from typing import Any

from reasonloom.library.tool_table import TOOLS, positional_names, required_names
from reasonloom.server.toolsets.toolset import ToolLine


class ToolMethods:
    """Methods that await their answer, through the `call` of the class that inherits them."""


class SyncToolMethods:
    """Methods that return their answer, through the `call` of the class that inherits them."""


def signature_of(line: ToolLine) -> Signature:
    """Return a method's signature: required arguments in order, then the others by name."""
    positional, required = positional_names(line), required_names(line)
    by_name = [name for name in line.request.model_fields if name not in positional]
    by_position, keyword = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    return Signature(
        [
            Parameter("self", by_position),
            *(
                Parameter(each, by_position, default=_default(each, required))
                for each in positional
            ),
            *(Parameter(each, keyword, default=None) for each in [*by_name, "idempotency_key"]),
        ]
    )


def _default(name: str, required: Sequence[str]) -> Any:
    return Parameter.empty if name in required else None


def _async_method(line: ToolLine) -> Callable[..., Awaitable[Any]]:
    async def method(self: Any, *values: Any, **named: Any) -> Any:
        return await self.call(line.name, *values, **named)

    return method


def _sync_method(line: ToolLine) -> Callable[..., Any]:
    def method(self: Any, *values: Any, **named: Any) -> Any:
        return self.call(line.name, *values, **named)

    return method


def _add_methods(target: type, make: Callable[[ToolLine], Callable[..., Any]]) -> None:
    for name, line in TOOLS.items():
        method: Any = make(line)
        method.__name__, method.__qualname__ = name, f"{target.__name__}.{name}"
        method.__doc__, method.__signature__ = line.request.__doc__, signature_of(line)
        setattr(target, name, method)


_add_methods(ToolMethods, _async_method)
_add_methods(SyncToolMethods, _sync_method)
