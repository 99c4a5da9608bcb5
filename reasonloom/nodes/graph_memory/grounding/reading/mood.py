"""Distinguishes what a sentence asserts from what it asks, orders, wishes, thinks or reports.

The words are in a data file: `mood_words.tsv` (mood, language, a pattern; `^` is where a sentence
begins). A mood applies from its word to the end of the sentence. A question, an order and a choice
apply to the whole sentence, as does a mood that follows what it refers to ("..., I think").
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import MappingProxyType

from reasonloom.nodes.graph_memory.grounding.reading.clause import Clause
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import (
    clause_words,
    concept_of,
    read_table,
)
from reasonloom.nodes.graph_memory.grounding.reading.tokens import Token

EACH, HABIT, DAYS = "each", "habit", "days"
PERIODS = ("daily", "weekly", "monthly", "yearly")
BEFORE_A_DAY = {"fr": frozenset(("le", "les")), "es": frozenset(("los",))}
"""Articles that make a weekday recurring."""

PLURAL = frozenset(("en", "de", "fr"))
"""Languages where a weekday that ends in s is recurring."""


def mark_habits(tokens: Sequence[Token]) -> None:
    """Change the kind of each quantifier before a time from `all` to `each`, in place."""
    for at, token in enumerate(tokens):
        following = _following(tokens, at) if token.kind == "all" else None
        if following is None or following.term is None:
            continue
        value = following.value
        period = next((name for name in PERIODS if following.word in clause_words(name)), None)
        if period:
            following.term = replace(following.term, key=(concept_of(period) or (period, 1))[0])
        if period or following.word in clause_words("spans") or (value and value.kind == "weekday"):
            token.kind = EACH


def habitual(piece: Sequence[Token]) -> bool:
    """Return whether a clause describes something recurring."""
    return any(
        token.kind == EACH or _is_period(token, piece[at - 1].word if at else "")
        for at, token in enumerate(piece)
    )


def each_day(piece: Sequence[Token], language: str) -> bool:
    """Return whether a clause names a recurring weekday: `on Tuesdays`, `le mardi`."""
    return any(
        _is_weekday(token, piece[at - 1].word if at else "", language)
        for at, token in enumerate(piece)
        if not (at + 1 < len(piece) and (after := piece[at + 1].value) and after.kind == "date")
    )


def _following(tokens: Sequence[Token], at: int) -> Token | None:
    return next((token for token in tokens[at + 1 : at + 4] if token.kind != "small"), None)


def _is_weekday(token: Token, before: str, language: str) -> bool:
    if token.value is None or token.value.kind != "weekday":
        return False
    plural = language in PLURAL and token.word.endswith("s")
    return plural or before in BEFORE_A_DAY.get(language, frozenset())


def _is_period(token: Token, before: str) -> bool:
    if token.term is None or token.value:
        return False
    if any(concept_of(token.word) == concept_of(period) for period in PERIODS):
        return True
    return before in clause_words("each-one") and any(
        token.word in clause_words(p) for p in PERIODS
    )


WHY: Mapping[str, str] = MappingProxyType(
    {
        "question": "the memory asks it",
        "ask": "the memory only asks it",
        "order": "the memory orders it, or has it still to be done",
        "must": "the memory says that it has to be so, not that it is",
        "need": "the memory says that it should be so, not that it is",
        "wish": "the memory says that it is wanted, planned or possible, not that it is so",
        "think": "the memory says only that somebody thinks so",
        "say": "the memory says only that somebody says so",
        "doubt": "the memory says that it is doubted",
        "pretend": "the memory describes a pretence, not a fact",
        "choice": "the memory leaves open which of two it is",
    }
)
"""Why a memory in a mood does not support a claim without it."""

SILENT = frozenset(("question", "ask", "wish", "doubt", "pretend", "choice"))
"""Moods that neither assert nor deny."""

SOFT = frozenset(("think", "say"))
"""Moods that support a claim in part, since somebody vouches for it."""

WHOLE = frozenset(("question", "order", "choice"))
AFTER = SOFT | {"doubt"}
"""Moods that may follow what they refer to."""

ENDS = re.compile(r"[.!?;](?!\d)")
STOPS = re.compile(r"[.!?;]")
LAST_WORDS = 3
JOINING = frozenset((",", "and", "but", "und", "aber", "sondern", "et", "mais", "y", "e", "pero"))
FREE = frozenset(("deny", "local", "allow", "all", "done", "without", "except"))
"""Token kinds that make an `or` apply to both: `no cats or dogs`, `may use a pen or a pencil`."""


def foreign_moods(held: Clause, claimed: Clause) -> list[str]:
    """Return the moods in which a clause and its claim differ, in the order of `WHY`.

    A `must` equals a ban: "nobody may enter without" and "everybody must have".
    """
    moods = [mood for mood in WHY if (mood in held.marks) != (mood in claimed.marks)]
    strict = "must" in claimed.marks
    ban = held.denials and (strict or claimed.denials)
    return [m for m in moods if m != "must" or not (ban or (strict and "all" in held.marks))]


def moods_of(
    text: str, tokens: Sequence[Token], language: str, inherited: frozenset[str] = frozenset()
) -> list[frozenset[str]]:
    """Return the moods of each token of a sentence; `inherited` are those of its lead-in."""
    start, last = tokens[0].start, tokens[-1]
    end = last.start + len(last.text)
    piece = text[start:end]
    stop = ENDS.search(text, end)
    whole = set(inherited)
    if stop and stop[0] == "?":
        whole.add("question")
    after = text[end : end + 2].strip()[:1]
    spans: list[tuple[int, str]] = []
    for mood, pattern in _patterns(language):
        if mood == "choice" and any(token.kind in FREE for token in tokens):
            continue
        anchored = piece + (" :" if after in (":", "–", "—") else "")
        for found in pattern.finditer(anchored if mood == "order" else piece):
            if mood in WHOLE or (mood in AFTER and _comes_after(tokens, start + found.start())):
                whole.add(mood)
            else:
                spans.append((start + found.start(), mood))
    clauses = [_opening(tokens, at, mood) for at, mood in spans]
    return [
        frozenset(whole | {mood for at, mood in clauses if at <= token.start}) for token in tokens
    ]


def leads_up(text: str, before: Sequence[Token], after: Sequence[Token]) -> bool:
    """Return whether no stop separates two parts of a text, but a colon, a dash or a bracket."""
    between = text[before[-1].start + len(before[-1].text) : after[0].start]
    return not STOPS.search(between)


def _opening(tokens: Sequence[Token], at: int, mood: str) -> tuple[int, str]:
    """Return where the part of a sentence begins that contains a mood's word.

    A part joined before it (`takes an hour and must not run`) is asserted by itself; if only
    subjects are joined, the mood is that of their clause.
    """
    begin = tokens[0].start
    for token in tokens:
        if token.start >= at:
            break
        if token.kind == "sign" or token.word in JOINING:
            begin = token.start
    return begin, mood


def _comes_after(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word is among the last few of a sentence, after a comma."""
    commas = [n for n, token in enumerate(tokens) if token.word == ","]
    if not commas:
        return False
    rest = tokens[commas[-1] + 1 :]
    return bool(rest) and rest[0].start <= at and len(rest) <= LAST_WORDS


@cache
def _patterns(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (mood, re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE))
        for mood, code, pattern in read_table("mood_words.tsv")
        if code == language
    )
