"""Keeps with each word of content what the small words beside it tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from reasonloom.nodes.graph_memory.grounding.reading.clause import Term
from reasonloom.nodes.graph_memory.grounding.reading.clause_words import words_of
from reasonloom.nodes.graph_memory.grounding.reading.small_words import (
    FORMERLY,
    OPTIONAL,
    TELLING,
    Senses,
    is_place,
    senses_of,
)

STOPS = frozenset(";.!?:()\u2014\u2013")
OF = frozenset(("of",))
TIMES = frozenset(("time", "date", "weekday"))
AT_A_TIME = frozenset(("in", "on", OPTIONAL))
Run = list[Senses | None]
"""What the small words since the last term tell, None where a sign or an `and` parts them."""


class Token(Protocol):
    """A word or sign of a text, in its order."""

    text: str
    word: str
    start: int
    kind: str
    term: Term | None


def surround(tokens: Sequence[Token], text: str, language: str) -> None:
    """Set `lead` and `loose` of the terms of a text, and `of` of what possesses."""
    run: Run = []
    last: Token | None = None
    for at, token in enumerate(tokens):
        if token.term is not None:
            if _used_to(tokens, at):
                token.term, token.kind = None, "small"
                run.append(FORMERLY | {TELLING})
                continue
            _lead(token, run, last)
            if language == "de" and at and tokens[at - 1].kind == "small":
                token.term = replace(token.term, article=tokens[at - 1].word)
            run, last = [], token
        elif token.word in words_of("persons"):
            run = [told for told in run if told is None or not is_place(told)]
        elif token.kind == "sign" or token.word in words_of("joins"):
            run.append(None)
            if token.text in STOPS:
                _trail(last, run)
                run, last = [], None
        elif _possessive(tokens, at, text) and last and last.term:
            last.term = replace(last.term, lead=(*last.term.lead, OF))
        elif token.kind == "small" and (told := senses_of(token.word, language)):
            run.append(told)
    _trail(last, run)


def _lead(token: Token, run: Run, last: Token | None) -> None:
    """Part the words before a term: the preposition nearest to it, and the others."""
    if token.term is None:
        return
    governing: Senses | None = None
    loose: list[Senses] = []
    parted = False
    for told in reversed(run):
        parted = parted or told is None
        if told and governing is None and not parted and is_place(told):
            governing = told
        elif told:
            loose.append(told)
    if governing is not None and _at_a_time(governing, token):
        governing = AT_A_TIME
    elif governing is not None and _left_out(governing, token, last):
        governing = governing | {OPTIONAL}
    token.term = replace(
        token.term,
        lead=(*token.term.lead, *(() if governing is None else (governing,))),
        loose=tuple(loose),
    )


def _at_a_time(told: Senses, token: Token) -> bool:
    """Tell whether a preposition says no more than when: `on Monday`, `in 2019`."""
    value = token.term.value if token.term else None
    if value is None or value.kind not in TIMES:
        return False
    return bool(told & {"in", "on"}) and not told & {"from", "till", "over"}


def _left_out(told: Senses, token: Token, last: Token | None) -> bool:
    """Tell whether a preposition may be left out: `in 40 rooms`, `half of the fields`."""
    value = token.term.value if token.term else None
    if value is not None and value.kind == "number":
        return bool(told & {"in", "of"}) and not told & {"from", "to", "till", "over", "by"}
    return bool("of" in told and last and last.term and last.term.value)


def _trail(last: Token | None, run: Run) -> None:
    """Give the words after the last term of a sentence to it."""
    if last is not None and last.term is not None:
        more = tuple(told for told in run if told)
        last.term = replace(last.term, loose=(*last.term.loose, *more))


def _possessive(tokens: Sequence[Token], at: int, text: str) -> bool:
    """Tell whether an s after an apostrophe says whose the next word is."""
    token = tokens[at]
    return (
        token.word == "s"
        and text[max(0, token.start - 1) : token.start] == "'"
        and at > 0
        and tokens[at - 1].term is not None
        and at + 1 < len(tokens)
        and tokens[at + 1].kind in ("term", "only")
    )


def _used_to(tokens: Sequence[Token], at: int) -> bool:
    """Tell whether a word is the `used` of `used to live`, which says that it is so no more."""
    if tokens[at].word != "used" or at + 2 >= len(tokens) or tokens[at + 1].word != "to":
        return False
    beside = tokens[at - 1].word if at else ""
    verb = tokens[at + 2]
    plain = verb.kind in ("term", "allow") or verb.word in ("be", "do", "go", "get")
    return plain and verb.text[:1].islower() and beside not in words_of("auxiliaries") - {"he"}
