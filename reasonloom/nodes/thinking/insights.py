"""Merges equivalent insights of the streams, and finds conflicts between streams."""

from collections.abc import Mapping, Sequence
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
"""Maximum distance of equivalent insights, as in a tree search."""

MOST_INSIGHTS = 12
MOST_WITHDRAWN = 3
"""Number of these that are reserved for withdrawn insights."""

LEFT_OUT = "{count} insights of less weight were left out"


def merge_insights(
    insights: Sequence[dict[str, Any]], likeness: Similarity, withdrawn: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the distinct insights by importance times confidence, descending.

    Each has the sources and labels of its equivalents, their maximum importance and their mean
    confidence. Insights whose labels are all `withdrawn` include the reason and come last.
    """
    words = {each["content"]: normalized_quote(each["content"]) for each in insights}
    distance = ThoughtDistance(likeness)
    groups: list[list[dict[str, Any]]] = []
    for each in insights:
        for group in groups:
            first, other = group[0]["content"], each["content"]
            if words[first] == words[other] or distance(first, other) <= SAME_DISTANCE:
                group.append(each)
                break
        else:
            groups.append([each])
    merged = [_merge_group(group, withdrawn) for group in groups]
    return sorted(
        merged, key=lambda each: ("withdrawn" in each, -each["importance"] * each["confidence"])
    )


def foremost_insights(merged: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return at most `MOST_INSIGHTS`, including a few withdrawn ones."""
    held = [each for each in merged if "withdrawn" not in each]
    withdrawn = [each for each in merged if "withdrawn" in each]
    room = max(MOST_INSIGHTS - len(held), MOST_WITHDRAWN)
    kept = withdrawn[:room]
    return [*held[: MOST_INSIGHTS - len(kept)], *kept]


def is_same_insight(first: str, second: str, likeness: Similarity) -> bool:
    """Return whether two texts have the same words or are almost identical in meaning."""
    return (
        normalized_quote(first) == normalized_quote(second)
        or ThoughtDistance(likeness)(first, second) <= SAME_DISTANCE
    )


def _merge_group(group: Sequence[dict[str, Any]], withdrawn: Mapping[str, str]) -> dict[str, Any]:
    reasons = [withdrawn[each["label"]] for each in group if each["label"] in withdrawn]
    return {
        **({"withdrawn": reasons[0]} if len(reasons) == len(group) else {}),
        "content": group[0]["content"],
        "sources": list(dict.fromkeys(each["stream"] for each in group)),
        "labels": [each["label"] for each in group],
        "importance": round(max(float(each["importance"]) for each in group), 4),
        "confidence": round(fmean(float(each["confidence"]) for each in group), 4),
    }


MOST_CONFLICTS = 20

ONE_SIDED = 0.75
"""Severity factor of a disagreement that only one of the two streams expressed."""

STEM_LENGTH = 4
LEAST_SHARED = 2
"""Minimum word stems that two texts share to be compared sentence by sentence."""


class Claim(NamedTuple):
    """A stream's insight or conclusion; `weight` is importance times confidence, 0..1."""

    stream: str
    label: str
    text: str
    weight: float
    stated: list[Statement]
    stems: frozenset[str]


def find_conflicts(brief: Brief, outputs: Sequence[StreamOutput]) -> list[dict[str, Any]]:
    """Return the conflicts between streams, most severe first.

    Two claims conflict if their words contradict each other (`text/contradiction.py`), or if a
    stream's last reaction to another's insight is a disagreement that quotes it. `labels` names the
    insights involved; a stream's name denotes its conclusion.
    """
    good = successful_outputs(brief, outputs)
    claims = claims_of(brief, good)
    found = [*_by_words(claims), *_by_reactions(good, claims)]
    found.sort(key=lambda each: -each["severity"])
    return [{"id": f"conflict-{n}", **each} for n, each in enumerate(found[:MOST_CONFLICTS], 1)]


def claims_of(brief: Brief, outputs: Sequence[StreamOutput]) -> list[Claim]:
    """Return the insights and last conclusions of all streams as claims."""
    insights = [
        _claim(
            each["stream"],
            each["label"],
            each["content"],
            float(each["importance"]) * float(each["confidence"]),
        )
        for each in insights_of(outputs)
    ]
    return insights + final_claims(brief, outputs)


def final_claims(brief: Brief, outputs: Sequence[StreamOutput]) -> list[Claim]:
    """Return each stream's last conclusion as a claim."""
    return [
        _claim(name, name, end["conclusion"], float(end["confidence"]))
        for name, end in last_outputs(brief, outputs).items()
    ]


def _claim(stream: str, label: str, text: str, weight: float) -> Claim:
    stated = statements(text)
    stems = frozenset(word[:STEM_LENGTH] for each in stated for word in each.words)
    return Claim(stream, label, text, weight, stated, stems)


def contradiction_between(first: Claim, second: Claim) -> str | None:
    """Return why the words of two streams' claims contradict each other, else None."""
    if first.stream == second.stream or len(first.stems & second.stems) < LEAST_SHARED:
        return None
    return statement_contradiction(first.stated, second.stated)


def _by_words(claims: Sequence[Claim]) -> list[dict[str, Any]]:
    found: dict[tuple[frozenset[str], str], dict[str, Any]] = {}
    for first, second in combinations(claims, 2):
        if why := contradiction_between(first, second):
            found.setdefault(
                (frozenset((first.stream, second.stream)), why),
                {
                    "type": "fact",
                    "description": f"{first.stream} and {second.stream}: {why}",
                    "severity": round(fmean((first.weight, second.weight)), 4),
                    "source_streams": [first.stream, second.stream],
                    "evidence": [first.text, second.text],
                    "labels": [first.label, second.label],
                },
            )
    return list(found.values())


def _by_reactions(outputs: Sequence[StreamOutput], claims: Sequence[Claim]) -> list[dict[str, Any]]:
    against = disagreements(outputs)
    known = {each.label: each for each in claims}
    pairs = {(each["by"], known[each["to"]].stream) for each in against}
    found = []
    for each in against:
        by, claim = each["by"], known[each["to"]]
        mutual = 1.0 if (claim.stream, by) in pairs else ONE_SIDED
        found.append(
            {
                "type": each["about"],
                "description": f"{by} disagrees with {claim.stream}: {each['why']}",
                "severity": round(fmean((claim.weight, known[by].weight)) * mutual, 4),
                "source_streams": [claim.stream, by],
                "evidence": [each["quote"], claim.text],
                "labels": [claim.label],
            }
        )
    return found


def disagreements(outputs: Sequence[StreamOutput]) -> list[dict[str, Any]]:
    """Return the last reactions that disagree with another stream's insight."""
    return [each for each in reactions_of(outputs) if each["stance"] == "disagree"]
