"""A backup holds one moment of everything; restoring gives all of it back, or changes nothing."""

from __future__ import annotations

import asyncio
import stat
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from reasonloom.errors import Conflict, DatabaseUnavailable, InvalidArgument, SettingMistake
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access, find_access
from reasonloom.stores.backup.dump import back_up
from reasonloom.stores.backup.file_format import (
    DIGEST,
    MAGIC,
    MAX_FRAME,
    PART,
    ROWS,
    TABLE,
    BackupWriter,
    Header,
    frames,
    header_of,
    open_backup,
)
from reasonloom.stores.backup.restore import restore
from reasonloom.stores.provisioning import LOCK
from tests.support.databases.dumps import DUMPS
from tests.support.databases.postgres import TestPostgres
from tests.support.databases.rows import rows_of, schema_of

DUMP = DUMPS / "0.1.0-0013.backup"


def unheard(done: int, total: int | None) -> None:
    """Hear nothing of the progress."""


@pytest.fixture
def url(postgres: TestPostgres) -> Iterator[str]:
    """The URL of a database that holds what the dump holds."""
    with postgres.clone() as name:
        asyncio.run(restore(postgres.access(name), DUMP, unheard))
        yield postgres.address.dsn("postgres", name)


async def at(url: str) -> Access:
    return await find_access(load_settings(database_url=url))


def do(url: str, statement: str) -> None:
    with psycopg.connect(url, options="-c search_path=reasonloom,public") as connection:
        connection.execute(statement.encode())


async def test_all_rows_of_all_owners_come_back(
    url: str, postgres: TestPostgres, tmp_path: Path
) -> None:
    file = tmp_path / "all"
    heard: list[tuple[int, int | None]] = []
    written = await back_up(await at(url), file, lambda *told: heard.append(told))
    rows = rows_of(url)
    assert written.rows == sum(count for count, _ in rows.values()) > 300
    assert sum(count > 0 for count, _ in rows.values()) > 20
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert written.size == file.stat().st_size == heard[-1][1] or heard[-1][0] == heard[-1][1]
    with postgres.empty() as name:
        access = postgres.access(name)
        assert await restore(access, file, unheard) == written
        other = postgres.address.dsn("postgres", name)
        assert rows_of(other) == rows
        assert schema_of(other) == schema_of(url)
    assert [each.name for each in tmp_path.iterdir()] == ["all"]


async def test_what_is_there_is_replaced_only_where_that_is_said(url: str, tmp_path: Path) -> None:
    access, file = await at(url), tmp_path / "f"
    await back_up(access, file, unheard)
    rows = rows_of(url)
    do(url, "UPDATE memories SET content = 'something else'")
    do(url, "DELETE FROM runs")
    changed = rows_of(url)
    assert changed != rows
    with pytest.raises(Conflict, match="not empty; --yes"):
        await restore(access, file, unheard)
    assert rows_of(url) == changed
    await restore(access, file, unheard, replace=True)
    assert rows_of(url) == rows


async def test_a_backup_is_of_one_moment(url: str, tmp_path: Path) -> None:
    rows = rows_of(url)
    meanwhile: list[int] = []

    def write(done: int, total: int | None) -> None:
        if not meanwhile:
            meanwhile.append(done)
            do(url, "DELETE FROM terms; DELETE FROM runs; UPDATE memories SET content = 'late'")

    access = await at(url)
    await back_up(access, tmp_path / "f", write)
    assert meanwhile
    assert rows_of(url) != rows
    await restore(access, tmp_path / "f", unheard, replace=True)
    assert rows_of(url) == rows


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def cut_at_the_end(data: bytes) -> bytes:
    return data[:-1]


def flipped(data: bytes) -> bytes:
    place = len(data) // 3
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def longer(data: bytes) -> bytes:
    return data + b"\0"


def newer_form(data: bytes) -> bytes:
    return data.replace(MAGIC, b"reasonloom backup 2\n", 1)


@pytest.mark.parametrize(("damage", "words"), [
    (cut, "cut short or damaged"), (cut_at_the_end, "cut short or damaged"),
    (flipped, "cut short or damaged"), (longer, "cut short or damaged"),
    (newer_form, "newer format"), (lambda _: b"", "not a backup"),
    (lambda _: b"PGDMP\1\2" * 40, "not a backup"),
    (lambda data: data[: len(MAGIC) + DIGEST], "damaged"),
])  # fmt: skip
async def test_a_damaged_file_changes_nothing(
    damage: Callable[[bytes], bytes], words: str, database: str, postgres: TestPostgres,
    tmp_path: Path,
) -> None:  # fmt: skip
    url = postgres.address.dsn("postgres", database)
    do(url, "INSERT INTO owners (owner) VALUES ('here')")
    (tmp_path / "f").write_bytes(damage(DUMP.read_bytes()))
    before = rows_of(url)
    with pytest.raises(InvalidArgument, match=words):
        await restore(await at(url), tmp_path / "f", unheard, replace=True)
    assert rows_of(url) == before


def written_anew(file: Path, change: Callable[[bytes, bytes], bytes], **header: object) -> Path:
    """Write the dump's frames once more, changed, under a digest that fits."""
    with open_backup(DUMP) as source, file.open("wb") as sink:
        said = header_of(source)
        values = {name: getattr(said, name) for name in Header.__slots__} | header
        copy = BackupWriter(sink, Header(**values))
        table = b""
        for kind, body in list(frames(source, lambda _: None))[1:-1]:
            table = body if kind == TABLE else table
            copy.frame(kind, change(table, body) if kind == ROWS else body)
        copy.end()
    return file


