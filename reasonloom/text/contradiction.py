"""Detects, by words alone, whether two texts contradict each other by negation or numbers."""

import re
from collections.abc import Sequence
from itertools import islice, product
from typing import NamedTuple

from reasonloom.text.sentences import sentences_in
from reasonloom.text.shortening import shorten
from reasonloom.text.words import GERMAN_STOP_WORDS, words_in

CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
MOST_SENTENCES = 40
"""Maximum sentences of a text that are compared, from its beginning."""

LEAST_SHARED = 2
"""Minimum number of keywords shared by two sentences on the same subject."""

SAME_MATTER = 0.7
"""Minimum Jaccard similarity of the keywords of two sentences on the same subject."""

STEM = 4
"""Minimum length of the prefix shared by two forms of one word."""

LONGEST_QUOTE = 100

SURE = re.compile(
    r"\b(?:not only|no doubt|without (?:a )?doubt|nicht nur|kein(?:en)? zweifel|ohne zweifel)\b"
)
"""Idioms with a negation word that negate nothing."""

NEGATION = re.compile(
    r"\b(?:not|no longer|no|never|none|nobody|nothing|nowhere|neither|without|cannot|\w+n['’]t"
    r"|nicht|nie|niemals|niemand\w*|nichts|nirgends|nirgendwo|weder|ohne|kein(?:e|en|em|er|es)?)\b"
)
NAMING = (
    "step option version chapter case phase part number item node level question "
    "schritt variante kapitel fall phase teil nummer punkt knoten stufe frage"
)
NAMED = re.compile(rf"\b({'|'.join(NAMING.split())}) (\d+)\b")
"""A number that labels something rather than counts."""

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
"""Number words; `one` and `eins` are missing because they are also articles and pronouns."""


class Statement(NamedTuple):
    """A sentence prepared for comparison: keywords in order, numbers with units, negation."""

    text: str
    words: list[str]
    numbers: list[tuple[str, str]]
    denies: bool


def contradiction(first: str, second: str) -> str | None:
    """Return why two texts contradict each other, or None if their words do not show it.

    Two sentences, one of each text, contradict each other if they have nearly the same keywords
    in the same order (at least 0.7 of them, at least two) and either only one is negated, or they
    give different numbers with the same unit. Negations and number words from two to twelve are
    recognised in English and German, numbers in all languages that separate words.

    Not detected: opposites (`open` and `shut`, `un-`), paraphrases, a different word order,
    inferences from several sentences, other units, irony, conditions, the scope of a negation, and
    references (`it`). `1.000` is a thousand, as in German. Sentences whose years differ and that
    have other numbers too are about different times, so they do not contradict each other.
    Questions are ignored. None therefore means `not shown`, never `compatible`.
    """
    return statement_contradiction(statements(first), statements(second))


def statement_contradiction(first: Sequence[Statement], second: Sequence[Statement]) -> str | None:
    """Return why the statements of two texts contradict each other; see `contradiction`."""
    for one, other in product(first, second):
        if _same_matter(one.words, other.words) and (why := _conflict(one, other)):
            return why
    return None


def statements(text: str) -> list[Statement]:
    """Return the first statements of a text: its sentences without questions and code."""
    stated = (each for each in sentences_in(CODE.sub("\n", text)) if not each.endswith(("?", "？")))
    return [_statement(each) for each in islice(stated, MOST_SENTENCES)]


def _statement(sentence: str) -> Statement:
    folded = SURE.sub(" ", sentence.casefold())
    denies = len(NEGATION.findall(folded)) % 2 == 1
    plain = NAMED.sub(r"\1\2", NEGATION.sub(" ", folded))
    counted = re.sub(r"[^\W\d_]+", lambda found: COUNTS.get(found[0], found[0]), plain)
    numbers = [(_value(found[1]), found[2] or "") for found in NUMBER.finditer(counted)]
    rest = NUMBER.sub(lambda found: f" {found[2] or ''} ", counted)
    words = [word for word in words_in(rest) if word not in GERMAN_STOP_WORDS]
    return Statement(sentence, words, numbers, denies)


def _value(number: str) -> str:
    """Return a number with a decimal point, without thousands separators or trailing zeros."""
    whole = THOUSANDS.sub("", number).replace(",", ".")
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


def _same_matter(first: list[str], second: list[str]) -> bool:
    """Return whether two sentences have nearly the same words in the same order."""
    ours = [word for word in first if any(_alike(word, each) for each in second)]
    theirs = [word for word in second if any(_alike(word, each) for each in first)]
    if min(len(ours), len(theirs)) < LEAST_SHARED or len(ours) != len(theirs):
        return False
    in_order = all(_alike(*pair) for pair in zip(ours, theirs, strict=True))
    return in_order and len(ours) / (len(first) + len(second) - len(ours)) >= SAME_MATTER


def _alike(first: str, second: str) -> bool:
    """Return whether two words are equal up to the last two letters."""
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


def _quotes(*statements: Statement) -> str:
    return " / ".join(
        f"“{shorten(one.text, LONGEST_QUOTE, placeholder=' …')}”" for one in statements
    )


def _differing(first: list[tuple[str, str]], second: list[tuple[str, str]]) -> tuple[str, str]:
    """Return the first pair of differing numbers at the same position, or empty strings."""
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
    """Return whether `words` occur in `text`, ignoring case, spacing and punctuation."""
    quote = normalized_quote(words)
    return bool(quote) and f" {quote} " in f" {normalized_quote(text)} "


def normalized_quote(text: str) -> str:
    """Return the case-folded words of a text, without punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))
