"""Scorers that compare texts: the same, the same number, the same choice, held within."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import regex

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Item, Mark, ScoringContext
from reasonloom.evals.core.way import text_of

NUMBER = re.compile(r"[-+]?(?:\d[\d,_]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?(?:\s*/\s*\d+)?")
MINUS = str.maketrans({"−": "-", "–": "-"})  # noqa: RUF001  # what stands for a minus
LONGEST_ANSWER = 20_000
"""Characters of an answer that are searched, counted from its end."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
STATED_CHOICE = re.compile(
    r"(?i:answer|choice|option)(?i:\s+is)?\s*[:=]?\s*[*_`]*\(?([A-Z])\)?(?![\w'])"
)
FINAL = re.compile(r"answer(?:\s+is|\s*:)+", re.I)
BRACKETED = re.compile(r"\(([A-Z])\)")
ALONE = re.compile(r"(?<![\w'])([A-Z])(?![\w'])")


@dataclass(frozen=True)
class TextScorer:
    """A scorer that says of answer and target whether they agree.

    Attributes:
        name: what the score is called.
        agree: tells it; given the target and the answer as text.
        told: its parameters, for the head of a run.
        fault: says why a target cannot be compared, empty where it can.
    """

    name: str
    agree: Callable[[str, str], bool]
    told: dict[str, Any] = field(default_factory=dict)
    fault: Callable[[str], str] = lambda target: ""
    needs_target: bool = True

    def about(self) -> dict[str, Any]:
        """Return its name and parameters."""
        return {"scorer": self.name, **self.told}

    def refuse(self, item: Item) -> str:
        """Return why the target cannot be compared."""
        return next((why for each in targets(item) if (why := self.fault(each))), "")

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return 1 where the answer agrees with the target, or one of them."""
        said = _detail(output)[-LONGEST_ANSWER:] if output is not None else ""
        return Mark(float(any(self.agree(target, said) for target in targets(item))))


def targets(item: Item) -> Sequence[str]:
    """Return what is right: a target that is a list is several right answers."""
    told = item.target if isinstance(item.target, list) else [item.target]
    return [_detail(each) for each in told]


def _detail(value: Any) -> str:
    """Return a value as text; an object says the same in any order of its fields."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text_of(value)


def exact(*, case: bool = False, final: bool = False, name: str = "exact") -> TextScorer:
    """Score 1 where the answer is the target, but for space, and for case if not `case`.

    With `final` what stands behind the last `answer is` or `answer:` is the answer, without a full
    stop at its end; all of it where there is none such.
    """

    def same(target: str, said: str) -> bool:
        told = FINAL.split(said)[-1].strip().rstrip(".") if final else said
        return _plain(target, case) == _plain(told, case)

    return TextScorer(name, same, {"case": case, "final": final})


def contains(*, case: bool = False, name: str = "contains") -> TextScorer:
    """Score 1 where the target stands somewhere in the answer."""

    def within(target: str, said: str) -> bool:
        return _plain(target, case) in _plain(said, case)

    return TextScorer(name, within, {"case": case})


def numeric(*, tolerance: float = 0.0, relative: float = 0.0, name: str = "numeric") -> TextScorer:
    """Score 1 where the last number of the answer is the target's.

    Thousands may be set apart by commas; `1/3` is a number. `tolerance` is a distance that is
    allowed, `relative` one as a share of the target; exact where both are 0.

    Raises:
        InvalidArgument: a tolerance is negative or none.
    """
    for said, given in (("tolerance", tolerance), ("relative", relative)):
        if not 0 <= given < float("inf"):
            raise InvalidArgument(f"{said}: must be 0 or more", field=said)

    def near(target: str, said: str) -> bool:
        wanted, found = last_number(target), last_number(said)
        if wanted is None or found is None:
            return False
        if not tolerance and not relative:
            return wanted == found
        allowed = max(Fraction(tolerance), Fraction(relative) * abs(wanted))
        return abs(wanted - found) <= allowed

    def fault(target: str) -> str:
        return "" if last_number(target) is not None else f"target {target[:40]!r} has no number"

    return TextScorer(name, near, {"tolerance": tolerance, "relative": relative}, fault)


def choice(*, options: str = LETTERS, name: str = "choice") -> TextScorer:
    """Score 1 where the letter that the answer chooses is the target's, such as `(B)`.

    The last one counts that stands behind `answer`, else the last in brackets, else the only
    letter that stands alone.
    """

    def same(target: str, said: str) -> bool:
        return chosen(target, options) == chosen(said, options) is not None

    def fault(target: str) -> str:
        return "" if chosen(target, options) else f"target {target[:40]!r} names none of {options}"

    return TextScorer(name, same, {"options": options}, fault)


def last_number(text: str) -> Fraction | None:
    """Return the last number in a text, None where there is none."""
    found = NUMBER.findall(text.translate(MINUS))
    if not found:
        return None
    plain = re.sub(r"[,_\s]", "", found[-1])
    try:
        return Fraction(plain)
    except (ValueError, ZeroDivisionError):  # 1e5/3, 1/0
        return None


def chosen(text: str, options: str = LETTERS) -> str | None:
    """Return the letter that a text chooses of the options, None where it chooses none."""
    for pattern in (STATED_CHOICE, BRACKETED):
        found: list[str] = [letter for letter in pattern.findall(text) if letter in options]
        if found:
            return found[-1]
    alone = {letter for letter in ALONE.findall(text) if letter in options}
    return alone.pop() if len(alone) == 1 else None


def _plain(text: str, case: bool) -> str:
    """Return a text without what is no difference: forms of a letter, space, case."""
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    return plain if case else plain.casefold()


SECONDS = 1.0
TOO_LONG = "the expression took too long"


@dataclass(frozen=True)
class Pattern:
    """Scores 1 where an expression is found; with a group, where the group is the target.

    Attributes:
        expression: as the library `regex` reads it.
        seconds: that one search may take; an answer that takes longer gets 0, and it is said.
    """

    expression: str
    seconds: float = SECONDS
    name: str = "regex"
    _compiled: regex.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "_compiled", regex.compile(self.expression))
        except regex.error as error:
            raise InvalidArgument(f"regex: is no expression: {error}", field="regex") from None

    @property
    def needs_target(self) -> bool:
        """Whether a group is to be the target."""
        return bool(self._compiled.groups)

    def about(self) -> dict[str, Any]:
        """Return the expression."""
        return {"scorer": self.name, "expression": self.expression, "seconds": self.seconds}

    def refuse(self, item: Item) -> str:
        """Refuse nothing."""
        return ""

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return 1 where the expression is found, and its last group is a target."""
        said = text_of(output)[-LONGEST_ANSWER:] if output is not None else ""
        try:
            found = [match[match.re.groups] for match in self._found(said)]
        except TimeoutError:
            return Mark(0.0, TOO_LONG)
        if not self.needs_target:
            return Mark(float(bool(found)))
        return Mark(float(bool(found) and (found[-1] or "").strip() in targets(item)))

    def _found(self, said: str) -> list[regex.Match[str]]:
        return list(self._compiled.finditer(said, timeout=self.seconds))
