"""Tells how much two pieces of a conversation have to do with each other.

After TextTiling (Hearst 1997): the words that neighbours share, here with the files they name,
the time between them and what is newly asked.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime, timedelta

WORDS = 400
"""Different words of a piece that are compared."""

LEAST_REQUEST_WORDS = 3
"""Words of a request from which on it can be told that it shares nothing."""

PAUSE, LONG_PAUSE = timedelta(minutes=30), timedelta(hours=4)
"""After such a pause neighbours must share more to belong together."""

WORD = re.compile(r"[^\W\d_][\w'’]{3,}|\d{4,}")
WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]{2,}")
"""Scripts without spaces, or with long endings: compared by pairs of signs."""

STEM = 7
"""Letters by which words are compared, so that their endings count less."""

LOOKED_LENGTH = 12_000
"""Characters of a piece that are looked through."""

_COMMON = """
about above after again also although always another anything because been before being below
between both cannot could does doesn't doing don't done down during each either else even ever
every everything from further give goes going good great have having help here i'll i'm i've
into isn't it's itself just know less let's like look looks made make makes many maybe might
more most much must need needs next nothing okay once only other ours over perhaps please really
right same seems shall should since some something still such sure take than thank thanks that
that's their them then there there's these they they're thing things this those through today
together until upon used uses using very want wants well were what what's when where whether
which while will with within without won't work works would yeah you're your yours error file
true false none null assistant user tool result
"""
COMMON = frozenset(_COMMON.split())
"""English words that any two pieces share; of other languages, short words are left out."""


def words(text: str) -> frozenset[str]:
    """Return the different words of `text` that say what it is about, at most `WORDS`."""
    found = [
        word[:STEM] for word in WORD.findall(text[:LOOKED_LENGTH].casefold()) if word not in COMMON
    ]
    kept = dict.fromkeys(found)
    if not text.isascii():
        for match in WIDE.finditer(text[:LOOKED_LENGTH]):
            run = match.group()[:200]
            kept.update(dict.fromkeys(run[i : i + 2] for i in range(len(run) - 1)))
    return frozenset(kept) if len(kept) <= WORDS else frozenset(list(kept)[:WORDS])


def score(
    before: Collection[str],
    after: Collection[str],
    asked: Collection[str],
    *,
    files: tuple[Collection[str], Collection[str]],
    times: tuple[datetime | None, datetime | None],
) -> float:
    """Return how much belongs together what stands before and after a border, 0 to about 2.

    Args:
        before: the words before the border.
        after: the words after it.
        asked: those of them that a person said as a new request; empty if nobody did.
        files: the files named before and after.
        times: when the former ended and the latter began.
    """
    known = set(before)
    least = min(len(known), len(after))
    shared = len(known.intersection(after)) / least if least else 0.0
    total = shared
    if len(asked) >= LEAST_REQUEST_WORDS:
        total = (shared + len(known.intersection(asked)) / len(asked)) / 2
    total += 0.5 if set(files[0]).intersection(files[1]) else 0.0
    gap = times[1] - times[0] if times[0] and times[1] else timedelta()
    return total * (0.25 if gap > LONG_PAUSE else 0.5 if gap > PAUSE else 1.0)
