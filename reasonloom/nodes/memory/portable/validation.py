"""Validates a whole file before any of it is stored."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from reasonloom.contracts.memory.export_format import SOURCE_KINDS, PortableEmbedder, PortableHeader
from reasonloom.errors import InvalidArgument
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.memory.portable.lines import BadLine, GoodLine, read_lines

HEAD = 4_096
"""Bytes to inspect: a binary .amem file begins with a header of 64 bytes, mostly zeros."""

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
    """Check the beginning of a file for binary data and rewind it.

    Raises:
        InvalidArgument: the file is binary, compressed, or text in another encoding.
    """
    source.seek(0)
    head = source.read(HEAD)
    source.seek(0)
    fault = None
    if kind := next((kind for mark, kind in PACKED.items() if head.startswith(mark)), None):
        fault = f"this file is packed ({kind}): unpack it first; {EXPECTED}"
    elif head.startswith(WIDE):
        fault = f"this file is text in UTF-16: save it in UTF-8; {EXPECTED}"
    elif b"\0" in head or head.startswith(b"AMEM"):
        fault = OTHER
    if fault:
        raise InvalidArgument(fault, field="file")


MOST_LISTED = 50
"""Bad lines retained for the report; all are counted."""


@dataclass(slots=True)
class FileCheck:
    """The counts of a file's contents.

    Attributes:
        removed: number of hidden characters removed.
        kinds: number of lines with an unknown source kind.
        bad: number of lines that cannot be stored; the first ones are in `faults`.
    """

    header: PortableHeader | None = None
    memories: int = 0
    embedded: int = 0
    removed: int = 0
    kinds: int = 0
    edges: int = 0
    bad: int = 0
    faults: list[BadLine] = field(default_factory=list)

    @property
    def is_cut(self) -> bool:
        """Whether the header announces more memories than the file contains."""
        promised = self.header.memories if self.header else None
        return promised is not None and promised > self.memories + self.bad

    def add_fault(self, line: BadLine) -> None:
        """Count a bad line and retain it if it is among the first."""
        self.bad += 1
        if len(self.faults) < MOST_LISTED:
            self.faults.append(line)


def embedder_in_use(embedder: Embedder) -> PortableEmbedder:
    """Return the embedder that a header must name for its vectors to be used."""
    return PortableEmbedder(model=embedder.model, dimension=embedder.dimension)


def check_file(source: BinaryIO, ours: PortableEmbedder) -> FileCheck:
    """Read a whole file without storing anything.

    Raises:
        InvalidArgument: the file is not text, or its header is invalid.
    """
    checked = FileCheck()
    for line in good_lines(source, ours, checked):
        checked.memories += 1
        checked.embedded += bool(line.vectors)
        checked.removed += line.removed
        checked.kinds += line.memory.source_kind not in (None, *SOURCE_KINDS)
        checked.edges += len(line.memory.edges or ())
    return checked


def good_lines(source: BinaryIO, ours: PortableEmbedder, checked: FileCheck) -> Iterator[GoodLine]:
    """Yield the valid lines and record the others in `checked`.

    Ids must be unique within a file, because links refer to them: a duplicate is a bad line.

    Raises:
        InvalidArgument: the file is not text, or its header is invalid.
    """
    refuse_binary(source)
    numbers: dict[str, int] = {}
    for line in read_lines(source, ours):
        if isinstance(line, PortableHeader):
            checked.header = line
        elif isinstance(line, BadLine):
            checked.add_fault(line)
        else:
            name = line.memory.id
            earlier = numbers.setdefault(name, line.number) if name else line.number
            if earlier != line.number:
                fault = f"id: {name} is on line {earlier} already; each id may occur once"
                checked.add_fault(BadLine(line.number, fault))
            else:
                yield line
