"""How the text of a prompt differs, line by line and, in lines that changed, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

AROUND = 3
"""Lines around a change that are shown with it."""

WORDS = re.compile(r"\w+|\s+|[^\w\s]")
LONGEST = 2_000
"""Characters of a line that is still compared word by word."""

ALIKE = 0.4
"""Share of words in common from which on one line is an edit of another."""

Pieces = Sequence[tuple[bool, str]]
"""Parts of a line, each with whether it is what changed."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line that stayed (`same`), went (`gone`) or came (`new`), or a `gap` between them."""

    kind: str
    pieces: Pieces = ()


def wording(base: dict[str, Any], run: dict[str, Any], name: str) -> list[Line]:
    """Return how a prompt's text differs between the heads of two runs."""
    before, after = (_text(head, name).splitlines() for head in (base, run))
    found: list[Line] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(AROUND):
        if found:
            found.append(Line("gap"))
        for kind, start, end, new_start, new_end in group:
            gone, new = before[start:end], after[new_start:new_end]
            found += (
                [_whole("same", each) for each in gone] if kind == "equal" else _edit(gone, new)
            )
    return found


def _text(head: dict[str, Any], name: str) -> str:
    return str(head.get("texts", {}).get(head.get("prompts", {}).get(name, {}).get("hash"), ""))


def _whole(kind: str, line: str) -> Line:
    return Line(kind, ((False, line),))


def _edit(gone: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    """Yield lines that went and came; the n-th of both are taken for edits of each other."""
    pairs = [_words(one, two) for one, two in zip(gone, new, strict=False)]
    yield from (Line("gone", one) for one, _ in pairs)
    yield from (_whole("gone", each) for each in gone[len(pairs) :])
    yield from (Line("new", two) for _, two in pairs)
    yield from (_whole("new", each) for each in new[len(pairs) :])


def _words(one: str, two: str) -> tuple[Pieces, Pieces]:
    """Return both lines in pieces, with the words that differ told apart."""
    before, after = WORDS.findall(one), WORDS.findall(two)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if max(len(one), len(two)) > LONGEST or matcher.ratio() < ALIKE:
        return ((False, one),), ((False, two),)
    codes = matcher.get_opcodes()
    return (
        [(kind != "equal", "".join(before[a:b])) for kind, a, b, _, _ in codes if b > a],
        [(kind != "equal", "".join(after[c:d])) for kind, _, _, c, d in codes if d > c],
    )
