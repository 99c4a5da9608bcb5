"""Finds what a given text says about a question, by counting words; any language, no model.

This is all the offline llm knows how to do: it repeats the sentences of its material that share
the rarest words with the question, and never says what nobody said.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Protocol

QUESTION_NAMES = ("content", "problem", "question", "query", "topic", "thought", "text")
"""The variables that may hold what is asked, the first that is given counts."""

TEXT_NAMES = ("content", "text", "thought", "summary")
"""The keys of a record that hold its text; its ids, dates and scores are no material."""

SENTENCE_LIMIT = 400
"""Characters of one sentence; text without stops is cut at the last space before it."""

_STOP = re.compile(r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]]*\s+|(?<=[\u3002\uff01\uff1f])|[\r\n]+")
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_SHORT = 2
_LISTS = (list, tuple)
_COMMON_WORDS = (
    "about after again also and any are because been before being but can could did does doing "
    "down each for from further had has have her here him his how into its itself just may more "
    "most must not now off once only other our out over own same shall she should some such than "
    "that the their them then there these they this those through too under until use used very "
    "was were what when where which while who whom whose why will with would you your"
)
_COMMON = frozenset(_COMMON_WORDS.split())


def words_in(text: str) -> list[str]:
    """Return the words of `text` that carry meaning, folded, in order, repeats kept.

    Scripts without spaces give pairs of neighbouring characters. Words of one or two letters
    and the commonest English ones are left out unless there is nothing else.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [part for word in _WORD.findall(folded) for part in _parts(word)]
    telling = [word for word in words if _is_keyword(word)]
    return telling or words


def _parts(word: str) -> list[str]:
    """Cut a run of letters into its spaced and unspaced stretches, the latter into pairs."""
    parts: list[str] = [rest for rest in _UNSPACED.split(word) if rest]
    for run in _UNSPACED.findall(word):
        parts += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    return parts


def _is_keyword(word: str) -> bool:
    if _UNSPACED.match(word) or any(c.isdigit() for c in word):
        return True
    return len(word) > _SHORT and word not in _COMMON


def sentences_in(text: str) -> list[str]:
    """Return the sentences of `text`, trimmed, none longer than `SENTENCE_LIMIT`."""
    trimmed = (" ".join(part.split()) for part in _STOP.split(text))
    return [piece for part in trimmed if part for piece in _pieces(part)]


def _pieces(sentence: str) -> list[str]:
    pieces = []
    while len(sentence) > SENTENCE_LIMIT:
        space = sentence.rfind(" ", 1, SENTENCE_LIMIT)
        end = space if space > 0 else SENTENCE_LIMIT
        pieces.append(sentence[:end])
        sentence = sentence[end:].lstrip()
    return [*pieces, sentence] if sentence else pieces


def texts_in(value: object) -> list[str]:
    """Return the texts in a variable of a prompt: a text, a record, or lists of them."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        named = [value[name] for name in TEXT_NAMES if isinstance(value.get(name), str)]
        return named[:1] or [text for part in value.values() for text in _nested(part)]
    return [text for part in value for text in texts_in(part)] if isinstance(value, _LISTS) else []


def _nested(part: object) -> list[str]:
    return texts_in(part) if isinstance(part, (Mapping, *_LISTS)) else []


@dataclass(frozen=True)
class Findings:
    """What the material says about the question.

    Attributes:
        question: the text asked about, empty where there is none.
        known: the sentences of everything else, in their order, each once.
    """

    question: str
    known: tuple[str, ...]

    @classmethod
    def of(cls, material: Mapping[str, object]) -> Findings:
        """Take a prompt's variables apart into the question and what is known beside it."""
        name = next((n for n in QUESTION_NAMES if isinstance(material.get(n), str)), None)
        question = str(material[name]) if name else ""
        rest = [text for n, value in material.items() if n != name for text in texts_in(value)]
        known = dict.fromkeys(s for text in rest for s in sentences_in(text))
        return cls(question, tuple(known))

    @cached_property
    def asked(self) -> frozenset[str]:
        """The telling words of the question."""
        return frozenset(words_in(self.question))

    @cached_property
    def support(self) -> float:
        """The share, 0 to 1, of the question's words that the rest of the material has."""
        if not self.asked:
            return 0.0
        covered = self.asked.intersection(*[{w for s in self.known for w in words_in(s)}])
        return len(covered) / len(self.asked)

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """Sentences that speak of the question, the most telling first, ties in their order.

        Where nothing else does, those of the question's own statements, so that a text given
        for judging is not answered with silence; what it only asks is left out.
        """
        return _rank(self.known, self.asked) or _rank(self._stated, self.asked)

    @cached_property
    def _stated(self) -> tuple[str, ...]:
        sentences = sentences_in(self.question)
        stated = tuple(s for s in sentences if not s.endswith(("?", "\uff1f")))
        return stated if len(sentences) > 1 else ()


