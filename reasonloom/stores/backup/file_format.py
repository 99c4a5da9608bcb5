"""The backup file format: a header, the rows of every table in turn, and a digest.

    reasonloom backup 1\\n   then, compressed with zlib, frames of kind, length and body:
        H   the header, as JSON
        T   the name and the columns of a table, as JSON
        D   some of its rows, in the text format of Postgres' COPY
        E   its number of rows, as JSON
        Z   the end
    and last, uncompressed, the SHA-256 of all preceding bytes.

An encrypted backup is the same within a file of age (age-encryption.org/v1).

The digest is verified before any data is used, so that a truncated file changes nothing.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from reasonloom.errors import InvalidArgument
from reasonloom.stores.backup.encryption import (
    AGE_HEADER,
    DAMAGED,
    IDENTITY,
    DecryptedFile,
    read_identities,
)

MAGIC = b"reasonloom backup 1\n"
FAMILY = b"reasonloom backup "
HEADER, TABLE, ROWS, COUNT, END = b"H", b"T", b"D", b"E", b"Z"
HEAD = struct.Struct(">cI")
DIGEST = hashlib.sha256().digest_size
PART = 1 << 18
"""Bytes read, or put in one frame, at a time."""

MAX_FRAME = 1 << 26
"""Maximum bytes of a frame: small compressed data may expand to exhaust all memory."""

ENCRYPTED = "encrypted: name the file with its private key, --identity FILE"
Frame = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Header:
    """The origin of a backup.

    Attributes:
        schema: the step of our migrations, such as `0013`.
        saver: the migration step of LangGraph's tables.
        product: the version of reasonloom that wrote it.
        postgres: the server's version as libpq's number, such as 160004.
        made_at: when its snapshot was taken, ISO 8601.
    """

    schema: str
    saver: int
    product: str
    postgres: int
    made_at: str


class BackupWriter:
    """Writes a backup frame by frame to an open file."""

    def __init__(self, file: BinaryIO, header: Header) -> None:
        self._file = file
        self._sum = hashlib.sha256()
        self._packer = zlib.compressobj()
        self._put(MAGIC)
        self.note(HEADER, asdict(header))

    def note(self, kind: bytes, body: Any) -> None:
        """Write a frame of JSON."""
        self.frame(kind, json.dumps(body).encode())

    def frame(self, kind: bytes, body: bytes) -> None:
        """Write one frame."""
        self._put(self._packer.compress(HEAD.pack(kind, len(body)) + body))

    def end(self) -> None:
        """Write the last frame and the digest."""
        self.frame(END, b"")
        self._put(self._packer.flush())
        self._file.write(self._sum.digest())

    def _put(self, data: bytes) -> None:
        self._sum.update(data)
        self._file.write(data)


def open_backup(path: Path, identity: Path | None = None) -> BinaryIO:
    """Open a backup, verify that it is complete, and return its file, decrypted.

    `identity` is the file with the private key of an encrypted backup.

    Raises:
        InvalidArgument: it cannot be read, is not a backup, has a newer format, is truncated or
            damaged, or is not encrypted for this key.
        SettingMistake: it is encrypted, and the extra for that is not installed.
    """
    name = path.name or str(path)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device may have no end
            raise InvalidArgument(f"{name}: not a file", field="file")
        file: BinaryIO = path.open("rb")
    except OSError:
        raise InvalidArgument(f"{name}: cannot be read", field="file") from None
    try:
        file = _clear(file, name, identity)
        _require_whole(file, name)
    except BaseException:
        file.close()
        raise
    return file


def _clear(file: BinaryIO, name: str, identity: Path | None) -> BinaryIO:
    """Return a backup's file, or one that decrypts it."""
    if file.read(len(AGE_HEADER)) == AGE_HEADER:
        if identity is None:
            raise InvalidArgument(f"{name}: {ENCRYPTED}", field="file")
        return cast("BinaryIO", DecryptedFile(file, name, read_identities(identity)))
    if identity is not None:
        raise InvalidArgument(f"{name}: not encrypted: leave {IDENTITY} out", field=IDENTITY)
    return file


def _require_whole(file: BinaryIO, name: str) -> None:
    try:
        file.seek(0)
        magic = file.read(len(MAGIC))
        total, end = hashlib.sha256(magic), b""
        while magic == MAGIC and (part := file.read(PART)):
            end += part
            total.update(end[:-DIGEST])
            end = end[-DIGEST:]
    except OSError:
        raise InvalidArgument(f"{name}: cannot be read", field="file") from None
    if magic != MAGIC:
        newer = magic.startswith(FAMILY)
        fault = "of a newer format: update reasonloom" if newer else "not a backup of reasonloom"
        raise InvalidArgument(f"{name}: {fault}", field="file")
    if total.digest() != end:
        raise InvalidArgument(f"{name}: {DAMAGED}", field="file")


def newest_backup(folder: Path) -> Path:
    """Return the backup in a folder that was written last, by the files' times.

    Raises:
        InvalidArgument: the folder has none.
    """
    found = [path for path in folder.iterdir() if path.is_file() and _is_backup(path)]
    if not found:
        raise InvalidArgument(f"{folder.name}: this folder has no backup", field="file")
    return max(found, key=lambda path: path.stat().st_mtime)


def _is_backup(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(AGE_HEADER)).startswith((FAMILY, AGE_HEADER))
    except OSError:
        return False


def row_counts(file: BinaryIO) -> dict[str, int]:
    """Return the number of rows of each table in an opened backup."""
    counts: dict[str, int] = {}
    table = ""
    for kind, body in frames(file, lambda _: None):
        if kind == TABLE:
            table = json.loads(body)["table"]
        elif kind == COUNT:
            counts[table] = json.loads(body)
    return counts


def header_of(file: BinaryIO) -> Header:
    """Return the header of an opened backup.

    Raises:
        InvalidArgument: it has no readable header.
    """
    for kind, body in frames(file, lambda _: None):
        if kind == HEADER:
            try:
                return Header(**json.loads(body))
            except (ValueError, TypeError):
                break
        break
    raise unreadable()


def frames(file: BinaryIO, progress: Callable[[int], None]) -> Iterator[Frame]:
    """Yield the frames of an opened backup; `progress` receives the number of bytes read.

    Raises:
        InvalidArgument: it is complete, but does not consist of such frames.
    """
    unpacker, waiting = zlib.decompressobj(), b""
    file.seek(len(MAGIC))
    try:
        while not unpacker.eof:
            part = unpacker.unconsumed_tail or file.read(PART)
            if not part:
                break
            waiting += unpacker.decompress(part, PART)
            progress(file.tell())
            while len(waiting) >= HEAD.size:
                kind, size = HEAD.unpack_from(waiting)
                if size > MAX_FRAME:
                    raise unreadable()
                if len(waiting) < HEAD.size + size:
                    break
                yield kind, waiting[HEAD.size : HEAD.size + size]
                waiting = waiting[HEAD.size + size :]
                if kind == END:
                    return
    except zlib.error:
        pass
    raise unreadable()


def unreadable() -> InvalidArgument:
    """Return the error for a complete file whose content is not that of a backup."""
    return InvalidArgument("the backup's content cannot be read; nothing is changed", field="file")
