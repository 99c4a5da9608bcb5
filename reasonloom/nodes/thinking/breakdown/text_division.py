"""Divides a text by its own words: lists, sentences, sequences, clauses, `and`.

Dividing words are recognised in English, German, French and Spanish; lists, sentences and
punctuation in any language.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from reasonloom.text.words import words_in

MOST_PARTS = 7
TWO = 2
LIST_OF = 3
"""Minimum parts of a list whose items may be single words."""

BULLET = re.compile(r"^\s*(?:[-*\u2022\u2013]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+", re.I)
THEN = re.compile(
    r"[,;]?\s+(?:and\s+|und\s+|et\s+|y\s+)?(?:then|after that|afterwards|finally|danach|dann"
    r"|anschlie\u00dfend|puis|ensuite|luego|despu\u00e9s)\b,?\s+",
    re.I,
)
LEADING_THEN = re.compile(
    r"(?:and\s+)?(?:then|next|after that|afterwards|finally|danach|dann|anschlie\u00dfend"
    r"|schlie\u00dflich|puis|ensuite|enfin|luego|despu\u00e9s|finalmente)\b,?\s+",
    re.I,
)
CONDITION = re.compile(r"\b(?:if|when|wenn|falls|si)\b", re.I)
FIRST_BEFORE = re.compile(r",?\s+(?:before|bevor|avant (?:de|que)|antes de)\s+", re.I)
FIRST_AFTER = re.compile(
    r",?\s+(?:after|once|nachdem|apr\u00e8s(?: que)?|despu\u00e9s de)\s+", re.I
)
CLAUSE = re.compile(
    r"(?:,\s*|\s+)(?=(?:so that|in order to|without|while|because|unless|using|until|provided that"
    r"|damit|ohne|w\u00e4hrend|weil|afin de|afin que|sans|parce que|para que|sin|porque)\s)",
    re.I,
)
LEADING_CLAUSE = re.compile(
    r"(if|when|while|because|unless|once|before|after|wenn|falls|weil|bevor|nachdem|si|pour"
    r"|para|cuando)\s[^,\n]+,\s+",
    re.I,
)
LATER = frozenset({"before", "bevor"})
EARLIER = frozenset({"after", "once", "nachdem"})
"""Words by which a leading clause is ordered after or before the rest."""

LIST = re.compile(
    r"\s*[\u3001\uff0c]\s*|,\s+(?:(?:and|or|und|oder|et|ou|y|o)\s+)?"
    r"|\s+(?:and|as well as|und|sowie|et|y)\s+|\s+&\s+",
    re.I,
)
STOP = re.compile(r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]]*\s+|(?<=[\u3002\uff01\uff1f])|\n+")
SEMICOLON = re.compile(r"\s*[;\uff1b]\s*")
HEAD = re.compile(r"[:\uff1a]\s+|\uff1a")
QUALITY = re.compile(
    r"(?:\w+(?:able|ible|ive|ous|ful|less|ical|istic|ient|iant)|fast|safe|secure|cheap|simple"
    r"|small|large|big|new|good|easy|quick|stable|robust|modern|clean)\Z",
    re.I,
)
"""An adjective before `and`, which qualifies the text after it, so that is not divided."""

EDGES = " \t\r\n,;:.!?\u3002\uff01\uff1f"


@dataclass(frozen=True, slots=True)
class Division:
    """The parts of a text, pairs (earlier, later) of their indices, and what divides them."""

    parts: tuple[str, ...]
    order: tuple[tuple[int, int], ...] = ()
    by: str = ""


def divide_text(text: str, most: int = MOST_PARTS) -> Division | None:
    """Divide a text into at most `most` parts; None if its words do not divide it.

    Excess parts are joined with their neighbours in a form that can be divided again.
    """
    lines = "\n".join(" ".join(line.split()) for line in text.splitlines())
    found = next((made for way in WAYS if (made := way(lines.strip()))), None)
    if found is None or len(found.parts) <= most:
        return found
    size, more = divmod(len(found.parts), most)
    ends = [size * (at + 1) + min(at + 1, more) for at in range(most)]
    groups = [found.parts[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    chained = len(found.order) == len(found.parts) - 1
    joined = tuple(", then ".join(group) if chained else _joined(group) for group in groups)
    order = tuple((at, at + 1) for at in range(most - 1)) if chained else ()
    return Division(joined, order, found.by)


def _joined(group: Sequence[str]) -> str:
    return "\n".join(f"- {each}" for each in group) if len(group) > 1 else group[0]


def _by_list(text: str) -> Division | None:
    """Divide by items with a bullet, a number or a letter."""
    items: list[str] = []
    for line in text.splitlines():
        if BULLET.match(line):
            items.append(BULLET.sub("", line).strip())
        elif items and line.strip():
            items[-1] = f"{items[-1]} {line.strip()}"
    return _division(items, "a list")


def _by_sentences(text: str) -> Division | None:
    """Divide by sentences; a leading `then` makes one depend on the previous one."""
    sentences = [each for each in STOP.split(text) if words_in(each)]
    order = [(at - 1, at) for at, each in enumerate(sentences) if at and LEADING_THEN.match(each)]
    plain = [LEADING_THEN.sub("", each, count=1) for each in sentences]
    return _division(plain, "its sentences", order)


def _by_sequence(text: str) -> Division | None:
    """Divide by `then`, unless it follows an `if`."""
    if CONDITION.search(text):
        return None
    parts = THEN.split(text)
    return _division(parts, "then", [(at, at + 1) for at in range(len(parts) - 1)])


def _by_pair(word: re.Pattern[str], by: str, order: tuple[int, int], text: str) -> Division | None:
    """Divide at a word that orders two parts; a short one such as `before Friday` is not a part."""
    parts = word.split(text, maxsplit=1)
    if len(parts) < TWO or any(len(words_in(each)) < TWO for each in parts):
        return None
    return _division(parts, by, [order])


def _by_head(text: str) -> Division | None:
    """Divide a list after a colon; items of one word repeat the head."""
    head, *tail = HEAD.split(text, maxsplit=1)
    if not tail or not words_in(head) or not words_in(tail[0]):
        return None
    items = [each for each in map(_trimmed, LIST.split(tail[0])) if each]
    if len(items) < TWO:
        return None
    named = [
        each if len(words_in(each)) > 1 else f"{_trimmed(head)} \u2013 {each}" for each in items
    ]
    return _division(named, "a list after a colon")


def _by_clauses(text: str) -> Division | None:
    """Divide by clauses of purpose, means, reason or condition."""
    leading = LEADING_CLAUSE.match(text)
    if leading and words_in(text[leading.end() :]):
        first = leading[1].casefold()
        order = (1, 0) if first in LATER else (0, 1) if first in EARLIER else None
        both = [leading[0], text[leading.end() :]]
        return _division(both, "a clause", [order] if order else ())
    return _division(CLAUSE.split(text), "a clause")


def _by_and(text: str) -> Division | None:
    """Divide by commas and `and`; two parts only if both have several words."""
    parts = [each for each in map(_trimmed, LIST.split(text)) if each]
    if len(parts) < TWO or any(QUALITY.search(each) for each in parts[:-1]):
        return None
    if len(parts) < LIST_OF and any(len(words_in(each)) < TWO for each in parts):
        return None
    return _division(parts, "a list")


def _division(
    parts: Sequence[str], by: str, order: Sequence[tuple[int, int]] = ()
) -> Division | None:
    """Return a division, None if it has fewer than two parts or a part has no words."""
    trimmed = tuple(_trimmed(each) for each in parts)
    if len(trimmed) < TWO or not all(words_in(each) for each in trimmed):
        return None
    return Division(trimmed, tuple(order), by)


def _trimmed(text: str) -> str:
    return text.strip(EDGES)


WAYS: tuple[Callable[[str], Division | None], ...] = (
    _by_list, _by_sentences, lambda text: _division(SEMICOLON.split(text), "semicolons"),
    _by_sequence, partial(_by_pair, FIRST_BEFORE, "before", (0, 1)),
    partial(_by_pair, FIRST_AFTER, "after", (1, 0)), _by_head, _by_clauses, _by_and,
)  # fmt: skip
"""Ways to divide a text, clearest first; the first that applies is used."""
