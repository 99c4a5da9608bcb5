"""The rows of one owner in one database, as its administrator sees them: copy, compare, delete."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from reasonloom.errors import Conflict
from reasonloom.stores.backup.catalog import PLAIN, Connection, columns_of, tables_of
from reasonloom.stores.schema import one_value
from reasonloom.stores.servers.statements import SQL

NOT_MOVED = ("owner_moves", "pinned_embedder")
DIFFERS = "the copy in {table} differs from its source; nothing has been switched"


@dataclass(frozen=True, slots=True)
class OwnerTable:
    """A table with rows of owners.

    Attributes:
        columns: those that are stored as given.
        key: the columns of its primary key.
        hashed: an expression for each column whose binary form is the same in every database.
        own: the condition for the owner's rows.
    """

    name: str
    columns: Sequence[str]
    key: Sequence[str]
    hashed: sql.Composable
    own: sql.Composable

    def filled(self, name: str, **parts: sql.Composable) -> sql.Composed:
        """Return a statement for this table."""
        known = {
            "table": sql.Identifier(self.name),
            "name": sql.Literal(self.name),
            "incoming": sql.Identifier(f"incoming_{self.name}"),
            "present": sql.Identifier(f"present_{self.name}"),
            "columns": names(self.columns),
            "key": names(self.key),
            "hashed": self.hashed,
            "own": self.own,
            "changed": sql.SQL("true"),
        }
        return sql.SQL(SQL.part(name)).format(**{**known, **parts})


def names(columns: Sequence[str]) -> sql.Composed:
    """Return a list of columns."""
    return sql.SQL(", ").join(map(sql.Identifier, columns))


def owned_tables(connection: Connection, owner: str) -> list[OwnerTable]:
    """Return all tables with rows of an owner; saved steps are found after `name_threads`."""
    by_owner = sql.SQL("owner = {}").format(sql.Literal(owner))
    return [
        OwnerTable(
            table,
            columns_of(connection, table),
            [str(row[0]) for row in connection.execute(SQL.part("key_of"), (table,))],
            _hashed(connection, table),
            sql.SQL(SQL.part("by_thread")) if table.startswith("checkpoint") else by_owner,
        )
        for table in tables_of(connection)
        if table not in NOT_MOVED
    ]


def name_threads(owner: str, *connections: Connection) -> None:
    """Name the threads of an owner's saved steps to the open transactions of all databases.

    Each has the owner's runs first in its keys, but the tables of steps know only threads.
    """
    threads = {
        f"{owner}/{row[0]}"
        for each in connections
        for row in each.execute(SQL.part("runs_of"), (owner,))
    }
    for each in connections:
        each.execute("SELECT set_config('app.threads', %s::text[]::text, true)", (list(threads),))


def _hashed(connection: Connection, table: str) -> sql.Composable:
    """Return the columns; those of other types than Postgres' own in their binary form.

    A record contains the numbers of its types, which differ between databases for other types.
    """
    kinds = connection.execute(SQL.part("kinds_of"), (table,))
    return sql.SQL(", ").join(
        sql.SQL("{}({})").format(sql.SQL(send), sql.Identifier(name)) if send else
        sql.Identifier(name)
        for name, send in kinds
    )  # fmt: skip


@contextmanager
def settled(connection: Connection, *, fills: bool = False) -> Iterator[None]:
    """Open a transaction that sees every row; one that `fills` fires no triggers."""
    with connection.transaction():
        for statement in PLAIN:
            connection.execute(statement)
        if fills:
            connection.execute("SET LOCAL session_replication_role = replica")
        yield


def bring(
    source: Connection, target: Connection, tables: Sequence[OwnerTable], since: str | None
) -> list[OwnerTable]:
    """Copy the rows that changed `since` a transaction, and delete those that are gone.

    With None all rows are copied, into tables without any. Returns the tables that changed.

    Raises:
        Conflict: afterwards a table has not as many rows as its source.
    """
    totals, changes = _tally(source, tables, since)
    present, _ = _tally(target, tables, None)
    changed = [
        each for each in tables
        if changes[each.name] or totals[each.name] != present[each.name]
    ]  # fmt: skip
    for each in changed:
        if since is None:
            out = each.filled("copy_out", changed=sql.SQL("true"))
            _copy(source, target, out, each.filled("copy_in"))
        else:
            _bring_changes(source, target, each, since, totals[each.name])
    for name, count in _tally(target, changed, None)[0].items():
        if count != totals[name]:
            raise Conflict(DIFFERS.format(table=name))
    return changed


def _bring_changes(
    source: Connection, target: Connection, table: OwnerTable, since: str, total: int
) -> None:
    target.execute(table.filled("make_incoming"))
    out = table.filled("copy_out", changed=_changed(since))
    count = _copy(source, target, out, table.filled("copy_incoming"))
    target.execute(table.filled("delete_incoming"))
    if int(one_value(target, table.filled("count"))) + count != total:
        target.execute(table.filled("make_present"))
        _copy(source, target, table.filled("copy_keys"), table.filled("copy_present"))
        target.execute(table.filled("delete_gone"))
    target.execute(table.filled("insert_incoming"))


def require_same(
    source: Connection, target: Connection, tables: Sequence[OwnerTable], since: str | None
) -> None:
    """Compare the checksums of all rows, or of those that `bring` has just copied.

    Raises:
        Conflict: they differ.
    """
    for each in tables:
        sums = source.execute(each.filled("checksum", changed=_changed(since))).fetchone()
        copied = each.filled("checksum" if since is None else "checksum_incoming")
        if target.execute(copied).fetchone() != sums:
            raise Conflict(DIFFERS.format(table=each.name))


def copy_bars(source: Connection, target: Connection) -> None:
    """Copy which persons were removed from groups: that must hold wherever they use a space.

    These rows are nobody's who moves. Whoever was added again later stays a member.
    """
    for row in source.execute(SQL.part("bars")).fetchall():
        target.execute(SQL.part("bar"), row)


def delete_all(connection: Connection, tables: Sequence[OwnerTable]) -> None:
    """Delete every row of the owner, within a transaction that `fills`."""
    for each in tables:
        connection.execute(each.filled("delete_own"))


def count_all(connection: Connection, tables: Sequence[OwnerTable]) -> dict[str, int]:
    """Return the number of the owner's rows by table, without empty ones."""
    totals, _ = _tally(connection, tables, None)
    return {name: count for name, count in totals.items() if count}


def _tally(
    connection: Connection, tables: Sequence[OwnerTable], since: str | None
) -> tuple[dict[str, int], dict[str, int]]:
    """Return the number of rows by table, and of those that changed, in one round trip."""
    if not tables:
        return {}, {}
    each = [table.filled("tally", changed=_changed(since)) for table in tables]
    found = connection.execute(sql.SQL(" UNION ALL ").join(each)).fetchall()  # in any order
    return {name: count for name, count, _ in found}, {name: new for name, _, new in found}


def _changed(since: str | None) -> sql.Composable:
    if since is None:
        return sql.SQL("true")
    return sql.SQL("age(xmin) <= age({}::xid8::xid)").format(sql.Literal(since))


def _copy(
    source: psycopg.Connection[Any], target: psycopg.Connection[Any],
    out: sql.Composed, into: sql.Composed,
) -> int:  # fmt: skip
    with source.cursor() as reader, target.cursor() as writer:
        with reader.copy(out) as given, writer.copy(into) as taken:
            for part in given:
                taken.write(part)
        return writer.rowcount  # a closed cursor has none
