"""Why a clause of a claim and a clause of a memory cannot both be true, as far as words show it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import dropwhile
from typing import NamedTuple

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.matching import (
    Found,
    found_in,
    matched,
    rivals,
)

ABOUT = 0.5
"""Share of a clause's terms that must be shared before two clauses speak of one matter."""

LEAST = 2
FIXED_ORDER = frozenset(("en", "fr", "es"))
"""Languages where the doer stands before the verb; German tells by its endings."""

AGENTS = frozenset(("by", "par", "por"))


class Conflict(NamedTuple):
    """Why two clauses cannot both be true; `kind` is figure, denial, quantity, roles or place."""

    kind: str
    why: str


def conflict(
    clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading
) -> Conflict | None:
    """Return what the memory says against a clause, None where its words show nothing."""
    beside = [t for c in memory.clauses if c.sentence == nearest.sentence for t in c.terms]
    if not _one_matter(clause, nearest, hits, beside):
        return None
    found = (
        ("figure", _figures(clause, nearest, hits, beside)),
        ("denial", _denial(clause, nearest, hits) or _denied_beside(clause, nearest, beside)),
        ("quantity", _quantity(clause, nearest, memory)),
        ("roles", _roles(clause, nearest, hits) or _exchanged(clause, nearest, memory.language)),
        ("place", _placed(clause, nearest, hits, memory)),
    )
    return next((Conflict(kind, why) for kind, why in found if why), None)


def _one_matter(
    clause: Clause, nearest: Clause, hits: Sequence[Found], beside: Sequence[Term]
) -> bool:
    """Tell whether a clause speaks of what a sentence speaks of, by the share of its words."""
    asked = [term for term in clause.terms if not term.value]
    shared = [term for term in clause.terms if found_in(term, beside)]
    if len(asked) == 1 and len(clause.terms) > 1:
        told = sum(not term.value for term in nearest.terms)
        return bool(shared) and found_in(asked[0], nearest.terms) is not None and told <= LEAST
    if not asked or len(shared) < min(LEAST, len(clause.terms)):
        return False
    plain = [hit for hit in hits if not hit.asked.name and not hit.asked.value]
    if not plain and any(not term.name for term in asked):
        return False
    return sum(not term.value for term in shared) / len(asked) >= ABOUT


def _denial(clause: Clause, nearest: Clause, hits: Sequence[Found]) -> str | None:
    asked = {hit.asked.denied for hit in hits} - {0}
    held = {hit.held.denied for hit in hits} - {0}
    if "only" in clause.marks and nearest.denials % 2 and held and not asked:
        return None
    flips = {hit.held.key: hit for hit in hits if hit.flipped}
    whole = clause.denials + nearest.denials + len(flips)
    if whole % 2 and bool(asked) != bool(held) and bool(held) == bool(clause.denials % 2):
        return None
    for hit in hits:
        turns = whole + bool(hit.asked.denied) + bool(hit.held.denied)
        if turns % 2 == 0:
            continue
        if flips and not (clause.denials or nearest.denials or asked or held):
            turn = next(iter(flips.values()))
            return f"“{turn.asked.text}” stands against “{turn.held.text}”"
        denies = bool(clause.denials % 2 or hit.asked.denied)
        ours, theirs = ("the claim", "the memory") if denies else ("the memory", "the claim")
        told = f"“{hit.asked.text}”" if hit.asked.denied or hit.held.denied else _listed(hits)
        return f"{ours} denies what {theirs} says of {told}"
    return None


def _denied_beside(clause: Clause, nearest: Clause, beside: Sequence[Term]) -> str | None:
    """A word of the clause stands in the sentence only as what it denies."""
    if clause.denials or nearest.denials:
        return None
    for term in clause.terms:
        hit = None if found_in(term, nearest.terms) else found_in(term, beside)
        if hit and hit.held.denied and not term.denied:
            return f"the memory denies what the claim says of “{term.text}”"
    return None


def _figures(
    clause: Clause, nearest: Clause, hits: Sequence[Found], beside: Sequence[Term]
) -> str | None:
    for hit in hits:
        if hit.asked.bound * hit.held.bound < 0:
            return f"the claim sets the limit “{hit.asked.text}” on the other side"
    taken = {id(hit.held) for hit in hits}
    for term in clause.terms:
        if term.value is None or found_in(term, nearest.terms):
            continue
        near = [t for t in nearest.terms if id(t) not in taken]
        far = [t for t in beside if t.value and t.value.unit and term.value.unit]
        for held in (*near, *(() if found_in(term, beside) else far)):
            if held.value and rivals(term.value, held.value):
                return f"the claim says “{term.text}”, the memory “{held.text}”"
    return None


