"""The forms in which a text is searched, so that how it is set hides nothing of what it says.

A line break within a sentence, signs between words instead of blanks, accents that belong to no
word: a reader sees through them, a pattern does not. Each form is made in time linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import groupby

LETTER = r"[^\W\d_]"
SIGN = r"[_.+~*=|/\\•·\-\u2010-\u2015]"
JOINED = re.compile(
    rf"{SIGN}(?<={LETTER}{SIGN}){SIGN}{{0,2}}{LETTER}{{1,30}}(?:{SIGN}{{1,3}}{LETTER}{{1,30}}){{2,99}}"
)
"""Four words or more with signs for blanks, after the first; up to three are a name."""

SIGNS = re.compile(f"{SIGN}{{1,3}}")
UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"
WITHIN = re.compile(f"({UNSPACED})[ \n](?={UNSPACED})")
"""A blank in scripts that need none: there a line breaks within a word."""

MARK = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]"
ACCENT = re.compile(f"{MARK}(?<=[a-z]{MARK}){MARK}{{0,30}}")
"""Marks on a Latin letter, in a text whose letters are decomposed."""


@dataclass(frozen=True, slots=True)
class Forms:
    """A text without case as its rules search it.

    Attributes:
        lines: as it is, every kind of line break as one; for what stands at the beginning of one.
        prose: each paragraph in one line, words a blank apart; then, where words are joined, the
            same with blanks between them.
        bare: the last of those without accents, where it has any. In languages that have them a
            word without is another ("ignoré", "ignore"), so that it is for English alone.
    """

    lines: str
    prose: tuple[str, ...]
    bare: str | None

    @property
    def plainest(self) -> str:
        """The form whose words hide least."""
        return self.bare or self.prose[-1]


def forms(text: str) -> Forms:
    """Return the forms of a text without case and without hidden characters."""
    broken = text.splitlines()
    prose = flowing(broken)
    if not prose.isascii():
        prose = WITHIN.sub(r"\1", prose.replace("\u2019", "'").replace("\u2018", "'"))
    apart = JOINED.sub(lambda run: SIGNS.sub(" ", run.group()), prose)
    both = (prose,) if apart == prose else (prose, apart)
    return Forms("\n".join(broken), both, unaccented(apart))


def flowing(lines: list[str]) -> str:
    """Return lines as paragraphs of one line each: only a blank line ends one."""
    if len(lines) == 1:
        return " ".join(lines[0].split())
    words = (" ".join(line.split()) for line in lines)
    return "\n".join(" ".join(group) for told, group in groupby(words, bool) if told)


def unaccented(text: str) -> str | None:
    """Return a text, decomposed, whose Latin letters have no accents; None where none has any."""
    if text.isascii():
        return None
    bare, count = ACCENT.subn("", unicodedata.normalize("NFD", text))
    return bare if count else None
