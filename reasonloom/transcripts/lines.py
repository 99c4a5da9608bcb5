"""Gives a file's lines with their places, whatever their length, and refuses what is no text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from reasonloom.errors import InvalidArgument
from reasonloom.transcripts.position import HEAD, TAIL
from reasonloom.transcripts.turns import Skipped

LONGEST = 16 * 1024 * 1024
"""Bytes of a line that is taken; a longer one is skipped and counted."""

BLOCK = 1024 * 1024
"""Bytes read at once of a line that is too long."""

MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
"""Byte order marks of encodings whose lines do not end at a line feed's byte."""

UTF8_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its bytes without the line feed, where it begins, whether it is ended."""

    data: bytes
    start: int
    ended: bool

    @property
    def end(self) -> int:
        """Where the next line begins."""
        return self.start + len(self.data) + self.ended


@dataclass(slots=True)
class Lines:
    """The lines from `start` on; `head` and `tail` are the file's bytes around what was taken."""

    stream: BinaryIO
    start: int
    longest: int = LONGEST
    offset: int = 0
    oversized: list[int] = field(default_factory=list)
    head: bytes = b""
    tail: bytes = b""

    def __iter__(self) -> Iterator[Line]:
        """Yield each line; a last one without a line feed counts as read only after `take`."""
        self.stream.seek(0)
        self.head = self.stream.read(min(HEAD, self.start))
        self.stream.seek(max(0, self.start - TAIL))
        self.tail = self.stream.read(min(TAIL, self.start))
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
        """Pass over a line that is too long; False if the file ends within it."""
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


def refuse_unreadable(stream: BinaryIO, *, lines_of_json: bool) -> None:
    """Look at the file's first bytes.

    Raises:
        InvalidArgument: they are UTF-16 or UTF-32, or no text at all.
    """
    stream.seek(0)
    window = stream.read(TAIL)
    for mark, name in MARKS.items():
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


def decoded(data: bytes, skipped: Skipped | None) -> str:
    """Return a line's text: UTF-8, else Windows-1252, which is counted in `skipped`."""
    data = data.strip(b"\0").removeprefix(UTF8_MARK)
    try:
        return data.decode()
    except UnicodeDecodeError:
        if skipped:
            skipped.recoded += 1
    lossy = data.decode("utf-8", "replace")
    if any(not sign.isascii() and sign != "\ufffd" for sign in lossy):
        return lossy  # most of it is UTF-8, with a few broken bytes
    return data.decode("cp1252", "replace")
