"""A whole database told for comparison: its rows, and the schema that holds them."""

from __future__ import annotations

import hashlib

import psycopg
from psycopg import sql

from reasonloom.stores.backup.catalog import tables_of

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
