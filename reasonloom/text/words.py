"""Splits text into keywords, and defines stop words."""

import re
import unicodedata
from functools import lru_cache

ENGLISH_STOP_WORDS = frozenset(
    (  # noqa: SIM905 - reads better
        "about after again also and any are because been before being but can could did does doing "
        "down each for from further had has have her here him his how into its itself just may "
        "more most must not now off once only other our out over own same shall she should some "
        "such than that the their them then there these they this those through too under until "
        "use used very was were what when where which while who whom whose why will with would "
        "you your"
    ).split()
)
GERMAN_STOP_WORDS = frozenset(
    (  # noqa: SIM905 - reads better
        "aber als auch auf aus bei beim bin bist dann darf dass daß dem den der des die das dies "
        "diese diesem diesen dieser dieses doch dort durch dürfen ein eine einem einen einer eines "
        "etwa für gegen haben hat hatte hatten hier ich ihm ihn ihr ihre immer ist kann können man "
        "mehr mit muss muß müssen nach noch nur oder ohne schon sehr sein seine sich sie sind soll "
        "sollen sollte über und uns unter vom von vor war waren weil wenn werden wie wir wird "
        "wurde wurden zum zur"
    ).split()
)
_SHORT = 2
_LONG = 40
"""Words of this length or longer are not cached, as they are many and would use much memory."""

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)


def words_in(text: str) -> list[str]:
    """Return the case-folded keywords of `text` in order, with repeats.

    Scripts without spaces yield pairs of neighbouring characters. Words of one or two letters and
    English stop words are dropped unless nothing else remains.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    found = [_read(word) for word in _WORD.findall(folded)]
    return [word for _, keywords in found for word in keywords] or [
        part for parts, _ in found for part in parts
    ]


def _read(word: str) -> tuple[list[str], list[str]]:
    """Return the parts of a run of word characters, and those parts that are keywords."""
    return _read_short(word) if len(word) < _LONG else _read_anew(word)


def _read_anew(word: str) -> tuple[list[str], list[str]]:
    parts = _parts(word)
    return parts, [part for part in parts if _is_keyword(part)]


_read_short = lru_cache(16_384)(_read_anew)


def _parts(word: str) -> list[str]:
    """Split a run at script borders; stretches without spaces become character pairs."""
    parts: list[str] = [rest for rest in _UNSPACED.split(word) if rest]
    for run in _UNSPACED.findall(word):
        parts += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return parts


def _is_keyword(word: str) -> bool:
    if _UNSPACED.match(word) or any(c.isdigit() for c in word):
        return True
    return len(word) > _SHORT and word not in ENGLISH_STOP_WORDS
