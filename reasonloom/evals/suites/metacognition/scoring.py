"""Figures of what names one label for each item: emotions, and frameworks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, median

from reasonloom.evals.suites.figures import ALL, Figure, correlation, mean_distance, share
from reasonloom.evals.suites.metacognition.data import BIASES, FAULTS, BiasText, Pair
from reasonloom.evals.suites.metacognition.labels import (
    EMOTIONS,
    FRAMEWORKS,
    EmotionText,
    FrameworkProblem,
    Labelled,
)
from reasonloom.nodes.metacognition.spans import sentences_of

PARTIAL_OVERLAP = "biases"
NONE = "none"
TYPES = tuple(bias for bias in BIASES if bias != NONE)
DetectedBiases = Mapping[str, Mapping[str, float]]
"""By an item's id what was said of it."""


def bias_figures(items: Sequence[BiasText], said: DetectedBiases) -> Iterator[Figure]:
    """Yield precision, recall, false alarms and spans, overall, in the mean, and by type.

    A guess draws one of the nine labels, `none` among them, for each text.
    """
    if not items:
        return
    biased = [item for item in items if item.bias != NONE]
    sound = [item for item in items if item.bias == NONE]
    yield _precision(items, said, TYPES)
    yield _recall(biased, said)
    alarms = [float(bool(_detected(said, item, TYPES))) for item in sound]
    yield share(
        PARTIAL_OVERLAP,
        "false alarms",
        alarms,
        of=NONE,
        guess=len(TYPES) / len(BIASES),
        majority=0.0,
    )
    yield _overlap(biased, said)
    by_type = {bias: list(_of_type(items, said, bias)) for bias in TYPES}
    yield _macro("precision", [found[0] for found in by_type.values()])
    yield _macro("recall", [found[1] for found in by_type.values()])
    for found in by_type.values():
        yield from found


def _of_type(items: Sequence[BiasText], said: DetectedBiases, bias: str) -> Iterator[Figure]:
    labelled = [item for item in items if item.bias == bias]
    yield _precision(items, said, (bias,), of=bias)
    yield _recall(labelled, said, of=bias)
    yield _overlap(labelled, said, of=bias)


def _precision(
    items: Sequence[BiasText], said: DetectedBiases, types: Sequence[str], of: str = "all"
) -> Figure:
    """Return the share of what was told, of these types, that is the label."""
    told = [(item, bias) for item in items for bias in _detected(said, item, types)]
    guess = fmean(fmean(item.bias == bias for item in items) for bias in types)
    hits = [float(item.bias == bias) for item, bias in told]
    return share(PARTIAL_OVERLAP, "precision", hits, of=of, guess=guess)


def _recall(labelled: Sequence[BiasText], said: DetectedBiases, of: str = "all") -> Figure:
    hits = [float(item.bias in said[item.id]) for item in labelled]
    return share(PARTIAL_OVERLAP, "recall", hits, of=of, guess=1 / len(BIASES), majority=0.0)


def _overlap(labelled: Sequence[BiasText], said: DetectedBiases, of: str = "all") -> Figure:
    """Return the share of the right ones whose told span touches the labelled one.

    A guess tells one of the text's sentences.
    """
    right = [item for item in labelled if item.bias in said[item.id]]
    guess = fmean(_touching(item) for item in right) if right else None
    return share(
        PARTIAL_OVERLAP,
        "span overlap",
        [said[item.id]["overlap"] for item in right],
        of=of,
        guess=guess,
    )


def _touching(item: BiasText) -> float:
    """Return the share of a text's sentences that share a character with the labelled span."""
    start = item.text.index(item.span or "")
    end = start + len(item.span or "")
    return fmean(each.start < end and start < each.end for each in sentences_of(item.text))


def _detected(said: DetectedBiases, item: BiasText, types: Sequence[str]) -> list[str]:
    return [bias for bias in types if bias in said[item.id]]


def _macro(name: str, figures: Sequence[Figure]) -> Figure:
    """Return the mean over the types; a type that was never told has a precision of 0."""
    value = fmean(figure.value or 0.0 for figure in figures)
    guess = fmean(figure.guess or 0.0 for figure in figures)
    return Figure(
        part=PARTIAL_OVERLAP, name=f"{name}, macro", value=value, n=len(figures), guess=guess
    )


PAIR_PART = "pairs"
GUESS = 0.5


def pair_figures(items: Sequence[Pair], said: DetectedBiases, tool: str) -> Iterator[Figure]:
    """Yield the shares that `tool` ranks right, in all and by fault; a tie counts half.

    `ties` is the share of the pairs whose two sides were rated the same.
    """
    if not items:
        return
    ranked = {item.id: pair_rank(said[item.id]) for item in items}
    yield share(PAIR_PART, tool, list(ranked.values()), guess=GUESS)
    yield share(PAIR_PART, f"{tool}, ties", [float(each == GUESS) for each in ranked.values()])
    for fault in FAULTS:
        hits = [ranked[item.id] for item in items if item.label == fault]
        if hits:
            yield share(PAIR_PART, tool, hits, of=fault, guess=GUESS)


def pair_rank(worth: Mapping[str, float]) -> float:
    """Return 1 where the sound side is worth more, 0 where the flawed one is, a half for a tie."""
    sound, flawed = worth["sound"], worth["flawed"]
    return GUESS if sound == flawed else float(sound > flawed)


AXES = ("valence", "arousal")


def emotion_figures(items: Sequence[EmotionText], said: DetectedBiases) -> Iterator[Figure]:
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


def framework_figures(items: Sequence[FrameworkProblem], said: DetectedBiases) -> Iterator[Figure]:
    """Yield how often the label has the greatest share, and one of the two greatest.

    A guess draws one of the eight, or two.
    """
    if not items:
        return
    yield from _first(("frameworks", "top-1"), items, said, FRAMEWORKS, {})
    hits = [float(item.label in ranked_labels(said[item.id], FRAMEWORKS)[:2]) for item in items]
    yield share("frameworks", "top-2", hits, guess=2 / len(FRAMEWORKS))


def confusion(
    items: Sequence[Labelled], said: DetectedBiases, labels: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Return for each label how often each was told first of its items; what never was is left out.

    In the order of `labels`.
    """
    counted = Counter((item.label, ranked_labels(said[item.id], labels)[0]) for item in items)
    return {
        label: {told: counted[label, told] for told in labels if counted[label, told]}
        for label in labels
        if any(item.label == label for item in items)
    }


def _first(
    named: tuple[str, str],
    items: Sequence[Labelled],
    said: DetectedBiases,
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
        hits = [float(ranked_labels(said[item.id], labels)[0] == item.label) for item in group]
        always = fmean(item.label == most for item in group) if of in groups else None
        yield share(part, name, hits, of=of, guess=1 / len(labels), majority=always)


def _by_kind(items: Sequence[EmotionText]) -> dict[str, list[EmotionText]]:
    kinds = dict.fromkeys(item.kind for item in items)
    return {kind: [item for item in items if item.kind == kind] for kind in kinds}


def ranked_labels(scores: Mapping[str, float], labels: Sequence[str]) -> list[str]:
    """Return the labels that were told, the greatest score first; others are left out."""
    return sorted((label for label in labels if label in scores), key=lambda each: -scores[each])
