"""Reads the lines of an exported or handwritten file lazily, and encodes and decodes vectors."""

import base64
import binascii
import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from reasonloom.contracts.memory.export_format import (
    FORMAT,
    VERSION,
    PortableEmbedder,
    PortableHeader,
    PortableMemory,
    PortableVector,
)
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import CallerMistake, InvalidArgument
from reasonloom.nodes.memory.cleaning import clean_all
from reasonloom.stores.vectors import SECTOR_BIT
from reasonloom.text.hidden_characters import remove_hidden

BYTES = 2


def encode_vector(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return {sectors, vector} for a stored {sectors: bits, vector: text}.

    The vector is base64 of little-endian float16 numbers, the precision in which it is stored.
    """
    numbers = json.loads(stored["vector"])
    packed = struct.pack(f"<{len(numbers)}e", *numbers)
    shared = [sector for sector in SECTORS if SECTOR_BIT[sector] & stored["sectors"]]
    return {"sectors": shared, "vector": base64.b64encode(packed).decode()}


def decode_vector(given: Sequence[PortableVector], dimension: int) -> dict[str, list[float]]:
    """Return the vectors of the five sectors; {} if any is missing.

    Raises:
        ValueError: a vector is not base64, has another dimension, is not finite, or is all zeros.
    """
    vectors: dict[str, list[float]] = {}
    for each in given:
        numbers = _numbers(each.vector, dimension)
        vectors.update(dict.fromkeys(each.sectors, numbers))
    return vectors if len(vectors) == len(SECTORS) else {}


def _numbers(vector: str, dimension: int) -> list[float]:
    try:
        packed = base64.b64decode(vector, validate=True)
    except binascii.Error:
        raise ValueError("must be float16 numbers in base64") from None
    if len(packed) != BYTES * dimension:
        raise ValueError(f"must hold {dimension} float16 numbers in base64")
    numbers = list(struct.unpack(f"<{dimension}e", packed))
    if not all(map(math.isfinite, numbers)) or not any(numbers):
        raise ValueError("must hold finite numbers that are not all 0")
    return numbers


LONGEST_LINE = 8_000_000
"""Maximum bytes of one line, far above a content of 100,000 characters with five vectors."""

CLEANED_FIELDS = ("content", "category", "context", "project")
CLEANED_LIST_FIELDS = ("keywords", "tags")
NOT_JSON = 'not a JSON object; a line is at least {"content": "..."}'


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that cannot be stored: its 1-based number and the error."""

    number: int
    fault: str


@dataclass(frozen=True, slots=True)
class GoodLine:
    """A memory ready to be stored; `removed` counts the hidden characters removed from it."""

    number: int
    memory: PortableMemory
    vectors: dict[str, list[float]] = field(default_factory=dict)
    removed: int = 0


def read_lines(
    source: BinaryIO, ours: PortableEmbedder
) -> Iterator[PortableHeader | GoodLine | BadLine]:
    """Yield the header, if present, and each line as a valid or invalid memory.

    Vectors are used only if the header names the embedder `ours`. Empty lines are skipped.

    Raises:
        InvalidArgument: the header has a newer version or is invalid.
    """
    trusted, first = False, True
    for number, raw in _raw(source):
        if raw is None:
            yield BadLine(number, f"longer than {LONGEST_LINE:,} bytes")
            continue
        if not raw.strip():
            continue
        value = _object(raw)
        if first and value is not None and "format" in value:
            header = _header(value)
            trusted = header.embedder == ours
            yield header
        else:
            yield _memory(number, value, ours.dimension if trusted else None)
        first = False


def _raw(source: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield each line with its number; None for a line that is too long."""
    number = 0
    while raw := source.readline(LONGEST_LINE):
        number += 1
        if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
            while (rest := source.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield number, None
        else:
            yield number, raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(raw.decode())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _header(value: dict[str, Any]) -> PortableHeader:
    version = value.get("version")
    if value["format"] == FORMAT and isinstance(version, int) and version > VERSION:
        raise InvalidArgument(
            f"line 1: version {version} of the format is newer than this program knows "
            f"({VERSION}); import it with a newer reasonloom",
            field="version",
        )
    try:
        return parse_request(PortableHeader, value)
    except CallerMistake as error:
        raise InvalidArgument(f"line 1, the header: {error.message}", field=error.field) from None


def _memory(number: int, value: dict[str, Any] | None, dimension: int | None) -> GoodLine | BadLine:
    if value is None:
        return BadLine(number, NOT_JSON)
    try:
        memory = parse_request(PortableMemory, value)
        cleaned, removed = _cleaned(value)
        if removed:
            memory = parse_request(PortableMemory, cleaned)
        vectors = decode_vector(memory.embeddings or (), dimension) if dimension else {}
    except CallerMistake as error:
        return BadLine(number, error.message)
    except ValueError as error:
        return BadLine(number, f"embeddings: {error}")
    return GoodLine(number, memory, vectors, removed)


def _cleaned(value: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Strip hidden characters from the stored fields; return the line and their count."""
    removed, changed = 0, dict(value)
    for name in CLEANED_FIELDS:
        if isinstance(text := value.get(name), str):
            changed[name], count = remove_hidden(text)
            removed += count
    changed["metadata"], count = clean_all(value.get("metadata"))
    removed += count
    for name in CLEANED_LIST_FIELDS:
        if isinstance(texts := value.get(name), list):
            pairs = [remove_hidden(text) for text in texts]
            changed[name] = [text for text, _ in pairs if text]
            removed += sum(count for _, count in pairs)
    return changed, removed
