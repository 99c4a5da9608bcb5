"""The file of a backup: what it is of, the rows of every table in turn, the digest of it all.

    reasonloom backup 1\\n   then, compressed by zlib, frames of a kind, a length and a body:
        H   the header, as JSON
        T   the name and the columns of a table, as JSON
        D   some of its rows, as Postgres' COPY writes them in its text format
        E   how many rows it had, as JSON
        Z   the end
    and last, not compressed, the SHA-256 of every byte before.

The digest is compared before a byte is used, so that a file cut short changes nothing.
"""

import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from reasonloom.errors import InvalidArgument

MAGIC = b"reasonloom backup 1\n"
FAMILY = b"reasonloom backup "
HEADER, TABLE, ROWS, COUNT, END = b"H", b"T", b"D", b"E", b"Z"
HEAD = struct.Struct(">cI")
DIGEST = hashlib.sha256().digest_size
PART = 1 << 18
"""Bytes that are read, or put in one frame, at once."""

MAX_FRAME = 1 << 26
"""Bytes of a frame that is read: what is packed small may unpack to all memory there is."""

Frame = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Header:
    """What a backup is of.

    Attributes:
        schema: the step of our migrations, such as `0013`.
        saver: the step of LangGraph's tables of saved steps.
        product: the version of reasonloom that made it.
        postgres: libpq's number of the server, such as 160004.
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


def open_backup(path: Path) -> BinaryIO:
    """Return the file of a backup, opened and found whole.

    Raises:
        InvalidArgument: it cannot be read, is no backup, or is cut short or damaged.
    """
    name = path.name or str(path)
    try:
        if path.exists() and not path.is_file():  # a pipe or a device need not have an end
            raise InvalidArgument(f"{name}: not a file", field="file")
        file = path.open("rb")
    except OSError:
        raise InvalidArgument(f"{name}: cannot be read", field="file") from None
    try:
        _require_whole(file, name)
    except BaseException:
        file.close()
        raise
    return file


def _require_whole(file: BinaryIO, name: str) -> None:
    try:
        size = file.seek(0, 2) - DIGEST
        file.seek(0)
        magic = file.read(len(MAGIC))
        total = hashlib.sha256(magic)
        while (left := size - file.tell()) > 0:
            total.update(file.read(min(PART, left)))
        rest = file.read()
    except OSError:
        raise InvalidArgument(f"{name}: cannot be read", field="file") from None
    if magic != MAGIC:
        newer = magic.startswith(FAMILY)
        fault = "of a newer form: update reasonloom" if newer else "no backup of reasonloom"
        raise InvalidArgument(f"{name}: {fault}", field="file")
    if total.digest() != rest:
        raise InvalidArgument(f"{name}: cut short or damaged; nothing is changed", field="file")


def header_of(file: BinaryIO) -> Header:
    """Return the header of an opened backup.

    Raises:
        InvalidArgument: it has none that can be read.
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
    """Yield the frames of an opened backup to its end; `progress` hears how many bytes are read.

    Raises:
        InvalidArgument: it is whole, but not made of such frames.
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
    """Return the error for a file that is whole but does not hold what a backup holds."""
    return InvalidArgument("the backup's content cannot be read; nothing is changed", field="file")
