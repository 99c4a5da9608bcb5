"""Tokenizes a text into words, punctuation and figures, each with its function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reasonloom.nodes.graph_memory.grounding.reading.clause import Term
from reasonloom.nodes.graph_memory.grounding.reading.lexicon import (
    DISTINGUISHING,
    FORMERLY,
    OPTIONAL,
    SIGN,
    Senses,
    clause_words,
    has_content,
    is_place,
    key_of,
    operator_of,
    senses_of,
    stem,
)
from reasonloom.nodes.graph_memory.grounding.reading.values import Value, blanked, values_in

RUN_STOPS = frozenset(";.!?:()\u2014\u2013")
OF = frozenset(("of",))
TIMES = frozenset(("time", "date", "weekday"))
AT_A_TIME = frozenset(("in", "on", OPTIONAL))
Run = list[Senses | None]
"""Senses of the function words since the last term; None for punctuation or a conjunction."""


def mark_surroundings(tokens: Sequence[Token], text: str, language: str) -> None:
    """Set `lead`, `loose` and `article` of a text's terms; a possessor gets the sense `of`."""
    run: Run = []
    last: Token | None = None
    for at, token in enumerate(tokens):
        if token.term is not None:
            if _used_to(tokens, at):
                token.term, token.kind = None, "small"
                run.append(FORMERLY | {DISTINGUISHING})
                continue
            _lead(token, run, last)
            if language == "de" and at and tokens[at - 1].kind == "small":
                token.term = replace(token.term, article=tokens[at - 1].word)
            run, last = [], token
        elif token.word in clause_words("persons"):
            run = [senses for senses in run if senses is None or not is_place(senses)]
        elif token.kind == "sign" or token.word in clause_words("joins"):
            run.append(None)
            if token.text in RUN_STOPS:
                _trail(last, run)
                run, last = [], None
        elif _possessive(tokens, at, text) and last and last.term:
            last.term = replace(last.term, lead=(*last.term.lead, OF))
        elif token.kind == "small" and (senses := senses_of(token.word, language)):
            run.append(senses)
    _trail(last, run)


def _lead(token: Token, run: Run, last: Token | None) -> None:
    """Split the words before a term into its nearest preposition (`lead`) and the others."""
    if token.term is None:
        return
    governing: Senses | None = None
    loose: list[Senses] = []
    parted = False
    for senses in reversed(run):
        parted = parted or senses is None
        if senses and governing is None and not parted and is_place(senses):
            governing = senses
        elif senses:
            loose.append(senses)
    if governing is not None and _at_a_time(governing, token):
        governing = AT_A_TIME
    elif governing is not None and _left_out(governing, token, last):
        governing = governing | {OPTIONAL}
    token.term = replace(
        token.term,
        lead=(*token.term.lead, *(() if governing is None else (governing,))),
        loose=tuple(loose),
    )


def _at_a_time(senses: Senses, token: Token) -> bool:
    """Return whether a preposition only introduces a time: `on Monday`, `in 2019`."""
    if token.value is None or token.value.kind not in TIMES:
        return False
    return bool(senses & {"in", "on"}) and not senses & {"from", "till", "over"}


def _left_out(senses: Senses, token: Token, last: Token | None) -> bool:
    """Return whether a preposition is optional: `in 40 rooms`, `half of the fields`."""
    if token.value is not None and token.value.kind == "number":
        return bool(senses & {"in", "of"}) and not senses & {"from", "to", "till", "over", "by"}
    return bool("of" in senses and last and last.value)


def _trail(last: Token | None, run: Run) -> None:
    """Add the words after the last term of a sentence to that term."""
    if last is not None and last.term is not None:
        more = tuple(senses for senses in run if senses)
        last.term = replace(last.term, loose=(*last.term.loose, *more))


def _possessive(tokens: Sequence[Token], at: int, text: str) -> bool:
    """Return whether a token is a possessive `'s`."""
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
    """Return whether a word is the `used` of `used to live`, which implies that it has ended."""
    if tokens[at].word != "used" or at + 2 >= len(tokens) or tokens[at + 1].word != "to":
        return False
    adjacent = tokens[at - 1].word if at else ""
    verb = tokens[at + 2]
    plain = verb.kind in ("term", "allow") or verb.word in ("be", "do", "go", "get")
    return (
        plain and verb.text[:1].islower() and adjacent not in clause_words("auxiliaries") - {"he"}
    )


