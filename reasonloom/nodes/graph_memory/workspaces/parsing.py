"""Parses a memory file for searching: its current memories, their words, and their vectors."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from sys import getsizeof
from typing import BinaryIO, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.memory.export_format import PortableEmbedder, PortableHeader
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.graph_memory.workspaces.folder import FileProblem
from reasonloom.nodes.memory.new_memory import EVENT_TYPE
from reasonloom.nodes.memory.portable.lines import GoodLine, read_lines
from reasonloom.nodes.memory.portable.rows import source_kind_of
from reasonloom.nodes.memory.portable.validation import FileCheck, good_lines, refuse_binary
from reasonloom.text.search_terms import index_terms

WORK, REST = 0.004, 0.001
"""Seconds of work after which a thread sleeps, and for how long; without it, other threads waited
up to 1.5 s."""

T = TypeVar("T")


def with_pauses(items: Iterable[T]) -> Iterator[T]:
    """Yield items, sleeping occasionally so that other threads can run."""
    resumed = time.perf_counter()
    for item in items:
        yield item
        if time.perf_counter() - resumed > WORK:
            time.sleep(REST)
            resumed = time.perf_counter()


MOST_LINES = 200_000
BLOCK = 1 << 20
SEARCHED_KINDS = ("user", "tool")
NOBODY = PortableEmbedder(model="nobody", dimension=1)
OF_MEMORY = 400
"""Measured size in bytes of a memory without its content."""


@dataclass(frozen=True, slots=True)
class FileMemory:
    """A memory of a file; its id and time are None if the file has none."""

    node_id: int | None
    event_type: str
    content: str
    confidence: float
    created_at: datetime | None


@dataclass(slots=True)
class FileVectors:
    """The vectors of a file's memories from one model; rows not yet known are 0."""

    model: str
    rows: NDArray[np.float16]
    known: NDArray[np.bool_]

    @classmethod
    def none(cls, model: str, memories: int, dimension: int) -> Self:
        """Return a matrix for `memories` vectors, none of them known yet."""
        return cls(model, np.zeros((memories, dimension), np.float16), np.zeros(memories, bool))

    def put(self, places: NDArray[np.intp], rows: NDArray[np.float32]) -> None:
        """Normalise and store the vectors of the memories at the indices `places`."""
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        self.rows[places] = rows / np.maximum(lengths, 1e-9)
        self.known[places] = True


@dataclass(slots=True)
class ParsedFile:
    """A file's searchable memories.

    Attributes:
        held: the memories.
        words: inverted index, from each word to the indices of the memories that have it.
        problem: a problem of a readable file, such as bad lines.
        digest: SHA-256 of its bytes.
        vectors: None until a search needs them, unless the file has its own.
        text_bytes: approximate size in memory without vectors.
    """

    held: list[FileMemory]
    words: dict[str, array[int]]
    problem: str | None
    digest: bytes
    vectors: FileVectors | None = None
    text_bytes: int = field(init=False)

    def __post_init__(self) -> None:
        """Estimate the size without vectors."""
        contents = sum(getsizeof(each.content) + OF_MEMORY for each in self.held)
        words = sum(getsizeof(word) + getsizeof(where) for word, where in self.words.items())
        self.text_bytes = contents + words + getsizeof(self.words)

    @property
    def bytes(self) -> int:
        """The approximate size in memory."""
        return self.text_bytes + (self.vectors.rows.nbytes if self.vectors else 0)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line's memory, and the fields that decide whether it is current and searched."""

    held: FileMemory
    id: str | None
    superseded_by: str | None
    supersedes: tuple[str, ...]
    hidden: bool
    searched: bool
    tags: str
    vector: NDArray[np.float16] | None


