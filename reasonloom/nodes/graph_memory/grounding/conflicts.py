"""Finds, by words, why a clause of a claim and a clause of a memory cannot both be true."""

from collections.abc import Collection, Sequence
from itertools import dropwhile, permutations
from typing import NamedTuple

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.matching import (
    Found,
    exclude_each_other,
    find_term,
)
from reasonloom.nodes.graph_memory.grounding.reading.mood import SOFT, WHY, foreign_moods

ABOUT = 0.5
"""Minimum share of a clause's terms that another must have for both to be about the same thing."""

LEAST = 2
FIXED_ORDER = frozenset(("en", "fr", "es"))
"""Languages where the agent precedes the verb; German marks it by inflection."""

AGENTS = frozenset(("by", "par", "por"))


class Conflict(NamedTuple):
    """Why two clauses cannot both be true; `kind` is figure, denial, quantity, roles or place."""

    kind: str
    why: str


def find_conflict(
    clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading
) -> Conflict | None:
    """Return how the memory contradicts a clause; None if its words show no contradiction."""
    nearby = [t for c in memory.clauses if c.sentence == nearest.sentence for t in c.terms]
    if not _one_matter(clause, nearest, hits, nearby):
        return None
    found = (
        ("figure", _figures(clause, nearest, hits, nearby)),
        ("denial", _denial(clause, nearest, hits)),
        ("roles", _roles(clause, nearest, hits) or _exchanged(clause, nearest, memory.language)),
        ("place", _placed(clause, nearest, hits, memory)),
    )
    return next((Conflict(kind, why) for kind, why in found if why), None)


def _one_matter(
    clause: Clause, nearest: Clause, hits: Sequence[Found], nearby: Sequence[Term]
) -> bool:
    """Return whether a clause and a sentence are about the same thing, by shared words."""
    claimed = [term for term in clause.terms if not term.value]
    shared = [term for term in clause.terms if find_term(term, nearby)]
    if len(claimed) == 1 and len(clause.terms) > 1:
        words = sum(not term.value for term in nearest.terms)
        return bool(shared) and find_term(claimed[0], nearest.terms) is not None and words <= LEAST
    if not claimed or len(shared) < min(LEAST, len(clause.terms)):
        return False
    plain = [hit for hit in hits if not hit.claimed.name and not hit.claimed.value]
    if not plain and any(not term.name for term in claimed):
        return False
    return sum(not term.value for term in shared) / len(claimed) >= ABOUT


def _denial(clause: Clause, nearest: Clause, hits: Sequence[Found]) -> str | None:
    claimed = {hit.claimed.denied for hit in hits} - {0}
    held = {hit.held.denied for hit in hits} - {0}
    if "only" in clause.marks and nearest.denials % 2 and held and not claimed:
        return None
    flips = {hit.held.key: hit for hit in hits if hit.flipped}
    whole = clause.denials + nearest.denials + len(flips)
    if whole % 2 and bool(claimed) != bool(held) and bool(held) == bool(clause.denials % 2):
        return None
    for hit in hits:
        turns = whole + bool(hit.claimed.denied) + bool(hit.held.denied)
        if turns % 2 == 0:
            continue
        if flips and not (clause.denials or nearest.denials or claimed or held):
            turn = next(iter(flips.values()))
            return f"“{turn.claimed.text}” contradicts “{turn.held.text}”"
        denies = bool(clause.denials % 2 or hit.claimed.denied)
        ours, theirs = ("the claim", "the memory") if denies else ("the memory", "the claim")
        subject = (
            f"“{hit.claimed.text}”" if hit.claimed.denied or hit.held.denied else _listed(hits)
        )
        return f"{ours} denies what {theirs} says of {subject}"
    return None


def _figures(
    clause: Clause, nearest: Clause, hits: Sequence[Found], nearby: Sequence[Term]
) -> str | None:
    for hit in hits:
        if hit.claimed.bound * hit.held.bound < 0:
            return f"the claim sets the limit “{hit.claimed.text}” on the other side"
    taken = {id(hit.held) for hit in hits}
    for term in clause.terms:
        if term.value is None or find_term(term, nearest.terms):
            continue
        near = [t for t in nearest.terms if id(t) not in taken]
        far = [t for t in nearby if t.value and t.value.unit and term.value.unit]
        for held in (*near, *(() if find_term(term, nearby) else far)):
            if exclude_each_other(term, held):
                return f"the claim says “{term.text}”, the memory “{held.text}”"
    return None


