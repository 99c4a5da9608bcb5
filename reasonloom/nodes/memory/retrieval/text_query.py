"""Parses full-text queries, accepting any text, and highlights matches.

    query   = and-list { OR and-list }
    and-list = { [AND] [NOT] operand }        adjacent words must all match
    operand = word | "a phrase" | ( query )

Operators are the words AND, OR, NOT in capitals; and, or, not are ordinary words.
Malformed text is interpreted as its most likely meaning:

- an operator without an operand is dropped: `AND AND (`, `tea AND`, `NOT`;
- an unclosed parenthesis is closed at the end of the query; an unopened one and an empty pair are
  dropped;
- an unclosed quotation mark turns the rest into a phrase; typographic marks count too;
- `NOT NOT x` is `x`; `NOT x` alone matches everything without x;
- text beyond 64 terms or 10,000 characters is ignored, which `cut` reports.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from reasonloom.stores.memory.search.fulltext_query import (
    MARK,
    UNMARK,
    AllOf,
    AnyOf,
    Not,
    Term,
    Tree,
)
from reasonloom.text.search_terms import UNSPACED

MOST_TERMS = 64
LONGEST_QUERY = 10_000
TOKEN = re.compile(r'["“”„](?P<phrase>[^"“”„]*)["“”„]?|(?P<mark>[()])|(?P<word>[^\s()"“”„]+)')


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The tree of a query, None if it has no terms, and whether the text was cut."""

    tree: Tree | None
    cut: bool


@dataclass(slots=True)
class _Group:
    """The operands parsed so far in one parenthesised group."""

    alternatives: list[list[Tree]] = field(default_factory=lambda: [[]])
    negated: bool = False

    def add(self, operand: Tree | None) -> None:
        if operand is not None:
            self.alternatives[-1].append(_negation(operand) if self.negated else operand)
        self.negated = False

    def end_alternative(self) -> None:
        self.alternatives.append([])
        self.negated = False

    def tree(self) -> Tree | None:
        found = [_combine(AllOf, parts) for parts in self.alternatives if parts]
        return _combine(AnyOf, found) if found else None


def parse_query(text: str) -> ParsedQuery:
    """Parse a query; an explicit stack allows any nesting depth."""
    open_groups = [_Group()]
    number = 0
    for token in TOKEN.finditer(text[:LONGEST_QUERY]):
        group = open_groups[-1]
        match token["word"] or token["mark"]:
            case "AND":
                group.negated = False
            case "OR":
                group.end_alternative()
            case "NOT":
                group.negated = not group.negated
            case "(":
                open_groups.append(_Group())
            case ")":
                _close(open_groups)
            case _ if number == MOST_TERMS:
                return ParsedQuery(_close_all(open_groups), cut=True)
            case word:
                number += 1
                group.add(_term(word if word is not None else token["phrase"]))
    return ParsedQuery(_close_all(open_groups), cut=len(text) > LONGEST_QUERY)


def _close(groups: list[_Group]) -> None:
    if len(groups) > 1:
        closed = groups.pop().tree()
        groups[-1].add(closed)


def _close_all(groups: list[_Group]) -> Tree | None:
    while len(groups) > 1:
        _close(groups)
    return groups[0].tree()


def _combine(kind: type[AllOf | AnyOf], parts: list[Tree]) -> Tree:
    return kind(tuple(parts)) if len(parts) > 1 else parts[0]


def _negation(tree: Tree) -> Tree:
    return tree.part if isinstance(tree, Not) else Not(tree)


def _term(text: str) -> Term | None:
    written = text.strip()
    return Term(written, spelled=_is_spelled(written)) if written else None


def _is_spelled(text: str) -> bool:
    """Return whether a term is in a script without spaces or consists of symbols such as emoji."""
    if UNSPACED.search(text):
        return True
    symbols = any(unicodedata.category(character) == "So" for character in text)
    return symbols and not any(map(str.isalnum, text))


WHOLE = 400
"""Maximum length, in characters, of a content shown whole instead of as excerpts."""
EXCERPT = 200
BEFORE = 60
"""Characters of context before the first match of an excerpt."""
MOST_EXCERPTS = 3
MARKED = re.compile(f"{MARK}|{UNMARK}")
BETWEEN = re.compile(r"\s+|[^\s\w]{1,2}")
Span = tuple[int, int]


def highlight(marked: str, spelled: Sequence[str]) -> str:
    """Return a content with <b> around its matches: the marked words and the `spelled` terms.

    A long content is reduced to at most three excerpts of about 200 characters, joined by
    ellipses, or to its beginning if nothing matches. HTML in the content is not escaped.
    """
    content, spans = _strip_marks(marked)
    if spelled:
        letters = re.compile("|".join(map(re.escape, spelled)), re.IGNORECASE)
        spans += [match.span() for match in letters.finditer(content)]
    spans = list(_merge_spans(content, spans))
    windows = _windows(content, spans)
    excerpts = " … ".join(_render_excerpt(content, window, spans) for window in windows)
    ahead = "… " if windows[0][0] > 0 else ""
    return f"{ahead}{excerpts}{' …' if windows[-1][1] < len(content) else ''}"


def _strip_marks(marked: str) -> tuple[str, list[Span]]:
    """Return the content without match marks, and the spans that they enclosed."""
    pieces = MARKED.split(marked)
    spans, at = [], 0
    for place, piece in enumerate(pieces):
        if place % 2:
            spans.append((at, at + len(piece)))
        at += len(piece)
    return "".join(pieces), spans


def _merge_spans(content: str, spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans in order, merging those separated only by spaces or punctuation."""
    start = end = -1
    for first, last in sorted(spans):
        if end >= 0 and (first <= end or BETWEEN.fullmatch(content, end, first)):
            end = max(end, last)
            continue
        if end >= 0:
            yield start, end
        start, end = first, last
    if end >= 0:
        yield start, end


def _windows(content: str, spans: Sequence[Span]) -> list[Span]:
    """Return the parts of a content to show: all of it, or excerpts around its first spans."""
    if len(content) <= WHOLE:
        return [(0, len(content))]
    windows: list[Span] = []
    for first, last in spans or [(0, 0)]:
        newest = windows[-1][1] if windows else 0
        if len(windows) < MOST_EXCERPTS and (first >= newest or not windows):
            windows.append(_window(content, newest, first, last))
    return windows


def _window(content: str, least: int, first: int, last: int) -> Span:
    """Return an excerpt around a span, cut at spaces if possible."""
    start = max(least, first - BEFORE)
    end = min(len(content), start + EXCERPT)
    if least < start:
        start = content.find(" ", start, first) + 1 or start
    if end < len(content):
        space = content.rfind(" ", min(last, end), end)
        end = space if space > 0 else end
    return start, end


def _render_excerpt(content: str, window: Span, spans: Iterable[Span]) -> str:
    """Return the window's text with <b> around the spans in it."""
    at, end = window
    pieces = []
    for span in spans:
        first, last = max(span[0], at), min(span[1], end)
        if first < last:
            pieces.append(f"{content[at:first]}<b>{content[first:last]}</b>")
            at = last
    return "".join((*pieces, content[at:end]))
