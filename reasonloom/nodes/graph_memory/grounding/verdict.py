"""Computes the verdict on a claim from all candidate memories, by words alone."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from reasonloom.nodes.graph_memory.grounding.pair import Pair, Part, judge_readings
from reasonloom.nodes.graph_memory.grounding.reading.clause import Reading, Term, normalize_text
from reasonloom.nodes.graph_memory.grounding.reading.clauses import read_text
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import language_of
from reasonloom.nodes.graph_memory.grounding.reading.matching import find_term
from reasonloom.nodes.graph_memory.grounding.reading.numbers import DIMENSIONS


def opposing_memories(bearing: Sequence[int], pairs: Mapping[int, Pair]) -> dict[int, str]:
    """Return current memories that differ from the supporting ones only in a figure, with reasons.

    They have no other words of their own: a figure of another thing does not oppose.
    """
    stated = {place for key in bearing for place, p in enumerate(pairs[key].parts) if p.whole}
    return {
        key: pair.parts[place].why or ""
        for place in sorted(stated)
        for key, pair in pairs.items()
        if key not in bearing and _other_figure(pair.parts[place])
    }


def _other_figure(part: Part) -> bool:
    """Return whether a memory has exactly the words of a clause, but another figure."""
    if part.against is None or part.against.kind != "figure" or part.nearest is None:
        return False
    claimed = (*part.clause.subject, *part.clause.terms)
    held = (*part.nearest.subject, *part.nearest.terms)
    return _bare(claimed) == _bare(held) and all(
        find_term(term, others) is not None
        for terms, others in ((part.clause.terms, held), (part.nearest.terms, claimed))
        for term in terms
        if not term.value
    )


def _bare(terms: Iterable[Term]) -> set[object]:
    """Return the figures without a known unit, which may identify things, as in `invoice 17`."""
    return {
        term.value.amount
        for term in terms
        if term.value
        and term.value.kind in ("number", "ordinal", "code")
        and term.value.unit not in DIMENSIONS
    }


Status = Literal["verified", "partial", "ungrounded"]

LIKELY = 0.6
"""Minimum share of a clause that an old memory must have to count as its source."""

ADDED = 0.75
"""Minimum share of a clause that a memory must have if the rest only adds to it."""

SECONDS = 2.0
"""Time limit for comparing one claim, checked after each memory."""

LEAST_COVERED = 2
"""Minimum terms of a supported statement."""


@dataclass(frozen=True, slots=True)
class Witness:
    """A deciding memory; `covers` are the claim's words that it has, `why` is the reason."""

    id: int
    relation: Literal["supports", "contradicts", "related"]
    covers: tuple[str, ...]
    why: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a claim.

    Attributes:
        status: verified, partial or ungrounded.
        coverage: share of the claim's terms that current memories have, 0..1.
        contradicted: whether a current memory contradicts it.
        witnesses: the deciding memories, best first.
        uncovered: the claim's words that the best memory of each clause lacks.
        superseded: memories that supported it before they were corrected.
        plain: whether the contradiction is a denial, another figure, or a correction.
        unread: how many memories were not compared because of the time limit.
        swapped: whether a contradicting memory has all words of the claim, two in each other's
            place.
    """

    status: Status
    coverage: float
    contradicted: bool
    witnesses: tuple[Witness, ...]
    uncovered: tuple[str, ...]
    superseded: tuple[int, ...]
    plain: bool
    unread: int = 0
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class CorrectedMemory:
    """A corrected memory: its text, and the id of its current version."""

    text: str
    corrected_by: int


def weigh_evidence(
    claim: str,
    current: Mapping[int, str],
    old: Mapping[int, CorrectedMemory],
    *,
    threshold: float,
    sure: Mapping[int, float] = MappingProxyType({}),
    seconds: float = SECONDS,
) -> Verdict:
    """Return the verdict on a claim, by the words of memories alone.

    `verified` requires that one current memory states each clause of the claim completely and that
    none contradicts it; one contradicted clause makes the whole claim contradicted. `partial`
    requires `threshold` of its terms and one completely supported statement. A claim too long to
    be read completely is partial at best, as is one opposed by current memories that differ only in
    a figure.

    Args:
        claim: the claim.
        current: current memories by id, nearest first.
        old: corrected memories by id.
        threshold: minimum coverage of a partial verdict, 0..1.
        sure: confidence of each memory, 0..1; breaks ties between supporting memories.
        seconds: time limit, after which no further memory is read.
    """
    until = time.monotonic() + seconds
    spoken = _language(current.values(), until)
    claimed = read_text(claim, spoken)
    pairs = _compared(claimed, current, spoken, until)
    before = _compared(claimed, {key: each.text for key, each in old.items()}, spoken, until)
    verdict = _weighed(claimed, pairs, before, old, threshold, sure)
    return replace(verdict, unread=len(current) + len(old) - len(pairs) - len(before))


def _compared(
    claimed: Reading, texts: Mapping[int, str], spoken: str, until: float
) -> dict[int, Pair]:
    """Compare a claim with each text until the time is over, but with at least one."""
    pairs: dict[int, Pair] = {}
    for key, text in texts.items():
        if pairs and time.monotonic() > until:
            break
        pairs[key] = judge_readings(claimed, read_text(text, spoken))
        time.sleep(0)
    return pairs


def _weighed(
    claimed: Reading,
    pairs: Mapping[int, Pair],
    before: Mapping[int, Pair],
    old: Mapping[int, CorrectedMemory],
    threshold: float,
    sure: Mapping[int, float],
) -> Verdict:
    against: dict[int, str] = {}
    gone: list[int] = []
    for place in range(len(claimed.clauses)):
        if (denying := _against(place, pairs)) is not None:
            against.setdefault(denying, pairs[denying].parts[place].why or "")
        for key in _formerly(place, pairs, before):
            gone.append(key)
            holds = old[key].corrected_by
            against.setdefault(holds, f"node {key} said so, and node {holds} corrects it")
    coverage, uncovered = _coverage(claimed, pairs)
    verdict = Verdict("ungrounded", coverage, False, (), uncovered, (), False)
    if against:
        return replace(
            verdict,
            contradicted=True,
            witnesses=_opposing_witnesses(against, pairs),
            superseded=tuple(dict.fromkeys(gone)),
            plain=bool(gone) or any(_plain(pairs[key]) for key in against if key in pairs),
            swapped=not uncovered and any(_swaps(pairs[key]) for key in against if key in pairs),
        )
    supports = _supports(claimed, pairs, sure)
    if supports is None:
        some = _borne_out(pairs) if coverage >= threshold else []
        if some:
            witnesses = _supporting_witnesses(some, pairs)
            return replace(verdict, status="partial", witnesses=witnesses)
        return replace(verdict, witnesses=() if uncovered else _doubted_witnesses(pairs))
    witnesses, others = _supporting_witnesses(supports, pairs), opposing_memories(supports, pairs)
    if claimed.cut or others:
        witnesses += _opposing_witnesses(others, pairs)
        return replace(verdict, status="partial", witnesses=witnesses)
    return Verdict("verified", 1.0, False, witnesses, (), (), False)


def _language(texts: Iterable[str], until: float) -> str:
    """Return the most frequent language of the texts, the default for texts too short to tell."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts[language_of(normalize_text(text))] += 1
        if time.monotonic() > until:
            break
    return counts.most_common(1)[0][0] if counts else "en"


