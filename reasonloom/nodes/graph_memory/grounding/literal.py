"""Compares a claim with a text word by word: the same, another figure or a denial, or part of it.

Language-neutral: stems, figures by value, and short lists of denials. What follows from a text in
other words, or only from knowing the world, is not seen.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from reasonloom.nodes.graph_memory.grounding.figure_match import rivals, same_value
from reasonloom.nodes.graph_memory.grounding.wording import (
    Sentence,
    Term,
    Wording,
    parts_of,
    read_wording,
)

Relation = Literal["same", "contradicts", "covers", "unrelated"]
LEAST = 2
"""Terms that a statement must have to be contradicted by words."""

FIGURE = "the claim says “{claimed}”, the memory “{held}”"
DENIED = "{denying} denies what {other} says: “{words}”"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim beside one text.

    Attributes:
        relation: `same` says all of the claim; `contradicts` denies a part of it or has another
            figure, the rest being the same; `covers` has some of its words, `unrelated` none.
        covered, uncovered: the claim's words of content and figures that the text has, and not.
        why: what contradicts, None for the other relations.
        same: the parts of the claim that the text says, by their places.
    """

    relation: Relation
    covered: tuple[str, ...]
    uncovered: tuple[str, ...]
    why: str | None
    same: frozenset[int]

    @property
    def coverage(self) -> float:
        """The share of the claim's terms that the text has, 0..1."""
        return len(self.covered) / (len(self.covered) + len(self.uncovered) or 1)


def compare_texts(claim: str, text: str) -> Comparison:
    """Return what a text says of a claim; both are read to their first 2,000 characters."""
    claimed, held = read_wording(claim), read_wording(text)
    statements = [sentence for sentence in held.sentences if sentence.states]
    parts = parts_of(claim)
    if _holds_all(claimed, statements):
        same = frozenset(range(len(parts)))
    else:
        same = frozenset(
            n for n, part in enumerate(parts) if _holds_all(read_wording(part), statements)
        )
    left = [claim, *(part for n, part in enumerate(parts) if n not in same)]
    why = None if len(same) == len(parts) else _first_conflict(left, statements)
    content = [term for sentence in statements for term in sentence.terms if term.content]
    covered, uncovered = cover(claimed.content, content)
    relation: Relation = "covers" if covered else "unrelated"
    if why:
        relation = "contradicts"
    elif len(same) == len(parts) and not claimed.cut:
        relation = "same"
    return Comparison(relation, covered, uncovered, why, same)