def parse_file(source: BinaryIO, digest: bytes) -> ParsedFile:
    """Parse a file from its start; takes about 0.1 ms per line, too slow for the event loop.

    Raises:
        FileProblem: it is not a memory file, has too many lines, or no valid one.
    """
    try:
        _refuse_long(source)
        refuse_binary(source)
        header = next(read_lines(source, NOBODY), None)
        if not isinstance(header, PortableHeader):
            header = None
        checked = FileCheck()
        ours = (header.embedder if header else None) or NOBODY
        lines = [_line(line) for line in with_pauses(good_lines(source, ours, checked))]
    except InvalidArgument as fault:
        raise FileProblem("unreadable", fault.message) from None
    except OSError as error:
        raise FileProblem("unreadable", f"cannot be read: {error.strerror}") from None
    checked.memories = len(lines)
    if checked.bad and not lines:
        first = checked.faults[0]
        raise FileProblem("unreadable", f"no line is a memory; line {first.number}: {first.fault}")
    current = list(_current(lines))
    return ParsedFile(
        held=[line.held for line in current],
        words=_words(current),
        problem=_problem(checked),
        digest=digest,
        vectors=_vectors(current, ours),
    )


def _refuse_long(source: BinaryIO) -> None:
    source.seek(0)
    lines = 0
    while block := source.read(BLOCK):
        lines += block.count(b"\n")
        if lines > MOST_LINES:
            raise FileProblem("unreadable", f"has more than {MOST_LINES:,} lines; split it")


def _line(line: GoodLine) -> _Line:
    memory = line.memory
    semantic = line.vectors.get("semantic")
    return _Line(
        held=FileMemory(
            node_id=int(memory.id.removeprefix("mem-")) if memory.id else None,
            event_type=memory.event_type or EVENT_TYPE[memory.sector],
            content=memory.content,
            confidence=memory.confidence,
            created_at=parse_moment(memory.created_at) if memory.created_at else None,
        ),
        id=memory.id,
        superseded_by=memory.superseded_by,
        supersedes=tuple(edge.target for edge in memory.edges or () if edge.type == "supersedes"),
        hidden=memory.hidden_at is not None,
        searched=source_kind_of(memory) in SEARCHED_KINDS,
        tags=" ".join(memory.tags or ()),
        vector=np.asarray(semantic, np.float16) if semantic else None,
    )


def _current(lines: list[_Line]) -> Iterator[_Line]:
    """Yield the searched lines that are neither hidden nor superseded, as an import would.

    A superseding line must come later and not be hidden; one that is referenced but missing from
    the file counts.
    """
    places = {line.id: place for place, line in enumerate(lines) if line.id}
    newest: dict[str, int] = {}
    for place, line in enumerate(lines):
        if not line.hidden:
            newest.update(dict.fromkeys(line.supersedes, place))
    for place, line in enumerate(lines):
        if line.hidden or not line.searched:
            continue
        named = _place_named(line, lines, places)
        by_edge = newest.get(line.id, -1) if line.id else -1
        if max(named, by_edge) <= place:
            yield line


def _place_named(line: _Line, lines: list[_Line], places: dict[str, int]) -> int:
    """Return the index of the line's `superseded_by`; -1 if it does not count."""
    if line.superseded_by is None:
        return -1
    place = places.get(line.superseded_by, len(lines))
    return -1 if place < len(lines) and lines[place].hidden else place


def _words(lines: list[_Line]) -> dict[str, array[int]]:
    words: dict[str, array[int]] = {}
    for place, line in enumerate(with_pauses(lines)):
        for word in index_terms(f"{line.held.content} {line.tags}"):
            words.setdefault(word, array("I")).append(place)
    return words


def _vectors(lines: list[_Line], ours: PortableEmbedder) -> FileVectors | None:
    """Return the vectors in the file; None if there are none."""
    places = np.flatnonzero([line.vector is not None for line in lines])
    if not places.size:
        return None
    vectors = FileVectors.none(ours.model, len(lines), ours.dimension)
    given = [line.vector for line in lines if line.vector is not None]
    vectors.put(places, np.asarray(given, np.float32))
    return vectors


def _problem(checked: FileCheck) -> str | None:
    problems = []
    if checked.bad:
        first = checked.faults[0]
        many = f"{checked.bad:,} bad lines are" if checked.bad > 1 else "1 bad line is"
        problems.append(f"{many} left out; line {first.number}: {first.fault}")
    if checked.is_cut:
        problems.append("the header counts more memories: the file was cut or edited")
    return "; ".join(problems) or None
