"""Extracts figures, times, dates and similar values from a text, in normalised form."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from reasonloom.nodes.graph_memory.grounding.reading.lexicon import has_content
from reasonloom.nodes.graph_memory.grounding.reading.numbers import (
    AFTERNOON,
    DIMENSIONS,
    FRACTIONS,
    KANJI_NUMBER,
    MORNING,
    ORDINALS,
    PARTS_OF_AN_HOUR,
    SIGNS,
    UNITS,
    WEEKDAYS,
    kanji_value,
    number_at,
)
from reasonloom.nodes.memory.calendar.mentions import (
    DAY_FIRST,
    EAST_ASIAN,
    MONTH_FIRST,
    NUMERIC,
    date_mentions,
)


@dataclass(frozen=True, slots=True)
class Value:
    """A figure; `start` and `end` are its offsets in the normalised text.

    `kind` is number, time, date, weekday, ordinal, range, or code (a version, an address or a
    ratio, compared as a whole); `amount` is comparable within a kind and unit.
    """

    kind: str
    amount: object
    unit: str
    start: int
    end: int


ONES = r"(?:\d{1,2})"
NOON, DAY = 12 * 60, 24 * 60
CLOCK = re.compile(
    rf"(?P<half>\bhalf past |\bhalf |\bhalb )(?P<h1>{ONES})\b(?! ?%)"
    rf"|\b(?P<part>quarter|5|10|20|25|viertel) (?P<side>past|to|nach|vor) (?P<h2>{ONES})\b"
    r"(?!\s?%|\s(?:second|minute|hour|day|week|month|year|euro|dollar|percent|people|time|page)s?\b)"
    rf"|(?<![\d.,:])(?P<h3>[01]?\d|2[0-4])(?::|(?<=\d)h(?=\d)|\.(?=\d\d ?uhr))"
    r"(?P<m3>[0-5]\d)(?!\d|:\d)"
    rf"|(?<![\d.,:])(?P<h4>{ONES})\s?(?P<mark>[ap]\.?m\b\.?|o'clock|uhr\b|heures?\b|h\b)"
    rf"(?P<tail>\s(?:et (?:demie|quart)|[0-5]\d)\b)?"
    rf"|(?P<jp>午前|午後)?(?P<h5>{ONES})時(?!間)(?:(?P<m5>\d{{1,2}})分|(?P<jh>半))?"
    rf"|\b(?:a las|las) (?P<h6>{ONES})\b(?!:)(?P<es>\.5| y (?:media|cuarto|\d+))?"
    rf"|\b(?:at|by|until|till|around) (?P<h7>{ONES})\b(?=\s*(?:$|[.,;!?)]|in the|at night|on |"
    r"since|and |every|sharp|because|or))"
    rf"|\b(?P<h8>{ONES}) (?=(?:in the (?:morning|afternoon|evening)|at night))"
    r"|\b(?P<noon>noon|midday|mittag|midi|mediodía)\b|\b(?P<night>midnight|mitternacht|minuit|medianoche)\b|(?P<jn>正午)",
    re.IGNORECASE,
)  # fmt: skip


def _times(text: str) -> Iterator[Value]:
    """Yield minutes after midnight; the unit is `24` if the half of the day is certain."""
    for found in CLOCK.finditer(text):
        minutes = _minutes(found)
        if minutes is None:
            continue
        after = text[found.end() : found.end() + 20].casefold()
        mark = (found["mark"] or found["jp"] or "").casefold()
        late = mark.startswith("p") or mark == "午後" or bool(AFTERNOON.match(after))
        early = mark.startswith("a") or mark == "午前" or bool(MORNING.match(after))
        if late and minutes < NOON:
            minutes += NOON
        sure = late or early or minutes >= 13 * 60 or found["noon"] or found["night"]
        sure = sure or (found["h3"] or "").startswith("0")
        mark = AFTERNOON.match(after) or MORNING.match(after)
        end = found.end() + (mark.end() if mark else 0)
        yield Value("time", minutes % DAY, "24" if sure else "", found.start(), end)


def _minutes(found: re.Match[str]) -> int | None:
    """Return the minutes after midnight of a time of day; None if it is none."""
    if found["noon"] or found["jn"]:
        return NOON
    if found["night"]:
        return 0
    minutes = _halves(found)
    return _hours(found) if minutes is None else minutes


def _halves(found: re.Match[str]) -> int | None:
    """Return the minutes of half past, a quarter to, and digits with a colon; None for others."""
    if found["h1"]:
        less = 60 if found["half"].casefold() == "halb " else 0
        return int(found["h1"]) * 60 + 30 - less
    if found["h2"]:
        part = int(found["part"]) if found["part"].isdigit() else 15
        sign = -1 if found["side"].casefold() in ("to", "vor") else 1
        return int(found["h2"]) * 60 + sign * part
    return int(found["h3"]) * 60 + int(found["m3"]) if found["h3"] else None


def _hours(found: re.Match[str]) -> int | None:
    """Return the minutes of an hour and its optional minutes; None if it is past 24."""
    hour = next(int(found[name]) for name in ("h4", "h5", "h6", "h7", "h8") if found[name])
    tail = f"{found['tail'] or ''}{found['es'] or ''}{found['jh'] or ''}{found['m5'] or ''}"
    digits = re.sub(r"\D", "", tail)
    if "demi" in tail or "media" in tail or tail in ("半", ".5"):
        digits = "30"
    elif "quart" in tail or "cuarto" in tail:
        digits = "15"
    return hour * 60 + int(digits or 0) if hour <= DAY // 60 else None


CODE = re.compile(
    r"(?<![\w.,/:-])(?:"
    r"(?P<address>\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d+)?)"
    r"|v\.?\s?(?P<marked>\d+(?:\.\d+)*(?:-[a-z0-9.]*[a-z0-9])?)"
    r"|(?P<dotted>\d+(?:\.\d+){2,}(?:-[a-z]+[\d.]*\d)?)"
    r"|(?P<hyphened>\d+(?:-\d+){2,})"
    r"|(?P<ratio>\d+(?:\.\d+)?\s?(?:/|:)\s?\d+(?:\.\d+)?(?:[/:]\d+)*)"
    r"|(?<=version )(?P<version>\d+(?:\.\d+)?)"
    r"|(?P<tenth>\d+\.\d{0,1}0)(?!\s?[°%€£¥$])"
    r")(?![\w/]|[.,:-]\d)",
    re.IGNORECASE,
)
GROUPED = re.compile(r"\d{1,3}(?:\.\d{3})+")
ADDRESS_GROUP, ADDRESS_GROUPS = 255, 4
NEXT_WORD = re.compile(r"\s?([^\W\d_]+)")


def _codes(text: str) -> Iterator[Value]:
    """Yield versions, addresses, ratios and similar codes."""
    for found in CODE.finditer(text):
        code = next(each for each in found.groups() if each)
        if GROUPED.fullmatch(code) and not (found["marked"] or _is_address(code)):
            continue
        if found["tenth"] and _followed_by_unit(text, found.end()):
            continue
        yield Value("code", "".join(code.casefold().split()), "", *found.span())


def _is_address(code: str) -> bool:
    groups = code.split(".")
    return len(groups) == ADDRESS_GROUPS and all(
        str(int(group)) == group and int(group) <= ADDRESS_GROUP for group in groups
    )


def _followed_by_unit(text: str, at: int) -> bool:
    found = NEXT_WORD.match(text, at)
    return bool(found and found[1].casefold() in UNITS)


WORD = re.compile(r"[^\W\d_]+")
GAP = re.compile(r"[\s\u2010-]*")
FRACTION = re.compile(
    rf"(?:\b(?P<n>\d)\s|\b(?:a|an|one|un|une|una|el|la|ein|die|der) )?(?<!first )"
    rf"\b(?P<name>{'|'.join(FRACTIONS)})s?\b(?= of\b| the\b| de\b| des\b| der\b| los\b| las\b)",
    re.IGNORECASE,
)
JAPANESE_HALF = re.compile("半分")
PART_OF_AN_HOUR = re.compile("|".join(PARTS_OF_AN_HOUR), re.IGNORECASE)
NUMBER = re.compile(
    r"(?<![A-Za-z\u00c0-\u024f\d.,])(?P<minus>(?<![^\s(\[=<>:])[-\u2212\u2013](?=[$€£¥]?\d)"
    r"|(?<![^\W\d_])(?:minus|moins|menos) (?=\d))?"
    r"(?P<sign>[$€£¥])?\s?(?P<n>\d{1,3}(?:[ \u202f\u00a0']\d{3})+"
    r"(?!\d)|\d+(?:[.,]\d+)*)"
    r"(?P<times>k\b|K\b|M\b|万|千)?(?!\d)\s?(?P<unit>°\s?[CF]\b|[%€£¥$]|[^\W\d_]+(?:\s(?:cent|ciento)\b)?)?"
)
RANGE = re.compile(
    r"(?<![\w.,/:-])(?<!from )(?<!between )(?<!von )(?<!de )(?<!desde )(?<!entre )"
    r"(?P<low>\d+(?:[.,]\d+)*)\s?(?:[\u2010-\u2013]|-|to |bis |à |a )\s?(?P<high>\d+(?:[.,]\d+)*)"
    r"(?!\w|[.,/:-]\d)",
    re.IGNORECASE,
)
WEEKDAY = re.compile(rf"\b(?:{'|'.join(w for w in WEEKDAYS if len(w) > 1)})\b"
                     r"|[月火水木金土日]曜日?", re.IGNORECASE)  # fmt: skip
YEAR_ALONE = re.compile(
    r"(?:\b(?:in|of|before|since|until|after|by|from|en|de|im|seit|vor|nach|bis|depuis|avant|"
    r"desde|hasta|año|jahr|year)\s|(?=\d{4}年))(?P<y>(?:1\d|20)\d\d)(?:年|\b)(?![.,:]\d|\s?[€$%])",
    re.IGNORECASE,
)
ORDINAL = re.compile(
    rf"\b(?:{'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th|e|ème|er|ère|[ºª]))\b"
    r"|\b(?:im|am|vom|zum|der|die|das|dem|den|des|jede[mnrs]?) (?P<german>\d{1,2})\.(?= \w)"
    r"|第(?P<japanese>\d+)",
    re.IGNORECASE,
)
MONTH_OF_YEAR = re.compile(r"(?<![\d./-])(?P<m>0?[1-9]|1[0-2])/(?P<y>(?:19|20)\d\d)(?!\d|[./-]\d)")
COUNTED = frozenset(("number", "ordinal"))
THOUSANDS = re.compile(r"[.,](?=\d{3}(?!\d))")
TIMES = {"k": 1e3, "K": 1e3, "M": 1e6, "千": 1e3, "万": 1e4}


def blanked(text: str, values: Iterable[Value]) -> str:
    """Return a text with NUL characters in place of figures."""
    for each in values:
        text = text[: each.start] + "\0" * (each.end - each.start) + text[each.end :]
    return text


def values_in(text: str, language: str) -> list[Value]:
    """Return the figures of a normalised text (any case), in order."""
    plain, places = _digits(text, language)
    found: list[Value] = []
    for read in READERS:
        for value in list(read(plain)):
            start, end = places[value.start], places[value.end - 1] + 1
            found.append(replace(value, unit=_counted(value, language), start=start, end=end))
            plain = blanked(plain, [value])
    ends = dict(_ends(places))
    whole = [replace(value, end=ends.get(value.end - 1, value.end)) for value in found]
    return sorted(whole, key=lambda value: value.start)


def _counted(value: Value, language: str) -> str:
    """Return the unit of a figure; a function word after a number is no unit."""
    if language == "ja" and "\u3041" <= value.unit[:1] <= "\u309f":
        return ""
    word = value.kind in COUNTED and value.unit.isalpha() and value.unit not in DIMENSIONS
    return "" if word and not has_content(value.unit, language) else value.unit


def _ends(places: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the original offset at which each piece starts, and the offset where it ends."""
    for here, following in pairwise(places):
        if following != here:
            yield here, max(following, here + 1)


