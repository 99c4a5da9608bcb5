"""Finds where streams contradict each other, and how much hangs on it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

from reasonloom.nodes.thinking.state import Brief, Said, came, insights_of, last_of, reactions_of
from reasonloom.text.contradiction import Said as Statement
from reasonloom.text.contradiction import between, statements

MOST = 20
"""Conflicts that are told, the severest ones."""

ONE_SIDED = 0.75
"""What a conflict weighs that one side alone sees, and that the words do not show."""

STEM = 4
LEAST_SHARED = 2
"""Beginnings of words that two texts must share before they are compared sentence by sentence."""


class Claim(NamedTuple):
    """Something that a stream says; its weight is importance times confidence, 0..1."""

    stream: str
    label: str
    text: str
    weight: float
    stated: list[Statement]
    stems: frozenset[str]


def conflicts_of(brief: Brief, said: Sequence[Said]) -> list[dict[str, Any]]:
    """Return the conflicts between streams, the severest first, each pair of claims once.

    Two claims conflict where their words contradict each other (`text/contradiction.py`), or
    where a stream's last word on another's insight is that it disagrees, and it quotes what with.
    """
    good = came(brief, said)
    claims = claims_of(brief, good)
    found = [*_by_words(claims), *_by_reactions(good, claims)]
    found.sort(key=lambda each: -each["severity"])
    return [{"id": f"conflict-{n}", **each} for n, each in enumerate(found[:MOST], 1)]


def claims_of(brief: Brief, said: Sequence[Said]) -> list[Claim]:
    """Return the insights of all streams, and what each came to last."""
    insights = [
        _claim(each["stream"], each["label"], each["content"], _weight(each))
        for each in insights_of(said)
    ]
    return insights + ends_of(brief, said)


def ends_of(brief: Brief, said: Sequence[Said]) -> list[Claim]:
    """Return what each stream came to last."""
    return [
        _claim(name, name, end["conclusion"], float(end["confidence"]))
        for name, end in last_of(brief, said).items()
    ]


def _claim(stream: str, label: str, text: str, weight: float) -> Claim:
    stated = statements(text)
    stems = frozenset(word[:STEM] for each in stated for word in each.words)
    return Claim(stream, label, text, weight, stated, stems)


def _weight(insight: dict[str, Any]) -> float:
    return float(insight["importance"]) * float(insight["confidence"])


def shown(first: Claim, second: Claim) -> str | None:
    """Return why two claims of different streams contradict each other by their words."""
    if first.stream == second.stream or len(first.stems & second.stems) < LEAST_SHARED:
        return None
    return between(first.stated, second.stated)


def _by_words(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for first, second in combinations(claims, 2):
        if why := shown(first, second):
            key = (*sorted((first.stream, second.stream)), why)
            found.setdefault(
                (key[0], key[1], key[2]),
                {
                    "type": "fact",
                    "description": f"{first.stream} and {second.stream}: {why}",
                    "severity": round(fmean((first.weight, second.weight)), 4),
                    "source_streams": [first.stream, second.stream],
                    "evidence": [first.text, second.text],
                },
            )
    return list(found.values())


def _by_reactions(said: Sequence[Said], claims: Sequence[Claim]) -> list[dict[str, Any]]:
    against = disagreements(said)
    known = {each.label: each for each in claims}
    pairs = {(each["by"], known[each["to"]].stream) for each in against}
    return [
        {
            "type": each["about"],
            "description": f"{each['by']} disagrees with {known[each['to']].stream}: {each['why']}",
            "severity": round(
                fmean((known[each["to"]].weight, known[each["by"]].weight))
                * (1.0 if (known[each["to"]].stream, each["by"]) in pairs else ONE_SIDED),
                4,
            ),
            "source_streams": [known[each["to"]].stream, each["by"]],
            "evidence": [each["quote"], known[each["to"]].text],
        }
        for each in against
    ]


def disagreements(said: Sequence[Said]) -> list[dict[str, Any]]:
    """Return the reactions by which a stream still disagrees with another's insight."""
    return [each for each in reactions_of(said) if each["stance"] == "disagree"]
