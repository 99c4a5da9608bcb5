"""A machine for the week outside of the tests: its folder, and an embedded database in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reasonloom.stores.embedded.server import EmbeddedServer
from tests.support.clients.hook_host import Host


@contextmanager
def machine(folder: Path) -> Iterator[Host]:
    """Yield a machine whose database is embedded in a new folder; it is stopped at the end."""
    server = EmbeddedServer(folder / "home" / "postgres")
    address = server.ensure()
    more = {"REASONLOOM_HOOK_SECONDS": "80", "CODEX_HOME": str(folder / "codex"),
            "GEMINI_CLI_HOME": str(folder)}  # fmt: skip
    try:
        yield Host(folder, address.dsn("postgres", "postgres"), more)
    finally:
        server.stop()
