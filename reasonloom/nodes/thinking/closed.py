"""Takes a majority vote on a closed question: one of several choices, a number, yes or no."""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from reasonloom.nodes.thinking.state import Brief, StreamOutput

AGREE = "{count} of {all} streams agree: {answer}."
LEADING = re.compile(r"^(?:the\s+)?(?:answer|choice|option)\s*(?:is|:)?\s+", re.IGNORECASE)

LONGEST_ANSWER = 80
MARKUP = " \t\n\"'`*"
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def majority_of(brief: Brief, ends: Mapping[str, StreamOutput]) -> tuple[str, float] | None:
    """Return the majority's conclusion and share of several parallel streams, else None.

    There is one if all gave a short answer, more than half of them the same. A long answer is not a
    choice, a number, yes or no, so the streams need a synthesis.
    """
    given = {name: str(end.get("answer") or "").strip() for name, end in ends.items()}
    if brief["quarters"] > 1 or len(given) < 2 or not all(map(_is_short, given.values())):  # noqa: PLR2004
        return None
    groups: dict[str, list[str]] = {}
    for name, answer in given.items():
        groups.setdefault(comparable(answer), []).append(name)
    names = max(groups.values(), key=len)
    if len(names) * 2 <= len(given):
        return None
    surest = max(names, key=lambda name: float(ends[name]["confidence"]))
    answer = given[surest].rstrip(".")
    count = AGREE.format(count=len(names), all=len(given), answer=answer)
    return f"{ends[surest]['conclusion']}\n\n{count}", len(names) / len(given)


def _is_short(answer: str) -> bool:
    return 0 < len(answer) <= LONGEST_ANSWER and "\n" not in answer


def comparable(answer: str) -> str:
    """Normalise an answer for comparison; numbers are compared by value."""
    plain = LEADING.sub("", answer.strip(MARKUP)).strip(MARKUP).rstrip(" .!")
    try:
        return str(Decimal(THOUSANDS.sub("", plain)).normalize())
    except InvalidOperation:
        return " ".join(plain.casefold().split())
