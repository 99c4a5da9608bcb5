"""Compares a claim with one memory by words: same, contradicting, covering, or unrelated.

Inferences that need world knowledge are missed, and then the weaker relation is returned. `same`
requires that the memory has every term of the claim and that nothing speaks against it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from reasonloom.nodes.graph_memory.grounding.conflicts import (
    Conflict,
    Doubt,
    find_conflict,
    find_doubt,
    one_place,
)
from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.clauses import read_text
from reasonloom.nodes.graph_memory.grounding.reading.matching import Found, find_term, match_terms
from reasonloom.nodes.graph_memory.grounding.reading.mood import SILENT, foreign_moods
from reasonloom.nodes.graph_memory.grounding.unmatched_terms import unmatched_terms

Relation = Literal["same", "contradicts", "covers", "unrelated"]


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of the claim compared with the memory.

    Attributes:
        clause: the clause.
        nearest: the memory's best matching clause; None if none matches.
        covered, uncovered: words of the clause that the memory has, and that it lacks.
        answered: how many terms of `nearest` the clause has.
        added: whether the uncovered words replace none of the memory's.
        against: how the memory contradicts it, if it does.
        doubt: why the memory does not fully support it although it has its words, if so.
    """

    clause: Clause
    nearest: Clause | None
    covered: tuple[str, ...]
    uncovered: tuple[str, ...]
    answered: int
    added: bool
    against: Conflict | None
    doubt: Doubt | None

    @property
    def why(self) -> str | None:
        """How the memory contradicts the clause, in plain words."""
        return self.against.why if self.against else None

    @property
    def whole(self) -> bool:
        """Whether the memory says all of the clause."""
        return bool(self.covered) and not (self.uncovered or self.against or self.doubt)


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim compared with one memory.

    Attributes:
        relation: `same` if the memory says all of the claim; `contradicts` if it contradicts some
            part; `covers` if it says some of it; `unrelated` if none.
        coverage: share of the claim's terms that the memory has, 0..1.
        covered, uncovered: terms that the memory has, and lacks, as written in the claim.
        why: the contradiction in plain words; None for the other relations.
        parts: the claim's clauses.
    """

    relation: Relation
    coverage: float
    covered: tuple[str, ...]
    uncovered: tuple[str, ...]
    why: str | None
    parts: tuple[Part, ...]


def judge_texts(claim: str, memory: str) -> Pair:
    """Compare a claim with a memory, by words alone; both are read up to a maximum length."""
    held = read_text(memory)
    return judge_readings(read_text(claim, held.language), held)


@lru_cache(maxsize=4_096)
def judge_readings(claim: Reading, memory: Reading) -> Pair:
    """Compare a claim with a memory, both already read; see `judge_texts`."""
    parts = tuple(_part(clause, claim, memory) for clause in claim.clauses)
    covered = tuple(word for part in parts for word in part.covered)
    uncovered = tuple(word for part in parts for word in part.uncovered)
    why = next((part.why for part in parts if part.why), None)
    coverage = len(covered) / (len(covered) + len(uncovered)) if covered else 0.0
    relation: Relation = "covers" if covered else "unrelated"
    if why:
        relation = "contradicts"
    elif parts and all(part.whole for part in parts):
        relation = "same"
    return Pair(relation, coverage, covered, uncovered, why, parts)


def _part(clause: Clause, claim: Reading, memory: Reading) -> Part:
    nearest = _nearest(clause, memory.clauses)
    covered: list[str] = []
    uncovered: list[str] = []
    for term in clause.terms:
        there = find_term(term, memory.terms)
        (covered if there else uncovered).append(term.text)
    against = unsure = None
    answered, added = 0, False
    if nearest is not None:
        hits = match_terms(clause, nearest)
        answered = len({id(hit.held) for hit in hits})
        added = _added(clause, nearest, hits, memory)
        silent = SILENT & nearest.marks - clause.marks
        silent -= {"wish"} if nearest.denials else set()
        against = None if silent else find_conflict(clause, nearest, hits, memory)
        unsure = None if against else find_doubt(clause, nearest, hits, memory, claim)
        if not (against or unsure or uncovered) and (
            left := unmatched_terms(clause, nearest, claim, memory)
        ):
            against = Conflict("place", left.why) if left.opposite else None
            unsure = None if left.opposite else Doubt(left.why, reserve=left.reserve)
    return Part(clause, nearest, tuple(covered), tuple(uncovered), answered, added, against, unsure)


def _added(clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading) -> bool:
    """Return whether no uncovered word takes the place of a word of the nearest clause."""
    answered = {id(hit.held) for hit in hits}
    own = [
        term
        for before, term in pairwise((None, *nearest.terms))
        if term and id(term) not in answered and (before is None or id(before) in answered)
    ]
    return not any(
        _rival(term, rival) and one_place(term, clause.terms, rival, nearest, hits)
        for term in clause.terms
        if not find_term(term, memory.terms)
        for rival in own
    )


def _rival(term: Term, other: Term) -> bool:
    """Return whether two words may replace each other: after the same preposition, or none."""
    if not (term.lead and other.lead):
        return not (term.lead or other.lead)
    return any(mine & theirs for mine in term.lead for theirs in other.lead)


def _nearest(clause: Clause, clauses: Sequence[Clause]) -> Clause | None:
    """Return the best matching clause: most shared terms, same mood, fewest other terms."""
    ranked = [(_weight(hits), -len(foreign_moods(each, clause)), -len(each.terms), -n, each)
            for n, each in enumerate(clauses) if (hits := match_terms(clause, each))]  # fmt: skip
    return max(ranked, key=lambda each: each[:4])[4] if ranked else None


def _weight(hits: Sequence[Found]) -> float:
    """Weigh the shared terms; names and figures count less, since they are what may be wrong."""
    return sum(0.45 if hit.claimed.name or hit.claimed.value else 1.0 for hit in hits)


BETWEEN = re.compile(r"[\s\-]*(?:[^\W\d_]{1,4}[\s\-]+){0,2}")
"""Allowed between two words of one phrase: blanks, and up to two short words."""


def uncovered_phrases(claim: str, words: Sequence[str]) -> list[str]:
    """Return the phrases of `claim` that `words`, in claim order, form.

    A word that does not occur in the claim as written, because the claim was normalised before
    reading, is returned as is.
    """
    folded = claim.casefold()
    if len(folded) != len(claim):
        return list(dict.fromkeys(words))
    parts: list[tuple[int, int]] = []
    loose: list[str] = []
    at = 0
    for word in words:
        found = folded.find(word.casefold(), at)
        found = found if found >= 0 else folded.find(word.casefold())
        if found < 0:
            loose.append(word)
            continue
        end = found + len(word)
        if parts and found - parts[-1][1] >= 0 and BETWEEN.fullmatch(claim, parts[-1][1], found):
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((found, end))
        at = end
    return list(dict.fromkeys([*(claim[start:end] for start, end in parts), *loose]))
