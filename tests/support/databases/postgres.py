"""One real Postgres for each worker; every test gets a clone of a migrated template."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest
from filelock import FileLock

from reasonloom.stores.access import Access, access_at
from reasonloom.stores.embedded.postmaster import Address
from reasonloom.stores.embedded.server import EmbeddedServer
from reasonloom.stores.migrate import bring_up_to_date

TEMPLATE = "reasonloom_template"
MOST_USES = 40
"""How many tests may use one database, one after another: deleted rows leave pages behind."""

TABLES = """SELECT format('%I.%I', nspname, relname) FROM pg_class
    JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind = 'r' AND nspname = 'reasonloom'
      AND relname NOT IN ('alembic_version', 'checkpoint_migrations')"""
CATALOGS = (
    "pg_attribute", "pg_class", "pg_constraint", "pg_event_trigger", "pg_index", "pg_namespace",
    "pg_policy", "pg_proc", "pg_trigger", "pg_type",
)  # fmt: skip
SCHEMA = " UNION ALL ".join(
    [f"SELECT count(*), max(xmin::text::bigint) FROM {catalog}" for catalog in CATALOGS]
    + ["SELECT count(*), sum(reltuples)::bigint FROM pg_class"]
)
"""What changes with every change of the schema, and with every ANALYZE."""

EMPTIER = "emptier of databases"
"""The name of the connection that waits until a test is over."""

OTHERS = """SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""


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
        name = self.create(template)
        try:
            yield name
        finally:
            self.drop(name)

    def create(self, template: str = TEMPLATE) -> str:
        """Create a database and return its name."""
        name = f"t{os.getpid()}_{uuid.uuid4().hex[:12]}"
        with self._superuser() as connection:
            connection.execute(
                f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY".encode()
            )
        return name

    def drop(self, name: str) -> None:
        """Drop a database, whoever is connected to it."""
        with self._superuser() as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())

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


@dataclass
class EmptiedDatabases:
    """One database for many tests, one after another; each finds it as empty as a fresh clone.

    Cloning and dropping a database costs five times as much processor time as a short test on it.
    A test that changed the schema, or whatever else cannot be undone by deleting rows, leaves its
    database to nobody. One connection empties a database as long as it is used: a new one would
    look at every table and index anew.
    """

    postgres: TestPostgres
    _idle: str | None = None
    _uses: int = 0
    _connection: psycopg.Connection[tuple[object, ...]] | None = None
    _schema: list[tuple[object, ...]] = field(default_factory=list)
    _tables: list[str] = field(default_factory=list)

    @contextmanager
    def take(self) -> Iterator[str]:
        """Yield the name of a database without rows."""
        name, self._idle = self._idle or self._fresh(), None
        self._uses += 1
        kept = False
        try:
            yield name
            kept = self._uses < MOST_USES and self._emptied()
        finally:
            self._idle = name
            if not kept:
                self.close()

    def close(self) -> None:
        """Drop the database that waits for a test."""
        if self._connection:
            self._connection.close()
        if self._idle:
            self.postgres.drop(self._idle)
        self._connection = self._idle = None

    def _fresh(self) -> str:
        name, self._uses = self.postgres.create(), 0
        url = self.postgres.address.dsn("postgres", name)
        self._connection = psycopg.connect(url, autocommit=True, application_name=EMPTIER)
        if not self._tables:
            self._schema = self._connection.execute(SCHEMA.encode()).fetchall()
            self._tables = [str(row[0]) for row in self._connection.execute(TABLES.encode())]
        self._connection.execute("SET session_replication_role = replica")
        return name

    def _emptied(self) -> bool:
        """Delete all rows; tell whether the database is then like a fresh one."""
        some = " UNION ALL ".join(
            f"SELECT '{table}' WHERE EXISTS (SELECT FROM {table})" for table in self._tables
        )
        connection = self._connection
        assert connection
        try:
            connection.execute(OTHERS.encode())
            if connection.execute(SCHEMA.encode(), prepare=True).fetchall() != self._schema:
                return False
            for (table,) in connection.execute(some.encode(), prepare=True).fetchall():
                connection.execute(f"DELETE FROM {table}".encode(), prepare=True)
        except psycopg.Error:
            return False
        return True


@contextmanager
def running_server() -> Iterator[TestPostgres]:
    """Yield a server that does not wait for the disk, stopped and removed at the end."""
    with tempfile.TemporaryDirectory(prefix="rl", dir=tempfile.gettempdir()) as folder:
        Path(folder).chmod(0o755)
        fast = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        if sys.platform == "linux":
            fast["file_copy_method"] = "clone"  # half the processor time on a disk
        server = EmbeddedServer(Path(folder) / "pg", fast)
        try:
            found = TestPostgres(server, server.ensure())
            found.make_template()
            yield found
        finally:
            server.stop()


@pytest.fixture(name="database")
def own_database(postgres: TestPostgres) -> Iterator[str]:
    """The name of a fresh database: for tests that change, kill or dump a whole one."""
    with postgres.clone() as name:
        yield name
