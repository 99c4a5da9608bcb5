"""An encrypted backup opens for its recipients alone; a backup is verified by restoring it."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyrage
import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.stores.backup.dump import back_up
from reasonloom.stores.backup.encryption import AGE_HEADER, DecryptedFile, encrypted
from reasonloom.stores.backup.file_format import PART, newest_backup
from reasonloom.stores.backup.restore import restore
from reasonloom.stores.backup.verify import verify
from tests.stores.backup.test_backup import DUMP, at, unheard, url
from tests.support.databases.rows import rows_of

__all__ = ["url"]
KEY, OTHER = pyrage.x25519.Identity.generate(), pyrage.x25519.Identity.generate()
TO_KEY = [str(KEY.to_public())]


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A file as `age-keygen` writes it."""
    path = tmp_path / "key.txt"
    path.write_text(f"# created: today\n# public key: {TO_KEY[0]}\n{KEY}\n")
    return path


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the embedded server's own user can reach."""
    with tempfile.TemporaryDirectory(prefix="rl-verify-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


async def test_what_is_encrypted_comes_back_for_the_key_alone(
    url: str, key: Path, tmp_path: Path
) -> None:
    before, file = rows_of(url), tmp_path / "new.backup"
    await back_up(await at(url), file, unheard, TO_KEY)
    whole = file.read_bytes()
    assert whole.startswith(AGE_HEADER)
    assert file.stat().st_mode & 0o077 == 0
    (tmp_path / "other.txt").write_text(f"{OTHER}\n")
    for identity, data, fault in (
        (tmp_path / "other.txt", whole, "not encrypted for the key in --identity"),
        (None, whole, "--identity FILE"),
        (file, whole, "--identity: new.backup cannot be read"),
        (key, whole[:-1000], "cut short or damaged"),
        (key, whole[:-1000] + bytes([whole[-1000] ^ 1]) + whole[-999:], "cut short or damaged"),
        (key, whole[:60], "cut short or damaged"),
    ):
        file.write_bytes(data)
        with pytest.raises(InvalidArgument, match=fault):
            await restore(await at(url), file, unheard, replace=True, identity=identity)
    assert rows_of(url) == before
    file.write_bytes(whole)
    await restore(await at(url), file, unheard, replace=True, identity=key)
    assert rows_of(url) == before


async def test_a_mistaken_recipient_leaves_no_file(url: str, tmp_path: Path) -> None:
    for recipient in ("age1nobody", "ssh-ed25519 AAAA", "anna"):
        with pytest.raises(InvalidArgument, match="--encrypt-to: must be an age recipient"):
            await back_up(await at(url), tmp_path / "x", unheard, [recipient])
    assert not (tmp_path / "x").exists()


def test_a_large_file_is_a_stream_that_can_begin_again(tmp_path: Path) -> None:
    part = os.urandom(PART)
    with (tmp_path / "x").open("wb") as file, encrypted(file, [KEY.to_public()]) as sink:
        for _ in range(40):
            sink.write(part)
    with DecryptedFile((tmp_path / "x").open("rb"), "x", [KEY]) as opened:
        assert opened.read(10) == part[:10]
        opened.seek(3)  # ends a decryption that has hardly begun
        assert (opened.read(7), opened.tell()) == (part[3:10], 10)
        assert len(opened.read()) == 40 * PART - 10


def test_a_disk_that_is_full_ends_the_writer() -> None:
    with (
        pytest.raises(OSError),
        Path("/dev/full").open("wb", buffering=0) as file,
        encrypted(file, [KEY.to_public()]) as sink,
    ):
        for _ in range(40):
            sink.write(b"x" * PART)


async def test_the_newest_backup_of_a_folder_is_restored_and_counted(
    folder: Path, tmp_path: Path
) -> None:
    for age, name in enumerate(("old.backup", "notes.txt", "new.backup")):
        (tmp_path / name).write_bytes(b"tea" if name == "notes.txt" else DUMP.read_bytes())
        os.utime(tmp_path / name, (age, age))
    newest = await asyncio.to_thread(newest_backup, tmp_path)
    assert newest.name == "new.backup"
    verified = await verify(folder, newest, unheard)
    assert verified.rows["memories"] > 0
    assert sum(verified.rows.values()) >= verified.size.rows
    assert list(folder.iterdir()) == []


async def test_a_backup_that_cannot_be_restored_is_not_verified(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(InvalidArgument, match="this folder has no backup"):
        newest_backup(folder)
    broken = tmp_path / "x"
    broken.write_bytes(DUMP.read_bytes()[:-100])
    with pytest.raises(InvalidArgument, match="cut short or damaged"):
        await verify(folder, broken, unheard)
    assert list(folder.iterdir()) == []
