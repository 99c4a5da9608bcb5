"""Tells how likely something stored answers a question.

The packaged reader reads the question with the best memories; what it says of the best of them is
made a probability by a calibration that `training/README.md` describes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from reasonloom.text.extraction import Findings
from reasonloom.text.language import UNKNOWN, language_of
from reasonloom.text.sentences import join_sentences, sentences_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory
    from reasonloom.stores.memory.search.retrieval import FoundMemory

READ = 2
"""The best memories that are read with the question."""

BAR = 0.12
"""The least probability at which something stored is taken to answer the question: low, since a
question that is wrongly refused costs more than one that is let through."""

NOTHING = (
    "nothing stored answers this, as far as the reader can tell (answerable {probability}); "
    "the nearest memories are not an answer"
)
QUESTION = re.compile(
    r"[?\uff1f]\s*\Z|\A\s*(?:what|who|whom|whose|which|when|where|why|how)\b", re.IGNORECASE
)
"""A text that asks: by its mark, or by its first word."""

SHORT = 600
"""Characters of a memory that is read as a whole; of a longer one the sentences nearest to it."""

MOST_SENTENCES = 4
SLOPE, OFFSET = 1.5, 0.2
"""Of the mean of the logarithms of odds; a logistic regression that
`training/calibrate_answers.py` fits. The best of them, and signals of retrieval, add little."""

DIGITS = 3


@dataclass(frozen=True, slots=True)
class Answerability:
    """How likely something stored answers a question.

    Attributes:
        probability: 0 to 1.
        readings: for each memory read, by its id, the reader's logarithm of odds that it answers.
    """

    probability: float
    readings: Mapping[int, float]

    @property
    def refused(self) -> bool:
        """Whether nothing stored is taken to answer."""
        return self.probability < BAR

    def notes(self) -> list[str]:
        """Return the note that nothing stored answers, if so."""
        return [NOTHING.format(probability=self.probability)] if self.refused else []


def answerability(
    text: str, found: Sequence[ScoredMemory], readings: Mapping[int, float]
) -> Answerability | None:
    """Return how likely the best memories answer a text; None where that cannot be told.

    That is so for what is no question, for other languages than English, and for past
    conversations.
    """
    best = [each.memory for each in found[:READ]]
    if not QUESTION.search(text) or any(each.id not in readings for each in best):
        return None
    if not all(map(_is_readable, (text, *(each.content for each in best[:1])))):
        return None
    return Answerability(_probability([readings[each.id] for each in best]), readings)


def _is_readable(text: str) -> bool:
    """Return whether a text is not for sure in another language than English."""
    return language_of(text).code in ("en", UNKNOWN)


def as_read(memory: FoundMemory, question: str) -> str:
    """Return a memory with its tags and context, which often name whom and when it is about.

    Of a long one these are the sentences that share most words with the question.
    """
    content = memory.content
    if len(content) > SHORT:
        sentences = sentences_in(content)
        best = set(Findings(question, tuple(sentences)).ranked[:MOST_SENTENCES])
        content = join_sentences([each for each in sentences if each in best]) or content
    tags, context = ", ".join(memory.tags), memory.context
    return f"{f'{tags}: ' if tags else ''}{content}{f' ({context})' if context else ''}"


def _probability(odds: Sequence[float]) -> float:
    """Return the calibrated probability; 0 where nothing was found."""
    if not odds:
        return 0.0
    return round(1 / (1 + math.exp(-(SLOPE * fmean(odds) + OFFSET))), DIGITS)
