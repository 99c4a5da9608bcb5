"""Removes invisible characters that can mislead a reader."""

import re

HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Bidirectional embeddings, overrides and isolates, and tag characters (UAX 9; Unicode 23.9).

Joiners, marks and variation selectors are part of words and emoji, so they are retained.
"""

FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
"""A regional flag, a black flag followed by tag characters: visible, so retained."""


def remove_hidden(text: str) -> tuple[str, int]:
    """Return `text` without hidden characters, and the number removed."""
    if text.isascii():
        return text, 0
    kept: list[str] = []
    removed = start = 0
    for flag in FLAG.finditer(text):
        part, count = HIDDEN.subn("", text[start : flag.start()])
        kept += [part, flag.group()]
        removed += count
        start = flag.end()
    part, count = HIDDEN.subn("", text[start:])
    return "".join([*kept, part]), removed + count
