"""Normalises disguised text: layout, accents, look-alike letters and invisible characters.

Sources: Unicode Technical Standard 39 (mixed scripts, confusables; only the pairs that imitate
Latin letters are listed); Boucher et al. 2022 (Bad Characters); Goodside 2024 (tag characters).
Directional overrides and tag characters are removed when a text is stored, see
`text/hidden_characters.py`. Everything here runs in time linear in the text.
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
"""All but the first of four or more words joined by signs; up to three may be an identifier."""

PUNCTUATION = re.compile(f"{SIGN}{{1,3}}")
UNSPACED = "[\u3040-\u30ff\u3400-\u9fff]"
WITHIN = re.compile(f"({UNSPACED})[ \n](?={UNSPACED})")
"""Whitespace in scripts without spaces, caused by line breaks within words."""

MARK = "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0]"
ACCENT = re.compile(f"{MARK}(?<=[a-z]{MARK}){MARK}{{0,30}}")
"""Combining marks on a Latin letter in decomposed text."""


@dataclass(frozen=True, slots=True)
class TextForms:
    """The forms of a case-folded text that rules search.

    Attributes:
        lines: with line feeds for all line breaks, for patterns at the beginning of a line.
        prose: each paragraph on one line with single spaces; if words are joined by signs, also
            the same with spaces between them.
        bare: the last of `prose` without accents, if it has any. In other languages accents
            distinguish words ("ignoré", "ignore"), so only English patterns search this form.
    """

    lines: str
    prose: tuple[str, ...]
    bare: str | None

    @property
    def plainest(self) -> str:
        """The form with the fewest disguises."""
        return self.bare or self.prose[-1]


def normalized_forms(text: str) -> TextForms:
    """Return the forms of a case-folded text without hidden characters."""
    lines = text.splitlines()
    prose = joined_lines(lines)
    if not prose.isascii():
        prose = WITHIN.sub(r"\1", prose.replace("\u2019", "'").replace("\u2018", "'"))
    spaced = JOINED.sub(lambda run: PUNCTUATION.sub(" ", run.group()), prose)
    both = (prose,) if spaced == prose else (prose, spaced)
    return TextForms("\n".join(lines), both, strip_accents(spaced))


def joined_lines(lines: list[str]) -> str:
    """Join the lines of each paragraph, where blank lines separate paragraphs."""
    if len(lines) == 1:
        return " ".join(lines[0].split())
    words = (" ".join(line.split()) for line in lines)
    return "\n".join(" ".join(group) for has_words, group in groupby(words, bool) if has_words)


def strip_accents(text: str) -> str | None:
    """Return the decomposed text without accents on Latin letters; None if it has none."""
    if text.isascii():
        return None
    bare, count = ACCENT.subn("", unicodedata.normalize("NFD", text))
    return bare if count else None


INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\U000e0000-\U000e01ef]"
)
"""Characters dropped before scanning, including joiners and marks that rules do not need."""

HIDDEN_SIGNS = re.compile(r"([^\w\s!-~]{30})[^\w\s!-~]+")
"""Signs beyond 30 in a row, dropped as in UAX 15 (Stream-Safe): sorting marks is quadratic."""

WITHIN_A_WORD = re.compile(
    "[a-z\u00c0-\u052f][\u00ad\u200b\u200e\u200f\u2060\ufeff]+[a-z\u00c0-\u052f]", re.I
)
"""Invisible characters between letters of scripts that never need them there."""

RUN = re.compile("[\u200b-\u200f\u2060\ufeff]{4}")
"""Several invisible characters in a row, which no script needs."""

NEVER = re.compile(
    "[\u115f\u1160\u202a-\u202e\u2061-\u206f\u3164\uffa0\U000e0000-\U000e007f]"
    "|(?<![\u3400-\u9fff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
)
"""Fillers, invisible operators, overrides, tags, and variation selectors not after Han."""

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
    """Return the reasons to suspect a text by its letters, with weights."""
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
