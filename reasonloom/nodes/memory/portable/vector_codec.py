"""Vectors as an export writes them: base64 of little-endian float16, which is what is stored."""

from __future__ import annotations

import base64
import binascii
import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from reasonloom.contracts.memory.export_format import PortableVector
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.stores.vectors import SECTOR_BIT

BYTES = 2


def encode(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return {sectors, vector} of a stored vector, given as {sectors: bits, vector: text}."""
    numbers = json.loads(stored["vector"])
    packed = struct.pack(f"<{len(numbers)}e", *numbers)
    shared = [sector for sector in SECTORS if SECTOR_BIT[sector] & stored["sectors"]]
    return {"sectors": shared, "vector": base64.b64encode(packed).decode()}


def decode(given: Sequence[PortableVector], dimension: int) -> dict[str, list[float]]:
    """Return the vector of each of the five sectors; {} where they are not whole.

    Raises:
        ValueError: a vector is no base64, of another dimension, not finite, or nothing but 0.
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
