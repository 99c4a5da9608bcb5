"""Checks a whole file before anything of it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from reasonloom.contracts.memory.export_format import SOURCE_KINDS, PortableEmbedder, PortableHeader
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.memory.portable.lines import BadLine, GoodLine, read_lines

if TYPE_CHECKING:
    from reasonloom.llm.interfaces import Embedder


HEAD = 4_096
"""Bytes that are checked: a binary .amem file begins with 64 bytes, most of them 0."""

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
    """Check the beginning of a file and rewind it.

    Raises:
        InvalidArgument: the file is binary, packed, or text of another encoding.
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
"""Bad lines that are kept for the report; all are counted."""


@dataclass(slots=True)
class FileCheck:
    """What a file contains.

    Attributes:
        removed: hidden characters.
        kinds: lines with an unknown kind of source.
        bad: lines that cannot be stored, the first of which are `faults`.
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
        """Whether the header announces more memories than there are."""
        promised = self.header.memories if self.header else None
        return promised is not None and promised > self.memories + self.bad

    def add_fault(self, line: BadLine) -> None:
        """Count a bad line, and keep it if it is one of the first."""
        self.bad += 1
        if len(self.faults) < MOST_LISTED:
            self.faults.append(line)


def embedder_in_use(embedder: Embedder) -> PortableEmbedder:
    """Return what a header must name for its vectors to be used."""
    return PortableEmbedder(model=embedder.model, dimension=embedder.dimension)


def check_file(source: BinaryIO, ours: PortableEmbedder) -> FileCheck:
    """Read a whole file without storing anything.

    Raises:
        InvalidArgument: the file is not text, or its header cannot be read.
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
    """Yield the lines that can be stored, and record the others in `checked`.

    An id occurs once in a file, because links refer to it: a second line with it is bad.

    Raises:
        InvalidArgument: the file is not text, or its header cannot be read.
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
                fault = f"id: {name} stands on line {earlier} already; an id stands once"
                checked.add_fault(BadLine(line.number, fault))
            else:
                yield line
