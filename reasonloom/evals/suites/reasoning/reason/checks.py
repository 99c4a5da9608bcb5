"""Automatic checks of answers: numbers, texts, orders, plans, and code with tests."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.nodes.reasoning.verification.sandbox import SandboxUnavailable, run_python

Check = Mapping[str, Any]

ANSWER = re.compile(r"^[\s*_#>`]*answer[*_` ]*:[*_` ]*(.*?)[*_`\s]*$", re.I | re.M)
NUMBER = re.compile(r"(?:(?<![\w.,])[-\u2212])?\d+(?:,\d{3})*(?:\.\d+)?")
BLOCK = re.compile(r"^[ \t]*```(?:python|py)?[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.I | re.M | re.S)


def fault_of(check: Check, answer: object) -> str:
    """Return what is wrong with an answer, empty if it is right.

    Raises:
        InvalidArgument: the check's type is unknown, or code cannot be run with limits.
    """
    if check.get("type") not in CHECKS:
        raise InvalidArgument(f"check: must be one of {', '.join(CHECKS)}", field="check")
    text = answer if isinstance(answer, str) else ""
    if check["type"] == "tests":
        return _tests(check, text)
    lines = ANSWER.findall(text)
    return CHECKS[check["type"]](check, lines[-1]) if lines else "has no line Answer: ..."


def _number(check: Check, line: str) -> str:
    numbers = NUMBER.findall(line)
    if not numbers:
        return "has no number"
    value = float(numbers[-1].replace(",", "").replace("\u2212", "-"))
    right = abs(value - check["value"]) <= check["tolerance"]
    return "" if right else f"{value:g} is not {check['value']:g}"


def _has(line: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", line, re.I) is not None


def _text(check: Check, line: str) -> str:
    if rejected := [each for each in check["reject"] if _has(line, each)]:
        return f"has {rejected[0]}"
    return "" if any(_has(line, each) for each in check["accept"]) else "has nothing accepted"


def _names(line: str) -> list[str]:
    return [each.strip(" .;*`\"'").casefold() for each in line.split(",")]


def _order(check: Check, line: str) -> str:
    wanted = [each.casefold() for each in check["value"]]
    return "" if _names(line) == wanted else "is another order"


def _plan(check: Check, line: str) -> str:
    items = {name.casefold(): item for name, item in check["items"].items()}
    chosen = _names(line)
    if unknown := [name for name in chosen if name not in items]:
        return f"{unknown[0]} is no item"
    if len(set(chosen)) < len(chosen):
        return "has an item twice"
    return _plan_fault(check, items, chosen)


def _plan_fault(check: Check, items: Mapping[str, Any], chosen: Sequence[str]) -> str:
    if sum(items[name]["cost"] for name in chosen) > check["budget"]:
        return "is over the budget"
    if lack := set(check["needs"]) - set(chain(*(items[name]["gives"] for name in chosen))):
        return f"lacks {min(lack)}"
    if excluded := {each.casefold() for each in check["excluded"]} & set(chosen):
        return f"{min(excluded)} is excluded"
    for pair in check["conflicts"]:
        if {each.casefold() for each in pair} <= set(chosen):
            return f"{' and '.join(pair)} conflict"
    return ""


def _tests(check: Check, answer: str) -> str:
    blocks = BLOCK.findall(answer)
    return run_tests(blocks[-1], check["code"]) if blocks else "has no code block"


CHECKS: dict[str, Callable[[Check, str], str]] = {
    "number": _number,
    "text": _text,
    "order": _order,
    "plan": _plan,
    "tests": _tests,
}
"""Checks by `type`."""


def run_tests(code: str, tests: str) -> str:
    """Return why code fails its tests, empty if it passes.

    Raises:
        InvalidArgument: this system cannot limit a process's resources.
    """
    try:
        ran = run_python(f"{code}\n{tests}", isolated=False)
    except SandboxUnavailable as fault:
        raise InvalidArgument(f"check: no code is run: {fault}", field="check") from None
    return f"fails: {ran.error}" if ran.error else ""
