"""Scorers that compare texts: equality, numbers, choices, containment, regular expressions."""

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
from reasonloom.evals.scorers.function import AcceptingScorer

NUMBER = re.compile(r"[-+]?(?:\d[\d,_]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?(?:\s*/\s*\d+)?")
MINUS = str.maketrans({"−": "-", "–": "-"})  # noqa: RUF001  # signs used as minus
LONGEST_ANSWER = 20_000
"""Characters of an answer that are searched, from its end."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
STATED_CHOICE = re.compile(
    r"(?i:answer|choice|option)(?i:\s+is)?\s*[:=]?\s*[*_`]*\(?([A-Z])\)?(?![\w'])"
)
FINAL = re.compile(r"answer(?:\s+is|\s*:)+", re.I)
BRACKETED = re.compile(r"\(([A-Z])\)")
ALONE = re.compile(r"(?<![\w'])([A-Z])(?![\w'])")


@dataclass(frozen=True)
class TextScorer:
    """Scores whether answer and target agree.

    `parameters` are for the head of a run; `fault` returns why a target is unusable, empty if not.
    """

    name: str
    agree: Callable[[str, str], bool]
    parameters: dict[str, Any] = field(default_factory=dict)
    fault: Callable[[str], str] = lambda target: ""
    needs_target: bool = True

    def about(self) -> dict[str, Any]:
        """Return its name and parameters."""
        return {"scorer": self.name, **self.parameters}

    def refuse(self, item: Item) -> str:
        """Return why the target is unusable."""
        return next((why for each in targets(item) if (why := self.fault(each))), "")

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return 1 if the answer agrees with a target."""
        answer = _detail(output)[-LONGEST_ANSWER:] if output is not None else ""
        return Mark(float(any(self.agree(target, answer) for target in targets(item))))


def targets(item: Item) -> Sequence[str]:
    """Return the right answers: a list as target means alternatives."""
    values = item.target if isinstance(item.target, list) else [item.target]
    return [_detail(each) for each in values]


def _detail(value: Any) -> str:
    """Return a value as text; objects independent of field order."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text_of(value)


def exact(*, case: bool = False, final: bool = False, name: str = "exact") -> TextScorer:
    """Score 1 if the answer equals the target, ignoring space, and case unless `case`.

    With `final` only what follows the last `answer is` or `answer:` counts, without a final full
    stop; the whole answer if there is none.
    """

    def same(target: str, answer: str) -> bool:
        final_answer = FINAL.split(answer)[-1].strip().rstrip(".") if final else answer
        return _plain(target, case) == _plain(final_answer, case)

    return TextScorer(name, same, {"case": case, "final": final})


def contains(*, case: bool = False, name: str = "contains") -> TextScorer:
    """Score 1 if the answer contains the target."""

    def within(target: str, answer: str) -> bool:
        return _plain(target, case) in _plain(answer, case)

    return TextScorer(name, within, {"case": case})


def numeric(*, tolerance: float = 0.0, relative: float = 0.0, name: str = "numeric") -> TextScorer:
    """Score 1 if the last number of the answer is the target's.

    Commas may separate thousands; `1/3` is a number. `tolerance` is an absolute, `relative` a
    relative deviation allowed; exact if both are 0.

    Raises:
        InvalidArgument: a tolerance is negative or not a number.
    """
    for answer, given in (("tolerance", tolerance), ("relative", relative)):
        if not 0 <= given < float("inf"):
            raise InvalidArgument(f"{answer}: must be 0 or more", field=answer)

    def near(target: str, answer: str) -> bool:
        wanted, found = last_number(target), last_number(answer)
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
    """Score 1 if the letter chosen by the answer is the target's, such as `(B)`.

    The last letter after `answer` counts, else the last in brackets, else the only single letter.
    """

    def same(target: str, answer: str) -> bool:
        return chosen(target, options) == chosen(answer, options) is not None

    def fault(target: str) -> str:
        return "" if chosen(target, options) else f"target {target[:40]!r} names none of {options}"

    return TextScorer(name, same, {"options": options}, fault)


def last_number(text: str) -> Fraction | None:
    """Return the last number in a text, None if there is none."""
    found = NUMBER.findall(text.translate(MINUS))
    if not found:
        return None
    plain = re.sub(r"[,_\s]", "", found[-1])
    try:
        return Fraction(plain)
    except (ValueError, ZeroDivisionError):  # 1e5/3, 1/0
        return None


def chosen(text: str, options: str = LETTERS) -> str | None:
    """Return the letter that a text chooses of the options, None if it chooses none."""
    for pattern in (STATED_CHOICE, BRACKETED):
        found: list[str] = [letter for letter in pattern.findall(text) if letter in options]
        if found:
            return found[-1]
    alone = {letter for letter in ALONE.findall(text) if letter in options}
    return alone.pop() if len(alone) == 1 else None


def _plain(text: str, case: bool) -> str:
    """Return a text with normalised letters, space and case."""
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    return plain if case else plain.casefold()


SECONDS = 1.0
TOO_LONG = "the expression took too long"


@dataclass(frozen=True)
class Pattern(AcceptingScorer):
    """Scores 1 if an expression of the library `regex` matches, or its group is the target.

    A search that takes longer than `seconds` scores 0, with that reason.
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
        """Whether a group must equal the target."""
        return bool(self._compiled.groups)

    def about(self) -> dict[str, Any]:
        """Return the expression."""
        return {"scorer": self.name, "expression": self.expression, "seconds": self.seconds}

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return 1 if the expression matches, and its last group is a target."""
        answer = text_of(output)[-LONGEST_ANSWER:] if output is not None else ""
        try:
            matches = self._compiled.finditer(answer, timeout=self.seconds)
            found = [match[match.re.groups] for match in matches]
        except TimeoutError:
            return Mark(0.0, TOO_LONG)
        if not self.needs_target:
            return Mark(float(bool(found)))
        return Mark(float(bool(found) and (found[-1] or "").strip() in targets(item)))
