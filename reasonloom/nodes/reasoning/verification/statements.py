"""Check the verifiable statements of a text: calculations, units, dates and times.

Quotes, negations, suppositions and questions are not checked, nor is anything ambiguous: a false
alarm costs another model call.
"""

import re
from dataclasses import dataclass
from itertools import islice

from reasonloom.nodes.reasoning.verification.dates import check_dates
from reasonloom.nodes.reasoning.verification.equations import check_equations
from reasonloom.text.calculations import SPELLINGS
from reasonloom.text.contradiction import CODE
from reasonloom.text.sentences import sentences_in

MOST_CHARACTERS, MOST_SENTENCES, MOST_CHECKS = 20_000, 300, 200

_SIGNS = str.maketrans(
    {each: meant for each, meant in SPELLINGS.items() if meant in ("*", "/", "-")} | {"⋅": "*"}
)
_BULLET = re.compile(r"^(?:[-*\u2022]|\d+[.)])\s+")
_QUOTED = re.compile(r'"[^"\n]*"|\u201c[^\u201d\n]*\u201d|\u00ab[^\u00bb\n]*\u00bb')
_UNSURE = re.compile(
    r"\b(?:not|never|neither|nor|wrong(?:ly)?|incorrect(?:ly)?|false|untrue|mistake[ns]?"
    r"|if|suppose|assum(?:e|ing)|imagine|unless|rather than|claim(?:s|ed)?|says?|said|wrote|writes"
    r"|according to|binary|hex(?:adecimal)?|octal|mod(?:ulo)?|should be"
    r"|(?:business|working|work|trading) days?)\b|n['\u2019]t\b|\?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked statement: its sentence, whether it holds, and the correct statement."""

    sentence: str
    holds: bool
    correct: str


def check_statements(text: str) -> list[Checked]:
    """Return the verifiable statements of a text, in order."""
    unquoted = _QUOTED.sub(" … ", CODE.sub("\n", text[:MOST_CHARACTERS]))
    found: list[Checked] = []
    for sentence in islice(sentences_in(unquoted), MOST_SENTENCES):
        if not any(map(str.isdigit, sentence)) or _UNSURE.search(sentence):
            continue
        plain = _BULLET.sub("", sentence).translate(_SIGNS)
        for verdict, correct in (*check_equations(plain), *check_dates(plain)):
            if verdict is not None:
                found.append(Checked(sentence, verdict, correct))
    return found[:MOST_CHECKS]
