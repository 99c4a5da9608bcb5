"""Counts what an owner has in every table that knows owners, but for saved steps."""

from __future__ import annotations

import asyncio
import hashlib
import time

import psycopg
from psycopg import sql

from reasonloom.stores.access import Access
from reasonloom.stores.backup.catalog import tables_of
from tests.support.databases.wire_protocol import SAVED_STEPS

TABLES = (
    "SELECT schemaname, tablename FROM pg_tables "
    "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
)
SETTLE = 0.5
"""Seconds in which an idle server writes what it holds back (its pause is 0.2 s)."""


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
        counts = self.counts()
        while True:
            time.sleep(SETTLE)
            before, counts = counts, self.counts()
            if counts == before:
                return counts

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


Census = dict[str, int]
"""Rows by table; `views` is the sum of the bits of the sectors that vectors are views of."""

RUNS, CALLS, LEASES, VIEWS = "runs", "llm_calls", "leases", "views"
OWNED_TABLES = """SELECT table_name FROM information_schema.columns
    WHERE table_schema = 'reasonloom' AND column_name = 'owner' AND table_name <> ALL (%s)
    ORDER BY table_name"""
COUNT = "SELECT count(*) FROM {table} WHERE owner = %s"
SUM = "SELECT coalesce(sum(sectors), 0) FROM embeddings WHERE owner = %s"
STRAY = """SELECT count(*) FROM checkpoints WHERE split_part(thread_id, '/', 1) = %s
    AND split_part(thread_id, '/', 2) NOT IN (SELECT id::text FROM runs WHERE owner = %s)"""
AT_WORK = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = %s"""


def census(access: Access, owner: str) -> Census:
    """Return how many rows an owner has in each table."""
    with psycopg.connect(access.admin) as connection:
        names = connection.execute(OWNED_TABLES, (list(SAVED_STEPS),)).fetchall()
        query = " UNION ALL ".join(
            f"SELECT '{name}', ({COUNT.format(table=name)})" for (name,) in names
        )
        query += f" UNION ALL SELECT '{VIEWS}', ({SUM})"
        found = connection.execute(query.encode(), [owner] * (len(names) + 1)).fetchall()
    return {str(name): int(count) for name, count in found}


def counted(access: Access, table: str, owner: str) -> int:
    """Return how many rows an owner has in one table."""
    with psycopg.connect(access.admin) as connection:
        query = COUNT.format(table=table)
        return int(connection.execute(query.encode(), (owner,)).fetchall()[0][0])


def effects(rows: Census) -> Census:
    """Return the rows that a run writes for its caller's sake."""
    return {name: count for name, count in rows.items() if name not in (RUNS, CALLS, LEASES)}


def stray_steps(access: Access, owner: str) -> int:
    """Return how many saved steps an owner has of runs that are not there."""
    with psycopg.connect(access.admin) as connection:
        return int(connection.execute(STRAY.encode(), (owner, owner)).fetchall()[0][0])


async def no_longer_at_work(access: Access, application: str) -> None:
    """Wait until Postgres has ended the connections of a process that is dead."""
    connection = await psycopg.AsyncConnection.connect(access.admin, autocommit=True)
    async with connection, asyncio.timeout(10):
        while (await (await connection.execute(AT_WORK, (application,))).fetchall())[0][0]:
            await asyncio.sleep(0.01)


SCHEMA = """
SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod) || a.attnotnull
    || a.attgenerated::text || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = 'reasonloom'::regnamespace AND c.relkind = 'r' AND a.attnum > 0
    AND NOT a.attisdropped
UNION ALL SELECT 'constraint', conrelid::regclass::text, conname,
    pg_get_constraintdef(oid) || convalidated
FROM pg_constraint WHERE connamespace = 'reasonloom'::regnamespace
UNION ALL SELECT 'index', tablename, indexname, indexdef FROM pg_indexes
WHERE schemaname = 'reasonloom'
UNION ALL SELECT 'policy', tablename, policyname, coalesce(qual, '') || coalesce(with_check, '')
FROM pg_policies WHERE schemaname = 'reasonloom'
UNION ALL SELECT 'trigger', c.relname, t.tgname, pg_get_triggerdef(t.oid) || t.tgenabled::text
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
WHERE c.relnamespace = 'reasonloom'::regnamespace AND NOT t.tgisinternal
UNION ALL SELECT 'table', relname, relrowsecurity::text || relforcerowsecurity, ''
FROM pg_class WHERE relnamespace = 'reasonloom'::regnamespace AND relkind = 'r'
UNION ALL SELECT 'grant', table_name, grantee,
    string_agg(privilege_type, ' ' ORDER BY privilege_type)
FROM information_schema.role_table_grants
WHERE table_schema = 'reasonloom' AND grantee = 'reasonloom_app' GROUP BY 2, 3
UNION ALL SELECT 'function', proname, prosrc, prosecdef::text FROM pg_proc
WHERE pronamespace = 'reasonloom'::regnamespace AND prolang <> 13 AND probin IS NULL
ORDER BY 1, 2, 3, 4
"""


def rows_of(url: str) -> dict[str, tuple[int, str]]:
    """Return for each table how many rows it has, and a digest of them in any order."""
    found = {}
    with psycopg.connect(url, options="-c search_path=reasonloom,public") as connection:
        for table in tables_of(connection):
            statement = sql.SQL("COPY {} TO STDOUT").format(sql.Identifier(table))
            with connection.cursor().copy(statement) as copy:
                lines = sorted(bytes(line) for line in copy)
            found[table] = len(lines), hashlib.sha256(b"".join(lines)).hexdigest()
    return found


def schema_of(url: str) -> list[tuple[str, ...]]:
    """Return every column, constraint, index, policy, trigger, grant and function."""
    with psycopg.connect(url) as connection:
        return connection.execute(SCHEMA.encode()).fetchall()
