"""Computes of a problem's text, and of its session, what speaks for which mode; each 0..1."""

from __future__ import annotations

from reasonloom.nodes.reasoning.routing.cues import (
    ALTERNATIVES,
    CUES,
    LIST_ITEM,
    NUMBER,
    QUESTION,
    SENTENCE_END,
    WORD,
)

READ = 20_000
"""Characters of the content that are read for cues."""

LONG = 200
"""Words from which on a content counts as long."""

SHORT = 25
"""Words up to which a content with at most one question may count as plain."""

LEFT = 0.3
"""Share of doubt that each cue leaves: one gives 0.7, two 0.91, three 0.97."""


def features_of(content: str, *, thoughts: int = 0, checkpoints: int = 0) -> dict[str, float]:
    """Return every feature of a problem, 0..1; the counts are those of its session."""
    text = content[:READ]
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
    asked = max(found[name] for name in (*CUES, "alternatives") if name != "lookup")
    found["plain"] = 1.0 if words <= SHORT and questions <= 1 and not asked else 0.0
    found["way_back"] = found["dead_end"] if checkpoints else 0.0
    return {name: round(value, 3) for name, value in sorted(found.items())}


def certainty(cues: int) -> float:
    """Return how sure so many cues make, 0..1."""
    return 1 - LEFT**cues
