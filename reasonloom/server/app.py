"""Builds the MCP servers that the settings ask for."""

from __future__ import annotations

from reasonloom.server.catalogue.references import references_beside
from reasonloom.server.catalogue.selection import choose
from reasonloom.server.engine_lifespan import EngineRoom
from reasonloom.server.loom_server import LoomServer


def build_server(room: EngineRoom) -> LoomServer:
    """Return the server that the room's settings ask for.

    Raises:
        SettingMistake: the settings name a tool or toolset that does not exist.
    """
    catalogue = choose(room.settings)
    if not catalogue.conformance:
        return LoomServer(catalogue, room)
    from reasonloom.server.conformance.server import ConformanceServer  # noqa: PLC0415 - rare

    return ConformanceServer(catalogue, room)


def build_references(room: EngineRoom) -> dict[str, LoomServer]:
    """Return the servers of single references, by the name of each, that stand beside it."""
    beside = references_beside(room.settings)
    return {name: LoomServer(catalogue, room) for name, catalogue in beside.items()}
