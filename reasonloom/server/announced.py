"""Announces only what is served: the SDK announces prompts and resources though there are none."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext

from reasonloom.server.catalogue.served import Catalogue

TELLING = ("initialize", "server/discover")


class Announced(ServerMiddleware[Any]):
    """Middleware of the SDK's that leaves out capabilities of which a server has nothing."""

    def __init__(self, lacking: Collection[str]) -> None:
        self._lacking = frozenset(lacking)

    async def __call__(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Hand a message on, and shorten what is told of the server."""
        result = await call_next(ctx)
        if ctx.method not in TELLING or not isinstance(result, dict):
            return result
        able = {
            name: each for name, each in result["capabilities"].items() if name not in self._lacking
        }
        return {**result, "capabilities": able}


def lacking_in(catalogue: Catalogue) -> set[str]:
    """Return the capabilities of which a catalogue offers nothing; the fixtures offer each."""
    if catalogue.conformance:
        return set()
    lacking = {"prompts": catalogue.is_reference, "resources": not catalogue.resources}
    lacking["completions"] = all(lacking.values())
    return {name for name, absent in lacking.items() if absent}
