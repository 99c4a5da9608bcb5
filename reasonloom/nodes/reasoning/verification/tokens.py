"""Find equations in prose, as runs of quantities, operators, brackets and relations."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from reasonloom.nodes.memory.calendar.mentions import MONTHS
from reasonloom.nodes.reasoning.verification.quantities import QUANTITY, Quantity, read_quantity

MOST_TOKENS = 60

_WORDS = (
    r"is|are|was|were|equals?|makes?|gives?|comes?\sto|yields?|totals?|amounts?\sto|results?\sin"
    r"|costs?|takes?"
)
_ABOUT = r"(?:about|around|roughly|approximately|nearly|almost|circa|ca\.|some|~)"
_SIGN = re.compile(r"\s*(?P<sign>(?<![<>!=~:])==?(?![=>])|≈|≃|≅|~=)\s*")
_WORD = re.compile(rf",?\s+(?:(?:which|that)\s+)?(?:{_WORDS})\s+", re.IGNORECASE)
_MORE = re.compile(
    rf"(?P<about>{_ABOUT}\s*)|(?:exactly|just|only|then|thus|therefore|a\stotal\sof)\s+", re.I
)
_OPERATOR = re.compile(r"\s*(?P<operator>[*/+^-]|x(?=\s?[\d$€£(]))\s*")
_NOUN = re.compile(
    rf"(?P<noun>(?:\s+[A-Za-z][A-Za-z-]*){{1,3}}?)(?=\s*(?:[*+/=≈)]|x\s\d|,?\s+(?:{_WORDS})\s))"
)
_RESERVED = frozenset({
    "and", "or", "of", "mod", "modulo", "to", "from", "by", "than", "not", "over", "choose", "if",
    "but", "so", "then", "is", "are", "was", "were", "equals", "makes", "gives", "with", "without",
    "x", "plus", "minus", "times", *(name.lower() for name in MONTHS),
})  # fmt: skip
_BEFORE = re.compile(
    r"(?:[\w\])}²³!|.,:]|[-+*/^<>%]\s*|\d\s*=\s*|\d\s?[A-Za-z%]+\s+|\d\s+|\d\s?\S+\s(?:in|by|per|over)\s"
    r"|\b(?:mod|modulo|sqrt|log|ln|sin|cos|tan|root of|max|min|sum of|product of)\s*\(?)$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*(?:[<>^!²³*+/=≈|&]|-\s?[\d(]|,\d|\((?=\d)|(?:or|to|and\sa\shalf)\s"
    r"|(?:[a-z]+\s)?(?:more|less|fewer|higher|lower|bigger|greater|larger|smaller|times|too|short"
    r"|above|below|away|off|longer|shorter|earlier|later|ahead|behind|ago|old|points?|mod)\b)",
    re.IGNORECASE,
)
_END = re.compile(r"\s*(?:[.,;:)!]|$)|\s(?:and|so|in\stotal)\b")
_SIGNS = {"x": "*", "^": "**"}


@dataclass(frozen=True, slots=True)
class Token:
    """A quantity, an operator, a bracket or a relation, with its text.

    `tight` marks an operator without space around it.
    """

    kind: str
    text: str
    quantity: Quantity | None = None
    about: bool = False
    tight: bool = False


def equation_rows(text: str) -> Iterator[list[Token]]:
    """Yield the longest runs of tokens that may be equations.

    An end token follows a run after which a sentence or clause ends.
    """
    at = 0
    while found := QUANTITY.search(text, at):
        start = _opening(text, found.start())
        run, end = _read_run(text, start)
        if any(each.kind == "relation" for each in run):
            before = _BEFORE.search(text[:start])
            if not before and not _AFTER.match(text, end):
                yield [*run, Token("end", "")] if _END.match(text, end) else run
        at = max(end, found.end())


def _opening(text: str, start: int) -> int:
    """Return the position of the brackets and sign directly before a number."""
    while start and (text[start - 1] == "(" or (text[start - 1] == "-" and _is_sign(text, start))):
        start -= 1
    return start


def _is_sign(text: str, start: int) -> bool:
    return start == 1 or text[start - 2] in " ("


def _read_run(text: str, at: int) -> tuple[list[Token], int]:
    """Return the run of tokens from a position, and the position after it."""
    run: list[Token] = []
    starts: list[int] = []
    depth = 0
    while len(run) < MOST_TOKENS:
        wants_value = not run or run[-1].kind in ("operator", "relation", "open")
        if wants_value:
            token, end = _value_token(text, at)
            depth += token is not None and token.kind == "open"
        else:
            token, end = _joint_token(text, at)
            if token and token.kind == "close":
                depth -= 1
                if depth < 0:
                    break
        if token is None:
            break
        run.append(token)
        starts.append(at)
        at = end
    if run and run[-1].text == "is":  # as in `1,250 - 375 = 875 are left`
        run, at = run[:-1], starts[-1]
    return ([], at) if not run or run[-1].kind in ("operator", "relation", "open") else (run, at)


def _value_token(text: str, at: int) -> tuple[Token | None, int]:
    if at < len(text) and text[at] == "(":
        return Token("open", "("), at + 1
    if at < len(text) and text[at] == "-":
        return Token("operator", "-"), at + 1
    found = QUANTITY.match(text, at)
    quantity = read_quantity(found) if found else None
    if found is None or quantity is None:
        return None, at
    end = found.end()
    while following := re.compile(r"\s(?=\d)").match(text, end):
        part = QUANTITY.match(text, following.end())
        more = read_quantity(part) if part else None
        joined = _joined(quantity, more) if more else None
        if part is None or joined is None:
            return None, at
        quantity, end = joined, part.end()
    noun = _NOUN.match(text, end)
    if noun and not _RESERVED.intersection(noun["noun"].lower().split()):
        end = noun.end()
    return Token("value", text[at:end].strip(), quantity), end


def _joined(first: Quantity, second: Quantity) -> Quantity | None:
    """Merge `1 h 15 min` into one quantity in the smaller unit; None for separate numbers."""
    if not (first.unit and second.unit) or first.over or second.over:
        return None
    if first.unit.dimensions != second.unit.dimensions or first.unit.factor <= second.unit.factor:
        return None
    number = first.number * first.unit.factor / second.unit.factor + second.number
    return replace(second, number=number)


def _joint_token(text: str, at: int) -> tuple[Token | None, int]:
    if found := re.compile(r"\s*\)").match(text, at):
        return Token("close", ")"), found.end()
    if found := _SIGN.match(text, at) or _WORD.match(text, at):
        sign = found.groupdict().get("sign")
        about = sign not in (None, "=", "==")
        end = found.end()
        while more := _MORE.match(text, end):
            about, end = about or bool(more["about"]), more.end()
        return Token("relation", sign or "is", about=about), end
    if found := _OPERATOR.match(text, at):
        written = found["operator"]
        sign = _SIGNS.get(written, written)
        return Token("operator", sign, tight=found.group() == written), found.end()
    return None, at
