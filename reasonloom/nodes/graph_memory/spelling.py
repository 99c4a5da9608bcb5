"""Reads misspelt words as the stored words that are nearest in their letters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from reasonloom.stores.graph_memory import evidence

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

WITHIN = 2
"""Letters by which a word may be longer or shorter than what is meant."""

LEAST_ALIKE = 0.6
LEAST_LETTERS = 3
READ_AS = "nothing stored holds {asked}; read as {meant} too"


class Respelt(NamedTuple):
    """A text with stored words for unknown ones, how alike they are (0..1), and what to say."""

    text: str
    likeness: float
    note: str


async def respelt(tx: Transaction, query: str) -> Respelt | None:
    """Return a query with its unknown words put right, None where none can be."""
    unknown = [w for w in await evidence.unknown_words(tx, query) if len(w) >= LEAST_LETTERS]
    meant: dict[str, tuple[str, float]] = {}
    for word in unknown:
        stored = await evidence.about_as_long(tx, word, within=WITHIN)
        best = max(stored, key=lambda each: likeness(word, each), default="")
        if best and (share := likeness(word, best)) >= LEAST_ALIKE:
            meant[word] = best, share
    if not meant:
        return None
    kept = [word for word in query.split() if not word.casefold().startswith(tuple(meant))]
    text = " ".join([*kept, *(best for best, _ in meant.values())])
    mean = sum(share for _, share in meant.values()) / len(meant)
    asked = ", ".join(f"“{word}”" for word in meant)
    told = ", ".join(f"“{best}”" for best, _ in meant.values())
    return Respelt(text, mean, READ_AS.format(asked=asked, meant=told))


def likeness(one: str, other: str) -> float:
    """Return 1 less the share of letters to be put in, left out, changed or exchanged, 0..1.

    The distance of optimal string alignment (Damerau 1964) over the longer length.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for n, letter in enumerate(one, 1):
        following = [n]
        for k, facing in enumerate(other, 1):
            cost = min(row[k] + 1, following[k - 1] + 1, row[k - 1] + (letter != facing))
            if n > 1 and k > 1 and letter == other[k - 2] and one[n - 2] == facing:
                cost = min(cost, before[k - 2] + 1)
            following.append(cost)
        before, row = row, following
    return 1 - row[-1] / max(len(one), len(other), 1)
