"""Figures for detected biases, top-ranked labels (emotions, frameworks), and ranked pairs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from statistics import fmean, median

from reasonloom.evals.suites.figures import ALL, Figure, correlation, mean_distance, share
from reasonloom.evals.suites.labelled import Labelled
from reasonloom.evals.suites.metacognition.data import (
    BIASES,
    EMOTIONS,
    FAULTS,
    FRAMEWORKS,
    BiasText,
    EmotionText,
    FrameworkProblem,
    Pair,
)
from reasonloom.nodes.metacognition.spans import sentences_of

PARTIAL_OVERLAP = "biases"
NONE = "none"
TYPES = tuple(bias for bias in BIASES if bias != NONE)
DetectedBiases = Mapping[str, Mapping[str, float]]
"""Scores from the answers, by item id."""


def bias_figures(items: Sequence[BiasText], answers: DetectedBiases) -> Iterator[Figure]:
    """Yield precision, recall, false alarms and span overlap: overall, macro, and by type.

    A guess draws one of the nine labels, including `none`, for each text.
    """
    if not items:
        return
    biased = [item for item in items if item.bias != NONE]
    sound = [item for item in items if item.bias == NONE]
    yield _precision(items, answers, TYPES)
    yield _recall(biased, answers)
    alarms = [float(bool(_detected(answers, item, TYPES))) for item in sound]
    chance = len(TYPES) / len(BIASES)
    yield share(PARTIAL_OVERLAP, "false alarms", alarms, of=NONE, guess=chance, majority=0.0)
    yield _overlap(biased, answers)
    by_type = {bias: list(_of_type(items, answers, bias)) for bias in TYPES}
    yield _macro("precision", [found[0] for found in by_type.values()])
    yield _macro("recall", [found[1] for found in by_type.values()])
    for found in by_type.values():
        yield from found


def _of_type(items: Sequence[BiasText], answers: DetectedBiases, bias: str) -> Iterator[Figure]:
    labelled = [item for item in items if item.bias == bias]
    yield _precision(items, answers, (bias,), of=bias)
    yield _recall(labelled, answers, of=bias)
    yield _overlap(labelled, answers, of=bias)


def _precision(
    items: Sequence[BiasText], answers: DetectedBiases, types: Sequence[str], of: str = "all"
) -> Figure:
    """Return the share of detected biases of these types that match the label."""
    detected = [(item, bias) for item in items for bias in _detected(answers, item, types)]
    guess = fmean(fmean(item.bias == bias for item in items) for bias in types)
    hits = [float(item.bias == bias) for item, bias in detected]
    return share(PARTIAL_OVERLAP, "precision", hits, of=of, guess=guess)


def _recall(labelled: Sequence[BiasText], answers: DetectedBiases, of: str = "all") -> Figure:
    hits = [float(item.bias in answers[item.id]) for item in labelled]
    return share(PARTIAL_OVERLAP, "recall", hits, of=of, guess=1 / len(BIASES), majority=0.0)


def _overlap(labelled: Sequence[BiasText], answers: DetectedBiases, of: str = "all") -> Figure:
    """Return the share of true positives whose detected span overlaps the labelled one.

    A guess picks one of the text's sentences.
    """
    right = [item for item in labelled if item.bias in answers[item.id]]
    guess = fmean(_touching(item) for item in right) if right else None
    hits = [answers[item.id]["overlap"] for item in right]
    return share(PARTIAL_OVERLAP, "span overlap", hits, of=of, guess=guess)


def _touching(item: BiasText) -> float:
    """Return the share of a text's sentences that overlap the labelled span."""
    start = item.text.index(item.span or "")
    end = start + len(item.span or "")
    return fmean(each.start < end and start < each.end for each in sentences_of(item.text))


def _detected(answers: DetectedBiases, item: BiasText, types: Sequence[str]) -> list[str]:
    return [bias for bias in types if bias in answers[item.id]]


def _macro(name: str, figures: Sequence[Figure]) -> Figure:
    """Return the mean over types; figures without a value count as 0."""
    value = fmean(figure.value or 0.0 for figure in figures)
    guess = fmean(figure.guess or 0.0 for figure in figures)
    return Figure(
        part=PARTIAL_OVERLAP, name=f"{name}, macro", value=value, n=len(figures), guess=guess
    )