def cover(claimed: Sequence[Term], held: Sequence[Term]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the texts of the claimed terms that are among the held ones, and of those not."""
    keys = {term.key for term in held if not term.value}
    values = [term.value for term in held if term.value]
    covered: list[str] = []
    uncovered: list[str] = []
    for term in claimed:
        there = (
            any(same_value(term.value, value) for value in values)
            if term.value
            else term.key in keys
        )
        (covered if there else uncovered).append(term.text)
    return tuple(covered), tuple(uncovered)


def _holds_all(claimed: Wording, statements: Sequence[Sentence]) -> bool:
    """Tell whether each sentence of a claim is among those of a text."""
    wanted = [each for each in claimed.sentences if each.clauses]
    return bool(wanted) and all(any(_says(held, each) for held in statements) for each in wanted)


def _first_conflict(parts: Sequence[str], statements: Sequence[Sentence]) -> str | None:
    sentences = (each for part in parts for each in read_wording(part).sentences)
    whys = (_conflict(each, held) for each in sentences for held in statements)
    return next((why for why in whys if why), None)


def _says(held: Sentence, claimed: Sentence) -> bool:
    """Tell whether a sentence says a claimed one: its clauses from the first, in the same words."""
    if held.denials != claimed.denials or held.reserves - claimed.reserves:
        return False
    wanted = claimed.terms
    return bool(wanted) and any(_equal(wanted, begun) for begun in _beginnings(held))


def _beginnings(sentence: Sentence) -> Iterator[tuple[Term, ...]]:
    """Yield the first clause of a sentence, the first two, and so on."""
    for count in range(len(sentence.clauses), 0, -1):
        yield tuple(term for clause in sentence.clauses[:count] for term in clause)


def _equal(claimed: Sequence[Term], held: Sequence[Term]) -> bool:
    return len(claimed) == len(held) and all(
        _same(one, other) for one, other in zip(claimed, held, strict=True)
    )


def _same(one: Term, other: Term) -> bool:
    if one.value or other.value:
        return bool(one.value and other.value and same_value(one.value, other.value))
    return one.key == other.key


def _conflict(claimed: Sentence, held: Sentence) -> str | None:
    """Return why a sentence contradicts a claimed one, where only a figure or a denial differs."""
    if held.reserves - claimed.reserves or not claimed.states:
        return None
    if claimed.denials % 2 != held.denials % 2:
        return _denial(claimed, held)
    ours = claimed.terms
    for begun in _beginnings(held):
        if len(ours) != len(begun) or len(ours) < LEAST:
            continue
        differ = [(a, b) for a, b in zip(ours, begun, strict=True) if not _same(a, b)]
        if differ and all(_other_figure(a, b, last=a is ours[-1]) for a, b in differ):
            return FIGURE.format(claimed=differ[0][0].text, held=differ[0][1].text)
    return None


def _denial(claimed: Sentence, held: Sentence) -> str | None:
    """What is denied may be said shorter: who never sails does not sail on Sundays either."""
    ours, theirs = ([term for term in each.terms if term.content] for each in (claimed, held))
    denying, other = (
        ("the claim", "the memory") if claimed.denials % 2 else ("the memory", "the claim")
    )
    shorter, longer = (ours, theirs) if claimed.denials % 2 else (theirs, ours)
    if len(shorter) < LEAST or not _equal(shorter, longer[: len(shorter)]):
        return None
    words = " ".join(term.text for term in shorter if term.content)
    return DENIED.format(denying=denying, other=other, words=words)


def _other_figure(one: Term, other: Term, *, last: bool) -> bool:
    """Tell whether two figures exclude each other; bare ones that are not `last` may be names."""
    if not (one.value and other.value):
        return False
    bare = one.value.kind == other.value.kind == "number" and not (
        one.value.unit or other.value.unit
    )
    return last if bare else rivals(one.value, other.value)


BETWEEN = re.compile(r"[\s\-]*(?:[^\W\d_]{1,4}[\s\-]+){0,2}")
"""What may stand between two words of one part: blanks, and two short words."""


def uncovered_phrases(claim: str, words: Sequence[str]) -> list[str]:
    """Return the parts of `claim` that `words`, given in their order, make up.

    A word that stands there in another form, for the claim was put in other letters, is told
    as it is.
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


@dataclass(frozen=True, slots=True)
class LiteralVerdict:
    """What words alone decide of a claim over several memories.

    Attributes:
        label: verified, partial, contradicted, or None where they decide nothing.
        supports: the memories that say all of it or a part, as few as may be.
        against: those that deny it or have another figure, each with the reason.
    """

    label: Literal["verified", "partial", "contradicted"] | None
    supports: tuple[int, ...]
    against: Mapping[int, str]

    @property
    def settled(self) -> bool:
        """Whether no reader could tell more: a part of the claim may be all that words show."""
        return bool(self.against) or self.label == "verified"


def decide_literally(
    claim: str, memories: Mapping[int, str], sure: Mapping[int, float] = MappingProxyType({})
) -> LiteralVerdict:
    """Return what memories say of a claim in its own words; of equal ones the surest is named."""
    return join_comparisons(
        {key: compare_texts(claim, text) for key, text in memories.items()},
        len(parts_of(claim)),
        sure,
    )


def join_comparisons(
    compared: Mapping[int, Comparison], parts: int, sure: Mapping[int, float]
) -> LiteralVerdict:
    """Return what comparisons of a claim of so many parts decide together."""
    left = set(range(parts))
    supports: list[int] = []
    ranked = sorted(compared, key=lambda key: (-len(compared[key].same), -sure.get(key, 1.0), -key))
    for key in ranked:
        if compared[key].same & left:
            supports.append(key)
            left -= compared[key].same
    against = {key: each.why for key, each in compared.items() if each.why}
    if supports and not left:
        return LiteralVerdict("partial" if against else "verified", tuple(supports), against)
    if against:
        return LiteralVerdict("contradicted", (), against)
    return LiteralVerdict("partial" if supports else None, tuple(supports), against)
