"""Parses full and partial dates in a text, in several notations and languages."""

import re
from collections.abc import Iterator
from typing import NamedTuple

FULL_NAMES = (
    ("january", "januar", "jänner", "enero", "janvier", "gennaio", "janeiro", "januari"),
    ("february", "februar", "febrero", "février", "febbraio", "fevereiro", "februari"),
    ("march", "märz", "marzo", "mars", "março", "maart"),
    ("april", "abril", "avril", "aprile"),
    ("may", "mai", "mayo", "maggio", "maio", "mei"),
    ("june", "juni", "junio", "juin", "giugno", "junho"),
    ("july", "juli", "julio", "juillet", "luglio", "julho"),
    ("august", "agosto", "août", "augustus"),
    ("september", "septiembre", "septembre", "settembre", "setembro"),
    ("october", "oktober", "octubre", "octobre", "ottobre", "outubro"),
    ("november", "noviembre", "novembre", "novembro"),
    ("december", "dezember", "diciembre", "décembre", "dicembre", "dezembro"),
)
"""Month names in English, German, Spanish, French, Italian, Portuguese and Dutch."""

SHORT_NAMES = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "oct": 10, "okt": 10, "nov": 11, "dec": 12, "dez": 12,
}  # fmt: skip
MONTHS = {name: n for n, names in enumerate(FULL_NAMES, 1) for name in names} | SHORT_NAMES
AMBIGUOUS_MONTHS = frozenset(
    ("may", "march", "mars", "mai", "mei", "avril", "juli", "juni", "august", "april", "june")
)
"""Month names that are also ordinary words in lower case, or names of people."""

MONTH_NAME = "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True))
YEAR = r"(?:19|20)\d\d"
DAY = r"[0-3]?\d"
NUMERIC = re.compile(
    rf"(?<![\d./-])(?:(?P<iy>{YEAR})(?P<isep>[-/.])(?P<im>[01]?\d)(?:(?P=isep)(?P<id>{DAY}))?"
    rf"|(?P<ed>{DAY})(?P<sep>[./])(?P<em>[01]?\d)(?P=sep)(?P<ey>{YEAR}))(?!\d|[./-]\d)"
)
EAST_ASIAN = re.compile(
    rf"(?:(?P<y>{YEAR})\s*[年년]\s*)?(?P<m>[01]?\d)\s*[月월](?:\s*(?P<d>{DAY})\s*[日일号])?"
)
DAY_FIRST = re.compile(
    rf"(?<![\w.:])(?P<d>{DAY})(?:st|nd|rd|th|er|\.|º)?\s+(?:of\s+|de\s+|di\s+)?(?P<m>{MONTH_NAME})\b\.?"
    rf"(?:,?\s+(?:de\s+|del\s+)?(?P<y>{YEAR})\b)?",
    re.IGNORECASE,
)
MONTH_FIRST = re.compile(
    rf"\b(?P<m>{MONTH_NAME})\b\.?(?:\s+(?P<d>{DAY})(?:st|nd|rd|th)?(?![\w:]))?"
    rf"(?:,?\s+(?:of\s+|de\s+|del\s+)?(?P<y>{YEAR})\b)?",
    re.IGNORECASE,
)
BARE_YEAR = re.compile(rf"(?<![\w./-]){YEAR}(?![\w-]|[./]\d)")
DAY_AND_MONTH = re.compile(
    rf"\b(?:am|vom|bis|zum|seit|ab|dem|den)\s(?P<d>{DAY})\.\s?(?P<m>[01]?\d)\.(?!\d)", re.IGNORECASE
)
BEFORE_A_MONTH = re.compile(
    r"\b(?:in|of|since|before|after|until|till|by|during|last|this|next|early|late|mid"
    r"|im|seit|vor|nach|ab|bis|anfang|mitte|ende)\s$",
    re.I,
)


class DateMention(NamedTuple):
    """A date as written; omitted parts are None."""

    year: int | None
    month: int | None = None
    day: int | None = None


def date_mentions(text: str) -> Iterator[DateMention]:
    """Yield the dates in `text`, each mention once, in no particular order.

    `8.3.2025` and `8/3/2025` are read day first, or month first if only that gives a valid date.
    """
    rest = text
    for form, read in (
        (NUMERIC, _numeric),
        (DAY_AND_MONTH, _named),
        (EAST_ASIAN, _named),
        (DAY_FIRST, _named),
        (MONTH_FIRST, _named),
    ):
        named = list(form.finditer(rest))
        for found in named:
            if form is MONTH_FIRST and not _is_a_month(found, rest):
                continue
            if (mention := read(found)) is not None:
                yield mention
        rest = form.sub(_blank, rest) if named and form is not MONTH_FIRST else rest
    for found in BARE_YEAR.finditer(MONTH_FIRST.sub(_blank_dated, rest)):
        yield DateMention(int(found.group()))


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _blank_dated(found: re.Match[str]) -> str:
    return _blank(found) if found["y"] else found.group()


def _is_a_month(found: re.Match[str], text: str) -> bool:
    name = found["m"]
    if found["d"] or found["y"]:
        return True
    if name.lower() in SHORT_NAMES:
        return False
    if name.lower() not in AMBIGUOUS_MONTHS:
        return True
    return name[0].isupper() and bool(BEFORE_A_MONTH.search(text[: found.start()]))


def _named(found: re.Match[str]) -> DateMention | None:
    month = found["m"].lower()
    number = MONTHS[month] if month in MONTHS else int(month)
    return _mention(found.groupdict().get("y"), number, found["d"])


def _numeric(found: re.Match[str]) -> DateMention | None:
    if found["iy"]:
        return _mention(found["iy"], int(found["im"]), found["id"])
    day, month = int(found["ed"]), int(found["em"])
    if month > 12:  # noqa: PLR2004 - not a month, so month first
        day, month = month, day
    return _mention(found["ey"], month, str(day))


def _mention(year: str | None, month: int, day: str | None) -> DateMention | None:
    number = int(day) if day else None
    if not 1 <= month <= 12 or (number is not None and not 1 <= number <= 31):  # noqa: PLR2004
        return None
    return DateMention(int(year) if year else None, month, number)
