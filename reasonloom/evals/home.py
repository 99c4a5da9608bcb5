"""Homes and databases that an eval makes for itself and throws away."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from reasonloom.settings import Settings, load_settings
from reasonloom.stores.access import Access, embedded_access
from reasonloom.stores.embedded.server import EmbeddedServer

DATABASE = "eval"


@contextmanager
def throw_away_home(**flags: Any) -> Iterator[Settings]:
    """Yield settings for a home in the temporary folder, removed at the end.

    Offline, where `flags` name no language model.
    """
    with tempfile.TemporaryDirectory(prefix="reasonloom-eval-") as folder:
        # The embedded server, started by root, runs as a user of its own.
        Path(folder).chmod(0o755)
        yield load_settings(**{"home": Path(folder) / "home", "llm": "offline", **flags})


@asynccontextmanager
async def throw_away_database(**flags: Any) -> AsyncIterator[tuple[Settings, Access]]:
    """Yield settings and access to a fresh embedded database with its usual durability."""
    with throw_away_home(**flags) as settings:
        server = EmbeddedServer(settings.database_folder)
        try:
            yield settings, await embedded_access(server, DATABASE)
        finally:
            server.stop()
