"""Numbers written in words, read in five languages: `forty-five` is 45, `四十八` is 48."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

LANGUAGES = ("en", "de", "fr", "es")
SMALL = {
    "en": "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen",
    "de": "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn",
    "fr": "zéro une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze "
    "quinze seize",
    "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce "
    "quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
    "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve",
}
TENS = {
    "en": "ten twenty thirty forty fifty sixty seventy eighty ninety",
    "de": "zehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "fr": "dix vingt trente quarante cinquante soixante",
    "es": "diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
}
LARGE = {
    "en": {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9},
    "de": {"hundert": 100, "tausend": 1000, "million": 10**6, "millionen": 10**6},
    "fr": {"cent": 100, "cents": 100, "mille": 1000, "million": 10**6, "millions": 10**6},
    "es": {"cien": 100, "ciento": 100, "mil": 1000, "millón": 10**6, "millones": 10**6,
           **{f"{name}{ending}": 100 * n
              for n, name in (
                  (2, "doscient"), (3, "trescient"), (4, "cuatrocient"), (5, "quinient"),
                  (6, "seiscient"), (7, "setecient"), (8, "ochocient"), (9, "novecient"),
              )
              for ending in ("os", "as")}},
}  # fmt: skip
MORE = {
    "en": {"dozen": 12},
    "de": {"dutzend": 12, "zwo": 2},
    "fr": {"un": 1, "vingts": 20, "septante": 70, "huitante": 80, "nonante": 90},
    "es": {"un": 1, "una": 1, "docena": 12},
}
JOINS = {"en": {"and"}, "de": {"und"}, "fr": {"et"}, "es": {"y"}}
HALVES = {
    "en": ("and", "a", "half"),
    "de": ("und", "ein", "halb"),
    "fr": ("et", "demie"),
    "es": ("y", "media"),
}
ARTICLES = {"en": {"one"}, "de": {"eins"}, "fr": {"un", "une"}, "es": {"un", "una", "uno"}}
"""Ones that are pronouns and articles as well: they count only within a longer number."""

KANJI = {c: n for n, c in enumerate("〇一二三四五六七八九")}
KANJI_TENS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
KANJI_NUMBER = re.compile(
    r"[〇一二三四五六七八九十百千万]{2,}|(?<=第)[一二三四五六七八九十]|(?<!\d)[〇一二三四五六七八九十百千万]"
    r"(?=[ページ人年月日時分円個本回歳件枚台階週匹頭軒度割冊泊名語秒キメ]|か月|ヶ月|つ)"
)
FOLLOWING = 0.5
FOUR, SEVEN, TEN, SCORE, HUNDRED, THOUSAND = 4, 7, 10, 20, 100, 1000


def number_at(words: Sequence[str], at: int, language: str) -> tuple[float, int] | None:
    """Return the number that begins at a place and how many words it takes, or None."""
    if language not in LANGUAGES:
        return None
    total = part = 0.0
    place = end = at
    while place < len(words):
        if end > at and words[place] in JOINS[language] and part >= TEN:
            place += 1
            continue
        value = value_of(words[place], language)
        if value is None or (end > at and not _fits(value, part, language)):
            break
        if value >= THOUSAND:
            total, part = total + (part or 1) * value, 0.0
        else:
            part = _added(part, value, language)
        place = end = place + 1
    if end == at or (end == at + 1 and words[at] in ARTICLES[language]):
        return None
    half = HALVES[language]
    if tuple(words[end : end + len(half)]) == half:
        return total + part + FOLLOWING, end + len(half) - at
    return total + part, end - at


def _added(part: float, value: float, language: str) -> float:
    if language == "fr" and value == SCORE and part % HUNDRED == FOUR:
        return part + FOUR * SCORE - FOUR
    return (part or 1) * value if value == HUNDRED else part + value


def _fits(value: float, part: float, language: str) -> bool:
    """Tell whether a number word goes on with the number: forty five, but not five forty."""
    ones = part % HUNDRED
    if value >= THOUSAND:
        return part > 0
    if value == HUNDRED:
        return 0 < part < TEN
    if language == "fr" and (ones in (TEN, 70, 90)) and SEVEN <= value < TEN:
        return True
    if language == "fr" and (ones in (60, 80) or (value == SCORE and ones == FOUR)):
        return value <= SCORE
    if ones == 0:
        return value < (HUNDRED if part else THOUSAND)
    return value < TEN and ones >= SCORE and ones % TEN == 0


@cache
def value_of(word: str, language: str) -> float | None:
    """Return what a number word counts, None for other words."""
    known = _known(language)
    if word in known:
        return known[word]
    return _german(word) if language == "de" else None


@cache
def _known(language: str) -> dict[str, float]:
    small = {word: float(n) for n, word in enumerate(SMALL[language].split())}
    tens = {word: 10.0 * n for n, word in enumerate(TENS[language].split(), 1)}
    more = {word: float(n) for word, n in MORE[language].items()}
    known = {**small, **tens, **more, **{w: float(n) for w, n in LARGE[language].items()}}
    return {word.casefold(): number for word, number in known.items()}


def _german(word: str) -> float | None:
    """Read what German writes in one: `fünfundvierzig`, `zweihundertdrei`, `zweieinhalb`."""
    known = _known("de") | {"ein": 1.0, "": 0.0}
    if word.endswith("einhalb") and known.get(word[:-7]):
        return known[word[:-7]] + FOLLOWING
    for ten in TENS["de"].casefold().split()[1:]:
        ones = word.removesuffix(ten).removesuffix("und")
        if word.endswith("und" + ten) and known.get(ones):
            return known[ones] + known[ten]
    for name, times in (("tausend", 1000), ("hundert", 100)):
        before, found, after = word.partition(name)
        if found and before in known:
            rest = value_of(after.removeprefix("und"), "de") if after else 0.0
            return None if rest is None else (known[before] or 1) * times + rest
    return None


def kanji_value(digits: str) -> int:
    """Return what a row of Chinese numerals counts."""
    if not any(c in KANJI_TENS for c in digits):
        return int("".join(str(KANJI[c]) for c in digits))
    total = part = one = 0
    for c in digits:
        if c in KANJI:
            one = KANJI[c]
        elif c == "万":
            total, part, one = total + (part + one or 1) * 10_000, 0, 0
        else:
            part, one = part + (one or 1) * KANJI_TENS[c], 0
    return total + part + one
