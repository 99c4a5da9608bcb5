"""Lists memories that may be outdated, duplicate, suspicious or unused, and applies decisions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from reasonloom.contracts.base import Name, Request
from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.injection.detection import detect_injection
from reasonloom.nodes.memory.maintenance.health import excerpt_of
from reasonloom.nodes.memory.replacement import LIKELY, replacement_probabilities
from reasonloom.nodes.memory.replacement import ORIGIN as UNSETTLED
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import supersession
from reasonloom.stores.memory import memories, review, statistics
from reasonloom.stores.memory.review import MemoryPair
from reasonloom.stores.memory.statistics import PruneCriteria

Finding = Literal["outdated", "double", "suspicious", "unused"]
Decision = Literal["supersede", "keep", "forget"]

SUSPICIOUS = 0.5
"""Minimum suspicion at which a memory is listed."""

MOST_READ = 5_000
"""Number of newest memories that are scanned for suspicious text."""

READ_FOR_EACH = 4
"""Linked pairs that are read for each one listed, since some prove unlikely."""

UNUSED_AFTER = timedelta(days=180)
UNUSED_STRENGTH = 0.1

ORIGINS: dict[str, Finding] = {UNSETTLED: "outdated", "near_duplicate": "double"}
REASONS: dict[Finding, str] = {
    "outdated": "The newer memory may replace the older one",
    "double": "Both say nearly the same",
    "suspicious": "It reads like an attempt to steer its reader",
    "unused": "Weak, old and never read",
}
"""Reason for listing, by finding."""

ORIGIN = "memory review"
NO_SUCCESSOR = (
    "{place}: supersede needs a newer memory, stored after {memory}; decide keep or forget"
)


class ReviewItem(Request):
    """One memory to decide on; `newer` is the other one of a pair, `confidence` is in 0..1."""

    finding: Finding
    memory: Name
    text: str = ""
    newer: Name | None = None
    newer_text: str | None = None
    confidence: float | None = None
    decision: Decision | None = None


@dataclass(slots=True)
class Settled:
    """The number of memories settled by each decision."""

    superseded: int = 0
    kept: int = 0
    forgotten: int = 0


async def review_items(loom: Loom, caller: Caller, *, most: int) -> list[ReviewItem]:
    """Return up to `most` items per finding, most confident first."""
    before = loom.clock() - UNUSED_AFTER
    criteria = PruneCriteria(strength=UNUSED_STRENGTH, before=before, accesses=0, sector=None)
    async with loom.database.begin(caller, searching=True) as tx:
        pairs = await review.pairs(tx, model=loom.embedder.model, most=READ_FOR_EACH * most)
        texts = await review.newest(tx, most=MOST_READ)
        unused, _ = await statistics.prunable(tx, criteria, size=most)
    found = [
        ReviewItem(
            finding=ORIGINS[each.origin],
            memory=f"mem-{each.older}",
            text=excerpt_of(each.older_text),
            newer=f"mem-{each.newer}",
            newer_text=excerpt_of(each.newer_text),
            confidence=round(each.weight, 2),
        )
        for each in _most_serious(await _reread(pairs))
    ]
    scores = {key: detect_injection(text).score for key, text in texts.items()}
    found += [
        ReviewItem(
            finding="suspicious",
            memory=f"mem-{key}",
            text=excerpt_of(texts[key]),
            confidence=round(score, 2),
        )
        for key, score in sorted(scores.items(), key=lambda each: -each[1])
        if score >= SUSPICIOUS
    ]
    found += [
        ReviewItem(finding="unused", memory=f"mem-{each.id}", text=excerpt_of(each.excerpt))
        for each in unused
    ]
    return [
        each
        for finding in ("outdated", "double", "suspicious", "unused")
        for each in [item for item in found if item.finding == finding][:most]
    ]


async def _reread(pairs: Sequence[MemoryPair]) -> list[MemoryPair]:
    """Return the pairs with their present probabilities, without those that are unlikely.

    A link keeps the probability of the version and of the contents at the time it was made.
    """
    linked = [each for each in pairs if each.origin == UNSETTLED]
    read = [(each.cosine or 0.0, each.older_text, each.newer_text) for each in linked]
    found = await replacement_probabilities(read)
    likely = [
        replace(each, weight=probability)
        for each, probability in zip(linked, found, strict=True)
        if probability >= LIKELY
    ]
    return likely + [each for each in pairs if each.origin != UNSETTLED]


def _most_serious(pairs: Sequence[MemoryPair]) -> list[MemoryPair]:
    """Return each pair once, most certain first; outdated takes precedence over double."""
    ordered = sorted(pairs, key=lambda each: (each.origin != UNSETTLED, -each.weight))
    return list({(each.newer, each.older): each for each in reversed(ordered)}.values())[::-1]


async def settle(loom: Loom, caller: Caller, items: Sequence[ReviewItem]) -> Settled:
    """Apply the decisions atomically; items without a decision are left unchanged.

    Raises:
        InvalidArgument: a decision does not fit its item; the error names the line.
        MemoryNotFound: a memory no longer exists; the error names the line.
    """
    done = Settled()
    async with loom.database.begin(caller) as tx:
        await memories.hold_owner(tx)
        for line, item in enumerate(items, start=1):
            await _settle(tx, item, f"line {line}", loom.clock(), done)
    return done


async def _settle(
    tx: Transaction, item: ReviewItem, place: str, at: datetime, done: Settled
) -> None:
    """Apply one decision and count it; `place` names the item in errors."""
    if item.decision is None:
        return
    numbers = [memory_number(each, field=place) for each in (item.memory, item.newer) if each]
    known = await memories.read_many(tx, numbers)
    for number in numbers:
        if number not in known:
            raise MemoryNotFound(f"mem-{number}", field=place)
    older, newer = numbers[0], numbers[-1]
    if item.decision == "forget":
        await memories.hide(tx, older, at)
        done.forgotten += 1
    elif item.decision == "keep":
        await review.keep_both(tx, newer, older)
        done.kept += 1
    else:
        if newer <= older:
            raise InvalidArgument(NO_SUCCESSOR.format(place=place, memory=item.memory), field=place)
        await supersession.supersede(tx, newer, older, origin=ORIGIN)
        done.superseded += 1
