"""Tells whether one text says what another denies, by their words alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice, product
from textwrap import shorten
from typing import NamedTuple

from reasonloom.text.extraction import sentences_in, words_in

MOST_SENTENCES = 40
"""Sentences of a text that are compared, the first ones."""

LEAST_SHARED = 2
"""Telling words that two sentences must share to be about the same."""

SAME_MATTER = 0.7
"""Share of the telling words of both sentences that both say."""

STEM = 4
"""Letters that two words must begin alike to count as forms of one."""

LONGEST_QUOTE = 100

SURE = re.compile(
    r"\b(?:not only|no doubt|without (?:a )?doubt|nicht nur|kein(?:en)? zweifel|ohne zweifel)\b"
)
"""Negations that deny nothing."""

NEGATION = re.compile(
    r"\b(?:not|no longer|no|never|none|nobody|nothing|nowhere|neither|without|cannot|\w+n['’]t"
    r"|nicht|nie|niemals|niemand\w*|nichts|nirgends|nirgendwo|weder|ohne|kein(?:e|en|em|er|es)?)\b"
)
NAMING = (
    "step option version chapter case phase part number item node level question "
    "schritt variante kapitel fall phase teil nummer punkt knoten stufe frage"
)
NAMED = re.compile(rf"\b({'|'.join(NAMING.split())}) (\d+)\b")
"""A number that names a thing and counts nothing."""

NUMBER = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)*)(?!\d)\s*(%|[^\W\d_]+)?")
THOUSANDS = re.compile(r"[.,](?=\d{3}(?!\d))")
YEAR = re.compile(r"(?:19|20)\d\d")
COUNTS = {
    word: str(count)
    for count, words in enumerate(
        (
            "two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben",
            "eight acht", "nine neun", "ten zehn", "eleven elf", "twelve zwölf",
        ),
        2,
    )
    for word in words.split()
}  # fmt: skip
"""`one` and `eins` are left out: they are articles and pronouns as well."""

GERMAN_WORDS = (
    "aber als auch auf aus bei beim bin bist dann darf dass daß dem den der des die das dies diese "
    "diesem diesen dieser dieses doch dort durch dürfen ein eine einem einen einer eines etwa für "
    "gegen haben hat hatte hatten hier ich ihm ihn ihr ihre immer ist kann können man mehr mit "
    "muss muß müssen nach noch nur oder ohne schon sehr sein seine sich sie sind soll sollen "
    "sollte über und uns unter vom von vor war waren weil wenn werden wie wir wird wurde wurden "
    "zum zur"
)
GERMAN = frozenset(GERMAN_WORDS.split())
"""Words that carry no meaning of their own; those of English are left out by `words_in`."""


class Statement(NamedTuple):
    """What a sentence says: its telling words in order, its numbers, whether it denies."""

    text: str
    words: list[str]
    numbers: list[tuple[str, str]]
    denies: bool


def contradiction(first: str, second: str) -> str | None:
    """Return why two texts contradict each other, or None where their words do not show it.

    Two sentences, one of each text, contradict each other where they say nearly the same telling
    words in the same order (at least 0.7 of them, two at least) and either one denies what the
    other says, or both give other numbers of the same unit. Negations are known in English and
    German, and number words from two to twelve; numbers in all languages with blanks between
    words.

    It does not see: opposites (`open` and `shut`, `un-`), other words or another order for the
    same, what follows from several sentences, other units, irony, conditions, how far a negation
    reaches, and whom `it` means. `1.000` is a thousand, as in German. Years that differ beside
    other numbers make two sentences of two times, which do not contradict each other. Questions
    state nothing. None therefore means `not shown`, never `compatible`.
    """
    return statement_contradiction(statements(first), statements(second))


def statement_contradiction(first: Sequence[Statement], second: Sequence[Statement]) -> str | None:
    """Return why what two texts state contradicts each other, as `contradiction` does."""
    for one, other in product(first, second):
        if _same_matter(one.words, other.words) and (why := _conflict(one, other)):
            return why
    return None


def statements(text: str) -> list[Statement]:
    """Return what a text states, of each sentence that is no question; made once, used often."""
    stated = (each for each in sentences_in(text) if not each.endswith(("?", "？")))
    return [_statement(each) for each in islice(stated, MOST_SENTENCES)]


def _statement(sentence: str) -> Statement:
    folded = SURE.sub(" ", sentence.casefold())
    denies = len(NEGATION.findall(folded)) % 2 == 1
    plain = NAMED.sub(r"\1\2", NEGATION.sub(" ", folded))
    counted = re.sub(r"[^\W\d_]+", lambda found: COUNTS.get(found[0], found[0]), plain)
    numbers = [(_value(found[1]), found[2] or "") for found in NUMBER.finditer(counted)]
    rest = NUMBER.sub(lambda found: f" {found[2] or ''} ", counted)
    words = [word for word in words_in(rest) if word not in GERMAN]
    return Statement(sentence, words, numbers, denies)


def _value(number: str) -> str:
    """Return a number in one form: no signs between thousands, a point before decimals."""
    whole = THOUSANDS.sub("", number).replace(",", ".")
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


def _same_matter(first: list[str], second: list[str]) -> bool:
    """Tell whether two sentences say nearly the same words in the same order."""
    ours = [word for word in first if any(_alike(word, each) for each in second)]
    theirs = [word for word in second if any(_alike(word, each) for each in first)]
    if min(len(ours), len(theirs)) < LEAST_SHARED or len(ours) != len(theirs):
        return False
    in_order = all(_alike(*pair) for pair in zip(ours, theirs, strict=True))
    return in_order and len(ours) / (len(first) + len(second) - len(ours)) >= SAME_MATTER


def _alike(first: str, second: str) -> bool:
    """Tell whether two words are one, but for at most two letters at their ends."""
    if first == second or first[:STEM] != second[:STEM]:
        return first == second
    if any(c.isdigit() for c in first + second):
        return False
    begin = max(STEM, max(len(first), len(second)) - 2)
    return first[:begin] == second[:begin] and min(len(first), len(second)) >= begin


def _conflict(one: Statement, other: Statement) -> str | None:
    if one.denies != other.denies:
        if one.numbers != other.numbers:
            return None
        return f"one denies what the other says: {_quotes(one, other)}"
    ours, theirs = _differing(one.numbers, other.numbers)
    if not ours:
        return None
    return f"their numbers differ, {ours} and {theirs}: {_quotes(one, other)}"


def _quotes(*said: Statement) -> str:
    return " / ".join(f"“{shorten(one.text, LONGEST_QUOTE, placeholder=' …')}”" for one in said)


def _differing(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> tuple[str, str]:
    """Return the first two numbers that stand at the same place and differ, or empty texts."""
    pairs = list(zip(first, second, strict=False))
    if len(first) != len(second) or any(not _same_unit(*pair) for pair in pairs):
        return "", ""
    differ = [(ours, theirs) for (ours, _), (theirs, _) in pairs if ours != theirs]
    of_years = any(YEAR.fullmatch(ours) and YEAR.fullmatch(theirs) for ours, theirs in differ)
    if not differ or (of_years and len(pairs) > 1):
        return "", ""
    return differ[0]


def _same_unit(first: tuple[str, str], second: tuple[str, str]) -> bool:
    return first[1] == second[1] or (bool(first[1] and second[1]) and _alike(first[1], second[1]))


def is_quoted_from(words: str, text: str) -> bool:
    """Tell whether words stand in a text, whatever their case, blanks and signs."""
    return (
        bool(normalized_quote(words))
        and f" {normalized_quote(words)} " in f" {normalized_quote(text)} "
    )


def normalized_quote(text: str) -> str:
    """Return the words of a text alone, folded."""
    return " ".join(re.findall(r"\w+", text.casefold()))
