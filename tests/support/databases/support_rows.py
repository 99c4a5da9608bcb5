"""Looks at a database as its superuser does: every row of every owner."""

from __future__ import annotations

import time

import psycopg
from psycopg import sql

TABLES = (
    "SELECT schemaname, tablename FROM pg_tables "
    "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
)
SETTLE = 0.5
"""Seconds after which a server has written what it holds back (its pause is 0.2 s)."""


class Rows:
    """Counts rows; `url` is a superuser's."""

    def __init__(self, url: str) -> None:
        self.url = url

    def counts(self) -> dict[str, int]:
        """Return the number of rows of every table."""
        with psycopg.connect(self.url) as connection:
            return {
                f"{schema}.{table}": self._count(connection, schema, table)
                for schema, table in connection.execute(TABLES).fetchall()
            }

    def settled(self) -> dict[str, int]:
        """Return the counts after what servers hold back has been written."""
        time.sleep(SETTLE)
        return self.counts()

    def number(self, query: str, *values: object) -> int:
        """Return the one number that a query gives."""
        with psycopg.connect(self.url) as connection:
            connection.execute("SET search_path TO reasonloom, public")
            row = connection.execute(query.encode(), values).fetchone()
        assert row
        return int(row[0])

    @staticmethod
    def _count(connection: psycopg.Connection[tuple[object, ...]], schema: str, table: str) -> int:
        query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, table))
        row = connection.execute(query).fetchone()
        assert row
        return int(str(row[0]))