def _rank(sentences: tuple[str, ...], asked: frozenset[str]) -> tuple[str, ...]:
    """Order by the summed rarity of shared words, by length damped; none shared, left out."""
    bags = [frozenset(words_in(sentence)) for sentence in sentences]
    spread = Counter(word for bag in bags for word in bag)
    rarity = {w: math.log(1 + len(bags) / spread[w]) for w in spread if w in asked}
    scores = [sum(rarity[w] for w in sorted(bag & asked)) / math.sqrt(4 + len(bag)) for bag in bags]
    order = sorted(range(len(bags)), key=lambda i: (-scores[i], i))
    return tuple(sentences[i] for i in order if scores[i] > 0)


def join_sentences(sentences: Sequence[str]) -> str:
    """Return sentences as one text; one that ends in a word gets its full stop."""
    return " ".join(f"{each}." if each[-1:].isalnum() else each for each in sentences)


SUMMARY_LENGTH = 800
"""Characters of sentences that an extract holds."""

SUMMARY_SENTENCES = 5
NEW_SHARE = 0.5
"""A sentence is taken where at least this share of its words has not been said yet."""


class Dated(Protocol):
    """What an extract is made of: a text and when it was written."""

    @property
    def content(self) -> str:
        """The text."""
        ...

    @property
    def created_at(self) -> datetime:
        """The moment."""
        ...


def extractive_summary(episodes: Sequence[Dated]) -> str:
    """Return sentences of the episodes that say most of what they share, as they were written."""
    return " ".join(central_sentences(episodes)) or episodes[0].content[:SUMMARY_LENGTH]


def central_sentences(
    texts: Sequence[Dated], *, limit: int = SUMMARY_LENGTH, most: int = SUMMARY_SENTENCES
) -> list[str]:
    """Return at most `most` sentences of together `limit` characters, in the order of time.

    A sentence counts by the mean number of texts in which its words stand; one that repeats
    what is taken already is left out.
    """
    spread = Counter(word for each in texts for word in set(words_in(each.content)))
    written = [
        (place, sentence, set(words_in(sentence)))
        for place, each in enumerate(sorted(texts, key=lambda each: each.created_at))
        for sentence in sentences_in(each.content)
    ]
    ranked = sorted(written, key=lambda each: -_centrality(each[2], spread))
    said: set[str] = set()
    taken: list[tuple[int, str]] = []
    length = 0
    for place, sentence, words in ranked:
        is_new = len(words - said) >= NEW_SHARE * len(words)
        if is_new and words and length + len(sentence) <= limit and len(taken) < most:
            taken.append((place, sentence))
            said |= words
            length += len(sentence)
    return [sentence for _, sentence in sorted(taken, key=lambda each: each[0])]


def _centrality(words: set[str], spread: Counter[str]) -> float:
    return sum(spread[word] for word in words) / len(words) if words else 0.0
