"""Splits a text into sentences with offsets, and sentences into windows."""

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
"""Maximum characters of a sentence; longer ones are split, such as text without punctuation."""

MOST_SENTENCES = 400
"""Maximum sentences to analyse, from the start."""

WINDOW = 70
"""Maximum words of a window of several sentences: the length of the classifier's training texts."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its offset in the text, in characters."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.start + len(self.text)

    @property
    def span(self) -> Span:
        """The span of the sentence in the text."""
        return Span(text=self.text, start=self.start, end=self.end)


def sentences_of(text: str) -> list[Sentence]:
    """Return the first `MOST_SENTENCES` sentences of a text, in order."""
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
    """Return windows of neighbouring sentences, each starting half-way through the previous one.

    A text that fits into one window has only that one.
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
    """Return at most `most` windows, evenly spread from the first to the last."""
    if len(windows) <= most:
        return list(windows)
    return [windows[place * (len(windows) - 1) // (most - 1)] for place in range(most)]


def join_sentences(sentences: Sequence[Sentence]) -> str:
    """Join sentences into one text."""
    return " ".join(each.text for each in sentences)


UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
"""Letters of scripts without spaces between words, or with attached endings."""


def find_quote(words: str, text: str) -> dict[str, Any] | None:
    """Return the span of a quote in a text; None if it does not occur.

    Ignores case, whitespace and punctuation between words. Only whole words match in scripts that
    separate words by spaces.
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
    """Return the spans of a text in order, merging those that overlap."""
    joined: list[dict[str, Any]] = []
    for span in sorted(spans, key=lambda each: (each["start"], each["end"])):
        if joined and overlap(joined[-1], span):
            end = max(joined[-1]["end"], span["end"])
            start = joined[-1]["start"]
            joined[-1] = {"text": text[start:end], "start": start, "end": end}
        else:
            joined.append(dict(span))
    return joined
