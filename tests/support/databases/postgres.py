"""One real Postgres for each worker; every test gets a clone of a migrated template."""

from __future__ import annotations

import asyncio
import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from filelock import FileLock

from reasonloom.stores.access import Access, access_at
from reasonloom.stores.embedded.postmaster import Address
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.migrate import bring_up_to_date

TEMPLATE = "reasonloom_template"


def no_other_orphans() -> FileLock:
    """Return the lock under which a test kills postmasters, or looks for what they left.

    Where root may not trace, as in most containers, nobody can tell whose a postgres is that
    outlived its postmaster: two workers at it would take each other's for their own.
    """
    path = Path(tempfile.gettempdir()) / f"reasonloom-orphans-{os.geteuid()}.lock"
    return FileLock(path, is_singleton=True)


@dataclass(frozen=True)
class TestPostgres:
    """A running server with a template database."""

    __test__ = False

    server: EmbeddedServer
    address: Address

    def access(self, database: str) -> Access:
        """Return both ways into a database."""
        return access_at(self.address, database, self.server)

    @contextmanager
    def clone(self, *, template: str = TEMPLATE) -> Iterator[str]:
        """Yield the name of a fresh database, dropped at the end."""
        name = f"t{os.getpid()}_{uuid.uuid4().hex[:12]}"
        with self._superuser() as connection:
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY".encode()
            )
        try:
            yield name
        finally:
            with self._superuser() as connection:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    @contextmanager
    def empty(self) -> Iterator[str]:
        """Yield the name of a database that does not exist yet, dropped at the end."""
        name = f"e{os.getpid()}_{uuid.uuid4().hex[:12]}"
        try:
            yield name
        finally:
            with self._superuser() as connection:
                connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())

    def make_template(self) -> None:
        """Make the template once, however many workers ask."""
        with FileLock(str(self.server.folder) + ".template.lock"):
            with self._superuser() as connection:
                query = "SELECT 1 FROM pg_database WHERE datname = %s"
                if connection.execute(query, (TEMPLATE,)).fetchone():
                    return
            asyncio.run(bring_up_to_date(self.access(TEMPLATE)))
            with self._superuser() as connection:
                connection.execute(
                    f"ALTER DATABASE {TEMPLATE} ALLOW_CONNECTIONS false IS_TEMPLATE true".encode()
                )

    def _superuser(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(self.address.dsn("postgres", "postgres"), autocommit=True)


@contextmanager
def running_server() -> Iterator[TestPostgres]:
    """Yield a server that does not wait for the disk, stopped and removed at the end."""
    with tempfile.TemporaryDirectory(prefix="rl", dir=tempfile.gettempdir()) as folder:
        Path(folder).chmod(0o755)
        fast = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        server = EmbeddedServer(Path(folder) / "pg", fast)
        try:
            found = TestPostgres(server, server.ensure())
            found.make_template()
            yield found
        finally:
            server.stop()
