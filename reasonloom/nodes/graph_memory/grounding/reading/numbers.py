"""Parses numbers written in words, in five languages: `forty-five` is 45, `四十八` is 48."""

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
"""Words for one that are also pronouns or articles; they count only within a longer number."""

KANJI = {c: n for n, c in enumerate("〇一二三四五六七八九")}
KANJI_TENS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
KANJI_NUMBER = re.compile(
    r"[〇一二三四五六七八九十百千万]{2,}|(?<=第)[一二三四五六七八九十]|(?<!\d)[〇一二三四五六七八九十百千万]"
    r"(?=[ページ人年月日時分円個本回歳件枚台階週匹頭軒度割冊泊名語秒キメ]|か月|ヶ月|つ)"
)
FOLLOWING = 0.5
FOUR, SEVEN, TEN, SCORE, HUNDRED, THOUSAND = 4, 7, 10, 20, 100, 1000


def number_at(words: Sequence[str], at: int, language: str) -> tuple[float, int] | None:
    """Return the number that begins at index `at` and how many words it spans, or None."""
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
    """Return whether a number word continues a number: forty five, but not five forty."""
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
    """Return the value of a number word; None for other words."""
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
    """Parse German compound numbers: `fünfundvierzig`, `zweihundertdrei`, `zweieinhalb`."""
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
    """Return the value of a sequence of Chinese numerals."""
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


MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
DIMENSIONS: dict[str, dict[str, float]] = {
    "duration": {
        "second seconds sec secs sekunde sekunden seconde secondes segundo segundos 秒": 1.0,
        "minute minutes min mins minuten minuto minutos 分 分間": MINUTE,
        "hour hours hr hrs stunde stunden hora horas 時間": HOUR,
        "day days tag tage tagen jour jours día días 日間 日": DAY,
        "week weeks woche wochen semaine semaines semana semanas 週間": 7 * DAY,
        "month months monat monate monaten mois mes meses か月 ヶ月": 30.4375 * DAY,
        "year years jahr jahre jahren an ans année années año años 年間 年": 365.25 * DAY,
    },
    "length": {
        "m metre metres meter meters mètre mètres metro metros メートル": 1.0,
        "km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetro "
        "kilómetros キロメートル": 1000.0,
        "cm centimetre centimetres zentimeter centimètre centimètres centímetros": 0.01,
        "mm": 0.001,
        "mile miles": 1609.344,
        "ft foot feet": 0.3048,
    },
    "mass": {
        "g gram grams gramm grammes gramos グラム": 1.0,
        "kg kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos キロ": 1000.0,
        "t tonne tonnes tonnen toneladas トン": 1e6,
    },
    "eur": {"€ euro euros eur ユーロ": 1.0, "cent cents": 0.01},
    "usd": {"$ dollar dollars usd dólares ドル": 1.0},
    "gbp": {"£ pound pounds gbp": 1.0},
    "jpy": {"¥ yen jpy 円": 1.0},
    "chf": {"chf francs franken": 1.0},
    "%": {"% percent prozent pour por パーセント": 1.0},
    "°c": {"°c": 1.0},
    "°f": {"°f": 1.0},
    "page": {"page pages seite seiten página páginas ページ 頁": 1.0},
    "times": {"times mal fois veces 回": 1.0},
    "person": {"people person persons 人 名 personnes personas personen": 1.0},
}
UNITS = {
    word: (dimension, factor)
    for dimension, units in DIMENSIONS.items()
    for words, factor in units.items()
    for word in words.split()
}
SIGNS = {"$": "$", "€": "€", "£": "£", "¥": "¥"}
PARTS_OF_AN_HOUR = (
    r"\b(?:a )?quarter of an hour\b", r"\bquarter[- ]hour\b", r"\bhalf an hour\b",
    r"\bhalf[- ]hour\b", r"\b(?:eine )?viertelstunde\b", r"\b(?:eine )?halbe stunde\b",
    r"\b(?:un )?quart d['’]heure\b", r"\b(?:une )?demi-heure\b", r"\b(?:un )?cuarto de hora\b",
    r"\bmedia hora\b",
)  # fmt: skip
FRACTIONS = {
    "half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "tenth": 10,
    "hälfte": 2, "drittel": 3, "viertel": 4, "fünftel": 5, "zehntel": 10,
    "moitié": 2, "tiers": 3, "quart": 4, "cinquième": 5, "dixième": 10,
    "mitad": 2, "tercio": 3, "cuarta parte": 4, "cuarto": 4, "quinto": 5,
}  # fmt: skip
WEEKDAYS = {
    word: n
    for n, words in enumerate(
        (
            "monday mondays montag montags lundi lundis lunes 月",
            "tuesday tuesdays dienstag dienstags mardi mardis martes 火",
            "wednesday wednesdays mittwoch mittwochs mercredi mercredis miércoles 水",
            "thursday thursdays donnerstag donnerstags jeudi jeudis jueves 木",
            "friday fridays freitag freitags vendredi vendredis viernes 金",
            "saturday saturdays samstag samstags sonnabend samedi samedis sábado sábados 土",
            "sunday sundays sonntag sonntags dimanche dimanches domingo domingos 日",
        )
    )
    for word in words.split()
}
ORDINALS = {
    word: n
    for n, words in enumerate(
        (
            "first erste ersten erster erstes premier première primer primera primero",
            "second zweite zweiten zweiter zweites deuxième segundo segunda",
            "third dritte dritten dritter drittes troisième tercer tercera tercero",
            "fourth vierte vierten vierter viertes quatrième cuarta",
            "fifth fünfte fünften fünfter fünftes cinquième quinta",
            "sixth sechste sechsten sixième sexto sexta",
            "seventh siebte siebten septième séptimo séptima",
            "eighth achte achten huitième octavo octava",
            "ninth neunte neunten neuvième noveno novena",
            "tenth zehnte zehnten dixième décimo décima",
        ),
        1,
    )
    for word in words.split()
}
AFTERNOON = re.compile(
    r"\s*(?:in the (?:afternoon|evening)|at night|this evening|tonight|nachmittags|abends|"
    r"de la tarde|de la noche|du soir|de l['’]après-midi)"
)
MORNING = re.compile(r"\s*(?:in the morning|morgens|vormittags|früh|du matin|de la mañana)")
