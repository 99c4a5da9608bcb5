"""Detects emotions by the classifier, a word list and the lenses."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, get_args

from reasonloom.contracts.metacognition import Emotion
from reasonloom.nodes.metacognition.emotion_words import Cue, cues_in
from reasonloom.nodes.metacognition.judges import LLM_SHARE, band_of
from reasonloom.nodes.metacognition.spans import find_quote
from reasonloom.nodes.metacognition.state import CheckInput, JudgeVote, Measurements
from reasonloom.nodes.metacognition.text_analysis import TextAnalysis

EMOTIONS: tuple[Emotion, ...] = get_args(Emotion)
NONE = "none"
LEAST = 0.1
"""Minimum score for an emotion to be reported."""

WORDS_COUNT = 2.5
"""Upper limit of what cue words add to the log-probability of their emotion."""

DENIED_COUNTS = -1.0
"""Factor on the weight of a negated word."""

CIRCUMPLEX = ("valence", "arousal", "dominance")
NOTHING_KNOWN = {"valence": 0.0, "arousal": 0.0, "dominance": 0.0}


async def measure_emotion(read: TextAnalysis, done: Measurements) -> dict[str, Any]:
    """Return the probability of each emotion and of none, the circumplex, and the cues.

    Windows are averaged, weighted by the probability that they express any emotion.
    """
    if not read.scores:
        return {"shares": {}, "circumplex": NOTHING_KNOWN, "cues": [], "sure": 0.0}
    weights = [1.001 - scores.emotion[NONE] for scores in read.scores]
    shares = {
        name: fmean([scores.emotion[name] for scores in read.scores], weights)
        for name in (*EMOTIONS, NONE)
    }
    cues = cues_in(read.given["text"])
    shares = _with_words(shares, cues)
    places = zip(*(scores.circumplex for scores in read.scores), strict=True)
    axes = {name: round(fmean(of, weights), 3) for name, of in zip(CIRCUMPLEX, places, strict=True)}
    return {
        "shares": {name: round(share, 4) for name, share in shares.items()},
        "circumplex": _bounded(axes),
        "cues": [cue.wire for cue in cues],
        "degree": round(fmean([cue.degree for cue in cues if not cue.negated] or [1.0]), 3),
        "sure": round(max(shares.values()), 3),
    }


def _with_words(shares: Mapping[str, float], cues: Sequence[Cue]) -> dict[str, float]:
    """Adjust the probabilities by cue words, and normalise them to sum 1."""
    weights: dict[str, float] = defaultdict(float)
    for cue in cues:
        weights[cue.emotion] += cue.weight * (DENIED_COUNTS if cue.negated else 1.0)
    odds = {
        name: math.log(max(share, 1e-4)) + WORDS_COUNT * math.tanh(weights[name])
        for name, share in shares.items()
    }
    whole = sum(map(math.exp, odds.values()))
    return {name: math.exp(each) / whole for name, each in odds.items()}


def _bounded(axes: Mapping[str, float]) -> dict[str, float]:
    """Clamp valence and dominance to -1..1, and arousal to 0..1."""
    return {
        name: min(1.0, max(0.0 if name == "arousal" else -1.0, value))
        for name, value in axes.items()
    }


def merge_emotion(
    measured: dict[str, Any], votes: Sequence[JudgeVote], given: CheckInput, *, discrete: bool
) -> dict[str, Any]:
    """Return the emotions to report.

    With lenses, each value is 0.75 times their mean plus 0.25 times the computed one. The
    confidence is the share of lenses that agree on the most common first emotion; without lenses,
    it is the highest computed probability, including that of no emotion.
    """
    heard = [vote["said"] for vote in votes if vote["said"] is not None]
    axes, scores = measured["circumplex"], _scores(measured)
    sure = measured["sure"]
    cues = list(measured["cues"])
    if heard:
        share = LLM_SHARE if measured["shares"] else 1.0
        axes = {
            name: round(share * fmean(reply[name] for reply in heard) + (1 - share) * axes[name], 3)
            for name in CIRCUMPLEX
        }
        lenses = _lens_scores(heard)
        scores = {
            name: share * lenses[name] + (1 - share) * scores.get(name, 0.0) for name in EMOTIONS
        }
        sure = _agreement(heard)
        cues = [*cues, *_quotes(heard, given, cues)]
    return {
        "circumplex": {**axes, "confidence": round(sure, 3)},
        "discrete": _discrete(scores, sure) if discrete else None,
        "cues": cues,
    }


def _scores(measured: dict[str, Any]) -> dict[str, float]:
    """Return the computed scores: probabilities scaled by the degree of the cue words."""
    degree = measured.get("degree", 1.0)
    shares: dict[str, float] = measured["shares"]
    first = max(shares, key=shares.__getitem__, default=NONE)
    if first == NONE:
        return {name: min(shares.get(name, 0.0), LEAST / 2) for name in EMOTIONS}
    return {name: min(1.0, shares[name] * degree) for name in EMOTIONS}


def _lens_scores(heard: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return the lenses' mean score of each emotion; a lens that does not name it counts as 0."""
    of = [{each["emotion"]: each["score"] for each in reply["emotions"]} for reply in heard]
    return {name: fmean(scores.get(name, 0.0) for scores in of) for name in EMOTIONS}


def _first(reply: dict[str, Any]) -> str:
    named = reply["emotions"]
    return str(max(named, key=lambda each: each["score"])["emotion"]) if named else NONE


def _agreement(heard: Sequence[dict[str, Any]]) -> float:
    """Return the share of lenses that name the most common first emotion."""
    return Counter(map(_first, heard)).most_common(1)[0][1] / len(heard)


def _quotes(
    heard: Sequence[dict[str, Any]], given: CheckInput, known: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the distinct quotes of the lenses that occur in the text."""
    seen = {(each["start"], each["end"], each["emotion"]) for each in known}
    found = []
    for reply in heard:
        for each in reply["emotions"]:
            span = find_quote(each.get("quote", ""), given["text"])
            if span and (place := (span["start"], span["end"], each["emotion"])) not in seen:
                seen.add(place)
                found.append({**span, "emotion": each["emotion"], "negated": False})
    return found


def _discrete(scores: Mapping[str, float], sure: float) -> dict[str, Any]:
    order = sorted(scores, key=scores.__getitem__, reverse=True)
    kept = [name for name in order if scores[name] >= LEAST]
    return {
        "primary": kept[0] if kept else NONE,
        "emotions": [
            {"emotion": name, "score": round(scores[name], 3), "intensity": band_of(scores[name])}
            for name in kept
        ],
        "confidence": round(sure, 3),
    }
