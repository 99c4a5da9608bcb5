"""Letters that look like others or like nothing: what they hide, and that they are there.

Unicode Technical Standard 39 (mixed scripts, confusables), of which the pairs that imitate Latin
are listed here; Boucher et al. 2022 (Bad Characters); Goodside 2024 (tag characters). Directional
overrides and tag characters are taken out when a text is stored, see `text/hidden_characters.py`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import groupby

# A line break within a sentence, signs between words instead of blanks, accents that belong to no
# word: a reader sees through them, a pattern does not. Each form is made in time linear in the text.

LETTER = r"[^\W\d_]"
SIGN = r"[_.+~*=|/\\•·\-\u2010-\u2015]"
JOINED = re.compile(
    rf"{SIGN}(?<={LETTER}{SIGN}){SIGN}{{0,2}}{LETTER}{{1,30}}(?:{SIGN}{{1,3}}{LETTER}{{1,30}}){{2,99}}"
)
"""Four words or more with signs for blanks, after the first; up to three are a name."""

PUNCTUATION = re.compile(f"{SIGN}{{1,3}}")
UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"
WITHIN = re.compile(f"({UNSPACED})[ \n](?={UNSPACED})")
"""A blank in scripts that need none: there a line breaks within a word."""

MARK = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]"
ACCENT = re.compile(f"{MARK}(?<=[a-z]{MARK}){MARK}{{0,30}}")
"""Marks on a Latin letter, in a text whose letters are decomposed."""


@dataclass(frozen=True, slots=True)
class TextForms:
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


def normalized_forms(text: str) -> TextForms:
    """Return the forms of a text without case and without hidden characters."""
    broken = text.splitlines()
    prose = joined_lines(broken)
    if not prose.isascii():
        prose = WITHIN.sub(r"\1", prose.replace("\u2019", "'").replace("\u2018", "'"))
    apart = JOINED.sub(lambda run: PUNCTUATION.sub(" ", run.group()), prose)
    both = (prose,) if apart == prose else (prose, apart)
    return TextForms("\n".join(broken), both, strip_accents(apart))


def joined_lines(lines: list[str]) -> str:
    """Return lines as paragraphs of one line each: only a blank line ends one."""
    if len(lines) == 1:
        return " ".join(lines[0].split())
    words = (" ".join(line.split()) for line in lines)
    return "\n".join(" ".join(group) for told, group in groupby(words, bool) if told)


def strip_accents(text: str) -> str | None:
    """Return a text, decomposed, whose Latin letters have no accents; None where none has any."""
    if text.isascii():
        return None
    bare, count = ACCENT.subn("", unicodedata.normalize("NFD", text))
    return bare if count else None


INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e01ef]"
)
"""What is left out before a text is read; joiners and marks too, which rules do not need."""

HIDDEN_SIGNS = re.compile(r"([^\w\s!-~]{30})[^\w\s!-~]+")
"""More in a row than are read (UAX 15, Stream-Safe): to sort marks takes their square in time."""

WITHIN_A_WORD = re.compile(
    "[a-z\u00c0-\u052f][\u00ad\u200b\u200e\u200f\u2060\ufeff]+[a-z\u00c0-\u052f]", re.I
)
"""An invisible character between letters of scripts that need none there."""

RUN = re.compile("[\u200b-\u200f\u2060\ufeff]{4}")
"""Several in a row: nothing that is written needs them."""

NEVER = re.compile(
    "[\u115f\u1160\u202a-\u202e\u2061-\u206f\u3164\uffa0\U000e0000-\U000e007f]"
    "|(?<![\u3400-\u9fff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
"""Fillers, invisible operators, overrides, tags, and selectors that follow no Han character."""

STYLED = re.compile("[\U0001d400-\U0001d7ff]")
WIDE = re.compile("[\uff21-\uff3a\uff41-\uff5a]")
EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
LEAST_STYLED = 8
WORD = re.compile(r"[^\W\d_]{3,}")
LATIN = re.compile("[a-zA-Z]")
ALIKE = str.maketrans(
    "асеорхуіјѕԁһԛԝАСЕОРХУІЈЅТНКМВоαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdhqwACEOPXYIJSTHKMBoaeiknoptuxABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""

FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
LOOKS_LATIN = re.compile(f"[{''.join(map(chr, ALIKE))}]")
HIDES, IMITATES, STYLES = (
    "holds characters that nobody sees",
    "holds letters that imitate others",
    "is written in letters of another kind",
)


def disguised_letters(text: str) -> dict[str, float]:
    """Return what is suspicious about the letters of a text, each with its weight."""
    if text.isascii():
        return {}
    text = FLAG.sub("", text)
    found = {}
    if NEVER.search(text) or RUN.search(text):
        found[HIDES] = 0.8
    elif WITHIN_A_WORD.search(text):
        found[HIDES] = 0.6
    if any(mixes_scripts(word) for word in WORD.findall(text)):
        found[IMITATES] = 0.8
    wide = () if EAST_ASIAN.search(text) else WIDE.findall(text)
    if len(STYLED.findall(text)) + len(wide) >= LEAST_STYLED:
        found[STYLES] = 0.6
    return found


def plain_letters(text: str) -> str:
    """Return a text as it is read: without what nobody sees, each letter as what it looks like."""
    if text.isascii():
        return text
    visible = unicodedata.normalize("NFKC", HIDDEN_SIGNS.sub(r"\1", INVISIBLE.sub("", text)))
    return WORD.sub(lambda word: _as_seen(word.group()), visible)


def mixes_scripts(word: str) -> bool:
    """Tell whether a word joins Latin letters with others that look like Latin ones."""
    return bool(not word.isascii() and LATIN.search(word) and LOOKS_LATIN.search(word))


def _as_seen(word: str) -> str:
    return word.translate(ALIKE) if mixes_scripts(word) else word