def _quantity(clause: Clause, nearest: Clause, memory: Reading) -> str | None:
    if "all" not in clause.marks or "only" in clause.marks:
        return None
    for other in memory.clauses:
        if other.sentence != nearest.sentence or "only" not in other.marks:
            continue
        left = [t for t in other.terms if t.only and not found_in(t, clause.terms)]
        plain = [hit for hit in matched(clause, other) if not hit.asked.name]
        if len(plain) >= min(LEAST, len(clause.terms)) and (left or other is nearest):
            return "the claim says of all what the memory says of some only"
    return None


def _placed(clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading) -> str | None:
    """A name, or a word of another clause, stands where the memory's clause has its own."""
    there = (*nearest.terms, *nearest.subject)
    answered = {id(hit.held) for hit in hits}
    answered |= {id(hit.held) for term in clause.subject if (hit := found_in(term, there))}
    own = [t for t in nearest.terms if id(t) not in answered and not t.value and not t.denied]
    asked = (*clause.subject, *clause.terms)
    for term in asked:
        if term.value or found_in(term, there):
            continue
        elsewhere = found_in(term, memory.terms)
        name = term.name or bool(elsewhere and elsewhere.held.name)
        for rival in own:
            alike = rival.name == name and (term.name or elsewhere is not None)
            if (alike or rival.only) and one_place(term, asked, rival, nearest, hits):
                return f"the claim says “{term.text}” where the memory says “{rival.text}”"
    return None


def one_place(
    term: Term, asked: Sequence[Term], rival: Term, nearest: Clause, hits: Sequence[Found]
) -> bool:
    """Tell whether two terms stand beside the same word, or after the same word of place."""
    if term.name and term.marker and term.marker == rival.marker:
        return True
    answers = {id(hit.asked): id(hit.held) for hit in hits}
    held = set(answers.values())
    ours = _beside(term, asked, answers.keys())
    theirs = _beside(rival, nearest.terms, held)
    if term.name and rival.name:
        near = {id(each) for each in theirs if each is not None}
        return any(each is not None and answers[id(each)] in near for each in ours)
    return any(
        mine is not None and other is not None and answers[id(mine)] == id(other)
        for mine, other in zip(ours, theirs, strict=True)
    )


def _beside(
    term: Term, terms: Sequence[Term], shared: Collection[int]
) -> tuple[Term | None, Term | None]:
    """Return the shared terms next to a term, before it and after it; a name's own are passed."""
    at = next(n for n, each in enumerate(terms) if each is term)
    before, after = list(reversed(terms[:at])), list(terms[at + 1 :])
    if term.name:
        before = list(dropwhile(lambda each: each.name, before))
        after = list(dropwhile(lambda each: each.name, after))
    first = next((each for each in before if id(each) in shared), None)
    return first, next((each for each in after if id(each) in shared), None)


def _roles(clause: Clause, nearest: Clause, hits: Sequence[Found]) -> str | None:
    """Two terms have changed places: each stands after the word of place that the other had."""
    bare = [hit for hit in hits if not hit.asked.value or hit.asked.value.kind == "number"]
    if ("passive" in clause.marks) != ("passive" in nearest.marks):
        return None
    for one in bare:
        for other in bare:
            if one is other or one.asked.marker == other.asked.marker:
                continue
            if bool(one.asked.value) is not bool(other.asked.value):
                continue  # `the crew of the Aurora has nine`, `the Aurora has a crew of nine`
            if (one.asked.marker, other.asked.marker) == (other.held.marker, one.held.marker):
                return f"“{one.asked.text}” and “{other.asked.text}” have changed places"
    return None


def _exchanged(clause: Clause, nearest: Clause, language: str) -> str | None:
    """Who does it and whom it is done to have changed places; where the order tells which."""
    if language not in FIXED_ORDER or ("fronted" in clause.marks) != ("fronted" in nearest.marks):
        return None
    (agent, patient), (doer, other) = _doer(clause), _doer(nearest)
    if not (agent and patient and doer and other):
        return None
    if found_in(agent, [other]) and found_in(patient, [doer]) and not found_in(agent, [doer]):
        return f"“{agent.text}” and “{patient.text}” have changed places"
    return None


def _doer(clause: Clause) -> tuple[Term | None, Term | None]:
    """Return who does what a clause says, and whom it is done to, by their order."""
    bare = [term for term in clause.terms if not term.marker and not term.value]
    led = next((n for n, term in enumerate(clause.terms) if term.marker in AGENTS), None)
    by = None if led is None else next((t for t in clause.terms[led:] if not t.value), None)
    if by is not None and "passive" in clause.marks:
        return by, bare[0] if bare else None
    if not bare:
        return None, None
    rest = bare[1:]
    if bare[0].name:
        rest = list(dropwhile(lambda term: term.name, rest))
    return bare[0], rest[1] if len(rest) > 1 else None


def _listed(hits: Sequence[Found]) -> str:
    return ", ".join(dict.fromkeys(f"“{hit.asked.text}”" for hit in hits))
