"""Generated sentences, and bulk loading of memories as `remember` would have stored them.

The words are those of the default embedder's tokenizer, in its order, most frequent first, with
frequencies by Zipf's law. Half of a sentence's words belong to its topic, so that sentences form
clusters as real ones do.
"""

import itertools
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import accumulate, islice
from typing import cast
from uuid import UUID, uuid5

from reasonloom.contracts.caller import Caller
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.memory.embedding import sector_views
from reasonloom.nodes.memory.new_memory import (
    DECAY_PER_DAY,
    estimated_tokens,
    keywords,
    salience_of,
)
from reasonloom.stores.database import Database
from reasonloom.stores.memory.import_rows import store_many
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.sessions.sessions import open_session

SEED = 7
TOPICS = 400
WORDS_OF_A_TOPIC = 40
LENGTHS = (8, 24)
QUESTION_WORDS = 6
SENTENCES_COVERED = 1_000
FLATTER = 3
"""Zipf-Mandelbrot: the word of rank r has frequency 1 / (r + FLATTER)."""

VOCABULARY = "tokenizers/l2_supercat_tokenizer_config.json"
A_WORD = re.compile("▁[a-z]{3,}")


@cache
def words() -> tuple[str, ...]:
    """Return the words, several thousand, most frequent first."""
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
    """Yield sentences forever, determined by the seed."""
    dice = random.Random(seed)  # noqa: S311 - a benchmark, not a secret
    while True:
        length = dice.randint(*LENGTHS)
        about = dice.choices(dice.choice(_topics()), k=length // 2)
        common = dice.choices(words(), cum_weights=_weights(), k=length - len(about))
        chosen = [*about, *common]
        dice.shuffle(chosen)
        yield f"{' '.join(chosen).capitalize()}."


def questions(seed: int, stored: int) -> Iterator[str]:
    """Yield questions forever, each of some words from one of a seed's first sentences.

    `stored` is the number of sentences to ask about; at most the first thousand are used.
    """
    dice = random.Random(seed)  # noqa: S311 - a benchmark, not a secret
    known = list(islice(sentences(seed), min(stored, SENTENCES_COVERED)))
    while True:
        source = dice.choice(known).rstrip(".").lower().split()
        kept = sorted(dice.sample(range(len(source)), min(QUESTION_WORDS, len(source))))
        yield f"{' '.join(source[place] for place in kept).capitalize()}?"


BATCH = 500
TURNS = 50
"""Memories of one session."""

NAMESPACE = UUID("6a1f3f36-37a5-4c51-9b5e-0f6f1f6a7d11")


def seed_of(owner: str) -> int:
    """Return the seed of an owner's texts."""
    return sum(owner.encode()) * 1009 + SEED


async def load(database: Database, embedder: Embedder, owner: str, memories: int) -> None:
    """Store `memories` of `owner`, one batch per transaction."""
    made = itertools.islice(_new(owner), memories)
    while batch := list(itertools.islice(made, BATCH)):
        embedded = await _embedded(embedder, batch)
        async with database.begin(Caller(owner)) as tx:
            for session in dict.fromkeys(each.session_id for each in batch):
                await open_session(tx, cast("UUID", session))
            await store_many(tx, embedded)


def _new(owner: str) -> Iterator[NewMemory]:
    beginning = datetime.now(UTC)  # old memories would decay during the benchmark
    for number, content in enumerate(sentences(seed_of(owner))):
        yield NewMemory(
            effect=uuid5(NAMESPACE, f"{owner}/{number}"),
            content=content,
            sector="semantic",
            event_type="fact",
            source_kind="user",
            principal=owner,
            tool="remember",
            salience=salience_of(content, 0.5),
            importance=0.5,
            decay_rate=DECAY_PER_DAY["semantic"],
            token_count=estimated_tokens(content),
            created_at=beginning + timedelta(milliseconds=number),
            valid_from=beginning + timedelta(milliseconds=number),
            session_id=uuid5(NAMESPACE, f"{owner}/session/{number // TURNS}"),
            keywords=keywords(content),
        )


async def _embedded(embedder: Embedder, batch: list[NewMemory]) -> list[NewMemory]:
    """Return the memories with the vectors of their five views, embedded at once."""
    texts = [sector_views(each.content) for each in batch]
    different = list(dict.fromkeys(text for each in texts for text in each.values()))
    vector = dict(zip(different, await embedder.embed(different), strict=True))
    viewed: list[dict[str, Sequence[float]]] = [
        {sector: vector[text] for sector, text in each.items()} for each in texts
    ]
    return [
        replace(memory, vectors=vectors, model=embedder.model)
        for memory, vectors in zip(batch, viewed, strict=True)
    ]
