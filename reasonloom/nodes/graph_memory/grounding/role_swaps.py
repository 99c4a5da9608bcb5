"""Finds words of a claim with swapped roles: agent and patient, or what depends on what."""

from collections.abc import Sequence

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import OPTIONAL
from reasonloom.nodes.graph_memory.grounding.reading.matching import Found, find_term

ORDERED = frozenset(("en", "fr", "es", "de"))
CASES = frozenset(("der", "den", "dem", "ein", "einen", "einem", "er", "ihn", "ihm"))
"""German articles that distinguish agent and patient; the others are the same for both."""

BECAUSE = frozenset(("because",))
CONDITION = "condition"
LEAST = 3
"""Minimum terms of a swap: two terms, and one between them."""


def roles_swapped(clause: Clause, nearest: Clause, claim: Reading, memory: Reading) -> str | None:
    """Return which words of a clause are swapped compared with the memory; None if none are."""
    why = _reasons(clause, nearest, claim, memory)
    if why or memory.language not in ORDERED:
        return why
    return _blocks(clause, nearest, _hits(clause, nearest), memory.language)


def _hits(clause: Clause, nearest: Clause) -> list[Found]:
    """Return the match of each term in the memory's clause, using each of its terms once."""
    left = list(nearest.terms)
    hits: list[Found] = []
    for term in clause.terms:
        hit = find_term(term, left)
        if hit:
            left = [each for each in left if each is not hit.held]
            hits.append(hit)
    return hits


def _reasons(clause: Clause, nearest: Clause, claim: Reading, memory: Reading) -> str | None:
    """Return a mismatch if only one of both states the clause as a reason or a condition."""
    if _is_reason(clause) != _is_reason(nearest):
        return f"the memory does not say “{clause.terms[0].text}” as the same reason"
    if (CONDITION in clause.marks) == (CONDITION in nearest.marks):
        return None
    other = claim if CONDITION in nearest.marks else memory
    if any(CONDITION in each.marks for each in other.clauses):
        return f"the memory does not say “{clause.terms[0].text}” as the same condition"
    return None


def _is_reason(clause: Clause) -> bool:
    return any(senses == BECAUSE for term in clause.terms for senses in term.loose)


def _changed(one: Term, other: Term) -> str:
    return f"“{one.text}” and “{other.text}” are the other way round"


def _blocks(clause: Clause, nearest: Clause, hits: Sequence[Found], language: str) -> str | None:
    """Return a swap of two blocks of words around a middle one.

    Figures are swapped only with figures, and only alone: "truck 9 is faster than truck 14". With
    the words beside them they may be a list in another order.
    """
    if any((mark in clause.marks) != (mark in nearest.marks) for mark in ("passive", "fronted")):
        return None
    order = {id(term): n for n, term in enumerate(nearest.terms)}
    places = [order[id(hit.held)] for hit in hits]
    ranks = [sorted(places).index(place) for place in places]
    begin = next((n for n, rank in enumerate(ranks) if n != rank), len(ranks))
    end = next((n for n in range(len(ranks), 0, -1) if ranks[n - 1] != n - 1), 0)
    found = _exchange(ranks[begin:end], begin)
    if found is None:
        return None
    late, early = (hits[begin], hits[end - found])
    figures = [hit.claimed.value is not None for hit in (late, early)]
    if any(figures) and not (all(figures) and found == 1):
        return None
    if _settled(late, early) or (language == "de" and not _by_case(late, early)):
        return None
    return _changed(late.claimed, early.claimed)


def _exchange(ranks: Sequence[int], begin: int) -> int | None:
    """Return the length of the last block if `ranks` turn `A M B` into `B M A`, else None."""
    if len(ranks) < LEAST:
        return None
    last = begin + len(ranks) - 1
    back = next((n for n in range(1, len(ranks)) if ranks[n] != ranks[n - 1] + 1), len(ranks))
    front = next((n for n in range(1, len(ranks)) if ranks[-n] != ranks[-n - 1] + 1), len(ranks))
    middle = ranks[back : len(ranks) - front]
    whole = [*ranks[-front:], *middle, *ranks[:back]] == list(range(begin, last + 1))
    return front if middle and whole else None


def _settled(one: Found, other: Found) -> bool:
    """Return whether prepositions show that both words retain their roles."""
    ends = (one.claimed.lead, one.held.lead, other.claimed.lead, other.held.lead)
    if not any(ends):
        return False
    slots = _share(one.claimed.lead, other.held.lead) and _share(other.claimed.lead, one.held.lead)
    own = _share(one.claimed.lead, one.held.lead) and _share(other.claimed.lead, other.held.lead)
    return not slots or (own and not all(ends))


def _by_case(one: Found, other: Found) -> bool:
    """Return whether German words have changed their cases, or are names that show none."""
    if (
        one.claimed.name
        and other.claimed.name
        and not (one.claimed.article or other.claimed.article)
    ):
        return not any(hit.held.article in CASES for hit in (one, other))
    return any(
        hit.claimed.article != hit.held.article and {hit.claimed.article, hit.held.article} & CASES
        for hit in (one, other)
    )


def _share(one: Sequence[frozenset[str]], other: Sequence[frozenset[str]]) -> bool:
    if not one or not other:
        return not one and not other
    return any(mine & theirs - {OPTIONAL} for mine in one for theirs in other)
