"""Chooses what of the chunks that were found is shown: passages, the most relevant first.

A chunk has some hundred words about one thing, of which a few sentences answer. Each passage is
judged as `recall` judges a memory: by its likeness, its words with those of the two before it, its
speaker's name, the date, and the chunk that it stands in.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from reasonloom.nodes.memory.retrieval.scoring import RelevanceSignals
from reasonloom.text import tokens

MARKED = re.compile(
    r"^\[(?:User|Assistant|Thinking|Tool|Result|Summary)(?:: (?P<name>[^\]\n]{1,60}?))?"
    r"(?:, error)?(?:, continued)?\](?=\s|$)",
    re.MULTILINE,
)
"""A role marker, whether what is said begins beside it or below."""

LONG = 600
"""Characters above which a part is several passages, each of about so many."""

BREAK = re.compile(r"\n\n+|\n(?=[-*#|] )|(?<=[.!?。！？…])\s+|(?<=[。！？])|\n")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a chunk.

    Attributes:
        start, end: where it stands in the chunk's text.
        marker: that of its part, the empty text for none.
        name: the speaker's or the tool's.
        first: it begins its part.
    """

    start: int
    end: int
    marker: str
    name: str | None
    first: bool


def split_passages(content: str) -> list[Passage]:
    """Return the passages of a chunk's text in order; together they are all of it."""
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
    """Yield where a part is divided: at a break near each LONG characters."""
    while end - start > LONG * 1.5:
        window = content[start : start + LONG]
        at = max((m.end() for m in BREAK.finditer(window) if m.end() > LONG // 3), default=LONG)
        yield start, start + at
        start += at
    yield start, end


CONTEXT = 2
"""Passages before one, in its chunk, whose words count with its own."""

ALIKE = 0.85
"""Passages that share so much of their words say the same: one of them is enough."""

HEADING, GAP = 28, 2
"""About the tokens of a chunk's heading, and of a sign that something is left out."""

LEAST_LEFT = 24
LETTERS = 8
"""Letters of a token at most, on average: a passage with more than so many for each token that is
left has no room, which need not be counted."""

SKIPPED = "[…]"
WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Source:
    """A chunk that was found: its text, its passages, and what it brings to each of them.

    `led` is true where its cluster led to it.
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
    """A passage with its place in its chunk, and its relevance 0..1."""

    source: Source
    place: int
    text: str
    relevance: float


@dataclass(slots=True)
class Excerpt:
    """What is shown of a chunk; `relevance` is that of its best passage."""

    source: Source
    places: list[int] = field(default_factory=list)
    relevance: float = 0.0

    @property
    def whole(self) -> bool:
        """Tell whether nothing is left out."""
        return len(self.places) == len(self.source.passages)

    def text(self) -> str:
        """Return the passages in their order, with signs where something is left out."""
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
        query: what is asked.
        weights: what each of the question's words weighs.
        held: for each passage the places of the words that stand in it.
        cosines: of each passage with the query; zeros without vectors.
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
    """Return what is shown within `room` tokens, the best first, and how many said the same.

    A passage that says what a better one says takes no room. With `every` the best passage of each
    chunk comes before the second of any.
    """
    first = {id(best) for best in _best_of_each(passages)} if every else set[int]()
    excerpts: dict[int, Excerpt] = {}
    seen: list[frozenset[str]] = []
    twins = 0
    for each in sorted(passages, key=lambda rated: (id(rated) not in first, *_rank(rated))):
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


def _rank(rated: RatedPassage) -> tuple[float, int, int]:
    return -rated.relevance, rated.source.id, rated.place


def _best_of_each(passages: Sequence[RatedPassage]) -> Iterator[RatedPassage]:
    ordered = sorted(passages, key=lambda rated: (rated.source.id, _rank(rated)))
    for _, rated in groupby(ordered, key=lambda each: each.source.id):
        yield next(rated)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    shorter, longer = sorted((len(one), len(other)))
    if not longer or shorter < ALIKE * longer:
        return False
    shared = len(one & other)
    return shared >= ALIKE * (len(one) + len(other) - shared)


def _continued(marker: str) -> str:
    return marker if marker.endswith("continued]") else f"{marker[:-1]}, continued]"
