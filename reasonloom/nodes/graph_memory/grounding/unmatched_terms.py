"""Finds function words of a claim that a memory lacks or opposes; no such claim is verified.

Prepositions are compared by the word that they govern, in both directions; particles, pronouns and
conjunctions of the claim must occur in the sentence of the memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.japanese import misplaced
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import (
    DISTINGUISHING,
    JAPANESE,
    OPTIONAL,
    PARTICLE,
    PERSONS,
    Senses,
    opposed_senses,
)
from reasonloom.nodes.graph_memory.grounding.reading.matching import find_term
from reasonloom.nodes.graph_memory.grounding.role_swaps import roles_swapped

KINDS = frozenset((OPTIONAL, PARTICLE, DISTINGUISHING))
TO = frozenset(("to",))
"""Before a different form of a word, an infinitive: `forbidden to write`, `must not be written`."""

BY, IN = frozenset(("by",)), frozenset(("in",))


class UnmatchedTerm(NamedTuple):
    """Why a memory does not support a clause; `opposite` if it says the opposite.

    Without `reserve`, it does not support it in part either, because words are swapped.
    """

    why: str
    opposite: bool
    reserve: bool = True


def unmatched_terms(
    clause: Clause, nearest: Clause, claim: Reading, memory: Reading
) -> UnmatchedTerm | None:
    """Return the first mismatch of a clause's function words or word roles; None if all match."""
    if JAPANESE in (claim.language, memory.language):
        both = claim.language == memory.language
        other_place = misplaced(clause, nearest, memory) if both else None
        if other_place:
            return UnmatchedTerm(*other_place)
        other = roles_swapped(clause, nearest, claim, memory)
        return UnmatchedTerm(other, opposite=False, reserve=False) if other else None
    ours = _bag(_sentence(clause, claim))
    theirs = _bag(_sentence(nearest, memory))
    passive = ("passive" in clause.marks) != ("passive" in nearest.marks)
    first: UnmatchedTerm | None = None
    moved = 0
    for term in clause.terms:
        held = _answering(term, nearest, memory)
        agent = any(each is nearest.terms[0] for each in held) and "passive" in clause.marks
        if not held or any(
            _fits(term, each, ours, theirs, passive=passive, agent=agent) for each in held
        ):
            continue
        if not moved and any(_topic(term, each, clause, nearest) for each in held):
            moved += 1
            continue
        turned = _turned(term, held)
        if turned:
            return UnmatchedTerm(
                f"the memory says the opposite of what the claim says of “{term.text}”",
                opposite=True,
            )
        first = first or UnmatchedTerm(
            f"the memory puts “{term.text}” in another place", opposite=False
        )
    found = _bag(each for term in clause.terms for each in _answering(term, nearest, memory))
    available = found | _bag(replace(term, lead=()) for term in _sentence(nearest, memory))
    unmatched = first or _loose(clause, nearest, ours, available, doubled=_doubled(clause, claim))
    if unmatched is None and (why := roles_swapped(clause, nearest, claim, memory)):
        return UnmatchedTerm(why, opposite=False, reserve=False)
    return unmatched


def _sentence(clause: Clause, reading: Reading) -> Iterator[Term]:
    for each in reading.clauses:
        if each.sentence == clause.sentence:
            yield from each.terms


def _bag(terms: Iterable[Term]) -> Senses:
    """Return all senses of the function words of some terms."""
    return frozenset().union(*(senses for t in terms for senses in (*t.lead, *t.loose))) - KINDS


def _answering(term: Term, nearest: Clause, memory: Reading) -> list[Term]:
    for terms in ((*nearest.terms, *nearest.subject), memory.terms):
        held = [each for each in terms if find_term(term, (each,))]
        if held:
            return held
    return []


def _fits(
    term: Term, held: Term, ours: Senses, theirs: Senses, *, passive: bool, agent: bool
) -> bool:
    """Return whether two terms follow the same prepositions, or none."""
    if not (term.name or held.name) and term.text.casefold() != held.text.casefold():
        if not held.lead and all(senses <= TO for senses in term.lead):
            return True
        if not term.lead and all(senses <= TO for senses in held.lead):
            return True
    if agent and not held.lead and term.lead and all(senses & BY for senses in term.lead):
        return True
    return _placed(term.lead, held.lead, theirs, passive=passive) and _placed(
        held.lead, term.lead, ours, passive=passive
    )


def _topic(term: Term, held: Term, clause: Clause, nearest: Clause) -> bool:
    """Return whether a place in one clause is the subject of the other.

    `There are beds in the hut`, `the hut has beds`. This is allowed once per clause, because two
    are a swap.
    """
    head = clause.terms[0] if held.lead else nearest.terms[0]
    if bool(term.lead) is bool(held.lead) or (term if held.lead else held) is not head:
        return False
    return all(senses & IN for senses in (*term.lead, *held.lead))


def _placed(mine: Sequence[Senses], other: Sequence[Senses], bag: Senses, *, passive: bool) -> bool:
    for senses in mine:
        bare = senses - KINDS
        if any(bare & each for each in other) or (PARTICLE in senses and bare & bag):
            continue
        if not other and (OPTIONAL in senses or (passive and senses & BY)):
            continue
        return False
    return True


def _turned(term: Term, held: Sequence[Term]) -> bool:
    return all(
        any(opposed_senses(mine, other) for mine in term.lead for other in each.lead)
        for each in held
    )


def _doubled(clause: Clause, claim: Reading) -> bool:
    """Return whether a Spanish pronoun may repeat an object of its clause: `a los niños les`."""
    return claim.language == "es" and any(senses >= TO for t in clause.terms for senses in t.lead)


def _loose(
    clause: Clause, nearest: Clause, ours: Senses, theirs: Senses, *, doubled: bool
) -> UnmatchedTerm | None:
    """Return a mismatch of words other than prepositions, of the claim or the memory."""
    here = [senses for term in clause.terms for senses in term.loose]
    there = [senses for term in nearest.terms for senses in term.loose]
    for senses in here:
        bare = senses - KINDS
        if not bare or bare & theirs or ((clause.subject or doubled) and bare & PERSONS):
            continue
        if any(opposed_senses(bare, each) for each in there):
            return UnmatchedTerm("the memory says the opposite", opposite=True)
        if OPTIONAL in senses:
            continue
        return UnmatchedTerm(f"the memory does not say “{_first_sense(bare)}”", opposite=False)
    for senses in there:
        if DISTINGUISHING in senses and not (senses - KINDS) & ours:
            return UnmatchedTerm(
                f"the claim leaves out “{_first_sense(senses - KINDS)}”", opposite=False
            )
    return None


def _first_sense(senses: Senses) -> str:
    return sorted(senses)[0].removeprefix("word ")
