"""Splits text into sentences and joins sentences into text.

The splitter of transcripts is separate because it must preserve every character.
"""

import re
from collections.abc import Iterator, Sequence

SENTENCE_LIMIT = 400
"""Maximum characters of a sentence; longer ones are cut at the last space before the limit."""

QUESTION = re.compile(
    r"[?\uff1f]\s*\Z|\A\s*(?:what|who|whom|whose|which|when|where|why|how)\b", re.IGNORECASE
)
"""A question, recognised by its question mark or its first word."""

_END = re.compile(r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]]*\s+|(?<=[\u3002\uff01\uff1f])|[\r\n]+")


def sentences_in(text: str) -> list[str]:
    """Return the sentences of `text`, trimmed, none longer than `SENTENCE_LIMIT`."""
    trimmed = (" ".join(part.split()) for part in _END.split(text))
    return [piece for part in trimmed if part for piece in _pieces(part)]


def _pieces(sentence: str) -> list[str]:
    pieces = []
    while len(sentence) > SENTENCE_LIMIT:
        space = sentence.rfind(" ", 1, SENTENCE_LIMIT)
        end = space if space > 0 else SENTENCE_LIMIT
        pieces.append(sentence[:end])
        sentence = sentence[end:].lstrip()
    return [*pieces, sentence] if sentence else pieces


def sentence_runs(text: str) -> Iterator[str]:
    """Yield the trimmed runs of `text` between closing marks, each with its own marks.

    Coarser than `sentences_in`: a mark ends a run anywhere, even within a number.
    """
    for found in re.findall(r"[^.!?。！？\n]+[.!?。！？]*", text):
        if run := found.strip():
            yield run


def join_sentences(sentences: Sequence[str]) -> str:
    """Join sentences with spaces, adding a full stop to those that end in a letter or digit."""
    return " ".join(f"{each}." if each[-1:].isalnum() else each for each in sentences)
