"""Finds words of a claim with swapped roles: agent and patient, or what depends on what."""

from collections.abc import Sequence

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import OPTIONAL
from reasonloom.nodes.graph_memory.grounding.reading.matching import Found, find_term

ORDERED = frozenset(("en", "fr", "es", "de"))
CASES = frozenset(("der", "den", "dem", "ein", "einen", "einem", "er", "ihn", "ihm"))
"""German articles that distinguish agent and patient; the others are the same for both."""

BECAUSE, TO, THAN = frozenset(("because",)), frozenset(("to",)), frozenset(("than",))
CONDITION = "condition"
OBJECTS = frozenset(("den", "dem", "einen", "einem"))
LEAST = 3
"""Minimum terms of a swap: two terms, and one between them."""


def roles_swapped(clause: Clause, nearest: Clause, claim: Reading, memory: Reading) -> str | None:
    """Return which words of a clause are swapped compared with the memory; None if none are."""
    hits = _hits(clause, nearest)
    same = ("passive" in clause.marks) == ("passive" in nearest.marks)
    return (
        _conditions(clause, nearest, hits)
        or _owners(hits)
        or _reasons(clause, nearest, claim, memory)
        or _compared(hits)
        or (_subjects(hits, nearest) if same and memory.language == "en" else None)
        or (_cases(hits) if same and memory.language == "de" else None)
        or (_persons(hits) if memory.language == "es" else None)
        or (_blocks(clause, nearest, hits, memory.language) if memory.language in ORDERED else None)
    )


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


def _conditions(clause: Clause, nearest: Clause, hits: Sequence[Found]) -> str | None:
    """Return a swapped dependence: `nobody eats without washing`, `washes without eating`."""
    if not any(term.required for term in nearest.terms):
        return None
    both = any(term.required for term in clause.terms)
    needed = False
    for hit in hits:
        if both and hit.claimed.required != hit.held.required:
            return _dependence_reason(hit.claimed)
        if "relative" in clause.marks and needed and not hit.held.required:
            return _dependence_reason(hit.claimed)
        needed = needed or hit.held.required
    return None


def _dependence_reason(term: Term) -> str:
    return f"the memory makes something else depend on “{term.text}”"


def _owners(hits: Sequence[Found]) -> str | None:
    """Return a swap if one word lacks an optional preposition that another has gained."""
    plain = [hit for hit in hits if not (hit.claimed.value or hit.held.value)]
    lost = [hit for hit in plain if _optional(hit.held) and not hit.claimed.lead]
    won = [hit for hit in plain if _optional(hit.claimed) and not hit.held.lead]
    for one in lost:
        for other in won:
            if any(a & b for a in one.held.lead for b in other.claimed.lead):
                return _changed(one.claimed, other.claimed)
    return None


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


def _subjects(hits: Sequence[Found], nearest: Clause) -> str | None:
    """Return a swap if the claim's first word comes later in the memory, after another subject."""
    bare = [hit for hit in hits if not (hit.claimed.lead or hit.held.lead or hit.claimed.value)]
    if len(bare) <= LEAST or bare[0].claimed is not hits[0].claimed:
        return None
    order = {id(term): n for n, term in enumerate(nearest.terms)}
    places = [order[id(hit.held)] for hit in bare]
    first = places.index(min(places))
    between = [place for place in places if min(places) < place < places[0]]
    if first and between and not bare[0].claimed.text.endswith("ly"):
        return _changed(bare[0].claimed, bare[first].claimed)
    return None


def _compared(hits: Sequence[Found]) -> str | None:
    """Return a swap of the sides of a comparison: `fewer in winter than in summer`."""
    for hit in hits:
        ends = [
            any(THAN & senses for senses in (*t.lead, *t.loose)) for t in (hit.claimed, hit.held)
        ]
        if ends[0] != ends[1]:
            return f"the memory compares with another than “{hit.claimed.text}”"
    return None


def _is_reason(clause: Clause) -> bool:
    return any(senses == BECAUSE for term in clause.terms for senses in term.loose)


def _cases(hits: Sequence[Found]) -> str | None:
    """Return a mismatch if the case of a word's German article has changed."""
    for place, hit in enumerate(hits):
        articles = {hit.claimed.article, hit.held.article}
        moved = hits[max(0, place - 1)].held is not hit.held
        lost = hit.held.article in OBJECTS and not hit.claimed.article and moved
        if (len(articles) > 1 and articles <= CASES) or lost:
            return f"the memory says something else of “{hit.claimed.text}”"
    return None


def _persons(hits: Sequence[Found]) -> str | None:
    """Return a mismatch if a Spanish name has gained or lost the personal `a`."""
    for hit in hits:
        ends = [any(TO & senses for senses in term.lead) for term in (hit.claimed, hit.held)]
        if hit.claimed.name and not hit.claimed.value and ends[0] != ends[1]:
            return f"the memory says something else of “{hit.claimed.text}”"
    return None


def _optional(term: Term) -> bool:
    return bool(term.lead) and all(OPTIONAL in senses for senses in term.lead)


def _changed(one: Term, other: Term) -> str:
    return f"“{one.text}” and “{other.text}” stand the other way round"


def _blocks(clause: Clause, nearest: Clause, hits: Sequence[Found], language: str) -> str | None:
    """Return a swap of two blocks of words around a middle one."""
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
    """Return whether prepositions show that both words retain their roles, or one is a figure."""
    if one.claimed.value or other.claimed.value:
        return True
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