def _digits(text: str, language: str) -> tuple[str, list[int]]:
    """Return the text with numbers in digits, and each character's offset in `text`."""
    out: list[str] = []
    places: list[int] = []

    def keep(piece: str, start: int, *, one_place: bool = False) -> None:
        out.append(piece)
        places.extend([start] * len(piece) if one_place else range(start, start + len(piece)))

    words = list(WORD.finditer(text))
    folded = [word[0].casefold() for word in words]
    at, done = 0, 0
    while at < len(words):
        number = number_at(folded, at, language)
        if number and (run := _unbroken(text, words[at : at + number[1]])) == number[1]:
            keep(text[done : words[at].start()], done)
            keep(_number_text(number[0]), words[at].start(), one_place=True)
            done = words[at + run - 1].end()
            at += run
            continue
        for kanji in KANJI_NUMBER.finditer(text, words[at].start(), words[at].end()):
            keep(text[done : kanji.start()], done)
            keep(str(kanji_value(kanji[0])), kanji.start(), one_place=True)
            done = kanji.end()
        at += 1
    keep(text[done:], done)
    return "".join(out), [*places, len(text)]


def _unbroken(text: str, words: list[re.Match[str]]) -> int:
    """Return how many leading words are separated by nothing but blanks or hyphens."""
    for n, (one, other) in enumerate(pairwise(words), 1):
        if not GAP.fullmatch(text[one.end() : other.start()]):
            return n
    return len(words)