def _placed(clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading) -> str | None:
    """Return a conflict if the claim has another name or word where the memory has its own."""
    there = (*nearest.terms, *nearest.subject)
    answered = {id(hit.held) for hit in hits}
    answered |= {id(hit.held) for term in clause.subject if (hit := find_term(term, there))}
    own = [t for t in nearest.terms if id(t) not in answered and not t.value and not t.denied]
    claimed = (*clause.subject, *clause.terms)
    for term in claimed:
        if term.value or find_term(term, there):
            continue
        elsewhere = find_term(term, memory.terms)
        name = term.name or bool(elsewhere and elsewhere.held.name)
        for rival in own:
            alike = rival.name == name and (term.name or elsewhere is not None)
            if (alike or rival.only) and one_place(term, claimed, rival, nearest, hits):
                return f"the claim says “{term.text}” where the memory says “{rival.text}”"
    return None


def one_place(
    term: Term, claimed: Sequence[Term], rival: Term, nearest: Clause, hits: Sequence[Found]
) -> bool:
    """Return whether two terms are next to the same word, or follow the same preposition."""
    if term.name and term.marker and term.marker == rival.marker:
        return True
    answers = {id(hit.claimed): id(hit.held) for hit in hits}
    held = set(answers.values())
    ours = _neighbours(term, claimed, answers.keys())
    theirs = _neighbours(rival, nearest.terms, held)
    if term.name and rival.name:
        near = {id(each) for each in theirs if each is not None}
        return any(each is not None and answers[id(each)] in near for each in ours)
    return any(
        mine is not None and other is not None and answers[id(mine)] == id(other)
        for mine, other in zip(ours, theirs, strict=True)
    )


def _neighbours(
    term: Term, terms: Sequence[Term], shared: Collection[int]
) -> tuple[Term | None, Term | None]:
    """Return the nearest shared terms before and after a term; parts of its name are skipped."""
    at = next(n for n, each in enumerate(terms) if each is term)
    before, after = list(reversed(terms[:at])), list(terms[at + 1 :])
    if term.name:
        before = list(dropwhile(lambda each: each.name, before))
        after = list(dropwhile(lambda each: each.name, after))
    first = next((each for each in before if id(each) in shared), None)
    return first, next((each for each in after if id(each) in shared), None)


def _roles(clause: Clause, nearest: Clause, hits: Sequence[Found]) -> str | None:
    """Return a conflict if two terms are swapped: each follows the other's preposition."""
    bare = [hit for hit in hits if not hit.claimed.value or hit.claimed.value.kind == "number"]
    if ("passive" in clause.marks) != ("passive" in nearest.marks):
        return None
    for one, other in permutations(bare, 2):
        if one.claimed.marker == other.claimed.marker:
            continue
        if bool(one.claimed.value) is not bool(other.claimed.value):
            continue  # `the crew of the Aurora has nine`, `the Aurora has a crew of nine`
        if (one.claimed.marker, other.claimed.marker) == (other.held.marker, one.held.marker):
            return f"“{one.claimed.text}” and “{other.claimed.text}” have changed places"
    return None


def _exchanged(clause: Clause, nearest: Clause, language: str) -> str | None:
    """Return a conflict if agent and patient are swapped, if the language's word order shows it."""
    if language not in FIXED_ORDER or ("fronted" in clause.marks) != ("fronted" in nearest.marks):
        return None
    (agent, patient), (doer, other) = _doer(clause), _doer(nearest)
    if not (agent and patient and doer and other):
        return None
    if find_term(agent, [other]) and find_term(patient, [doer]) and not find_term(agent, [doer]):
        return f"“{agent.text}” and “{patient.text}” have changed places"
    return None


def _doer(clause: Clause) -> tuple[Term | None, Term | None]:
    """Return the agent and the patient of a clause, by word order."""
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
    return ", ".join(dict.fromkeys(f"“{hit.claimed.text}”" for hit in hits))


KEPT = 0.5
OTHERS = "other"
UNSAID = "the memory does not say it in the same mood"


class Doubt(NamedTuple):
    """Why a memory does not fully support a clause; with `reserve`, it supports it in part."""

    why: str
    reserve: bool


