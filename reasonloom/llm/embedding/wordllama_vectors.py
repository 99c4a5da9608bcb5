"""Tokenizes texts for wordllama word by word, with a cache of known words.

The tokenizer merges a whole text as one piece, which takes half the time of an embedding. But no
token contains a space or a line break after its first letter, so words tokenized one by one give
the same tokens, and most words of a text are already cached.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.embedding.vectors import axis, embeddable

SPACE = "▁"
"""Marks a space, and the start of the first word."""

WORD = re.compile(f"{SPACE}*[^{SPACE}\n]+|{SPACE}+|\n")
"""A word with its leading spaces, spaces alone, or a line break."""

LINE, LINE_END = "\n", "<0x0A>"
"""The line break, and its token."""

REMEMBERED = 32_768
"""Cached words (about ten megabytes); the cache is cleared when full."""

LONGEST = 40
"""Maximum letters of a cached word: longer ones rarely recur."""

AT_ONCE = 500
"""Words per call to the tokenizer."""

Tokens = Sequence[int]


class Words:
    """Tokenizes texts through a cache; gives the same tokens as the tokenizer itself."""

    def __init__(self, tokenizer: Any, remembered: int = REMEMBERED) -> None:
        self._tokenizer = tokenizer
        added = (re.escape(each.content) for each in tokenizer.get_added_tokens_decoder().values())
        self._special = re.compile("|".join(added))
        self._line_end = tokenizer.token_to_id(LINE_END)
        self._most = remembered
        self._known: dict[str, Tokens] = {LINE: (self._line_end,)}

    def tokens(self, texts: Sequence[str]) -> Iterator[Tokens]:
        """Yield the tokens of each text; none for an empty text."""
        words = [self._words(text) for text in texts]
        known = self._met({word for each in words for word in each})
        for text, each in zip(texts, words, strict=True):
            if each:
                yield list(chain.from_iterable(map(known.__getitem__, each)))
            else:
                yield self._tokenizer.encode(text, add_special_tokens=False).ids

    def _words(self, text: str) -> list[str]:
        """Return the words of a text; none if it must be tokenized as a whole."""
        if not text or self._special.search(text):
            return []
        return WORD.findall(SPACE + text.replace(" ", SPACE))

    def _met(self, words: Collection[str]) -> Mapping[str, Tokens]:
        """Return the tokens of the words and cache new ones."""
        known = self._known
        new = dict(self._divided([word for word in words if word not in known]))
        met = {word: known.get(word) or new[word] for word in words}
        if len(known) + len(new) > self._most:
            self._known = known = {LINE: known[LINE]}
        known.update((word, tokens) for word, tokens in new.items() if len(word) <= LONGEST)
        return met

    def _divided(self, words: Sequence[str]) -> Iterator[tuple[str, Tokens]]:
        """Yield the words with their tokens; words are batched as one text, a line each."""
        for first in range(0, len(words), AT_ONCE):
            lines = words[first : first + AT_ONCE]
            encoded = self._tokenizer.encode(
                LINE.join(["", *lines, ""]), add_special_tokens=False
            ).ids
            ends = [place for place, token in enumerate(encoded) if token == self._line_end]
            for word, (before, end) in zip(lines, pairwise(ends), strict=True):
                yield word, tuple(encoded[before + 1 : end])


class Means:
    """Wordllama's tokenizer and token vectors."""

    def __init__(self, model: Any) -> None:
        self._words = Words(model.tokenizer)
        self._vectors: NDArray[np.float32] = model.embedding

    def units(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the mean of each text's token vectors, normalized as in `vectors.unit`."""
        means = np.empty((len(texts), self._vectors.shape[1]))
        for place, tokens in enumerate(self._words.tokens(list(map(embeddable, texts)))):
            found = np.fromiter(tokens, np.intp, len(tokens))
            means[place] = self._vectors.take(found, axis=0).sum(axis=0) / max(1, len(tokens))
        lengths = np.sqrt(np.square(means).sum(axis=1, keepdims=True))
        if not np.isfinite(lengths).all():
            raise EmbedderUnavailable("the embedder's weights are damaged; reinstall reasonloom")
        means[lengths[:, 0] == 0] = axis(means.shape[1])
        vectors: list[list[float]] = (means / np.where(lengths, lengths, 1)).tolist()
        return vectors