PAIR_PART = "pairs"
GUESS = 0.5


def pair_figures(items: Sequence[Pair], answers: DetectedBiases, tool: str) -> Iterator[Figure]:
    """Yield the shares of pairs that `tool` ranks right, overall and by fault; a tie counts half.

    `ties` is the share of pairs whose sides were rated equally.
    """
    if not items:
        return
    ranked = {item.id: pair_rank(answers[item.id]) for item in items}
    yield share(PAIR_PART, tool, list(ranked.values()), guess=GUESS)
    yield share(PAIR_PART, f"{tool}, ties", [float(each == GUESS) for each in ranked.values()])
    for fault in FAULTS:
        hits = [ranked[item.id] for item in items if item.label == fault]
        if hits:
            yield share(PAIR_PART, tool, hits, of=fault, guess=GUESS)


def pair_rank(worth: Mapping[str, float]) -> float:
    """Return 1 if the sound side is rated higher, 0 if the flawed one is, 0.5 for a tie."""
    sound, flawed = worth["sound"], worth["flawed"]
    return GUESS if sound == flawed else float(sound > flawed)


AXES = ("valence", "arousal")


def emotion_figures(items: Sequence[EmotionText], answers: DetectedBiases) -> Iterator[Figure]:
    """Yield top-1 accuracy overall, by kind and by emotion, and figures for both axes.

    `none` counts as an emotion. A guess draws one of the twelve; on an axis it is the median label.
    """
    if not items:
        return
    yield from _first(("emotions", "top-1"), items, answers, EMOTIONS, _by_kind(items))
    for axis in AXES:
        labels = [float(getattr(item, axis)) for item in items]
        values = [answers[item.id][axis] for item in items]
        middle = [median(labels)] * len(labels)
        alike, far = correlation(labels, values), mean_distance(labels, values)
        figure = partial(Figure, part="emotions", n=len(items), unit="number")
        yield figure(name=f"{axis}, correlation", value=alike, guess=0.0)
        yield figure(name=f"{axis}, mean error", value=far, guess=mean_distance(labels, middle))


def framework_figures(
    items: Sequence[FrameworkProblem], answers: DetectedBiases
) -> Iterator[Figure]:
    """Yield top-1 and top-2 accuracy; a guess draws one or two of the eight frameworks."""
    if not items:
        return
    yield from _first(("frameworks", "top-1"), items, answers, FRAMEWORKS, {})
    hits = [float(item.label in ranked_labels(answers[item.id], FRAMEWORKS)[:2]) for item in items]
    yield share("frameworks", "top-2", hits, guess=2 / len(FRAMEWORKS))


def confusion(
    items: Sequence[Labelled], answers: DetectedBiases, labels: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Return the confusion matrix of labels and top-ranked answers, without zeros.

    Labels are in the order of `labels`; those without items are omitted.
    """
    counted = Counter((item.label, ranked_labels(answers[item.id], labels)[0]) for item in items)
    return {
        label: {other: counted[label, other] for other in labels if counted[label, other]}
        for label in labels
        if any(item.label == label for item in items)
    }


def _first(
    named: tuple[str, str],
    items: Sequence[Labelled],
    answers: DetectedBiases,
    labels: Sequence[str],
    more: Mapping[str, Sequence[Labelled]],
) -> Iterator[Figure]:
    """Yield top-1 accuracy: overall, for the groups in `more`, and per label."""
    ((most, _),) = Counter(item.label for item in items).most_common(1)
    by_label = {label: [item for item in items if item.label == label] for label in labels}
    groups = {ALL: items, **more}
    part, name = named
    for of, group in {**groups, **by_label}.items():
        if not group:
            continue
        hits = [float(ranked_labels(answers[item.id], labels)[0] == item.label) for item in group]
        always = fmean(item.label == most for item in group) if of in groups else None
        yield share(part, name, hits, of=of, guess=1 / len(labels), majority=always)


def _by_kind(items: Sequence[EmotionText]) -> dict[str, list[EmotionText]]:
    kinds = dict.fromkeys(item.kind for item in items)
    return {kind: [item for item in items if item.kind == kind] for kind in kinds}


def ranked_labels(scores: Mapping[str, float], labels: Sequence[str]) -> list[str]:
    """Return the labels that have a score, highest first."""
    return sorted((label for label in labels if label in scores), key=lambda each: -scores[each])
