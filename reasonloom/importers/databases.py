"""Opens other programs' databases for reading, after a check of their schema."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from reasonloom.errors import InvalidArgument

Rows = Callable[[str], Iterator[dict[str, Any]]]
"""Runs a query; `{table}` in it is the quoted name of the one table with a chosen name."""

PAGE = 1_000
CONNECT_SECONDS = 10
SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema that a reader expects.

    Attributes:
        program: the program, with the versions that have this schema.
        tables: the columns that are read, by table.
        versions: the table and column of the applied migrations.
        oldest: the first migration with these columns.
        newest: the last known migration.
        upgrade: how to bring an older database up to date.
    """

    program: str
    tables: Mapping[str, Sequence[str]]
    versions: tuple[str, str] | None = None
    oldest: int = 0
    newest: int = 0
    upgrade: str = ""

    def check(self, columns: Mapping[str, set[str]], version: int | None) -> None:
        """Refuse another schema.

        Raises:
            InvalidArgument: a table or column is missing, or the version is not known.
        """
        wanted = f"expected the schema of {self.program}"
        if self.newest:
            wanted += f", versions {self.oldest} to {self.newest}"
        for table, names in self.tables.items():
            missing = [name for name in names if name not in columns.get(table, ())]
            if missing:
                has = f"has no column {missing[0]}" if columns.get(table) else "is missing"
                hint = f"; {self.upgrade}" if self.upgrade and version is not None else ""
                raise InvalidArgument(f"the table {table} {has}: {wanted}{hint}")
        if version is not None and version > self.newest:
            raise InvalidArgument(
                f"schema version {version} is newer than this program knows: {wanted}; "
                "a newer reasonloom may read it"
            )
        if version is not None and version < self.oldest:
            raise InvalidArgument(f"schema version {version} is too old: {wanted}; {self.upgrade}")


def is_postgres(location: str) -> bool:
    """Return whether a location is the URL of a Postgres database."""
    return location.startswith(("postgres://", "postgresql://"))


@contextmanager
def open_postgres(url: str, schema: Schema) -> Iterator[Rows]:
    """Yield a function that runs queries on one snapshot of a database, without writing.

    Raises:
        InvalidArgument: it is no URL of Postgres, cannot be reached or read, or has another schema.
    """
    if not is_postgres(url):
        raise InvalidArgument(
            f"the memories of {schema.program} are in a Postgres database: give its URL, such as "
            "postgresql://name@host:5432/database"
        )
    try:
        with psycopg.connect(
            url, row_factory=dict_row, connect_timeout=CONNECT_SECONDS
        ) as connection:
            connection.read_only = True
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            schema.check(*_postgres_schema(connection, schema))
            table = sql.Identifier(next(iter(schema.tables)))

            def rows(query: str) -> Iterator[dict[str, Any]]:
                with connection.cursor("import") as cursor:
                    cursor.itersize = PAGE
                    yield from cursor.execute(sql.SQL(query).format(table=table))

            yield rows
    except psycopg.errors.InsufficientPrivilege:
        raise InvalidArgument("this login may not read the database's tables") from None
    except psycopg.Error:
        raise InvalidArgument(
            "the database cannot be read: check the URL's host, port, database, name and password"
        ) from None


def _postgres_schema(
    connection: psycopg.Connection[dict[str, Any]], schema: Schema
) -> tuple[dict[str, set[str]], int | None]:
    found = connection.execute(
        "SELECT relname AS t, array_agg(attname::text) AS c FROM pg_class"
        " JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped"
        " WHERE relkind IN ('r', 'p', 'v') AND relnamespace = ANY (SELECT oid FROM pg_namespace"
        " WHERE nspname = ANY (current_schemas(false))) GROUP BY relname"
    )
    columns = {row["t"]: set(row["c"]) for row in found}
    if schema.versions is None or schema.versions[0] not in columns:
        return columns, None
    name, column = map(sql.Identifier, schema.versions)
    query = sql.SQL("SELECT max({}) AS version FROM {}").format(column, name)
    newest = connection.execute(query).fetchone()
    return columns, newest["version"] if newest else None


@contextmanager
def open_sqlite(location: str, schema: Schema) -> Iterator[Rows]:
    """Yield a function that runs queries on an SQLite file, without changing it.

    Raises:
        InvalidArgument: it cannot be read, is no SQLite database, or has another schema.
    """
    path = Path(location)
    try:
        with path.open("rb") as file:
            head = file.read(len(SQLITE))
    except OSError as error:
        raise InvalidArgument(f"FILE: cannot be read: {error.strerror}", field="file") from None
    if head != SQLITE:
        raise InvalidArgument(
            f"FILE: is not a SQLite database, or is encrypted; expected that of {schema.program}"
        )
    # A reader of a database in WAL mode creates files next to it; without any, nobody uses it.
    at_rest = not path.with_name(path.name + "-wal").exists()
    mode = "mode=ro&immutable=1" if at_rest else "mode=ro"
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)
        with closing(connection):
            connection.row_factory = sqlite3.Row
            schema.check(*_sqlite_schema(connection, schema))

            def rows(query: str) -> Iterator[dict[str, Any]]:
                return (dict(row) for row in connection.execute(query))

            yield rows
    except sqlite3.DatabaseError:
        raise InvalidArgument("FILE: the SQLite database is damaged or in use") from None


def _sqlite_schema(
    connection: sqlite3.Connection, schema: Schema
) -> tuple[dict[str, set[str]], int | None]:
    columns: dict[str, set[str]] = {}
    for table, column in connection.execute(
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table'"
    ):
        columns.setdefault(table, set()).add(column)
    if schema.versions is None or schema.versions[0] not in columns:
        return columns, None
    table, column = schema.versions
    ((version,),) = connection.execute(f'SELECT max("{column}") FROM "{table}"')  # noqa: S608 - constants
    return columns, version
