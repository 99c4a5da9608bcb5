"""Builds the configured MCP servers."""

from reasonloom.server.catalogue.selection import choose, reference_catalogues
from reasonloom.server.engine_lifespan import EngineLifespan
from reasonloom.server.loom_server import LoomServer


def build_server(lifespan: EngineLifespan) -> LoomServer:
    """Return the configured server.

    Raises:
        SettingMistake: the settings name a tool or toolset that does not exist.
    """
    return LoomServer(choose(lifespan.settings), lifespan)


def build_reference_servers(lifespan: EngineLifespan) -> dict[str, LoomServer]:
    """Return the servers of single references that run alongside the main one, by name."""
    catalogues = reference_catalogues(lifespan.settings)
    return {name: LoomServer(catalogue, lifespan) for name, catalogue in catalogues.items()}
