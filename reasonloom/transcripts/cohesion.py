"""Scores the cohesion of adjacent pieces of a conversation.

Based on TextTiling (Hearst 1997): the overlap of neighbours' words, extended by the files they
mention, the time between them, and a new request.
"""

import re
from collections.abc import Collection
from datetime import datetime, timedelta

WORDS = 400
"""Maximum distinct words of a piece that are compared."""

LEAST_REQUEST_WORDS = 3
"""Minimum words of a request for its overlap to count."""

PAUSE, LONG_PAUSE = timedelta(minutes=30), timedelta(hours=4)
"""Pauses after which the score is reduced."""

WORD = re.compile(r"[^\W\d_][\w'’]{3,}|\d{4,}")
WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]{2,}")
"""Scripts without spaces or with long inflections, compared by character pairs."""

STEM = 7
"""Length of the prefix by which words are compared."""

LOOKED_LENGTH = 12_000
"""Maximum characters of a piece that are read."""

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
"""Common English words, which are ignored; `WORD` excludes short words of any language."""


def words(text: str) -> frozenset[str]:
    """Return the distinct topical words of `text`, at most `WORDS`."""
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
    request: Collection[str],
    *,
    files: tuple[Collection[str], Collection[str]],
    times: tuple[datetime | None, datetime | None],
) -> float:
    """Return the cohesion of the pieces before and after a border, 0 to about 2.

    Args:
        before: the words before the border.
        after: the words after it.
        request: the words of the user's new request after the border, empty if there is none.
        files: the files mentioned before and after.
        times: the end of the former and the start of the latter.
    """
    known = set(before)
    least = min(len(known), len(after))
    shared = len(known.intersection(after)) / least if least else 0.0
    total = shared
    if len(request) >= LEAST_REQUEST_WORDS:
        total = (shared + len(known.intersection(request)) / len(request)) / 2
    total += 0.5 if set(files[0]).intersection(files[1]) else 0.0
    gap = times[1] - times[0] if times[0] and times[1] else timedelta()
    return total * (0.25 if gap > LONG_PAUSE else 0.5 if gap > PAUSE else 1.0)
