"""Selects the passages of search results to show, most relevant first.

A chunk has a few hundred words on one topic, of which a few sentences answer. Each passage is
scored as `recall` scores a memory: by its similarity, its words and those of the two passages
before it, its speaker's name, the date, and the score of its chunk.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reasonloom.nodes.memory.retrieval.scoring import RelevanceSignals
from reasonloom.text import tokens

MARKED = re.compile(
    r"^\[(?:User|Assistant|Thinking|Tool|Result|Summary)(?:: (?P<name>[^\]\n]{1,60}?))?"
    r"(?:, error)?(?:, continued)?\](?=\s|$)",
    re.MULTILINE,
)
"""A role marker; the text may begin on the same line or on the next."""

LONG = 600
"""Approximate characters of a passage; longer parts are split."""

BREAK = re.compile(r"\n\n+|\n(?=[-*#|] )|(?<=[.!?。！？…])\s+|(?<=[。！？])|\n")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a chunk.

    Attributes:
        start, end: offsets in the chunk's text.
        marker: the role marker of its part; empty if there is none.
        name: name of the speaker or tool.
        first: whether it is the first of its part.
    """

    start: int
    end: int
    marker: str
    name: str | None
    first: bool


def split_passages(content: str) -> list[Passage]:
    """Split a chunk's text into passages, in order; together they cover all of it."""
    marks = list(MARKED.finditer(content))
    if not marks or marks[0].start():
        bounds = [(0, "", None), *((m.start(), m.group(), m["name"]) for m in marks)]
    else:
        bounds = [(m.start(), m.group(), m["name"]) for m in marks]
    ends = [*(start for start, *_ in bounds[1:]), len(content)]
    return [
        Passage(begin, until, marker, name, begin == start)
        for (start, marker, name), end in zip(bounds, ends, strict=True)
        for begin, until in _pieces(content, start, end)
    ]


def _pieces(content: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the bounds of a part's passages: split at a break about every LONG characters."""
    while end - start > LONG * 1.5:
        window = content[start : start + LONG]
        at = max((m.end() for m in BREAK.finditer(window) if m.end() > LONG // 3), default=LONG)
        yield start, start + at
        start += at
    yield start, end


CONTEXT = 2
"""Preceding passages of the same chunk whose words count towards a passage's context."""

ALIKE = 0.85
"""Jaccard similarity of words from which two passages are duplicates; only one is shown."""

HEADING, GAP = 28, 2
"""Approximate tokens of a chunk's heading, and of an ellipsis."""

LEAST_LEFT = 24
LETTERS = 8
"""Upper bound of the characters per token: a passage with more than this many per remaining token
cannot fit, so its tokens need not be counted."""

SKIPPED = "[…]"
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Source:
    """A chunk to excerpt: its text, its passages, and the scores it contributes to each of them.

    Attributes:
        own: the chunk's own score.
        date: how well its date matches the query's dates.
        led: whether it was reached otherwise than by search, such as through its cluster.
    """

    id: int
    content: str
    passages: Sequence[Passage]
    own: float
    date: float = 0.0
    led: bool = False

    def texts(self) -> list[str]:
        """Return the text of each passage."""
        return [self.content[each.start : each.end] for each in self.passages]


@dataclass(frozen=True, slots=True)
class RatedPassage:
    """A passage with its index in its chunk, and its relevance, 0..1."""

    source: Source
    place: int
    text: str
    relevance: float


@dataclass(slots=True)
class Excerpt:
    """The selected passages of a chunk; `relevance` is that of the best."""

    source: Source
    places: list[int] = field(default_factory=list)
    relevance: float = 0.0

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return len(self.places) == len(self.source.passages)

    def text(self) -> str:
        """Return the passages in order, with ellipses where something is left out."""
        if self.whole:
            return self.source.content
        pieces: list[str] = []
        before = -1
        for place in sorted(self.places):
            passage = self.source.passages[place]
            if place > before + 1:
                pieces.append(SKIPPED)
            text = self.source.content[passage.start : passage.end].strip("\n")
            if not passage.first and place != before + 1 and passage.marker:
                text = f"{_continued(passage.marker)}\n{text}"
            pieces.append(text)
            before = place
        if before + 1 < len(self.source.passages):
            pieces.append(SKIPPED)
        return "\n".join(pieces)


def rate_passages(
    source: Source,
    query: str,
    weights: Sequence[float],
    held: Sequence[frozenset[int]],
    cosines: Sequence[float],
) -> list[RatedPassage]:
    """Return a chunk's passages with their relevance.

    Args:
        source: the chunk.
        query: the query's text.
        weights: weight of each word of the query.
        held: for each passage, the indices of the query's words that occur in it.
        cosines: cosine similarity of each passage to the query; zeros without vectors.
    """
    whole = sum(weights) or 1.0
    query_words = set(WORD.findall(query.lower()))
    found = []
    for place, text in enumerate(source.texts()):
        near = frozenset().union(*held[max(0, place - CONTEXT) : place + 1])
        name = source.passages[place].name
        signals = RelevanceSignals(
            cosine=max(0.0, cosines[place]),
            words=sum(weights[word] for word in held[place]) / whole,
            context=sum(weights[word] for word in near) / whole,
            tag=float(bool(name) and query_words.issuperset(WORD.findall((name or "").lower()))),
            date=source.date,
            session=min(1.0, source.own),
        )
        found.append(RatedPassage(source, place, text, signals.relevance()))
    return found


def select_excerpts(
    passages: Sequence[RatedPassage], room: int, *, every: bool = False
) -> tuple[list[Excerpt], int]:
    """Return the excerpts that fit into `room` tokens, best first, and the number of duplicates.

    A near duplicate of a better passage takes no room. With `every`, the best passage of each
    chunk comes before the second of any.
    """
    ordered = sorted(passages, key=lambda rated: (-rated.relevance, rated.source.id, rated.place))
    best = {rated.source.id: id(rated) for rated in reversed(ordered)} if every else {}
    first = set(best.values())
    excerpts: dict[int, Excerpt] = {}
    seen: list[frozenset[str]] = []
    twins = 0
    for each in sorted(ordered, key=lambda rated: id(rated) not in first):
        if room < LEAST_LEFT and excerpts:
            break
        if len(each.text) > LETTERS * room and excerpts:
            continue
        words = frozenset(WORD.findall(each.text.lower()))
        if id(each) not in first and any(_alike(words, other) for other in seen):
            twins += 1
            continue
        excerpt = excerpts.get(each.source.id)
        size = tokens.count_tokens(each.text) + 1 + (0 if excerpt else HEADING)
        size += 0 if excerpt and each.place - 1 in excerpt.places else GAP
        if size > room and excerpts:
            continue
        if excerpt is None:
            excerpt = excerpts[each.source.id] = Excerpt(each.source, relevance=each.relevance)
        excerpt.places.append(each.place)
        seen.append(words)
        room -= size
    return list(excerpts.values()), twins


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter, longer = sorted((len(one), len(other)))
    if not longer or shorter < ALIKE * longer:
        return False
    shared = len(one & other)
    return shared >= ALIKE * (len(one) + len(other) - shared)


def _continued(marker: str) -> str:
    return marker if marker.endswith("continued]") else f"{marker[:-1]}, continued]"
