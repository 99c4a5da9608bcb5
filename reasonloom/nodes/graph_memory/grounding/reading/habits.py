"""Tells what is said to happen each time: `every week` is weekly, `le jeudi` is each Thursday."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reasonloom.nodes.graph_memory.grounding.reading.clause_words import words_of
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import concept_of
from reasonloom.nodes.graph_memory.grounding.reading.tokens import Token

EACH, HABIT, DAYS = "each", "habit", "days"
PERIODS = ("daily", "weekly", "monthly", "yearly")
BEFORE_A_DAY = {"fr": frozenset(("le", "les")), "es": frozenset(("los",))}
"""Articles by which a weekday is each of its kind."""

PLURAL = frozenset(("en", "de", "fr"))
"""Languages where a weekday that ends in s is each of its kind."""


def mark_habits(tokens: Sequence[Token]) -> None:
    """Turn a quantifier before a time from one of things into one of times, for a sentence."""
    for at, token in enumerate(tokens):
        following = _following(tokens, at) if token.kind == "all" else None
        if following is None or following.term is None:
            continue
        value = following.term.value
        period = next((name for name in PERIODS if following.word in words_of(name)), None)
        if period:
            following.term = replace(following.term, key=(concept_of(period) or (period, 1))[0])
        if period or following.word in words_of("spans") or (value and value.kind == "weekday"):
            token.kind = EACH


def habitual(piece: Sequence[Token]) -> bool:
    """Tell whether a clause says that it happens each time, in whatever words."""
    return any(
        token.kind == EACH or _is_period(token, piece[at - 1].word if at else "")
        for at, token in enumerate(piece)
    )


def each_day(piece: Sequence[Token], language: str) -> bool:
    """Tell whether a clause names a weekday as each of its kind: `on Tuesdays`, `le mardi`."""
    return any(
        _is_weekday(token, piece[at - 1].word if at else "", language)
        for at, token in enumerate(piece)
        if not (at + 1 < len(piece) and _is_date(piece[at + 1]))
    )


def _following(tokens: Sequence[Token], at: int) -> Token | None:
    return next((token for token in tokens[at + 1 : at + 4] if token.kind != "small"), None)


def _is_date(token: Token) -> bool:
    value = token.term.value if token.term else None
    return value is not None and value.kind == "date"


def _is_weekday(token: Token, before: str, language: str) -> bool:
    if token.term is None or token.term.value is None or token.term.value.kind != "weekday":
        return False
    plural = language in PLURAL and token.word.endswith("s")
    return plural or before in BEFORE_A_DAY.get(language, frozenset())


def _is_period(token: Token, before: str) -> bool:
    if token.term is None or token.term.value:
        return False
    if any(concept_of(token.word) == concept_of(period) for period in PERIODS):
        return True
    return before in words_of("each-one") and any(token.word in words_of(p) for p in PERIODS)
