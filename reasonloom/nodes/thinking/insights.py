"""Puts the streams' insights together: those that come to the same are one, with all sources."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import Any, NamedTuple

from reasonloom.nodes.reasoning.tree_search.deduplication import ThoughtDistance
from reasonloom.nodes.similarity import Similarity
from reasonloom.nodes.thinking.state import (
    Brief,
    StreamOutput,
    insights_of,
    last_outputs,
    reactions_of,
    successful_outputs,
)
from reasonloom.text.contradiction import (
    Statement,
    normalized_quote,
    statement_contradiction,
    statements,
)

SAME_DISTANCE = 0.1
"""How far apart two insights are at most that come to the same, as in a tree."""

MOST_INSIGHTS = 12
"""Insights that are told, the weightiest ones."""

LEFT_OUT = "{count} insights of less weight were left out"


def merge_insights(
    insights: Sequence[dict[str, Any]], likeness: Similarity
) -> list[dict[str, Any]]:
    """Return the insights, weightiest first: importance times confidence.

    Each has the sources of all that say the same, the greatest importance and the mean
    confidence among them; `labels` are theirs.
    """
    words = {each["content"]: normalized_quote(each["content"]) for each in insights}
    apart = ThoughtDistance(likeness)
    groups: list[list[dict[str, Any]]] = []
    for each in insights:
        for group in groups:
            first, other = group[0]["content"], each["content"]
            if words[first] == words[other] or apart(first, other) <= SAME_DISTANCE:
                group.append(each)
                break
        else:
            groups.append([each])
    return sorted(
        map(_merge_group, groups), key=lambda each: -each["importance"] * each["confidence"]
    )


def is_same_insight(first: str, second: str, likeness: Similarity) -> bool:
    """Tell whether two texts come to the same: in the same words, or hardly apart."""
    return (
        normalized_quote(first) == normalized_quote(second)
        or ThoughtDistance(likeness)(first, second) <= SAME_DISTANCE
    )


def _merge_group(group: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "content": group[0]["content"],
        "sources": list(dict.fromkeys(each["stream"] for each in group)),
        "labels": [each["label"] for each in group],
        "importance": round(max(float(each["importance"]) for each in group), 4),
        "confidence": round(fmean(float(each["confidence"]) for each in group), 4),
    }


MOST_CONFLICTS = 20
"""Conflicts that are told, the severest ones."""

ONE_SIDED = 0.75
"""What a conflict weighs that one side alone sees, and that the words do not show."""

STEM_LENGTH = 4
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


def find_conflicts(brief: Brief, said: Sequence[StreamOutput]) -> list[dict[str, Any]]:
    """Return the conflicts between streams, the severest first, each pair of claims once.

    Two claims conflict where their words contradict each other (`text/contradiction.py`), or
    where a stream's last word on another's insight is that it disagrees, and it quotes what with.
    """
    good = successful_outputs(brief, said)
    claims = claims_of(brief, good)
    found = [*_by_words(claims), *_by_reactions(good, claims)]
    found.sort(key=lambda each: -each["severity"])
    return [{"id": f"conflict-{n}", **each} for n, each in enumerate(found[:MOST_CONFLICTS], 1)]


def claims_of(brief: Brief, said: Sequence[StreamOutput]) -> list[Claim]:
    """Return the insights of all streams, and what each came to last."""
    insights = [
        _claim(each["stream"], each["label"], each["content"], _weight(each))
        for each in insights_of(said)
    ]
    return insights + final_claims(brief, said)


def final_claims(brief: Brief, said: Sequence[StreamOutput]) -> list[Claim]:
    """Return what each stream came to last."""
    return [
        _claim(name, name, end["conclusion"], float(end["confidence"]))
        for name, end in last_outputs(brief, said).items()
    ]


def _claim(stream: str, label: str, text: str, weight: float) -> Claim:
    stated = statements(text)
    stems = frozenset(word[:STEM_LENGTH] for each in stated for word in each.words)
    return Claim(stream, label, text, weight, stated, stems)


def _weight(insight: dict[str, Any]) -> float:
    return float(insight["importance"]) * float(insight["confidence"])


def contradiction_between(first: Claim, second: Claim) -> str | None:
    """Return why two claims of different streams contradict each other by their words."""
    if first.stream == second.stream or len(first.stems & second.stems) < LEAST_SHARED:
        return None
    return statement_contradiction(first.stated, second.stated)


def _by_words(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for first, second in combinations(claims, 2):
        if why := contradiction_between(first, second):
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


def _by_reactions(said: Sequence[StreamOutput], claims: Sequence[Claim]) -> list[dict[str, Any]]:
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


def disagreements(said: Sequence[StreamOutput]) -> list[dict[str, Any]]:
    """Return the reactions by which a stream still disagrees with another's insight."""
    return [each for each in reactions_of(said) if each["stance"] == "disagree"]
