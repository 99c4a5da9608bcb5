"""Extractive answers and summaries by word counts; works in any language, without a model."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Protocol, Self

from reasonloom.text.sentences import sentences_in
from reasonloom.text.words import words_in

QUESTION_NAMES = ("content", "problem", "question", "query", "topic", "thought", "text")
"""Variables that may contain the question, in order of precedence."""

TEXT_NAMES = ("content", "text", "thought", "summary")
"""Keys of a record that contain its text; its ids, dates and scores are ignored."""

SUMMARY_LENGTH = 800
"""Maximum length of a summary in characters."""

SUMMARY_SENTENCES = 5
NEW_SHARE = 0.5
"""Minimum share of a sentence's words that must be new to the summary."""

_LISTS = (list, tuple)


def texts_in(value: object) -> list[str]:
    """Return the texts in a prompt variable: a text, a record, or lists of them."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        named = [value[name] for name in TEXT_NAMES if isinstance(value.get(name), str)]
        parts = (part for part in value.values() if isinstance(part, (Mapping, *_LISTS)))
        return named[:1] or [text for part in parts for text in texts_in(part)]
    return [text for part in value for text in texts_in(part)] if isinstance(value, _LISTS) else []


@dataclass(frozen=True)
class Findings:
    """The sentences of a prompt's variables that are relevant to its question.

    Attributes:
        question: the question, empty if there is none.
        known: the distinct sentences of all other variables, in order.
    """

    question: str
    known: tuple[str, ...]

    @classmethod
    def of(cls, material: Mapping[str, object]) -> Self:
        """Split a prompt's variables into the question and the rest."""
        name = next((n for n in QUESTION_NAMES if isinstance(material.get(n), str)), None)
        question = str(material[name]) if name else ""
        rest = [text for n, value in material.items() if n != name for text in texts_in(value)]
        known = dict.fromkeys(s for text in rest for s in sentences_in(text))
        return cls(question, tuple(known))

    @cached_property
    def question_words(self) -> frozenset[str]:
        """The keywords of the question."""
        return frozenset(words_in(self.question))

    @cached_property
    def support(self) -> float:
        """The share, 0..1, of the question's keywords that occur in the known sentences."""
        if not self.question_words:
            return 0.0
        covered = self.question_words & {w for s in self.known for w in words_in(s)}
        return len(covered) / len(self.question_words)

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """The sentences that share words with the question, best first, ties in order.

        If there are none, the question's own statements, without its questions, so that a text to
        be judged still gets an answer.
        """
        return _rank(self.known, self.question_words) or _rank(self._stated, self.question_words)

    @cached_property
    def _stated(self) -> tuple[str, ...]:
        sentences = sentences_in(self.question)
        stated = tuple(s for s in sentences if not s.endswith(("?", "\uff1f")))
        return stated if len(sentences) > 1 else ()


def _rank(sentences: tuple[str, ...], wanted: frozenset[str]) -> tuple[str, ...]:
    """Rank by the summed rarity of shared words, damped by length; drop sentences without any."""
    bags = [frozenset(words_in(sentence)) for sentence in sentences]
    spread = Counter(word for bag in bags for word in bag)
    rarity = {w: math.log(1 + len(bags) / spread[w]) for w in spread if w in wanted}
    scores = [
        sum(rarity[w] for w in sorted(bag & wanted)) / math.sqrt(4 + len(bag)) for bag in bags
    ]
    order = sorted(range(len(bags)), key=lambda i: (-scores[i], i))
    return tuple(sentences[i] for i in order if scores[i] > 0)


class Dated(Protocol):
    """A text and its creation time."""

    @property
    def content(self) -> str:
        """The text."""

    @property
    def created_at(self) -> datetime:
        """The creation time."""


def extractive_summary(texts: Sequence[Dated]) -> str:
    """Return the most central sentences of `texts`, or the beginning of the first text."""
    return " ".join(central_sentences(texts)) or texts[0].content[:SUMMARY_LENGTH]


def central_sentences(
    texts: Sequence[Dated], *, limit: int = SUMMARY_LENGTH, most: int = SUMMARY_SENTENCES
) -> list[str]:
    """Return at most `most` sentences of up to `limit` characters in total, in order of time.

    Sentences are ranked by the mean number of texts that their words occur in; redundant ones
    are skipped.
    """
    spread = Counter(word for each in texts for word in set(words_in(each.content)))
    candidates = [
        (place, sentence, set(words_in(sentence)))
        for place, each in enumerate(sorted(texts, key=lambda each: each.created_at))
        for sentence in sentences_in(each.content)
    ]
    covered: set[str] = set()
    taken: list[tuple[int, str]] = []
    length = 0
    for place, sentence, words in sorted(candidates, key=lambda each: -_mean(each[2], spread)):
        is_new = len(words - covered) >= NEW_SHARE * len(words)
        if is_new and words and length + len(sentence) <= limit and len(taken) < most:
            taken.append((place, sentence))
            covered |= words
            length += len(sentence)
    return [sentence for _, sentence in sorted(taken, key=lambda each: each[0])]


def _mean(words: set[str], spread: Counter[str]) -> float:
    return sum(spread[word] for word in words) / len(words) if words else 0.0
