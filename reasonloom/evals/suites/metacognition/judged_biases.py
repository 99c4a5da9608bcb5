"""Figures of `detect_bias`: what it names rightly, what it overlooks, and false alarms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from reasonloom.evals.suites.figures import Figure, share
from reasonloom.evals.suites.metacognition.data import BIASES, BiasText
from reasonloom.nodes.metacognition.spans import sentences_of

PART = "biases"
NONE = "none"
TYPES = tuple(bias for bias in BIASES if bias != NONE)
Said = Mapping[str, Mapping[str, float]]
"""By an item's id what was said of it."""


def bias_figures(items: Sequence[BiasText], said: Said) -> Iterator[Figure]:
    """Yield precision, recall, false alarms and spans, overall, in the mean, and by type.

    A guess draws one of the nine labels, `none` among them, for each text.
    """
    if not items:
        return
    biased = [item for item in items if item.bias != NONE]
    sound = [item for item in items if item.bias == NONE]
    yield _precision(items, said, TYPES)
    yield _recall(biased, said)
    alarms = [float(bool(_told(said, item, TYPES))) for item in sound]
    yield share(PART, "false alarms", alarms, of=NONE, guess=len(TYPES) / len(BIASES), majority=0.0)
    yield _overlap(biased, said)
    by_type = {bias: list(_of_type(items, said, bias)) for bias in TYPES}
    yield _macro("precision", [found[0] for found in by_type.values()])
    yield _macro("recall", [found[1] for found in by_type.values()])
    for found in by_type.values():
        yield from found


def _of_type(items: Sequence[BiasText], said: Said, bias: str) -> Iterator[Figure]:
    labelled = [item for item in items if item.bias == bias]
    yield _precision(items, said, (bias,), of=bias)
    yield _recall(labelled, said, of=bias)
    yield _overlap(labelled, said, of=bias)


def _precision(
    items: Sequence[BiasText], said: Said, types: Sequence[str], of: str = "all"
) -> Figure:
    """Return the share of what was told, of these types, that is the label."""
    told = [(item, bias) for item in items for bias in _told(said, item, types)]
    guess = fmean(fmean(item.bias == bias for item in items) for bias in types)
    hits = [float(item.bias == bias) for item, bias in told]
    return share(PART, "precision", hits, of=of, guess=guess)


def _recall(labelled: Sequence[BiasText], said: Said, of: str = "all") -> Figure:
    hits = [float(item.bias in said[item.id]) for item in labelled]
    return share(PART, "recall", hits, of=of, guess=1 / len(BIASES), majority=0.0)


def _overlap(labelled: Sequence[BiasText], said: Said, of: str = "all") -> Figure:
    """Return the share of the right ones whose told span touches the labelled one.

    A guess tells one of the text's sentences.
    """
    right = [item for item in labelled if item.bias in said[item.id]]
    guess = fmean(_touching(item) for item in right) if right else None
    return share(
        PART, "span overlap", [said[item.id]["overlap"] for item in right], of=of, guess=guess
    )


def _touching(item: BiasText) -> float:
    """Return the share of a text's sentences that share a character with the labelled span."""
    start = item.text.index(item.span or "")
    end = start + len(item.span or "")
    return fmean(each.start < end and start < each.end for each in sentences_of(item.text))


def _told(said: Said, item: BiasText, types: Sequence[str]) -> list[str]:
    return [bias for bias in types if bias in said[item.id]]


def _macro(name: str, figures: Sequence[Figure]) -> Figure:
    """Return the mean over the types; a type that was never told has a precision of 0."""
    value = fmean(figure.value or 0.0 for figure in figures)
    guess = fmean(figure.guess or 0.0 for figure in figures)
    return Figure(part=PART, name=f"{name}, macro", value=value, n=len(figures), guess=guess)
