"""Cuts a text into sentences that know where they stand, and into windows of them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from reasonloom.contracts.metacognition import Span

T = TypeVar("T")
STOP = re.compile(
    r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]]*(?=\s)(?<!\b(?:Mr|Dr|St|vs|Ms)\.)(?<!\bMrs\.)(?<!\be\.g\.)"
    r"(?<!\bi\.e\.)|(?<=[\u3002\uff01\uff1f])|(?=[\r\n])"
)
LONGEST_SENTENCE = 1_000
"""Characters; a longer one is cut, so that one text without stops cannot be one sentence."""

MOST_SENTENCES = 400
"""Sentences that are looked at, the first ones."""

WINDOW = 70
"""Words of a window, at least one sentence: what the classifier was taught on is as long."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and where it stands in its text, in characters."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.start + len(self.text)

    @property
    def span(self) -> Span:
        """It as a span of the text."""
        return Span(text=self.text, start=self.start, end=self.end)


def sentences_of(text: str) -> list[Sentence]:
    """Return the sentences of a text, in order, at most `MOST_SENTENCES`."""
    found: list[Sentence] = []
    start = 0
    for stop in [*(match.end() for match in STOP.finditer(text)), len(text)]:
        for piece in _pieces(text, start, stop):
            found.append(piece)
            if len(found) == MOST_SENTENCES:
                return found
        start = stop
    return found


def _pieces(text: str, start: int, stop: int) -> Iterator[Sentence]:
    for begin in range(start, stop, LONGEST_SENTENCE):
        part = text[begin : min(begin + LONGEST_SENTENCE, stop)]
        if kept := part.strip():
            yield Sentence(kept, begin + part.index(kept))


def windows_of(sentences: Sequence[Sentence]) -> list[list[Sentence]]:
    """Return windows of neighbouring sentences, each begun half-way through the one before.

    A text that fits into one window has only that.
    """
    words = [len(each.text.split()) for each in sentences]
    windows: list[list[Sentence]] = []
    first = 0
    while first < len(sentences):
        last, count = first + 1, words[first]
        while last < len(sentences) and (count := count + words[last]) <= WINDOW:
            last += 1
        windows.append(list(sentences[first:last]))
        if last == len(sentences):
            break
        first += max(1, (last - first) // 2)
    return windows


def spread(windows: Sequence[T], most: int) -> list[T]:
    """Return at most so many windows, evenly spread from the first to the last one."""
    if len(windows) <= most:
        return list(windows)
    return [windows[place * (len(windows) - 1) // (most - 1)] for place in range(most)]


def join_sentences(sentences: Sequence[Sentence]) -> str:
    """Return sentences as one text."""
    return " ".join(each.text for each in sentences)


UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Letters of scripts that set no blanks between words, or hang endings on them."""


def find_quote(words: str, text: str) -> dict[str, Any] | None:
    """Return the span of quoted words, None where they do not stand there.

    Case, blanks and signs between the words do not matter. Words are whole where their script
    has blanks between words.
    """
    parts = re.findall(r"\w+", words)
    if not parts:
        return None
    begin = "" if UNSPACED.match(parts[0][0]) else r"\b"
    end = "" if UNSPACED.match(parts[-1][-1]) else r"\b"
    found = re.search(begin + r"\W+".join(map(re.escape, parts)) + end, text, re.I)
    if found is None:
        return None
    return {"text": found[0], "start": found.start(), "end": found.end()}


def overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two spans share at least half of the shorter one."""
    shared = min(one["end"], other["end"]) - max(one["start"], other["start"])
    shorter = min(span["end"] - span["start"] for span in (one, other))
    return bool(2 * shared >= shorter > 0)


def join_spans(spans: Iterable[Mapping[str, Any]], text: str) -> list[dict[str, Any]]:
    """Return spans of a text in their order, those that overlap as one."""
    joined: list[dict[str, Any]] = []
    for span in sorted(spans, key=lambda each: (each["start"], each["end"])):
        if joined and overlap(joined[-1], span):
            end = max(joined[-1]["end"], span["end"])
            start = joined[-1]["start"]
            joined[-1] = {"text": text[start:end], "start": start, "end": end}
        else:
            joined.append(dict(span))
    return joined
