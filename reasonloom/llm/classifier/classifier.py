"""Runs the packaged graph: texts in, scores out; no network, no torch.

The weights are those of `all-MiniLM-L6-v2` (Apache-2.0), taught further on the cases in
`training/`; see `NOTICE.md` beside them.
"""

import asyncio
import math
import os
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from reasonloom.llm.encoder.graph import Graph, load_graph

VERDICTS = ("entailment", "neutral", "contradiction")
SITUATION = "The situation is: {trigger}"
"""The claim by which a message is compared with a situation."""

NONE = "none"
BIASES = (
    NONE, "confirmation", "anchoring", "availability", "recency", "representativeness",
    "framing", "sunk_cost", "attribution",
)  # fmt: skip
EMOTIONS = (
    NONE, "joy", "sadness", "anger", "fear", "disgust", "surprise", "pride", "shame", "guilt",
    "gratitude", "awe",
)  # fmt: skip
FRAMEWORKS = (
    "scientific-method", "design-thinking", "systems-thinking", "critical-thinking",
    "creative-problem-solving", "root-cause-analysis", "first-principles", "scenario-planning",
)  # fmt: skip


class Scores(NamedTuple):
    """What is said of one text.

    `bias`, `emotion` and `framework` are probabilities that sum to 1, `argues` is the probability
    that the text argues at all. `circumplex` is valence, arousal and dominance, not bounded.
    `soundness` is a logarithm of odds that only tells which of two texts reasons better. `pull`
    tells for each token, by where it stands in the text, what it adds to each bias and to none:
    their mean is the logarithm of its odds.
    """

    bias: Mapping[str, float]
    argues: float
    emotion: Mapping[str, float]
    circumplex: tuple[float, float, float]
    framework: Mapping[str, float]
    soundness: float
    pull: Sequence[tuple[int, int, Sequence[float]]] = ()

    def pull_of(self, bias: str, start: int, end: int) -> float:
        """Return how much the tokens from `start` to `end` speak for a bias rather than none."""
        place = BIASES.index(bias)
        inside = (of for first, last, of in self.pull if start <= first < last <= end)
        return float(sum(of[place] - of[0] for of in inside))


def scores_of(
    outputs: Mapping[str, Sequence[float]], pull: Sequence[tuple[int, int, Sequence[float]]]
) -> Scores:
    """Return the scores of one text from the numbers of the graph's outputs."""
    valence, arousal, dominance = map(float, outputs["circumplex"])
    return Scores(
        bias=_shares(BIASES, outputs["bias"]),
        argues=_yes_or_no(outputs["argues"][0]),
        emotion=_shares(EMOTIONS, outputs["emotion"]),
        circumplex=(valence, arousal, dominance),
        framework=_shares(FRAMEWORKS, outputs["framework"]),
        soundness=float(outputs["soundness"][0]),
        pull=pull,
    )


def _shares(names: Sequence[str], numbers: Sequence[float]) -> dict[str, float]:
    """Return the softmax of the numbers under their names."""
    most = max(numbers)
    powers = [math.exp(float(number) - float(most)) for number in numbers]
    whole = sum(powers)
    return {name: power / whole for name, power in zip(names, powers, strict=True)}


FOLDER = "reasonloom.llm.classifier"
MOST_TOKENS = 160
"""Tokens of a text that are read, the first ones."""

AT_ONCE = 4
"""Texts that are read without a thread: fewer milliseconds than a thread is worth."""

THREADS = min(2, os.cpu_count() or 1)
"""Of one text on two cores: nearly half the time of one; more gain little on texts so short."""

_LOCK = threading.Lock()


async def classify(texts: Sequence[str]) -> list[Scores]:
    """Return the scores of each text, in order.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    if not texts:
        return []
    if _loaded.cache_info().currsize and len(texts) <= AT_ONCE:
        return _classify(texts)
    return await asyncio.to_thread(_classify, texts)


def _classify(texts: Sequence[str]) -> list[Scores]:
    graph = _graph()
    return [_scored(graph, text) for text in texts]


def _scored(graph: Graph, text: str) -> Scores:
    encoding = graph.tokenizer.encode(text)
    outputs = graph.run(encoding)
    places = zip(encoding.offsets, outputs.pop("pull"), strict=True)
    return scores_of(outputs, [(start, end, of) for (start, end), of in places if start < end])


class Entailment(NamedTuple):
    """Probabilities that a claim follows from a text, is left open or is denied; they sum to 1."""

    entailment: float
    neutral: float
    contradiction: float


async def entail(pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
    """Return for each pair of a text and a claim whether the claim follows, in order.

    Both together are read to their first 160 tokens, the longer one is cut.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    if not pairs:
        return []
    return await asyncio.to_thread(_entail, pairs)


def _entail(pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
    graph = _graph()
    outputs = (graph.run(graph.tokenizer.encode(text, claim)) for text, claim in pairs)
    return [Entailment(**_shares(VERDICTS, output["entailment"])) for output in outputs]


async def replaces(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return for each pair of an older and a newer memory the probability that the older is over.

    The newer one then gives another value of the same thing, or says that it ended. Both together
    are read to their first 160 tokens.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    if not pairs:
        return []
    return await asyncio.to_thread(_replaces, pairs)


def _replaces(pairs: Sequence[tuple[str, str]]) -> list[float]:
    graph = _graph()
    outputs = (graph.run(graph.tokenizer.encode(older, newer)) for older, newer in pairs)
    return [_yes_or_no(output["replaces"][0]) for output in outputs]


async def answers(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return for each pair of a text and a question how likely the text answers it.

    Logarithms of odds. Both together are read to their first 160 tokens.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    if not pairs:
        return []
    return await asyncio.to_thread(_answers, pairs)


def _answers(pairs: Sequence[tuple[str, str]]) -> list[float]:
    graph = _graph()
    return [float(graph.run(graph.tokenizer.encode(*pair))["answers"][0]) for pair in pairs]


def _yes_or_no(number: float) -> float:
    """Return the probability of a logarithm of odds."""
    return _shares(("no", "yes"), (0.0, number))["yes"]


def _graph() -> Graph:
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> Graph:
    return load_graph("classifier", FOLDER, "reader.onnx", most_tokens=MOST_TOKENS, threads=THREADS)
