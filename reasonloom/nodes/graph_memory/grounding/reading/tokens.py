"""Cuts a text into words, signs and figures, each with what it does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reasonloom.nodes.graph_memory.grounding.reading.clause import Term
from reasonloom.nodes.graph_memory.grounding.reading.clause_words import words_of
from reasonloom.nodes.graph_memory.grounding.reading.forms import key_of
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import operator_of, stem, tells
from reasonloom.nodes.graph_memory.grounding.reading.small_words import SIGN
from reasonloom.nodes.graph_memory.grounding.reading.surroundings import surround
from reasonloom.nodes.graph_memory.grounding.reading.values import Value, values

TOKEN = re.compile(
    r"\0+|(?<![^\W_])[^\W\d_]{1,2}(?:\+\+|[+#]|[-\u2212](?![\w-]))|[^\W_]+"
    r"|!=|<=|>=|==|=>|->|<-|[\u2260\u2264\u2265<>=\u2192\u2190]|(?<=\s)\+(?=\s)"
    r"|[;:.!?,()\u2014\u2013]"
)
HARD = frozenset(";.!?:\u2014\u2013()")
STOPS = frozenset(".!?")
ENDING = 2
"""Letters of what follows an apostrophe and is no word of its own."""

NEXT = re.compile(r"\s*(\w+|\S|$)")
CJK = "\u3040"
COMPARED = frozenset("=<>!+\u2260\u2264\u2265")
NOUNS = frozenset(("permit", "permits", "ban", "bans", "can", "cans", "refuse", "must"))
"""Words that allow or deny, and are things after an article."""

DETERMINERS = frozenset((
    "a", "an", "the", "this", "that", "no", "any", "every", "each", "with", "without", "his", "her",
    "its", "my", "our", "your", "their", "two", "three",
))  # fmt: skip
NAMES = frozenset(("may", "will"))
"""Small words of English that are names where they stand capitalised."""


@dataclass(slots=True)
class Token:
    """A word or sign of a sentence, and what has been found out about it."""

    text: str
    word: str
    start: int
    kind: str = ""
    term: Term | None = None
    first: bool = False


def tokens_of(text: str, language: str) -> list[Token]:
    """Return the words, signs and figures of a text in their order."""
    figures = values(text, language)
    blanked = text
    for value in figures:
        blanked = (
            f"{blanked[: value.start]}{chr(0) * (value.end - value.start)}{blanked[value.end :]}"
        )
    starts = {value.start: value for value in figures}
    out: list[Token] = []
    fresh = True
    for found in TOKEN.finditer(blanked):
        if found[0][0] == "\0":
            out += [_figure(text, starts[n], fresh) for n in range(*found.span()) if n in starts]
        else:
            out.append(_word(found, blanked, language, fresh))
        fresh = found[0] in STOPS
    surround(_named(out, language), text, language)
    return out


def _figure(text: str, value: Value, fresh: bool) -> Token:
    shown = text[value.start : value.end].strip(" .,;")
    key = f"#{value.kind}:{value.amount}"
    return Token(shown, shown.casefold(), value.start, "term", Term(shown, key, value=value), fresh)


def _word(found: re.Match[str], text: str, language: str, fresh: bool) -> Token:
    word = found[0].casefold()
    token = Token(found[0], word, found.start(), first=fresh)
    if word in SIGN:
        token.kind = "small"
    elif not word[0].isalnum():
        token.kind = "sign"
    elif _is_name(found, text, language, fresh):
        token.kind = "term"
        token.term = Term(found[0], word)
    elif len(word) <= ENDING and "'" in (text[max(0, found.start() - 1)], text[found.end() :][:1]):
        token.kind = "small"
    elif (
        (kind := operator_of(word, language))
        and not (found[0].istitle() and not fresh and language != "de")
        and not (word in NOUNS and _determined(found, text))
    ):
        token.kind = kind
        if word in ("refuse", "refuses", "refused", "rechaza", "refusé", "refusent"):
            token.term = replace(_term(found[0], word, language), sign=1)
    elif word in words_of("titles") or (
        not tells(word, language) and not (found[0].isupper() and len(word) > 1)
    ):
        token.kind = "small"
    else:
        token.kind = "term"
        token.term = _term(found[0], word, language)
    return token


def _determined(found: re.Match[str], text: str) -> bool:
    """Tell whether a word stands after an article or its like: `a permit`, `without permits`."""
    return not DETERMINERS.isdisjoint(text[: found.start()].casefold().split()[-1:])


def _is_name(found: re.Match[str], text: str, language: str, fresh: bool) -> bool:
    """Tell whether a small word or a letter is a name here: `Plan A`, `in May`, `A is faster`."""
    word = found[0].casefold()
    one = len(word) == 1 and word.isalpha() and word < CJK
    if text[max(0, found.start() - 1) : found.start()] == "'" or not (
        one or (word in NAMES and language == "en" and found[0].istitle())
    ):
        return False
    following = NEXT.match(text, found.end())
    after = following[1].casefold() if following else ""
    if after == "'" or (one and after == "." and word in words_of("titles")):
        return False
    before = text[: found.start()].split()[-1:]
    kind = before[0].casefold() if before else ""
    ends = after in words_of("auxiliaries") or not after[:1].isalnum()
    if kind in words_of("designators"):
        return found[0].isupper() or ends
    if one and not found[0].isupper():
        return (after or "x") in COMPARED or kind in SIGN
    if word == "i" and language == "en":
        return False
    return ends and after != "," if fresh else True


def _term(text: str, word: str, language: str) -> Term:
    concept, sign = key_of(word, language)
    return Term(text, concept, sign)


def _named(tokens: list[Token], language: str) -> list[Token]:
    """Mark the names: capitalised within a sentence, or beside another such word."""
    for at, token in enumerate(tokens):
        if token.term is None or token.term.value or not token.text[0].isupper():
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        before = tokens[at - 1] if at else None
        beside = any(
            each is not None
            and each.term is not None
            and not each.term.value
            and each.text[0].isupper()
            for each in (after, before)
        ) or (before is not None and before.word in words_of("titles"))
        if beside if (token.first or language == "de") else True:
            token.term = replace(token.term, name=True, key=stem(token.word, ""), sign=1)
    return tokens


def sentences(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield what stands between stops; a stop after a title or a single letter is none."""
    current: list[Token] = []
    for at, token in enumerate(tokens):
        if token.kind == "sign" and token.text in HARD:
            before = tokens[at - 1] if at else None
            if token.text == "." and before and (before.word in words_of("titles")):
                continue
            if current:
                yield current
            current = []
        else:
            current.append(token)
    if current:
        yield current


def stands_alone(token: Token) -> bool:
    """Tell whether a token is a name or a figure."""
    return token.term is not None and (token.term.name or token.term.value is not None)
