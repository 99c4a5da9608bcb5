"""Writes a consistent snapshot of the whole database, every owner's rows, to one file."""

import asyncio
import os
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from reasonloom import __version__
from reasonloom.errors import InvalidArgument, SettingMistake
from reasonloom.stores.access import Access
from reasonloom.stores.backup.catalog import (
    Connection,
    administrator_errors,
    columns_of,
    copying,
    open_to_owner,
    settle,
    tables_of,
)
from reasonloom.stores.backup.encryption import encrypted, read_recipients
from reasonloom.stores.backup.file_format import COUNT, PART, ROWS, TABLE, BackupWriter, Header
from reasonloom.stores.migrate import saver_step
from reasonloom.stores.schema import one_value

T = TypeVar("T")
Progress = Callable[[int, int | None], None]
"""Called with the number of bytes done and the total, None if unknown."""

SIZE = "SELECT pg_table_size(to_regclass(%s))"
STEP = "SELECT version_num FROM alembic_version"


@dataclass(frozen=True, slots=True)
class BackupSize:
    """The extent of a backup or a restore; `size` is in bytes."""

    header: Header
    rows: int
    size: int


async def back_up(
    access: Access, path: Path, progress: Progress, recipients: Sequence[str] = ()
) -> BackupSize:
    """Write every row of the database to a new file that only its user may read.

    With `recipients`, public keys of age or SSH, the file is encrypted for their holders.

    The backup is a consistent snapshot. Servers continue meanwhile, unless the login is subject to
    row-level security: then they wait until it is done.

    Raises:
        InvalidArgument: the file exists already, or cannot be written; or a recipient is not a
            public key.
        DatabaseUnavailable: the database is unavailable or busy.
        SettingMistake: our schema is missing, or the login may not read all of it.
    """
    keys = read_recipients(recipients) if recipients else []
    return await in_thread(lambda report: _to_new_file(access, path, keys, report), progress)


async def in_thread(work: Callable[[Progress], T], progress: Progress) -> T:
    """Run `work` in a thread that, on cancellation, stops at its next progress report.

    A thread cannot be cancelled from outside and would finish work that is no longer wanted.
    """
    left = threading.Event()

    def report(done: int, total: int | None) -> None:
        if left.is_set():
            raise asyncio.CancelledError
        progress(done, total)

    try:
        return await asyncio.to_thread(work, report)
    finally:
        left.set()


def _to_new_file(access: Access, path: Path, keys: Sequence[Any], progress: Progress) -> BackupSize:
    """Write a draft in the same folder and rename it once it is complete and on disk."""
    if path.exists():
        raise InvalidArgument(f"{path.name}: exists already", field="file")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidArgument(f"{path.name}: its folder does not exist", field="file") from None
    except OSError:
        raise InvalidArgument(f"{path.name}: its folder is not writable", field="file") from None
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            with encrypted(file, keys) if keys else nullcontext(file) as sink:
                header, rows = _to_file(access, lambda header: BackupWriter(sink, header), progress)
            file.flush()
            os.fsync(handle)
        draft.rename(path)
    except OSError:
        raise InvalidArgument(f"{path.name}: cannot be written", field="file") from None
    finally:
        draft.unlink(missing_ok=True)
    return BackupSize(header, rows, path.stat().st_size)


def _to_file(
    access: Access, begin: Callable[[Header], BackupWriter], progress: Progress
) -> tuple[Header, int]:
    with administrator_errors(), psycopg.connect(access.admin) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        settle(connection)
        header = _header(connection)
        tables = tables_of(connection)
        open_to_owner(connection, tables)
        sizes = {table: int(one_value(connection, SIZE, table)) for table in tables}
        file, rows, done, total = begin(header), 0, 0, sum(sizes.values())
        for table in tables:
            rows += _copy(connection, file, table, partial(progress, done, total))
            done += sizes[table]
            progress(done, total)
        file.end()
        connection.rollback()  # forces row-level security again
        return header, rows


def _header(connection: Connection) -> Header:
    if one_value(connection, "SELECT to_regclass('alembic_version')") is None:
        raise SettingMistake("the database has no data of reasonloom yet", field="DATABASE_URL")
    return Header(
        schema=str(one_value(connection, STEP)),
        saver=saver_step(connection),
        product=__version__,
        postgres=connection.info.server_version,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _copy(
    connection: Connection, file: BackupWriter, table: str, progress: Callable[[], None]
) -> int:
    """Write one table, reporting every part; return its number of rows."""
    columns = columns_of(connection, table)
    file.note(TABLE, {"table": table, "columns": columns})
    with connection.cursor() as cursor:
        waiting = bytearray()
        with cursor.copy(copying(table, columns, "TO STDOUT")) as rows:
            for row in rows:
                waiting += row
                while len(waiting) > PART:
                    progress()
                    file.frame(ROWS, bytes(waiting[:PART]))
                    del waiting[:PART]
        file.frame(ROWS, bytes(waiting))
        file.note(COUNT, cursor.rowcount)
        return cursor.rowcount
