"""Japanese particles: what a word does in its clause, told by the kana after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause, Reading, Term
from reasonloom.nodes.graph_memory.grounding.reading.matching import Found, found_in

PARTICLE = re.compile(
    "(?:さん|さま|くん|ちゃん|たち)?(?P<told>"
    "によって|により|から|まで|より|が(?![るっりられろ])|と(?![しすさせ])|は|を|に|へ|で|も|の)"
)
SAME = {"も": "は", "へ": "に", "より": "から", "により": "によって"}
PASSIVE = re.compile("[らかさたまわがばなべ]れ(?:[るたてばな]|ま[しす])")

TOPIC, SUBJECT = "は", "が"
SUBJECTS = frozenset((TOPIC, SUBJECT))
AGENTS = frozenset(("に", "によって", "から"))
ENDS = frozenset(("から", "まで"))
LOOSE = frozenset((
    ("が", "を"), ("は", "を"), ("は", "の"), ("の", "は"), ("の", "が"), ("が", "の"),
    ("で", "の"), ("の", "で"), ("は", "で"), ("で", "は"), ("が", "で"), ("で", "が"),
    ("に", "で"), ("で", "に"), ("の", "を"), ("を", "の"),
))  # fmt: skip
"""What a claim may say for what a memory says, where nothing else has moved."""

AHEAD = 2


class Misplaced(NamedTuple):
    """Why a word does not do what it does in the memory; `turned` where two have changed."""

    why: str
    turned: bool


def particle_of(kana: str) -> str:
    """Return the particle that kana after a word begin with, empty for an ending or none."""
    found = PARTICLE.match(kana)
    return SAME.get(found["told"], found["told"]) if found else ""


def misplaced(clause: Clause, nearest: Clause, memory: Reading) -> Misplaced | None:
    """Return the first word of a clause that does something else in the memory, or None."""
    passive = ("passive" in clause.marks) != ("passive" in nearest.marks)
    moved: list[Found] = []
    kept: set[str] = set()
    for term, held in _pairs(clause, nearest, memory):
        fitting = [each for each in held if _fits(clause, term, nearest, each, passive=passive)]
        if not fitting:
            moved.append(Found(term, held[0], flipped=False))
        elif any(each.marker in SUBJECTS for each in fitting) and term.marker in SUBJECTS:
            kept.add(term.text)
    moved = [hit for hit in moved if not (_object(hit) and kept)]
    if not moved:
        return None
    told = "”, “".join(dict.fromkeys(hit.asked.text for hit in moved))
    if _turned(moved):
        return Misplaced(f"“{told}” have changed places", turned=True)
    return Misplaced(f"the memory puts “{told}” in another place", turned=False)


def _pairs(clause: Clause, nearest: Clause, memory: Reading) -> Iterator[tuple[Term, list[Term]]]:
    for term in clause.terms:
        for terms in (nearest.terms, memory.terms):
            held = [each for each in terms if found_in(term, (each,)) or _part_of(each, term)]
            if held:
                yield term, held
                break


def _part_of(held: Term, term: Term) -> bool:
    return not (held.value or term.value) and held.text in term.text


def _fits(clause: Clause, term: Term, nearest: Clause, held: Term, *, passive: bool) -> bool:
    """Tell whether two words have the same particle, or ones that may stand for each other."""
    mine, other = term.marker, held.marker
    if not mine or not other:
        return True
    if term.value:
        return mine == other or not {mine, other} & ENDS
    if mine == other == "の":
        ours, theirs = _following(clause.terms, term), _following(nearest.terms, held)
        return not ours or not theirs or any(found_in(each, theirs) for each in ours)
    if passive and (
        (mine in SUBJECTS and other in {"を", "に"}) or (mine in AGENTS and other in SUBJECTS)
    ):
        return True
    if mine == other or {mine, other} == SUBJECTS:
        return not (passive and mine in SUBJECTS and _person(clause, nearest))
    return (mine, other) in LOOSE


def _person(clause: Clause, nearest: Clause) -> bool:
    """Tell whether somebody else stands in the passive clause as the doer."""
    terms = clause.terms if "passive" in clause.marks else nearest.terms
    return any(term.marker in AGENTS and not term.value for term in terms)


def _following(terms: Sequence[Term], term: Term) -> list[Term]:
    at = next((n for n, each in enumerate(terms) if each is term), len(terms))
    return list(terms[at + 1 : at + 1 + AHEAD])


def _object(hit: Found) -> bool:
    """Tell whether a word only ceased to be the topic: `milk, Ken buys it`, `Ken buys milk`."""
    return hit.asked.marker == "を" and hit.held.marker in SUBJECTS


def _turned(moved: Sequence[Found]) -> bool:
    return any(
        one is not other
        and (one.asked.marker, other.asked.marker) == (other.held.marker, one.held.marker)
        for one in moved
        for other in moved
    )