def find_doubt(
    clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading, claim: Reading
) -> Doubt | None:
    """Return why a memory does not fully support a clause; None if it does."""
    why = (
        _mood(clause, nearest)
        or _not_of_all(clause, nearest)
        or _scattered(clause, nearest, hits, memory)
        or _unread(nearest, hits, claim, memory)
    )
    if why:
        return Doubt(why, reserve=False)
    why = _left_out(clause, nearest, claim) or _condition(claim, nearest, memory)
    if mood := foreign_moods(nearest, clause):
        why = WHY[mood[0]] if mood[0] in nearest.marks else UNSAID
    if "hedge" in nearest.marks and "hedge" not in clause.marks:
        why = "the memory says it with a reserve"
    return Doubt(why, reserve=True) if why else None


def _mood(clause: Clause, nearest: Clause) -> str | None:
    """Return a doubt if the memory's mood is neither the claim's nor that of an assertion."""
    hard = [m for m in foreign_moods(nearest, clause) if m in nearest.marks - SOFT]
    return WHY[hard[0]] if hard else None


def _not_of_all(clause: Clause, nearest: Clause) -> str | None:
    if "only" in clause.marks and not nearest.marks & {"only", "all"}:
        return "the memory does not say that it holds for nothing else"
    if "all" in clause.marks and not nearest.marks & {"all", "only"} and not nearest.denials:
        return "the memory does not say it of all"
    if "each" in clause.marks and not nearest.marks & {"all", "each", "habit"}:
        return "the memory does not say that it is so each time"
    if "days" in clause.marks and not nearest.marks & {"all", "habit"} and _dated(nearest):
        return "the memory says it of one day"
    return None


def _left_out(clause: Clause, nearest: Clause, claim: Reading) -> str | None:
    for term in nearest.terms:
        if not (term.only or term.denied) or find_term(term, claim.terms):
            continue
        if term.only:
            return f"the memory says it of “{term.text}” only"
        if "all" in clause.marks:
            return f"the memory makes an exception of “{term.text}”"
    return None


def _scattered(
    clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading
) -> str | None:
    """Return a doubt if the clause's words are spread over clauses that say something else."""
    answered = {id(hit.held) for hit in hits}
    answered |= {id(hit.held) for t in clause.subject if (hit := find_term(t, nearest.terms))}
    if _others(nearest) != _others(clause):
        return "the memory says it of the others"
    if all(id(term) in answered for term in nearest.terms if not term.value):
        return None
    for term in clause.terms:
        if find_term(term, (*nearest.terms, *nearest.subject)):
            continue
        holding = [other for other in memory.clauses if find_term(term, other.terms)]
        if holding and not any(
            _shared_terms(clause, other) == 1 and _same_side(term, clause, other)
            for other in holding
        ):
            return f"the memory says “{term.text}” of another matter"
    return None


def _dated(clause: Clause) -> bool:
    return any(term.value and term.value.kind == "date" for term in clause.terms)


def _same_side(term: Term, clause: Clause, other: Clause) -> bool:
    """Return whether another clause denies a term as the claim does, and not of `the others`."""
    hit = find_term(term, other.terms)
    mine = clause.denials + bool(term.denied)
    theirs = other.denials + bool(hit and hit.held.denied)
    return mine % 2 == theirs % 2 and (_others(clause) or not _others(other))


def _others(clause: Clause) -> bool:
    return any(OTHERS in senses for term in clause.terms for senses in term.loose)


def _condition(claim: Reading, nearest: Clause, memory: Reading) -> str | None:
    """Return a doubt if the memory's sentence has a condition that the claim does not mention."""
    for other in memory.clauses:
        nearby = other.sentence == nearest.sentence and other is not nearest
        if nearby and "condition" in other.marks and _shared_terms(claim, other) < KEPT:
            return "the memory says it under a condition"
    return None


def _shared_terms(claim: Reading | Clause, clause: Clause) -> float:
    """Return the share of a clause's terms that a claim, or one of its clauses, has."""
    return sum(find_term(term, claim.terms) is not None for term in clause.terms) / len(
        clause.terms
    )


def _unread(nearest: Clause, hits: Sequence[Found], claim: Reading, memory: Reading) -> str | None:
    """Return a doubt in an unsupported language, where the memory's further words may deny it."""
    answered = {id(hit.held) for hit in hits}
    if claim.known or memory.known or all(id(term) in answered for term in nearest.terms):
        return None
    return "the memory says more, in a language that is not read"
