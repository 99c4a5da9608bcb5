"""Refuses files that are no text, and says what is read instead and how to come by it."""

from __future__ import annotations

from typing import BinaryIO

from reasonloom.errors import InvalidArgument

HEAD = 4_096
"""Bytes that are looked at: a binary .amem file begins with 64 bytes of which most are 0."""

WIDE = (b"\xff\xfe", b"\xfe\xff")
PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\x28\xb5\x2f\xfd": "zstd"}
EXPECTED = (
    "a memory file is text in UTF-8, JSON lines as `reasonloom memory export` writes them, "
    'each at least {"content": "..."}'
)
OTHER = (
    "this file is binary, such as AgenticMemory's own .amem files, which are not read; " + EXPECTED
)


def refuse_binary(source: BinaryIO) -> None:
    """Look at the beginning of a file and go back there.

    Raises:
        InvalidArgument: it is binary, packed, or text of another encoding.
    """
    source.seek(0)
    head = source.read(HEAD)
    source.seek(0)
    if fault := _fault(head):
        raise InvalidArgument(fault, field="file")


def _fault(head: bytes) -> str | None:
    for mark, kind in PACKED.items():
        if head.startswith(mark):
            return f"this file is packed ({kind}): unpack it first; {EXPECTED}"
    if head.startswith(WIDE):
        return f"this file is text in UTF-16: save it in UTF-8; {EXPECTED}"
    return OTHER if b"\0" in head or head.startswith(b"AMEM") else None