def _against(place: int, pairs: Mapping[int, Pair]) -> int | None:
    """Return the best matching memory that contradicts a clause of the claim, or None."""
    whole = any(pair.parts[place].whole for pair in pairs.values())
    ranked = [
        (len(part.covered), -key)
        for key, pair in pairs.items()
        if (part := pair.parts[place]).against and (not whole or _denies(part))
    ]
    return -max(ranked)[1] if ranked else None


def _plain(pair: Pair) -> bool:
    """Return whether a memory contradicts a clause by a denial or another figure."""
    return any(part.against and part.against.kind in ("denial", "figure") for part in pair.parts)


def _swaps(pair: Pair) -> bool:
    """Return whether words of a clause are in each other's place in a memory."""
    return any(part.against and part.against.kind == "roles" for part in pair.parts)


def _denies(part: Part) -> bool:
    """Return whether a memory denies a whole clause, which outweighs a supporting memory."""
    return part.against is not None and part.against.kind == "denial" and not part.uncovered


def _formerly(place: int, pairs: Mapping[int, Pair], before: Mapping[int, Pair]) -> list[int]:
    """Return the old memories that supported a clause, unless a current one does."""
    if any(pair.parts[place].whole for pair in pairs.values()):
        return []
    best = max((_share(pair.parts[place]) for pair in pairs.values()), default=0.0)
    return [
        key
        for key, pair in before.items()
        if not (part := pair.parts[place]).against
        and len(part.covered) >= LEAST_COVERED
        and (part.whole or (_share(part) >= LIKELY and _share(part) > best))
    ]


