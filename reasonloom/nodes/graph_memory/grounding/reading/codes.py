"""Figures that are no amounts and are compared whole: versions, addresses, ratios."""

from __future__ import annotations

import re
from collections.abc import Iterator

from reasonloom.nodes.graph_memory.grounding.reading.units import UNITS

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


def codes(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield versions, addresses, ratios and the like, each with its place in the text."""
    for found in CODE.finditer(text):
        told = next(each for each in found.groups() if each)
        if GROUPED.fullmatch(told) and not (found["marked"] or _is_address(told)):
            continue
        if found["tenth"] and _followed_by_unit(text, found.end()):
            continue
        yield "".join(told.casefold().split()), *found.span()


def _is_address(told: str) -> bool:
    groups = told.split(".")
    return len(groups) == ADDRESS_GROUPS and all(
        str(int(group)) == group and int(group) <= ADDRESS_GROUP for group in groups
    )


def _followed_by_unit(text: str, at: int) -> bool:
    found = NEXT_WORD.match(text, at)
    return bool(found and found[1].casefold() in UNITS)
