"""Makes the MCP tool of a line of the catalogue: its contract, as clients and agents read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_types import ToolAnnotations

from reasonloom.contracts.schema import publish
from reasonloom.server.tool import LoomTool
from reasonloom.server.toolsets.toolset import Effect

if TYPE_CHECKING:
    from reasonloom.server.catalogue.served import Served
    from reasonloom.server.engine_lifespan import EngineRoom


def make_tool(served: Served, room: EngineRoom, offered: frozenset[str]) -> LoomTool:
    """Return the MCP tool of one line of the catalogue; `offered` are all that stand beside it."""
    line = served.line
    return LoomTool(
        form=served.form,
        name=served.name,
        title=line.title,
        description=description_of(served),
        parameters=publish(line.request),
        annotations=_hints(line.effect, open_world=line.open_world),
        served=served,
        room=room,
        offered=offered,
        published=served.form.schema(publish(line.answer, answer=True)),
    )


def description_of(served: Served) -> str:
    """Return what agents read of a tool: its contract's docstring."""
    lines = (served.line.request.__doc__ or "").strip().splitlines()
    return " ".join(line.strip() for line in lines if line.strip())


def _hints(effect: Effect, *, open_world: bool) -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=effect is Effect.READS,
        destructive_hint=effect in (Effect.CHANGES, Effect.DESTROYS),
        idempotent_hint=effect is not Effect.ADDS,
        open_world_hint=open_world,
    )