def _number_text(number: float) -> str:
    return str(int(number)) if number.is_integer() else str(number)


def _dates(text: str) -> Iterator[Value]:
    rest = text
    for form in (NUMERIC, EAST_ASIAN, DAY_FIRST, MONTH_FIRST):
        for found in form.finditer(rest):
            before = max(0, found.start() - 8) if form is MONTH_FIRST else found.start()
            dates = list(date_mentions(rest[before : found.end()]))
            if dates and dates[0].month:
                date = Value("date", tuple(dates[0]), "", *found.span())
                yield date
                rest = blanked(rest, [date])
    for found in MONTH_OF_YEAR.finditer(rest):
        yield Value("date", (int(found["y"]), int(found["m"]), None), "", *found.span())
    for found in YEAR_ALONE.finditer(rest):
        yield Value("date", (int(found["y"]), None, None), "", found.start("y"), found.end("y"))


def _ranges(text: str) -> Iterator[Value]:
    for found in RANGE.finditer(text):
        both = (_amount(found["low"]), _amount(found["high"]))
        yield Value("range", both, _next_word(text, found.end()), *found.span())


def _hour_parts(text: str) -> Iterator[Value]:
    for found in PART_OF_AN_HOUR.finditer(text):
        quarter = re.search(r"quarter|viertel|quart|cuarto", found[0], re.IGNORECASE)
        yield Value("number", 900.0 if quarter else 1800.0, "duration", found.start(), found.end())


