"""Forgetting by topic: the default threshold separates what a topic names from what it does not.

Measured on the development half of the labelled set. After a change of the default embedder run

    pytest -s tests/nodes/history/test_topic_scores.py

which prints the quantiles of both kinds of scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.history import HistoryForget
from reasonloom.evals.suites.history.data import HistorySet, LabelledWorld, load_history
from reasonloom.evals.suites.history.transcript import write_world
from reasonloom.graphs.runs.engine import Engine
from reasonloom.nodes.history import forget
from reasonloom.nodes.history.forget import topic_of, topic_scores
from reasonloom.stores.history import soft_deletes
from reasonloom.stores.history.chunk_lists import ChunkFilter
from tests.support.history.ingestion import ingested

THRESHOLD = HistoryForget.model_fields["threshold"].default
UNRELATED = 0.4
SHARES = (0, 0.01, 0.05, 0.5, 0.95, 0.99, 1)
WHOLE_CHUNK = 100_000


def quantiles(scores: Sequence[float]) -> dict[float, float]:
    ordered = sorted(scores)
    return {share: round(ordered[int(share * (len(ordered) - 1))], 3) for share in SHARES}


def topics(history: HistorySet) -> Iterator[tuple[LabelledWorld, str]]:
    """Yield each phrase of several words by which a labelled chain is linked, with its world."""
    for world in history.worlds:
        phrases = {link.what for chain in world.chains for link in chain.links if link.what}
        yield from ((world, each) for each in sorted(phrases) if len(each.split()) > 1)


async def scored(engine: Engine, world: LabelledWorld, phrase: str) -> list[tuple[str, float]]:
    """Return the text and the score of each chunk of a world."""
    topic = await topic_of(engine.loom.embedder, phrase)
    async with engine.loom.database.begin(Caller("local"), searching=True) as tx:
        chosen = ChunkFilter(Path(world.project).name)
        scores, notes = await topic_scores(tx, chosen, topic)
        texts = await soft_deletes.previews(tx, list(scores), WHOLE_CHUNK)
    assert notes == []
    return [(texts[key].content, score) for key, score in scores.items()]


async def test_the_default_threshold_finds_what_a_topic_names(
    engine: Engine, tmp_path: Path
) -> None:
    history = load_history("dev")
    for world in history.worlds:
        folder = tmp_path / world.id
        folder.mkdir()
        write_world(world, folder)
        await ingested(engine, folder)
    named: list[float] = []
    unrelated: list[float] = []
    for world, phrase in topics(history):
        exact = re.compile(rf"\b{re.escape(phrase)}\b", re.IGNORECASE)
        named += [
            score for text, score in await scored(engine, world, phrase) if exact.search(text)
        ]
        for other in history.worlds:
            if other is not world:
                unrelated += [score for _, score in await scored(engine, other, phrase)]
    for name, scores in (("named", named), ("unrelated", unrelated)):
        print(name, len(scores), "likeness", quantiles(scores))
        print(name, len(scores), "similarity", quantiles([similarity(each) for each in scores]))
    assert min(named) >= THRESHOLD
    assert max(unrelated) <= UNRELATED


def similarity(score: float) -> float:
    """Return what `likeness` made a score of, which is what its constants are chosen by."""
    return float(np.interp(score, (0, 0.4, 0.6, 1), (0, forget.UNRELATED, forget.NAMED, 1)))


def test_likeness_rises_with_similarity() -> None:
    scores = [forget.likeness(step / 100) for step in range(101)]
    assert scores == sorted(scores)
    assert (scores[0], scores[-1]) == (0, 1)
