"""Sentences to measure with: real words, as frequent as words are, about some topics.

The words are those of the default embedder's tokenizer in its own order, by which the frequent
ones come first. Their frequency falls as Zipf's law has it. Half of a sentence's words belong
to its topic, so that sentences lie in clusters as what people say does.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate, islice

SEED = 7
TOPICS = 400
WORDS_OF_A_TOPIC = 40
LENGTHS = (8, 24)
QUESTION_WORDS = 6
ASKED_ABOUT = 1_000
FLATTER = 3
"""Zipf's law as Mandelbrot wrote it: the word of rank r is as frequent as 1 / (r + FLATTER)."""

VOCABULARY = "tokenizers/l2_supercat_tokenizer_config.json"
A_WORD = re.compile("▁[a-z]{3,}")


@cache
def words() -> tuple[str, ...]:
    """Return the words, some thousands, the most frequent first."""
    raw = (files("wordllama") / VOCABULARY).read_text(encoding="utf-8")
    known: dict[str, int] = json.loads(raw)["model"]["vocab"]
    return tuple(
        word[1:] for word in sorted(known, key=known.__getitem__) if A_WORD.fullmatch(word)
    )


@cache
def _weights() -> Sequence[float]:
    return list(accumulate(1 / (rank + FLATTER) for rank in range(1, len(words()) + 1)))


@cache
def _topics() -> Sequence[Sequence[str]]:
    dice = random.Random(SEED)  # noqa: S311 - a benchmark, not a secret
    return [dice.sample(words(), WORDS_OF_A_TOPIC) for _ in range(TOPICS)]


def sentences(seed: int = SEED) -> Iterator[str]:
    """Yield different sentences for ever, the same ones for the same seed."""
    dice = random.Random(seed)  # noqa: S311 - a benchmark, not a secret
    while True:
        length = dice.randint(*LENGTHS)
        about = dice.choices(dice.choice(_topics()), k=length // 2)
        common = dice.choices(words(), cum_weights=_weights(), k=length - len(about))
        said = [*about, *common]
        dice.shuffle(said)
        yield f"{' '.join(said).capitalize()}."


def questions(seed: int, stored: int) -> Iterator[str]:
    """Yield questions for ever, each of some words of one of the first sentences of a seed.

    `stored` is how many sentences there are to ask about; of many the first thousand are.
    """
    dice = random.Random(seed)  # noqa: S311 - a benchmark, not a secret
    known = list(islice(sentences(seed), min(stored, ASKED_ABOUT)))
    while True:
        said = dice.choice(known).rstrip(".").lower().split()
        kept = sorted(dice.sample(range(len(said)), min(QUESTION_WORDS, len(said))))
        yield f"{' '.join(said[place] for place in kept).capitalize()}?"
