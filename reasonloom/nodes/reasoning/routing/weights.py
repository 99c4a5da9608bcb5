"""Feature weights per mode, the effect of hints, and how two votes are combined."""

from collections.abc import Iterable, Mapping
from math import exp
from types import MappingProxyType

from reasonloom.nodes.reasoning.routing.cues import (
    ALTERNATIVES,
    CUES,
    LIST_ITEM,
    NUMBER,
    QUESTION,
    SENTENCE_END,
    WORD,
)

READ_LENGTH = 20_000
"""Maximum number of characters scanned for cues."""

LONG = 200
"""Words at which the length feature reaches its maximum."""

SHORT = 25
"""Maximum words of a content, with at most one question, that may count as plain."""

LEFT = 0.3
"""Share of doubt left by each cue: one cue gives certainty 0.7, two 0.91, three 0.97."""


def features_of(content: str, *, thoughts: int = 0, checkpoints: int = 0) -> dict[str, float]:
    """Return all features of a problem, 0..1; the counts are those of its session."""
    text = content[:READ_LENGTH]
    words, questions = len(WORD.findall(text)), len(QUESTION.findall(text))
    found = {name: certainty(len(pattern.findall(text))) for name, pattern in CUES.items()}
    named = len(ALTERNATIVES.findall(text)) + max(0, len(LIST_ITEM.findall(text)) - 1)
    found |= {
        "length": min(1.0, words / LONG),
        "sentences": min(1.0, len(SENTENCE_END.findall(text)) / 10),
        "questions": min(1.0, max(0, questions - 1) / 3),
        "alternatives": certainty(named),
        "numbers": certainty(len(NUMBER.findall(text))),
        "session": min(1.0, thoughts / 10),
    }
    called_for = max(found[name] for name in (*CUES, "alternatives") if name != "lookup")
    found["plain"] = 1.0 if words <= SHORT and questions <= 1 and not called_for else 0.0
    found["way_back"] = found["dead_end"] if checkpoints else 0.0
    return {name: round(value, 3) for name, value in sorted(found.items())}


def certainty(cues: int) -> float:
    """Return the certainty (0..1) that a number of cues gives."""
    return 1 - LEFT**cues


MODES = ("linear", "tree", "divergent", "reflection", "backtracking", "got", "ponder")

LINEAR_IS_ENOUGH = 1.0
"""Base evidence for linear, which another mode must exceed."""

WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "plain": {"linear": 0.6},
        "lookup": {"linear": 0.9},
        "numbers": {"linear": 0.4},
        "alternatives": {"tree": 2.0},
        "choice": {"tree": 2.0},
        "creation": {"divergent": 3.0},
        "critique": {"reflection": 3.0},
        "dead_end": {"backtracking": 3.2},
        "way_back": {"backtracking": 0.8},
        "combination": {"got": 3.0},
        "conflict": {"ponder": 3.2},
        "questions": {"tree": 0.3, "ponder": 0.3},
        "length": {"tree": 0.2, "got": 0.4, "ponder": 0.2},
        "session": {"reflection": 0.3, "got": 0.2},
    }
)
"""Evidence per unit of a feature; a mode's evidence is the sum over its features."""

TEMPERATURE = 0.5
"""Evidence is converted to shares with a softmax over evidence / TEMPERATURE."""

HINT, MOST_OF_HINTS = 0.9, 1.8
"""Evidence that one hint adds to each mode it names, and the maximum per mode from all hints."""

COMPLEXITY: Mapping[str, float] = MappingProxyType(
    {
        "length": 0.3, "sentences": 0.2, "questions": 0.1, "alternatives": 0.15, "choice": 0.1,
        "creation": 0.2, "critique": 0.15, "dead_end": 0.2, "combination": 0.35,
        "conflict": 0.35,
    }
)  # fmt: skip
LEAST_COMPLEXITY = 0.1
PLAINNESS = 0.5
"""Share by which the complexity of a plain question is reduced."""


def evidence_of(features: Mapping[str, float], hints: Iterable[str]) -> dict[str, float]:
    """Return the evidence for each mode."""
    found = dict.fromkeys(MODES, 0.0)
    found["linear"] = LINEAR_IS_ENOUGH
    for feature, modes in WEIGHTS.items():
        for mode, weight in modes.items():
            found[mode] += weight * features.get(feature, 0.0)
    for mode, added in hint_evidence(hints).items():
        found[mode] += added
    return found


def hint_evidence(hints: Iterable[str]) -> dict[str, float]:
    """Return the evidence that hints add to the modes they mention, by name or by cue words."""
    added: dict[str, float] = {}
    for hint in hints:
        for mode in _modes_named(hint):
            added[mode] = min(MOST_OF_HINTS, added.get(mode, 0.0) + HINT)
    return added


def _modes_named(hint: str) -> set[str]:
    lowered = hint.lower().replace("-", "_")
    named = {mode for mode in MODES if mode in lowered}
    patterns = {**CUES, "alternatives": ALTERNATIVES}
    for feature, pattern in patterns.items():
        if pattern.search(hint):
            named.add(max(WEIGHTS[feature], key=WEIGHTS[feature].__getitem__))
    return named | ({"got"} if "graph of thought" in lowered.replace("_", " ") else set())


def shares_of(evidence: Mapping[str, float]) -> dict[str, float]:
    """Convert evidence for modes, or any other keys, to shares that sum to 1."""
    most = max(evidence.values())
    raw = {mode: exp((value - most) / TEMPERATURE) for mode, value in evidence.items()}
    total = sum(raw.values())
    return {mode: value / total for mode, value in raw.items()}


def combine_vote(shares: Mapping[str, float], voted: str, confidence: float) -> dict[str, float]:
    """Return the shares of modes, or any other keys, combined with the language model's vote.

    The voted mode gets `confidence`; the rest is divided among the others in proportion to their
    shares. So a vote of 0.5 or more decides the choice, while a lower one, which implies another
    mode, leaves open which.
    """
    others = sum(share for mode, share in shares.items() if mode != voted)
    rest, even = 1 - confidence, 1 / (len(shares) - 1)
    return {
        mode: confidence if mode == voted else rest * (share / others if others else even)
        for mode, share in shares.items()
    }


def complexity_of(features: Mapping[str, float]) -> float:
    """Return the complexity of a problem, 0..1, from its features alone."""
    raw = LEAST_COMPLEXITY + sum(
        weight * features.get(name, 0.0) for name, weight in COMPLEXITY.items()
    )
    return round(min(1.0, raw * (1 - PLAINNESS * features.get("plain", 0.0))), 3)