def _share(part: Part) -> float:
    return len(part.covered) / (len(part.covered) + len(part.uncovered) or 1)


def _coverage(claimed: Reading, pairs: Mapping[int, Pair]) -> tuple[float, tuple[str, ...]]:
    """Return the share of terms that the best memory of each clause has, and the missing terms."""
    left: list[str] = []
    for place, clause in enumerate(claimed.clauses):
        parts = [pair.parts[place] for pair in pairs.values()]
        left += max(parts, key=_share).uncovered if parts else [t.text for t in clause.terms]
    total = len(claimed.terms)
    return (1 - len(left) / total if total else 0.0), tuple(left)


def _supports(
    claimed: Reading, pairs: Mapping[int, Pair], sure: Mapping[int, float]
) -> list[int] | None:
    """Return a small (greedy) set of memories that state all clauses; None if there is none."""
    stated = {
        key: {n for n, part in enumerate(pair.parts) if part.whole} for key, pair in pairs.items()
    }
    left = set(range(len(claimed.clauses)))
    chosen: list[int] = []
    while left and stated:
        best = max(stated, key=lambda key: (len(stated[key] & left), sure.get(key, 1.0), -key))
        if not stated[best] & left:
            return None
        chosen.append(best)
        left -= stated[best]
    return chosen if chosen and not left else None


def _borne_out(pairs: Mapping[int, Pair]) -> list[int]:
    """Return up to three memories that support a statement of the claim, best first."""
    ranked: list[tuple[int, int]] = []
    for key, pair in pairs.items():
        weight = max((_covered_terms(part) for part in pair.parts), default=0)
        if weight >= LEAST_COVERED:
            ranked.append((weight, -key))
    return [-key for _, key in sorted(ranked, reverse=True)[:3]]


def _covered_terms(part: Part) -> int:
    """Return how many terms of a clause a memory supports; 0 if no statement is complete."""
    if part.whole:
        return len(part.covered)
    if part.against or part.nearest is None or (part.doubt and not part.doubt.reserve):
        return 0
    if part.covered and not part.uncovered:
        return len(part.covered)
    if part.added and len(part.covered) > LEAST_COVERED and _share(part) >= ADDED:
        return len(part.covered)
    held = [term for term in part.nearest.terms if term.text != "with"]
    names = sum(term.name for term in held)
    contained = part.answered >= len(held) and len(held) > names
    return len(part.covered) if contained else 0


def _supporting_witnesses(keys: Sequence[int], pairs: Mapping[int, Pair]) -> tuple[Witness, ...]:
    return tuple(Witness(key, "supports", pairs[key].covered, None) for key in keys)


def _doubted_witnesses(pairs: Mapping[int, Pair]) -> tuple[Witness, ...]:
    """Return up to three memories that have all words of a clause, with why they do not state it.

    Without them, a claim of which no word is missing would be ungrounded for no reason.
    """
    doubted: dict[int, Witness] = {}
    for key, pair in pairs.items():
        for part in pair.parts:
            if part.doubt and part.covered and not part.uncovered:
                doubted.setdefault(key, Witness(key, "related", part.covered, part.doubt.why))
    return tuple(doubted.values())[:3]


def _opposing_witnesses(
    against: Mapping[int, str], pairs: Mapping[int, Pair]
) -> tuple[Witness, ...]:
    return tuple(
        Witness(key, "contradicts", pairs[key].covered if key in pairs else (), why)
        for key, why in against.items()
    )
