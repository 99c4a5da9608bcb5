"""Rewrite verbal calculations with symbols: `17 times 23 is 391` becomes `17 * 23 is 391`."""

import re
from collections.abc import Callable

from reasonloom.nodes.reasoning.verification.quantities import QUANTITY

_Q = re.sub(r"\(\?P<\w+>", "(?:", QUANTITY.pattern)
_FRACTIONS = {"half": "1 / 2", "a third": "1 / 3", "a quarter": "1 / 4", "two thirds": "2 / 3",
              "three quarters": "3 / 4"}  # fmt: skip
_TO = r"(?:is|was|are|would\sbe|means|equals|makes)\s(?:an?\s)?"
_RISE = r"(?:increase|rise|growth|gain|jump)"
_FALL = r"(?:drop|decrease|decline|reduction|fall|cut|saving)"
_CHANGE = rf"\b(?:from|going\sfrom)\s(?P<a>{_Q})\sto\s(?P<b>{_Q})\s{_TO}"
_OF = r"\s+of\s+(?:the\s|all\s|these\s|our\s|its\s)?"
_PERCENT = r"\s?(?:%|percent|per\scent)"

_Change = str | Callable[[re.Match[str]], str]


def _sum(found: re.Match[str]) -> str:
    terms = re.findall(_Q, found["terms"])
    total = f"({' + '.join(terms)})"
    return total if found["what"] in ("sum", "total") else f"({total} / {len(terms)})"


def _change(*, rises: bool) -> Callable[[re.Match[str]], str]:
    def reworded(found: re.Match[str]) -> str:
        first, second = found["a"], found["b"]
        more, less = (second, first) if rises else (first, second)
        return f"(({more} - {less}) / {first}) = {found['p']}"

    return reworded


FORMS: tuple[tuple[re.Pattern[str], _Change], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), change)
    for pattern, change in (
        (r"```.*?(?:```|$)", " … "),
        (r"\\times|\\cdot", "*"),
        (r"\\div", "/"),
        (r"\\approx", "≈"),
        (r"\\[()\[\]]|`", " "),
        (r"(\d|\))\s?\*\*\s?(?=\d|\()", r"\1^"),
        (r"\*\*|__", ""),
        (r"(?<=[\d)])²", "^2"),
        (r"(?<=[\d)])³", "^3"),
        (
            rf"\b(?:the\s)?(?P<what>sum|total|average|mean)\sof\s"
            rf"(?P<terms>(?:{_Q},\s){{0,20}}{_Q},?\sand\s{_Q})",
            _sum,
        ),
        (rf"{_CHANGE}{_RISE}\sof\s(?P<p>\d[\d.]*{_PERCENT})", _change(rises=True)),
        (rf"{_CHANGE}(?P<p>\d[\d.]*{_PERCENT})\s{_RISE}", _change(rises=True)),
        (rf"{_CHANGE}{_FALL}\sof\s(?P<p>\d[\d.]*{_PERCENT})", _change(rises=False)),
        (rf"{_CHANGE}(?P<p>\d[\d.]*{_PERCENT})\s{_FALL}", _change(rises=False)),
        (rf"(?P<p>\d[\d.]*{_PERCENT})\soff\s(?P<q>{_Q})", r"(\g<q> * (1 - \g<p>))"),
        (rf"(?P<p>(?<![\d.,])\d[\d.]*{_PERCENT}){_OF}(?=[$€£\d])", r"\g<p> * "),
        (rf"(?<![\d.,/])(?P<p>\d{{1,3}})/(?P<q>\d{{1,3}}){_OF}(?=[$€£\d])", r"(\g<p> / \g<q>) * "),
        (
            rf"(?P<p>\b(?:{'|'.join(_FRACTIONS)})){_OF}(?=[$€£\d])",
            lambda found: f"({_FRACTIONS[found['p'].lower()]}) * ",
        ),
        (r"\b(?:twice|double)\s(?=[$€£\d])", "2 * "),
        (rf"(?P<a>{_Q})\s(?:[a-z]+\s)?out\sof\s(?:the\s)?(?=\d)", r"\g<a> / "),
        (
            rf"(?P<a>{_Q}){_OF}(?=\d\d)(?P<b>{_Q})(?P<n>(?:\s[a-z]+)?)"
            rf"(?=\s(?:is|are|equals?|makes?)\s(?:about\s|roughly\s)?[\d.]+{_PERCENT}\s*(?:[.,;:)!]|$))",
            r"\g<a> / \g<b>",
        ),
        (r"(?<=[\w%)])\s(?:times|multiplied\sby)\s(?=[$€£(\d])", " * "),
        (r"(?<=[\w%)])\splus\s(?=[$€£(\d])", " + "),
        (r"(?<=[\w%)])\sminus\s(?=[$€£(\d])", " - "),
        (r"(?<=[\w%)])\sdivided\sby\s(?=[$€£(\d])", " / "),
        (r"(?<=[\d)])\ssquared\b", "^2"),
        (r"(?<=[\d)])\scubed\b", "^3"),
        (r"(?<=\d)\sto\sthe\spower\sof\s(?=\d)", "^"),
        (rf"\b(?:the\s)?square\sroot\sof\s(?P<q>{_Q})", r"(\g<q>^(1/2))"),
        (
            r"(?<=\d)(?P<n>(?:\s[a-z]+){1,2})\s(?:at|@|à)\s(?=[$€£]|\d[\d.,]*\s?(?:EUR|USD|€))",
            " * ",
        ),
    )
)
"""Replacements for each form, in the order in which they are applied."""


def with_signs(sentence: str) -> str:
    """Rewrite the verbal calculations of a sentence with symbols."""
    for form, change in FORMS:
        sentence = form.sub(change, sentence)
    return sentence
