"""Why a memory that has the words of a claim still does not say it: what it restricts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.matching import Found, found_in
from reasonloom.nodes.graph_memory.grounding.reading.mood import SOFT, WHY, foreign

KEPT = 0.5
OTHERS = "other"
UNSAID = "the memory does not say it in the same mood"


class Doubt(NamedTuple):
    """Why a memory does not say a clause; with a `reserve` it says it in part."""

    why: str
    reserve: bool


def doubt(
    clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading, claim: Reading
) -> Doubt | None:
    """Return what keeps a memory from saying a clause, None where nothing does."""
    why = (
        _mood(clause, nearest)
        or _not_of_all(clause, nearest)
        or _another_subject(clause, memory)
        or _scattered(clause, nearest, hits, memory)
        or _order(clause, nearest, hits, memory)
        or _unread(nearest, hits, claim, memory)
        or _limit(hits)
    )
    if why:
        return Doubt(why, reserve=False)
    why = _left_out(clause, nearest, claim) or _condition(claim, nearest, memory)
    if mood := foreign(nearest, clause):
        why = WHY[mood[0]] if mood[0] in nearest.marks else UNSAID
    if "hedge" in nearest.marks and "hedge" not in clause.marks:
        why = "the memory says it with a reserve"
    return Doubt(why, reserve=True) if why else None


def _mood(clause: Clause, nearest: Clause) -> str | None:
    """Return in which mood the memory says it that is neither the claim's nor an assertion."""
    hard = [m for m in foreign(nearest, clause) if m in nearest.marks - SOFT]
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


def _limit(hits: Sequence[Found]) -> str | None:
    for hit in hits:
        if hit.asked.value and hit.asked.bound and not (hit.held.bound or _ends(hit)):
            return f"the memory sets no limit at “{hit.held.text}”"
    return None


def _ends(hit: Found) -> bool:
    """Tell whether both say when something ends: `to September`, `until September`."""
    ends = (*hit.asked.lead, *hit.held.lead)
    when = hit.asked.value is not None and hit.asked.value.kind in ("date", "time", "weekday")
    return when and bool(hit.held.lead) and all(told & {"to", "till"} for told in ends)


def _left_out(clause: Clause, nearest: Clause, claim: Reading) -> str | None:
    for term in nearest.terms:
        if not (term.only or term.denied) or found_in(term, claim.terms):
            continue
        if term.only:
            return f"the memory says it of “{term.text}” only"
        if "all" in clause.marks:
            return f"the memory makes an exception of “{term.text}”"
    return None


def _another_subject(clause: Clause, memory: Reading) -> str | None:
    for term in clause.subject:
        if not found_in(term, memory.terms):
            return f"the memory does not say it of “{term.text}”"
    return None


def _scattered(
    clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading
) -> str | None:
    """Its words stand in two clauses of the memory, and each of those says more than they."""
    answered = {id(hit.held) for hit in hits}
    answered |= {id(hit.held) for t in clause.subject if (hit := found_in(t, nearest.terms))}
    if _others(nearest) != _others(clause):
        return "the memory says it of the others"
    if all(id(term) in answered for term in nearest.terms if not term.value):
        return None
    for term in clause.terms:
        if found_in(term, (*nearest.terms, *nearest.subject)):
            continue
        holding = [other for other in memory.clauses if found_in(term, other.terms)]
        if holding and not any(
            _said(clause, other) == 1 and _same_side(term, clause, other) for other in holding
        ):
            return f"the memory says “{term.text}” of another matter"
    return None


def _dated(clause: Clause) -> bool:
    return any(term.value and term.value.kind == "date" for term in clause.terms)


def _same_side(term: Term, clause: Clause, other: Clause) -> bool:
    """Tell whether another clause denies a term where the claim does, and speaks of no others."""
    hit = found_in(term, other.terms)
    mine = clause.denials + bool(term.denied)
    theirs = other.denials + bool(hit and hit.held.denied)
    return mine % 2 == theirs % 2 and (_others(clause) or not _others(other))


def _others(clause: Clause) -> bool:
    return any(OTHERS in told for term in clause.terms for told in term.loose)


def _condition(claim: Reading, nearest: Clause, memory: Reading) -> str | None:
    """A condition beside it in the memory, of which the claim says nothing."""
    for other in memory.clauses:
        beside = other.sentence == nearest.sentence and other is not nearest
        if beside and "condition" in other.marks and _said(claim, other) < KEPT:
            return "the memory says it under a condition"
    return None


def _said(claim: Reading | Clause, clause: Clause) -> float:
    """Return the share of a clause's terms that a claim, or a clause of it, has."""
    return sum(found_in(term, claim.terms) is not None for term in clause.terms) / len(clause.terms)


def _unread(nearest: Clause, hits: Sequence[Found], claim: Reading, memory: Reading) -> str | None:
    """In a language that is not read, what else the memory says may deny it."""
    answered = {id(hit.held) for hit in hits}
    if claim.known or memory.known or all(id(term) in answered for term in nearest.terms):
        return None
    return "the memory says more, in a language that is not read"


def _order(clause: Clause, nearest: Clause, hits: Sequence[Found], memory: Reading) -> str | None:
    """Two terms on either side of a third have changed sides, with no word of place."""
    if {"passive", "fronted"} & (clause.marks | nearest.marks) or not memory.known:
        return None
    order = {id(term): n for n, term in enumerate(nearest.terms)}
    places = [order[id(hit.held)] for hit in hits if id(hit.held) in order and not hit.asked.marker
              and not hit.held.marker and not hit.asked.value]  # fmt: skip
    ends = [order[id(hit.held)] for hit in hits if id(hit.held) in order]
    if memory.language == "de" and any(nearest.terms[n].text[0].islower() for n in ends[:1]):
        return None
    if len(places) > 2 and places == sorted(places, reverse=True):  # noqa: PLR2004
        return "the memory says its words the other way round"
    return None