def an_edge_to_nowhere(table: bytes, body: bytes) -> bytes:
    return body.replace(b"local\t6\t4\t", b"local\t6\t77777\t") if b'"edges"' in table else body


def a_row_too_few(table: bytes, body: bytes) -> bytes:
    return body[: body.find(b"\n") + 1] if b'"thoughts"' in table else body


def no_row(table: bytes, body: bytes) -> bytes:
    return b"nonsense\n" if b'"workspaces"' in table or b'"transcripts"' in table else body


def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb"
    with open_backup(DUMP) as source, bomb.open("wb") as sink:
        file = BackupWriter(sink, header_of(source))
        file.frame(ROWS, b"\0" * (MAX_FRAME + 1))
        file.end()
    assert bomb.stat().st_size < PART
    with open_backup(bomb) as opened, pytest.raises(InvalidArgument, match="cannot be read"):
        list(frames(opened, lambda _: None))


@pytest.mark.parametrize("change", [an_edge_to_nowhere, a_row_too_few, no_row])
async def test_a_fault_halfway_leaves_what_was_there(
    change: Callable[[bytes, bytes], bytes], url: str, tmp_path: Path
) -> None:
    assert written_anew(tmp_path / "same", lambda _, body: body).stat().st_size
    await restore(await at(url), tmp_path / "same", unheard, replace=True)
    rows, schema = rows_of(url), schema_of(url)
    file = written_anew(tmp_path / "f", change)
    with pytest.raises(InvalidArgument, match="nothing is changed"):
        await restore(await at(url), file, unheard, replace=True)
    assert rows_of(url) == rows
    assert schema_of(url) == schema


@pytest.mark.parametrize(("header", "words"), [
    ({"schema": "9999", "product": "7.1.0"}, "schema 9999 of reasonloom 7.1.0.*update"),
    ({"saver": 999}, "newer LangGraph"),
])  # fmt: skip
async def test_a_newer_backup_is_refused(
    header: dict[str, object], words: str, url: str, tmp_path: Path
) -> None:
    rows = rows_of(url)
    file = written_anew(tmp_path / "f", lambda _, body: body, **header)
    with pytest.raises(InvalidArgument, match=words):
        await restore(await at(url), file, unheard, replace=True)
    assert rows_of(url) == rows


async def test_no_file_is_written_over_and_no_draft_is_left(url: str, tmp_path: Path) -> None:
    access = await at(url)
    (tmp_path / "f").write_text("mine")
    with pytest.raises(InvalidArgument, match="exists already"):
        await back_up(access, tmp_path / "f", unheard)
    with pytest.raises(InvalidArgument, match="f: its folder does not exist"):
        await back_up(access, tmp_path / "nowhere" / "f", unheard)
    away = await at("postgresql://postgres@127.0.0.1:1/none")
    with pytest.raises(DatabaseUnavailable):
        await back_up(away, tmp_path / "g", unheard)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("f", "mine")]


async def test_a_schema_that_moves_is_left_alone(url: str, tmp_path: Path) -> None:
    with psycopg.connect(url, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        with pytest.raises(DatabaseUnavailable, match="another process"):
            await back_up(await at(url), tmp_path / "f", unheard)
        with pytest.raises(DatabaseUnavailable, match="another process"):
            await restore(await at(url), DUMP, unheard, replace=True)


@pytest.fixture
def owned(postgres: TestPostgres) -> Iterator[str]:
    """The URL of a database whose tables belong to a login that policies hold."""
    name = f"login_{uuid.uuid4().hex[:8]}"
    with postgres.empty() as database:
        boss = postgres.address.dsn("postgres", "postgres")
        with psycopg.connect(boss, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database} TEMPLATE template0".encode())
            connection.execute(f"CREATE ROLE {name} LOGIN".encode())
            connection.execute(f"GRANT CREATE ON DATABASE {database} TO {name}".encode())
            connection.execute(f"GRANT reasonloom_app TO {name}".encode())
        do(postgres.address.dsn("postgres", database), "CREATE EXTENSION vector SCHEMA public")
        yield postgres.address.dsn(name, database)
        do(postgres.address.dsn("postgres", database), f"DROP OWNED BY {name} CASCADE")
        do(boss, f"DROP ROLE {name}")


async def test_a_login_that_policies_hold_backs_up_every_owner(
    owned: str, url: str, postgres: TestPostgres, tmp_path: Path
) -> None:
    access = await at(owned)
    await restore(access, DUMP, unheard)
    database = psycopg.conninfo.conninfo_to_dict(owned)["dbname"]
    boss = postgres.address.dsn("postgres", str(database))
    rows = rows_of(boss)
    assert rows == rows_of(url)
    before = schema_of(boss)
    await back_up(access, tmp_path / "f", unheard)
    assert rows_of(boss) == rows
    assert schema_of(boss) == before
    with psycopg.connect(owned) as connection:
        assert connection.execute("SELECT count(*) FROM reasonloom.memories").fetchone() == (0,)
    await restore(access, tmp_path / "f", unheard, replace=True)
    assert rows_of(boss) == rows
    assert schema_of(boss) == before


async def test_a_login_that_does_not_own_the_tables_is_told_so(
    url: str, owned: str, postgres: TestPostgres, tmp_path: Path
) -> None:
    login = psycopg.conninfo.conninfo_to_dict(owned)["user"]
    database = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    stranger = await at(postgres.address.dsn(str(login), str(database)))
    with pytest.raises(SettingMistake, match="may not do this"):
        await back_up(stranger, tmp_path / "f", unheard)
    assert list(tmp_path.iterdir()) == []
