"""Looks through a whole file before anything of it is stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from reasonloom.contracts.memory.export_format import SOURCE_KINDS, PortableEmbedder, PortableHeader
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.memory.portable.lines import BadLine, GoodLine, read_lines

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder


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


MOST_LISTED = 50
"""Bad lines that are kept to be shown; all are counted."""


@dataclass(slots=True)
class FileCheck:
    """What a file holds: good lines, bad ones, and what is mended of the good ones.

    `removed` counts hidden characters, `kinds` the kinds of source that there are not.
    """

    header: PortableHeader | None = None
    memories: int = 0
    embedded: int = 0
    removed: int = 0
    kinds: int = 0
    edges: int = 0
    bad: int = 0
    shown: list[BadLine] = field(default_factory=list)

    @property
    def is_cut(self) -> bool:
        """True where the header speaks of more memories than there are."""
        promised = self.header.memories if self.header else None
        return promised is not None and promised > self.memories + self.bad


def embedder_in_use(embedder: Embedder) -> PortableEmbedder:
    """Return what a header must say for its vectors to be taken over."""
    return PortableEmbedder(model=embedder.model, dimension=embedder.dimension)


def check_file(source: BinaryIO, ours: PortableEmbedder) -> FileCheck:
    """Read a file from its start to its end and store nothing.

    Raises:
        InvalidArgument: it is no text, or its header cannot be read.
    """
    checked = FileCheck()
    for line in good_lines(source, ours, checked):
        checked.memories += 1
        checked.embedded += bool(line.vectors)
        checked.removed += line.removed
        said = line.memory.source_kind
        checked.kinds += said is not None and said not in SOURCE_KINDS
        checked.edges += len(line.memory.edges or ())
    return checked


def good_lines(source: BinaryIO, ours: PortableEmbedder, checked: FileCheck) -> Iterator[GoodLine]:
    """Yield the lines that can be stored, and note the others in `checked`.

    A file holds an id once: the second line with it is a fault, for links name lines by it.

    Raises:
        InvalidArgument: it is no text, or its header cannot be read.
    """
    refuse_binary(source)
    numbers: dict[str, int] = {}
    for line in read_lines(source, ours):
        if isinstance(line, PortableHeader):
            checked.header = line
        elif isinstance(line, BadLine):
            _note(checked, line)
        else:
            name = line.memory.id
            earlier = numbers.setdefault(name, line.number) if name else line.number
            if earlier != line.number:
                fault = f"id: {name} stands on line {earlier} already; an id stands once"
                _note(checked, BadLine(line.number, fault))
            else:
                yield line


def _note(checked: FileCheck, line: BadLine) -> None:
    checked.bad += 1
    if len(checked.shown) < MOST_LISTED:
        checked.shown.append(line)
