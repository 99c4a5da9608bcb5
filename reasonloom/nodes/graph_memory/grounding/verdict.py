"""What all memories together say of a claim: verified, in part, contradicted, or nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Literal

from reasonloom.errors import EmbedderUnavailable
from reasonloom.nodes.graph_memory.grounding.combination import choose, probabilities
from reasonloom.nodes.graph_memory.grounding.features import NEAREST, ClaimReading, read_claim
from reasonloom.nodes.graph_memory.grounding.literal import (
    Comparison,
    LiteralVerdict,
    compare_texts,
    cover,
    join_comparisons,
)
from reasonloom.nodes.graph_memory.grounding.wording import READ, parts_of, read_wording
from reasonloom.text.language import is_english

Status = Literal["verified", "partial", "ungrounded"]

SECONDS = 2.0
"""Time that the comparing of one claim may take; looked at between two memories."""

FORMERLY = 0.6
"""Share of a claim that a corrected memory must have to be what the claim was taken from."""

LIKELY = 0.5
"""Probability from which the reader takes a text to say a claim."""

SURE = MappingProxyType({"verified": 0.9, "partial": 0.6, "contradicted": 0.8})
"""How sure a verdict is that words alone give."""

READER = "it says otherwise in other words, as far as the packaged reader can tell"
CORRECTED = "node {old} said so, and node {new} corrects it"


@dataclass(frozen=True, slots=True)
class Witness:
    """A memory that decides: `covers` are the claim's words that it has, `why` its objection."""

    id: int
    relation: Literal["supports", "contradicts", "related"]
    covers: tuple[str, ...]
    why: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a claim.

    Attributes:
        status: the verdict.
        coverage: the share of its terms that current memories have, 0..1.
        contradicted: a current memory says otherwise.
        witnesses: the memories that decide, best first.
        uncovered: its words that no current memory has.
        superseded: memories that said it before they were corrected.
        plain: what contradicts is a denial or another figure, or a correction.
        likely: the probability of the verdict, 0..1.
        unread: memories that were not compared, for the time was over.
    """

    status: Status
    coverage: float
    contradicted: bool
    witnesses: tuple[Witness, ...]
    uncovered: tuple[str, ...]
    superseded: tuple[int, ...]
    plain: bool
    likely: float = 1.0
    unread: int = 0


@dataclass(frozen=True, slots=True)
class CorrectedMemory:
    """A memory that was corrected: its text, and the number of the memory that holds now."""

    text: str
    corrected_by: int


@dataclass(frozen=True, slots=True)
class Compared:
    """A claim beside current memories and corrected ones, by words."""

    claim: str
    current: Mapping[int, Comparison]
    old: Mapping[int, Comparison]
    coverage: float
    uncovered: tuple[str, ...]


async def weigh_evidence(
    claim: str,
    current: Mapping[int, str],
    old: Mapping[int, CorrectedMemory],
    *,
    threshold: float,
    sure: Mapping[int, float] = MappingProxyType({}),
    seconds: float = SECONDS,
) -> Verdict:
    """Return the verdict of memories, by their numbers, on a claim; the nearest come first.

    What memories say in the claim's own words, or deny, is decided by words. Of an English claim
    the packaged reader decides the rest; in other languages nothing does. `partial` needs
    `threshold` of the claim's terms. After `seconds` no further memory is compared.
    """
    words = await asyncio.to_thread(_compare, claim, current, old, seconds)
    literal = join_comparisons(words.current, len(parts_of(claim)), sure)
    verdict = _by_words(words, literal)
    if not literal.settled and current:
        nearest = sorted(words.old, key=lambda key: -words.old[key].coverage)
        reading = await _read(claim, current, {key: old[key].text for key in nearest})
        if reading:
            verdict = _by_reader(words, reading)
        if verdict.status != "verified":
            verdict = _corrected(verdict, words, reading, old)
    if verdict.status == "verified" and len(claim) > READ:
        verdict = replace(verdict, status="partial")
    if verdict.status == "partial" and verdict.coverage < threshold:
        verdict = replace(verdict, status="ungrounded", witnesses=())
    unread = len(current) + len(old) - len(words.current) - len(words.old)
    return replace(verdict, unread=unread)


def _compare(
    claim: str, current: Mapping[int, str], old: Mapping[int, CorrectedMemory], seconds: float
) -> Compared:
    until = time.monotonic() + seconds
    now = dict(_compared(claim, current, until))
    before = dict(_compared(claim, {key: each.text for key, each in old.items()}, until))
    covered = 0
    uncovered: list[str] = []
    for part in parts_of(claim):
        terms = read_wording(part).content
        found = [cover(terms, read_wording(current[key]).content) for key in now]
        best = max(found, key=lambda pair: len(pair[0]), default=((), tuple(t.text for t in terms)))
        covered += len(best[0])
        uncovered += best[1]
    coverage = covered / (covered + len(uncovered) or 1)
    return Compared(claim, now, before, coverage, tuple(uncovered))


def _compared(
    claim: str, texts: Mapping[int, str], until: float
) -> Iterator[tuple[int, Comparison]]:
    """Yield the comparison of each text, as many as the time allows; one at least."""
    for place, (key, text) in enumerate(texts.items()):
        if place and time.monotonic() > until:
            return
        yield key, compare_texts(claim, text)
        time.sleep(0)  # lets other threads in


def _by_words(words: Compared, literal: LiteralVerdict) -> Verdict:
    """Return what words alone say of a claim."""
    supports = _witnesses(literal.supports, words)
    against = tuple(
        Witness(key, "contradicts", words.current[key].covered, why)
        for key, why in literal.against.items()
    )
    if literal.label == "verified":
        return _verdict(words, "verified", supports, SURE["verified"], coverage=1.0)
    if literal.label == "contradicted":
        found = _verdict(words, "ungrounded", against, SURE["contradicted"])
        return replace(found, contradicted=True, plain=True)
    if literal.label == "partial":
        return _verdict(words, "partial", (*supports, *against), SURE["partial"])
    return _verdict(words, "ungrounded", (), 1 - words.coverage)


def _verdict(
    words: Compared,
    status: Status,
    witnesses: tuple[Witness, ...],
    likely: float,
    coverage: float | None = None,
) -> Verdict:
    share = words.coverage if coverage is None else coverage
    uncovered = () if status == "verified" else words.uncovered
    return Verdict(status, share, False, witnesses, uncovered, (), False, likely)


def _witnesses(keys: Sequence[int], words: Compared) -> tuple[Witness, ...]:
    return tuple(Witness(key, "supports", words.current[key].covered, None) for key in keys)


async def _read(
    claim: str, current: Mapping[int, str], old: Mapping[int, str]
) -> ClaimReading | None:
    """Return what the reader makes of a claim; None without it, or in another language."""
    if not await asyncio.to_thread(_in_english, claim, current):
        return None
    try:
        return await read_claim(claim, current, old)
    except EmbedderUnavailable:
        return None


def _in_english(claim: str, current: Mapping[int, str]) -> bool:
    """Tell whether claim and memories are English; a short claim alone may be anything."""
    texts = " ".join(islice(current.values(), NEAREST))
    return is_english(claim) and is_english(f"{claim} {texts}")


def _by_reader(words: Compared, reading: ClaimReading) -> Verdict:
    """Return the verdict that the features make likeliest, with the memory that decides."""
    likely = probabilities(reading.features)
    label = choose(likely, reading.features)
    alone = {key: each for key, each in reading.alone.items() if key in words.current}
    if label == "contradicted":
        worst = max(alone, key=lambda key: alone[key].contradiction)
        witness = Witness(worst, "contradicts", words.current[worst].covered, READER)
        found = _verdict(words, "ungrounded", (witness,), likely[label])
        return replace(found, contradicted=True)
    if label == "ungrounded":
        return _verdict(words, label, (), likely[label])
    best = max(alone, key=lambda key: (alone[key].entailment, words.current[key].coverage))
    if label == "partial":
        best = max(alone, key=lambda key: (words.current[key].coverage, alone[key].entailment))
    found = _verdict(words, label, _witnesses((best,), words), likely[label])
    if label == "partial" and not words.uncovered:
        left = [part for part, each in reading.parts if each.entailment < LIKELY]
        found = replace(found, uncovered=tuple(left))
    return found


def _corrected(
    verdict: Verdict,
    words: Compared,
    reading: ClaimReading | None,
    old: Mapping[int, CorrectedMemory],
) -> Verdict:
    """Return a claim that a corrected memory said, and no current one, as contradicted."""
    former = [key for key, each in words.old.items() if _formerly(key, each, words, reading)]
    former = [key for key in former if old[key].corrected_by in words.current]
    if not former:
        return verdict
    witnesses = {
        new: Witness(
            new, "contradicts", words.current[new].covered, CORRECTED.format(old=key, new=new)
        )
        for key in reversed(former)
        for new in [old[key].corrected_by]
    }
    return replace(
        verdict,
        status="ungrounded",
        contradicted=True,
        witnesses=tuple(witnesses.values()),
        superseded=tuple(former),
        plain=True,
        likely=SURE["contradicted"],
    )


def _formerly(key: int, each: Comparison, words: Compared, reading: ClaimReading | None) -> bool:
    """Tell whether a corrected memory said a claim, more of it than any current one."""
    if each.relation == "same":
        return True
    best = max((held.coverage for held in words.current.values()), default=0.0)
    if each.relation == "contradicts" or each.coverage <= best:
        return False
    if reading is None or key not in reading.old:
        return each.coverage >= FORMERLY
    return reading.old[key].entailment >= LIKELY or each.coverage >= FORMERLY