def _fractions(text: str) -> Iterator[Value]:
    for found in FRACTION.finditer(text):
        share = int(found["n"] or 1) * 100 / FRACTIONS[found["name"].casefold()]
        yield Value("number", round(share, 3), "%", found.start(), found.end())
    for found in JAPANESE_HALF.finditer(text):
        yield Value("number", 50.0, "%", found.start(), found.end())


def _weekdays(text: str) -> Iterator[Value]:
    for found in WEEKDAY.finditer(text):
        name = found[0].casefold()
        yield Value("weekday", WEEKDAYS.get(name, WEEKDAYS.get(name[0])), "", *found.span())


def _ordinals(text: str) -> Iterator[Value]:
    for found in ORDINAL.finditer(text):
        name = found[0].casefold()
        number = ORDINALS.get(name) or int(re.sub(r"\D", "", name) or 0)
        start = found.start("german") if found["german"] else found.start()
        yield Value("ordinal", number, _next_word(text, found.end()), start, found.end())


def _numbers(text: str) -> Iterator[Value]:
    for found in NUMBER.finditer(text):
        amount = _amount(found["n"]) * TIMES.get(found["times"] or "", 1)
        amount = -amount if found["minus"] else amount
        written = " ".join((found["unit"] or "").casefold().replace("° ", "°").split())
        name = next((n for n in _names_of(written) if n in UNITS), "")
        known = UNITS.get(name)
        end = found.end("times" if found["times"] else "n")
        if known:
            end = found.start("unit") + (len(name) if name in written else len(found["unit"]))
        if found["sign"]:
            known = UNITS[SIGNS[found["sign"]]]
        if known is None:
            start = found.start("minus") if found["minus"] else found.start("n")
            yield Value("number", amount, _next_word(text, end), start, end)
        else:
            yield Value("number", round(amount * known[1], 6), known[0], found.start(), end)


def _names_of(written: str) -> Iterator[str]:
    """Yield possible units of a number: the words, the first, or its prefixes if unspaced."""
    yield written
    yield written.split(" ", maxsplit=1)[0]
    if written and not written.isascii() and not written[0].isascii():
        yield from (written[:n] for n in range(min(5, len(written)), 0, -1))


def _amount(number: str) -> float:
    whole = THOUSANDS.sub("", re.sub(r"[ \u202f\u00a0']", "", number)).replace(",", ".")
    first, *rest = whole.split(".")
    return float(f"{first}.{''.join(rest)}")


COUNTER = re.compile("([\u3005\u3006\u30f6\u4e00-\u9fff]+)")


def _next_word(text: str, at: int) -> str:
    """Return the word that follows directly, the counted noun; for Chinese, only the characters."""
    found = COUNTER.match(text, at) or re.match(r"[\s-]?([^\W\d_]{2,})", text[at:])
    return found[1].casefold() if found else ""


READERS = (_dates, _times, _codes, _ranges, _hour_parts, _fractions, _weekdays, _ordinals, _numbers)
