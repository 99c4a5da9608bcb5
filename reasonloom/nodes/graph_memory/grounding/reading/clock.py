"""Times of day in a text with its numbers in digits: `half past 9`, 21:30, `halb 3`, 午後3時."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reasonloom.nodes.graph_memory.grounding.reading.units import AFTERNOON, MORNING

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


def times(text: str) -> Iterator[tuple[int, bool, int, int]]:
    """Yield minutes after midnight, whether the half of the day is sure, and the place."""
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
        yield minutes % DAY, bool(sure), found.start(), end


def _minutes(found: re.Match[str]) -> int | None:
    """Return the minutes after midnight that a time of day names, None where it is none."""
    if found["noon"] or found["jn"]:
        return NOON
    if found["night"]:
        return 0
    told = _halves(found)
    return _hours(found) if told is None else told


def _halves(found: re.Match[str]) -> int | None:
    """Return the minutes of half past, a quarter to, and of digits with a colon."""
    if found["h1"]:
        less = 60 if found["half"].casefold() == "halb " else 0
        return int(found["h1"]) * 60 + 30 - less
    if found["h2"]:
        part = int(found["part"]) if found["part"].isdigit() else 15
        sign = -1 if found["side"].casefold() in ("to", "vor") else 1
        return int(found["h2"]) * 60 + sign * part
    return int(found["h3"]) * 60 + int(found["m3"]) if found["h3"] else None


def _hours(found: re.Match[str]) -> int | None:
    """Return the minutes of an hour with what may follow it."""
    hour = next(int(found[name]) for name in ("h4", "h5", "h6", "h7", "h8") if found[name])
    tail = f"{found['tail'] or ''}{found['es'] or ''}{found['jh'] or ''}{found['m5'] or ''}"
    digits = re.sub(r"\D", "", tail)
    if "demi" in tail or "media" in tail or tail in ("半", ".5"):
        digits = "30"
    elif "quart" in tail or "cuarto" in tail:
        digits = "15"
    return hour * 60 + int(digits or 0) if hour <= DAY // 60 else None
