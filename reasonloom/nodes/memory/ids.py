"""Reads lists of ids: those that can be a memory's, and those that never were."""

from __future__ import annotations

from collections.abc import Sequence

from reasonloom.errors import MemoryNotFound
from reasonloom.nodes.memory.forget import memory_number


def numbers_of(memory_ids: Sequence[str]) -> dict[str, int]:
    """Return the number of each different id, in their order; what is no id is left out."""
    numbers: dict[str, int] = {}
    for memory_id in memory_ids:
        try:
            numbers[memory_id] = memory_number(memory_id)
        except MemoryNotFound:
            continue
    return numbers


def not_in(memory_ids: Sequence[str], found: Sequence[str]) -> list[str]:
    """Return the different ids that were not found, in their order."""
    return [each for each in dict.fromkeys(memory_ids) if each not in set(found)]
