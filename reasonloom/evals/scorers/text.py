"""Scorers that compare texts (equality, numbers, choices, expressions) and fields of objects."""

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
from reasonloom.evals.core.way import text_of, value_at
from reasonloom.evals.scorers.function import AcceptingScorer
from reasonloom.llm.structured_output import read_object

NUMBER = re.compile(r"[-+]?(?:\d[\d,_]*(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d{1,3})?(?:\s*/\s*\d+)?")
MINUS = str.maketrans({"−": "-", "–": "-"})  # noqa: RUF001  # signs used as minus
LONGEST_ANSWER = 20_000
"""Only this many trailing characters of an answer are searched."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
STATED_CHOICE = re.compile(
    r"(?i:answer|choice|option)(?i:\s+is)?\s*[:=]?\s*[*_`]*\(?([A-Z])\)?(?![\w'])"
)
FINAL = re.compile(r"answer(?:\s+is|\s*:)+", re.I)
BRACKETED = re.compile(r"\(([A-Z])\)")
ALONE = re.compile(r"(?<![\w'])([A-Z])(?![\w'])")


@dataclass(frozen=True)
class TextScorer:
    """Scores 1 if the answer agrees with the target, else 0.

    `parameters` are recorded in the run's head; `fault` returns why a target is unusable, empty if
    it is usable.
    """

    name: str
    agree: Callable[[str, str], bool]
    parameters: dict[str, Any] = field(default_factory=dict)
    fault: Callable[[str], str] = lambda target: ""
    needs_target: bool = True

    def about(self) -> dict[str, Any]:
        """Return the name and parameters."""
        return {"scorer": self.name, **self.parameters}

    def refuse(self, item: Item) -> str:
        """Return why a target is unusable, empty if all are usable."""
        return next((why for each in targets(item) if (why := self.fault(each))), "")

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return 1 if the answer agrees with any target."""
        answer = _detail(output)[-LONGEST_ANSWER:] if output is not None else ""
        return Mark(float(any(self.agree(target, answer) for target in targets(item))))


def targets(item: Item) -> Sequence[str]:
    """Return the right answers as text; a list as the target means alternatives."""
    values = item.target if isinstance(item.target, list) else [item.target]
    return [_detail(each) for each in values]


def _detail(value: Any) -> str:
    """Return a value as text; objects have sorted keys, so field order does not matter."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text_of(value)


def exact(*, case: bool = False, final: bool = False, name: str = "exact") -> TextScorer:
    """Score 1 if the answer equals the target, ignoring extra whitespace, and case unless `case`.

    With `final`, only the text after the last `answer is` or `answer:` is compared, without a
    trailing full stop; the whole answer if there is no such phrase.
    """

    def same(target: str, answer: str) -> bool:
        final_answer = FINAL.split(answer)[-1].strip().rstrip(".") if final else answer
        return _plain(target, case) == _plain(final_answer, case)

    return TextScorer(name, same, {"case": case, "final": final})


def contains(*, case: bool = False, name: str = "contains") -> TextScorer:
    """Score 1 if the answer contains the target; compares as `exact` does."""

    def within(target: str, answer: str) -> bool:
        return _plain(target, case) in _plain(answer, case)

    return TextScorer(name, within, {"case": case})


def numeric(*, tolerance: float = 0.0, relative: float = 0.0, name: str = "numeric") -> TextScorer:
    """Score 1 if the last number in the answer equals the last number in the target.

    Commas may separate thousands; `1/3` is a number. `tolerance` is the absolute and `relative` the
    relative deviation allowed; the larger one applies, and both 0 require equality.

    Raises:
        InvalidArgument: a tolerance is negative or not finite.
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
    """Score 1 if the answer chooses the same letter as the target, such as `(B)`.

    The last letter after `answer`, `choice` or `option` counts, else the last in parentheses, else
    the only letter that occurs on its own.
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
    """Return the option letter that a text chooses, None if it chooses none."""
    for pattern in (STATED_CHOICE, BRACKETED):
        found: list[str] = [letter for letter in pattern.findall(text) if letter in options]
        if found:
            return found[-1]
    alone = {letter for letter in ALONE.findall(text) if letter in options}
    return alone.pop() if len(alone) == 1 else None


def _plain(text: str, case: bool) -> str:
    """Normalise Unicode, whitespace, and case unless `case`."""
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    return plain if case else plain.casefold()


SECONDS = 1.0
TOO_LONG = "the expression took too long"


@dataclass(frozen=True)
class Pattern(AcceptingScorer):
    """Scores 1 if a pattern of the `regex` library matches and its last group, if any, is a target.

    A search that exceeds `seconds` scores 0 with that reason.
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
        """Whether the pattern has a group, which must equal the target."""
        return bool(self._compiled.groups)

    def about(self) -> dict[str, Any]:
        """Return the expression and the time limit."""
        return {"scorer": self.name, "expression": self.expression, "seconds": self.seconds}

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return 1 if the pattern matches and the last match's last group, if any, is a target."""
        answer = text_of(output)[-LONGEST_ANSWER:] if output is not None else ""
        try:
            matches = self._compiled.finditer(answer, timeout=self.seconds)
            found = [match[match.re.groups] for match in matches]
        except TimeoutError:
            return Mark(0.0, TOO_LONG)
        if not self.needs_target:
            return Mark(float(bool(found)))
        return Mark(float(bool(found) and (found[-1] or "").strip() in targets(item)))


@dataclass(frozen=True)
class Fields:
    """Scores the share of matching fields; with `whole`, 1 only if all match, else 0.

    `fields` are the dotted paths to compare; if empty, all top-level fields of the target.
    """

    fields: tuple[str, ...] = ()
    whole: bool = False
    name: str = "json_fields"
    needs_target: bool = True

    def about(self) -> dict[str, Any]:
        """Return the scorer's parameters."""
        return {"scorer": self.name, "fields": list(self.fields), "whole": self.whole}

    def refuse(self, item: Item) -> str:
        """Refuse a target that is not a JSON object."""
        return "" if _object(item.target) is not None else "target is no JSON object"

    def mark(self, item: Item, output: Any, bench: ScoringContext) -> Mark:
        """Return the score, with the wrong fields as the reason."""
        target, answer = _object(item.target) or {}, _object(output)
        if answer is None:
            return Mark(0.0, "no JSON object")
        names = self.fields or tuple(target)
        wrong = [
            name for name in names if not _same(value_at(target, name), value_at(answer, name))
        ]
        share = 1 - len(wrong) / len(names) if names else 1.0
        score = float(not wrong) if self.whole else share
        return Mark(score, f"wrong: {', '.join(wrong)}" if wrong else "")


def _object(value: Any) -> dict[str, Any] | None:
    """Return an object, extracting it from text if necessary; None if there is none."""
    if isinstance(value, dict):
        return value
    return read_object(value, {"type": "object"}) if isinstance(value, str) else None


def _same(one: Any, other: Any) -> bool:
    """Return whether two values are equal as JSON: 1 equals 1.0, but not true."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return json.dumps(one, sort_keys=True, default=str) == json.dumps(
        other, sort_keys=True, default=str
    )
