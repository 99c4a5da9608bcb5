"""Figures of what names one label for each item: emotions, and frameworks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

from reasonloom.evals.suites.figures import ALL, Figure, correlation, mean_distance, share
from reasonloom.evals.suites.metacognition.judged_biases import Said
from reasonloom.evals.suites.metacognition.labels import (
    EMOTIONS,
    FRAMEWORKS,
    EmotionText,
    FrameworkProblem,
    Labelled,
)

AXES = ("valence", "arousal")


def emotion_figures(items: Sequence[EmotionText], said: Said) -> Iterator[Figure]:
    """Yield how often the emotion told first is the label, and how near the two axes are.

    By kind and by emotion too; `none` is an emotion here. A guess draws one of the twelve; on an
    axis it is the middle label, always told.
    """
    if not items:
        return
    yield from _first(("emotions", "top-1"), items, said, EMOTIONS, _by_kind(items))
    for axis in AXES:
        labels = [float(getattr(item, axis)) for item in items]
        told = [said[item.id][axis] for item in items]
        middle = [median(labels)] * len(labels)
        yield Figure(
            part="emotions",
            name=f"{axis}, correlation",
            value=correlation(labels, told),
            n=len(items),
            guess=0.0,
            unit="number",
        )
        yield Figure(
            part="emotions",
            name=f"{axis}, mean error",
            value=mean_distance(labels, told),
            n=len(items),
            guess=mean_distance(labels, middle),
            unit="number",
        )


def framework_figures(items: Sequence[FrameworkProblem], said: Said) -> Iterator[Figure]:
    """Yield how often the label has the greatest share, and one of the two greatest.

    A guess draws one of the eight, or two.
    """
    if not items:
        return
    yield from _first(("frameworks", "top-1"), items, said, FRAMEWORKS, {})
    hits = [float(item.label in ranked(said[item.id], FRAMEWORKS)[:2]) for item in items]
    yield share("frameworks", "top-2", hits, guess=2 / len(FRAMEWORKS))


def confusion(
    items: Sequence[Labelled], said: Said, labels: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Return for each label how often each was told first of its items; what never was is left out.

    In the order of `labels`.
    """
    counted = Counter((item.label, ranked(said[item.id], labels)[0]) for item in items)
    return {
        label: {told: counted[label, told] for told in labels if counted[label, told]}
        for label in labels
        if any(item.label == label for item in items)
    }


def _first(
    named: tuple[str, str],
    items: Sequence[Labelled],
    said: Said,
    labels: Sequence[str],
    more: Mapping[str, Sequence[Labelled]],
) -> Iterator[Figure]:
    """Yield the shares whose label was told first: of all, of `more` groups, of each label."""
    ((most, _),) = Counter(item.label for item in items).most_common(1)
    by_label = {label: [item for item in items if item.label == label] for label in labels}
    groups = {ALL: items, **more}
    part, name = named
    for of, group in {**groups, **by_label}.items():
        if not group:
            continue
        hits = [float(ranked(said[item.id], labels)[0] == item.label) for item in group]
        always = fmean(item.label == most for item in group) if of in groups else None
        yield share(part, name, hits, of=of, guess=1 / len(labels), majority=always)


def _by_kind(items: Sequence[EmotionText]) -> dict[str, list[EmotionText]]:
    kinds = dict.fromkeys(item.kind for item in items)
    return {kind: [item for item in items if item.kind == kind] for kind in kinds}


def ranked(scores: Mapping[str, float], labels: Sequence[str]) -> list[str]:
    """Return the labels that were told, the greatest score first; others are left out."""
    return sorted((label for label in labels if label in scores), key=lambda each: -scores[each])
