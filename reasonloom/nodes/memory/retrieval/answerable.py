"""Estimates how likely it is that a stored memory answers a question.

The packaged reader scores the question paired with each of the best memories; a calibration turns
the mean of the scores into a probability (see `training/README.md`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory
from reasonloom.stores.memory.search.retrieval import FoundMemory
from reasonloom.text.extraction import Findings
from reasonloom.text.language import UNKNOWN, language_of
from reasonloom.text.search_terms import index_terms
from reasonloom.text.sentences import QUESTION, join_sentences, sentences_in

READ = 2
"""Number of top memories that the reader scores with the question."""

BAR = 0.3
"""Minimum probability at which a question counts as answerable: low, because a wrongly refused
question costs more than one wrongly accepted."""

NOTHING = (
    "nothing stored answers this, as far as the reader can tell (answerable {probability}); "
    "the nearest memories are not an answer"
)
SHORT = 600
"""Maximum length, in characters, of a memory read whole; longer ones are reduced to sentences."""

MOST_SENTENCES = 4
WORDED = 0.5
"""Minimum probability where a memory has every word of the question: on the dev halves, 26 of 31
such questions have an answer, yet the reader, taught on pairs that share no word, may doubt it."""

FEWEST_WORDS = 2
SLOPE, OFFSET = 0.95, 1.06
"""Calibration of the mean log-odds: a logistic regression fitted by
`training/calibrate_answers.py`. The maximum and the retrieval signals add little as features."""

DIGITS = 3


@dataclass(frozen=True, slots=True)
class Answerability:
    """The probability that a stored memory answers a question.

    Attributes:
        probability: 0 to 1.
        readings: the reader's log-odds that each memory read answers, by memory id.
    """

    probability: float
    readings: Mapping[int, float]

    @property
    def refused(self) -> bool:
        """Whether the question counts as unanswerable."""
        return self.probability < BAR

    def notes(self) -> list[str]:
        """Return a note if nothing stored answers the question."""
        return [NOTHING.format(probability=self.probability)] if self.refused else []


def answerability(
    text: str, found: Sequence[ScoredMemory], readings: Mapping[int, float]
) -> Answerability | None:
    """Return how likely the best memories answer a text; None where that is unknown.

    It is unknown for text that is not a question, for languages other than English, and for past
    conversations.
    """
    best = [each.memory for each in found[:READ]]
    if not QUESTION.search(text) or any(each.id not in readings for each in best):
        return None
    if not all(map(_is_readable, (text, *(each.content for each in best[:1])))):
        return None
    probability = _probability([readings[each.id] for each in best])
    if any(_has_every_word(each, text) for each in best):
        probability = max(probability, WORDED)
    return Answerability(probability, readings)


def _has_every_word(memory: FoundMemory, question: str) -> bool:
    """Return whether a memory has all of a question's content words, in any form."""
    words = index_terms(question)
    return len(words) >= FEWEST_WORDS and words <= index_terms(memory.content)


def _is_readable(text: str) -> bool:
    """Return whether a text is English or of unknown language."""
    return language_of(text).code in ("en", UNKNOWN)


def as_read(memory: FoundMemory, question: str) -> str:
    """Return the text of a memory with its tags and context, which often give the person and time.

    Without a context it is the day on which the memory was said: the reader was trained on
    memories with one, and takes bare ones for no answer more often. A long content is reduced to
    the sentences that share the most words with the question.
    """
    content = memory.content
    if len(content) > SHORT:
        sentences = sentences_in(content)
        best = set(Findings(question, tuple(sentences)).ranked[:MOST_SENTENCES])
        content = join_sentences([each for each in sentences if each in best]) or content
    tags, context = ", ".join(memory.tags), memory.context or f"{memory.valid_from:%Y-%m-%d}"
    return f"{f'{tags}: ' if tags else ''}{content} ({context})"


def _probability(odds: Sequence[float]) -> float:
    """Return the calibrated probability; 0 if nothing was found."""
    if not odds:
        return 0.0
    return round(1 / (1 + math.exp(-(SLOPE * fmean(odds) + OFFSET))), DIGITS)
