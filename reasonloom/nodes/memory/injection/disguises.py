"""Sees through disguised text: layout, accents, look-alike letters and invisible characters.

Unicode Technical Standard 39 (mixed scripts, confusables), of which only the pairs that imitate
Latin are listed; Boucher et al. 2022 (Bad Characters); Goodside 2024 (tag characters). Directional
overrides and tag characters are removed when a text is stored, see `text/hidden_characters.py`.
All of it takes time linear in the text.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import groupby

LETTER = r"[^\W\d_]"
SIGN = r"[_.+~*=|/\\•·\-\u2010-\u2015]"
JOINED = re.compile(
    rf"{SIGN}(?<={LETTER}{SIGN}){SIGN}{{0,2}}{LETTER}{{1,30}}(?:{SIGN}{{1,3}}{LETTER}{{1,30}}){{2,99}}"
)
"""The rest of four or more words joined by signs instead of spaces; up to three are a name."""

PUNCTUATION = re.compile(f"{SIGN}{{1,3}}")
UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"
WITHIN = re.compile(f"({UNSPACED})[ \n](?={UNSPACED})")
"""A space in scripts that need none, where lines break within words."""

MARK = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]"
ACCENT = re.compile(f"{MARK}(?<=[a-z]{MARK}){MARK}{{0,30}}")
"""Marks on a Latin letter in decomposed text."""


@dataclass(frozen=True, slots=True)
class TextForms:
    """The forms of a case-folded text in which rules search.

    Attributes:
        lines: with line feeds for all line breaks, for what begins a line.
        prose: each paragraph on one line with single spaces; then, if words are joined by signs,
            the same with spaces between them.
        bare: the last of those without accents, if it has any. Other languages tell words apart by
            accents ("ignoré", "ignore"), so this form is for English alone.
    """

    lines: str
    prose: tuple[str, ...]
    bare: str | None

    @property
    def plainest(self) -> str:
        """The form with the fewest disguises."""
        return self.bare or self.prose[-1]


def normalized_forms(text: str) -> TextForms:
    """Return the forms of a text that is case-folded and without hidden characters."""
    lines = text.splitlines()
    prose = joined_lines(lines)
    if not prose.isascii():
        prose = WITHIN.sub(r"\1", prose.replace("\u2019", "'").replace("\u2018", "'"))
    spaced = JOINED.sub(lambda run: PUNCTUATION.sub(" ", run.group()), prose)
    both = (prose,) if spaced == prose else (prose, spaced)
    return TextForms("\n".join(lines), both, strip_accents(spaced))


def joined_lines(lines: list[str]) -> str:
    """Return paragraphs of one line each; a blank line separates them."""
    if len(lines) == 1:
        return " ".join(lines[0].split())
    words = (" ".join(line.split()) for line in lines)
    return "\n".join(" ".join(group) for has_words, group in groupby(words, bool) if has_words)


def strip_accents(text: str) -> str | None:
    """Return a text, decomposed, without accents on Latin letters; None if it has none."""
    if text.isascii():
        return None
    bare, count = ACCENT.subn("", unicodedata.normalize("NFD", text))
    return bare if count else None


INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e01ef]"
)
"""Characters that are dropped before scanning, with joiners and marks, which rules do not need."""

HIDDEN_SIGNS = re.compile(r"([^\w\s!-~]{30})[^\w\s!-~]+")
"""More signs in a row than are kept (UAX 15, Stream-Safe): sorting marks takes quadratic time."""

WITHIN_A_WORD = re.compile(
    "[a-z\u00c0-\u052f][\u00ad\u200b\u200e\u200f\u2060\ufeff]+[a-z\u00c0-\u052f]", re.I
)
"""An invisible character between letters of scripts that never need one there."""

RUN = re.compile("[\u200b-\u200f\u2060\ufeff]{4}")
"""Several in a row, which no writing needs."""

NEVER = re.compile(
    "[\u115f\u1160\u202a-\u202e\u2061-\u206f\u3164\uffa0\U000e0000-\U000e007f]"
    "|(?<![\u3400-\u9fff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
"""Fillers, invisible operators, overrides, tags, and selectors not after a Han character."""

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
    """Return what is suspicious about a text's letters, with weights."""
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
    """Return a text as a reader sees it: invisible characters removed, look-alikes replaced."""
    if text.isascii():
        return text
    visible = unicodedata.normalize("NFKC", HIDDEN_SIGNS.sub(r"\1", INVISIBLE.sub("", text)))
    return WORD.sub(
        lambda word: word[0].translate(ALIKE) if mixes_scripts(word[0]) else word[0], visible
    )


def mixes_scripts(word: str) -> bool:
    """Return whether a word has Latin letters and others that look like Latin ones."""
    return bool(not word.isascii() and LATIN.search(word) and LOOKS_LATIN.search(word))
