"""Reads a text for comparing; what was read lately is kept."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from reasonloom.nodes.graph_memory.grounding.reading.clause import (
    MOST_TERMS,
    READ,
    Clause,
    Reading,
    normal,
)
from reasonloom.nodes.graph_memory.grounding.reading.clauses import clauses_of
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import is_read, language_of


@lru_cache(maxsize=4_096)
def read(text: str, default: str = "en") -> Reading:
    """Return a text read; of a long one its beginning. `default` is for a text of no language."""
    told = normal(text)
    language = language_of(told, default)
    every = clauses_of(told, language)
    clauses = _first(every)
    terms = tuple(term for clause in clauses for term in clause.terms)
    cut = len(text) > READ or len(clauses) < len(every)
    return Reading(told, language, clauses, terms, known=is_read(told), cut=cut)


def _first(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """Return as many of the first clauses as have MOST_TERMS together, one at least."""
    kept: list[Clause] = []
    held = 0
    for clause in clauses:
        held += len(clause.terms)
        if kept and held > MOST_TERMS:
            break
        kept.append(clause)
    return tuple(kept)