TOKEN = re.compile(
    r"\0+|(?<![^\W_])[^\W\d_]{1,2}(?:\+\+|[+#]|[-\u2212](?![\w-]))|[^\W_]+"
    r"|!=|<=|>=|==|=>|->|<-|[\u2260\u2264\u2265<>=\u2192\u2190]|(?<=\s)\+(?=\s)"
    r"|[;:.!?,()\u2014\u2013]"
)
HARD = frozenset(";.!?:\u2014\u2013()")
STOPS = frozenset(".!?")
ENDING = 2
"""Maximum length of a fragment next to an apostrophe that is no word of its own."""

NEXT = re.compile(r"\s*(\w+|\S|$)")
CJK = "\u3040"
COMPARED = frozenset("=<>!+\u2260\u2264\u2265")
NOUNS = frozenset(("permit", "permits", "ban", "bans", "can", "cans", "refuse", "must"))
"""Words that allow or deny, but are nouns after a determiner."""

DETERMINERS = frozenset((
    "a", "an", "the", "this", "that", "no", "any", "every", "each", "with", "without", "his", "her",
    "its", "my", "our", "your", "their", "two", "three",
))  # fmt: skip
NAMES = frozenset(("may", "will"))
"""English function words that are names when capitalised."""


@dataclass(slots=True)
class Token:
    """A word or symbol of a text with its analysis; `first` is true at the start of a sentence."""

    text: str
    word: str
    start: int
    kind: str = ""
    term: Term | None = None
    first: bool = False

    @property
    def value(self) -> Value | None:
        """Its figure."""
        return self.term.value if self.term else None


def tokens_of(text: str, language: str) -> list[Token]:
    """Tokenize a text, in order."""
    figures = values_in(text, language)
    words = blanked(text, figures)
    starts = {value.start: value for value in figures}
    out: list[Token] = []
    fresh = True
    for found in TOKEN.finditer(words):
        if found[0][0] == "\0":
            out += [_figure(text, starts[n], fresh) for n in range(*found.span()) if n in starts]
        else:
            out.append(_word(found, words, language, fresh))
        fresh = found[0] in STOPS
    mark_surroundings(_named(out, language), text, language)
    return out


def _figure(text: str, value: Value, fresh: bool) -> Token:
    written = text[value.start : value.end].strip(" .,;")
    key = f"#{value.kind}:{value.amount}"
    return Token(
        written, written.casefold(), value.start, "term", Term(written, key, value=value), fresh
    )


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
    elif word in clause_words("titles") or (
        not has_content(word, language) and not (found[0].isupper() and len(word) > 1)
    ):
        token.kind = "small"
    else:
        token.kind = "term"
        token.term = _term(found[0], word, language)
    return token


def _determined(found: re.Match[str], text: str) -> bool:
    """Return whether a determiner or `with(out)` precedes: `a permit`, `without permits`."""
    return not DETERMINERS.isdisjoint(text[: found.start()].casefold().split()[-1:])


def _is_name(found: re.Match[str], text: str, language: str, fresh: bool) -> bool:
    """Return whether a function word or letter is a name: `Plan A`, `in May`, `A is faster`."""
    word = found[0].casefold()
    one = len(word) == 1 and word.isalpha() and word < CJK
    if text[max(0, found.start() - 1) : found.start()] == "'" or not (
        one or (word in NAMES and language == "en" and found[0].istitle())
    ):
        return False
    following = NEXT.match(text, found.end())
    after = following[1].casefold() if following else ""
    if after == "'" or (one and after == "." and word in clause_words("titles")):
        return False
    before = text[: found.start()].split()[-1:]
    kind = before[0].casefold() if before else ""
    ends = after in clause_words("auxiliaries") or not after[:1].isalnum()
    if kind in clause_words("designators"):
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
    """Mark names: words capitalised within a sentence, or next to another capitalised word."""
    for at, token in enumerate(tokens):
        if token.term is None or token.value or not token.text[0].isupper():
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        before = tokens[at - 1] if at else None
        adjacent = any(
            each and each.term and not each.value and each.text[0].isupper()
            for each in (after, before)
        ) or (before is not None and before.word in clause_words("titles"))
        if adjacent if (token.first or language == "de") else True:
            token.term = replace(token.term, name=True, key=stem(token.word, ""), sign=1)
    return tokens


def token_sentences(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the tokens between stops; a full stop after a title does not count."""
    current: list[Token] = []
    for at, token in enumerate(tokens):
        if token.kind == "sign" and token.text in HARD:
            before = tokens[at - 1] if at else None
            if token.text == "." and before and (before.word in clause_words("titles")):
                continue
            if current:
                yield current
            current = []
        else:
            current.append(token)
    if current:
        yield current


def is_independent(token: Token) -> bool:
    """Return whether a token is a name or a figure."""
    return token.term is not None and (token.term.name or token.value is not None)
