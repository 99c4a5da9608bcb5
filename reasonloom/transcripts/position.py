"""Where reading a file ended, so that the next time only what is new is read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO

from reasonloom.transcripts.turns import Source

HEAD, TAIL = 1024, 4096
"""Bytes at a file's beginning and before a position by which a file is known again."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a file was read; `wire()` is JSON, to be kept beside what was read.

    Args:
        offset: bytes read, up to the end of the last line that was whole.
        start: where the last turn began, which is still open; `offset` if none is.
        turn: that turn's number, or the next one's.
        digest: SHA-256 of the file's first bytes and of the last before `offset`.
        source: whose conversation it was as the open turn began.
    """

    offset: int
    start: int
    turn: int
    digest: str
    source: Source

    def wire(self) -> dict[str, Any]:
        """Return the position as JSON."""
        return asdict(self)

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Position:
        """Return the position that `wire()` gave.

        Raises:
            KeyError, TypeError: it is no such JSON.
        """
        source = Source(**wire["source"])
        return cls(wire["offset"], wire["start"], wire["turn"], wire["digest"], source)

    def fits(self, stream: BinaryIO) -> bool:
        """Return whether the file still has what was read of it (as far as the digest tells)."""
        stream.seek(0)
        head = stream.read(min(HEAD, self.offset))
        stream.seek(max(0, self.offset - TAIL))
        tail = stream.read(min(TAIL, self.offset))
        return digest(head, tail) == self.digest


def digest(head: bytes, tail: bytes) -> str:
    """Return by what a file is known again, from its first and its last bytes."""
    return hashlib.sha256(len(head).to_bytes(2) + head + tail).hexdigest()
