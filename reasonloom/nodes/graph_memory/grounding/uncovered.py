"""Puts the words of a claim that no memory has back into the parts in which they stand there."""

from __future__ import annotations

import re
from collections.abc import Sequence

BETWEEN = re.compile(r"[\s\-]*(?:[^\W\d_]{1,4}[\s\-]+){0,2}")
"""What may stand between two words of one part: blanks, and two short words."""


def phrases(claim: str, words: Sequence[str]) -> list[str]:
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
