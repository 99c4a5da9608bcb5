"""Reads a file's lines of any length with their offsets, and parses JSON lines defensively."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any, BinaryIO, Self

from reasonloom.errors import InvalidArgument
from reasonloom.transcripts.turns import Skipped, Source

HEAD, TAIL = 1024, 4096
"""Bytes at a file's beginning and before a position that make up the file's digest."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a file has been read; stored with the chunks as JSON.

    Args:
        offset: bytes read, up to the end of the last complete line.
        start: the offset of the open turn; `offset` if none is open.
        turn: the number of the open turn, or of the next one.
        digest: SHA-256 of the file's first bytes and of the last bytes before `offset`.
        source: the conversation's source at the start of the open turn.
    """

    offset: int
    start: int
    turn: int
    digest: str
    source: Source

    def wire(self) -> dict[str, Any]:
        """Serialise the position to JSON."""
        return asdict(self)

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Self:
        """Restore a position from `wire()`; raises KeyError or TypeError for other JSON."""
        source = Source(**wire["source"])
        return cls(wire["offset"], wire["start"], wire["turn"], wire["digest"], source)

    def fits(self, stream: BinaryIO) -> bool:
        """Return whether the file has only grown since, judging by the digest."""
        return digest(*ends_of(stream, self.offset)) == self.digest


def ends_of(stream: BinaryIO, offset: int) -> tuple[bytes, bytes]:
    """Return a file's first bytes and the last bytes before `offset`, for its digest."""
    stream.seek(0)
    head = stream.read(min(HEAD, offset))
    stream.seek(max(0, offset - TAIL))
    return head, stream.read(min(TAIL, offset))


def digest(head: bytes, tail: bytes) -> str:
    """Return the hash that identifies a file up to an offset."""
    return hashlib.sha256(len(head).to_bytes(2) + head + tail).hexdigest()


LONGEST = 16 * 1024 * 1024
"""Maximum bytes of a line; longer ones are skipped and counted."""

BLOCK = 1024 * 1024

BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""Unsupported encodings, in which a line feed is not a single byte."""

UTF8_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """A line: its bytes without the line feed, its offset, and whether a line feed follows."""

    data: bytes
    start: int
    ended: bool

    @property
    def end(self) -> int:
        """The offset of the next line."""
        return self.start + len(self.data) + self.ended


@dataclass(slots=True)
class Lines:
    """Iterates over the lines from `start`; `head` and `tail` are the digest's bytes so far."""

    stream: BinaryIO
    start: int
    longest: int = LONGEST
    offset: int = 0
    oversized: list[int] = field(default_factory=list)
    head: bytes = b""
    tail: bytes = b""

    def __iter__(self) -> Iterator[Line]:
        """Yield each line; a last one without a line feed counts as read only after `take`."""
        self.head, self.tail = ends_of(self.stream, self.start)
        self.stream.seek(self.start)
        self.offset = self.start
        while data := self.stream.readline(self.longest + 1):
            start = self.offset
            if data.endswith(b"\n"):
                self.take(data)
                yield Line(data[:-1], start, True)
            elif len(data) <= self.longest:
                yield Line(data, start, False)
                return
            elif not self._passed(data):
                return

    def take(self, data: bytes) -> None:
        """Count `data` as read."""
        self.offset += len(data)
        if len(self.head) < HEAD:
            self.head += data[: HEAD - len(self.head)]
        self.tail = data[-TAIL:] if len(data) >= TAIL else (self.tail + data)[-TAIL:]

    def _passed(self, data: bytes) -> bool:
        """Skip a line that is too long; return False if the file ends within it."""
        start, before = self.offset, (self.offset, self.head, self.tail)
        while data and not data.endswith(b"\n"):
            self.take(data)
            data = self.stream.readline(BLOCK)
        if not data:
            self.offset, self.head, self.tail = before
            return False
        self.take(data)
        self.oversized.append(start)
        return True


def require_text(stream: BinaryIO, *, lines_of_json: bool) -> None:
    """Raise InvalidArgument if the file is UTF-16, UTF-32 or binary."""
    stream.seek(0)
    window = stream.read(TAIL)
    for mark, name in BYTE_ORDER_MARKS.items():
        if window.startswith(mark):
            raise InvalidArgument(
                f"The file is {name}; save it as UTF-8 and try again", field="path", kind="text"
            )
    if b"\0" in window and not (lines_of_json and window.lstrip(UTF8_MARK).startswith(b"{")):
        raise InvalidArgument(
            "The file is binary, not a conversation; give a JSONL or text file in UTF-8",
            field="path",
            kind="text",
        )


def decoded(data: bytes, skipped: Skipped) -> str:
    """Decode a line as UTF-8, lossily if mostly valid, else as Windows-1252; count invalid ones."""
    data = data.strip(b"\0").removeprefix(UTF8_MARK)
    try:
        return data.decode()
    except UnicodeDecodeError:
        skipped.recoded += 1
    lossy = data.decode("utf-8", "replace")
    if any(not sign.isascii() and sign != "\ufffd" for sign in lossy):
        return lossy  # mostly UTF-8 with a few broken bytes
    return data.decode("cp1252", "replace")


NAME_LENGTH = 200
"""Maximum characters of an id, a name or a version."""

PATH_LENGTH = 4096


def parse_entry(line: Line, skipped: Skipped) -> dict[str, Any] | None:
    """Return the line's JSON object, None if it is not one or is nested too deeply."""
    try:
        value = json.loads(decoded(line.data, skipped), strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def short_text(value: Any, limit: int = NAME_LENGTH) -> str | None:
    """Return a string cut to `limit` without unprintable characters; None if empty or no string."""
    if not isinstance(value, str) or not value:
        return None
    kept = value[:limit]
    if kept.isprintable():
        return kept
    return "".join(sign for sign in kept if sign.isprintable()) or None


def parse_moment(value: Any) -> datetime | None:
    """Parse an ISO 8601 time to aware UTC, which is the default zone; None if it is invalid."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
        aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
        return aware.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
