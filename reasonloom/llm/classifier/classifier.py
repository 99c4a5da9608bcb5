"""Runs the packaged graph: texts in, scores out; no network, no torch.

The weights are those of `all-MiniLM-L6-v2` (Apache-2.0), fine-tuned on the cases in `training/`;
see the `NOTICE.md` next to them.
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
"""Hypothesis used to test whether a message matches a situation."""

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
    """Classifier scores of one text.

    `bias`, `emotion` and `framework` are probabilities that sum to 1; `argues` is the probability
    that the text argues at all. `circumplex` is valence, arousal and dominance, unbounded.
    `soundness` is a logit that is only meaningful for ranking texts by quality of reasoning.
    `pull` holds, for each token (start and end offset in the text), its contribution to each bias
    and to none; their mean is the logit.
    """

    bias: Mapping[str, float]
    argues: float
    emotion: Mapping[str, float]
    circumplex: tuple[float, float, float]
    framework: Mapping[str, float]
    soundness: float
    pull: Sequence[tuple[int, int, Sequence[float]]] = ()

    def pull_of(self, bias: str, start: int, end: int) -> float:
        """Return how much the tokens from `start` to `end` favour a bias over none."""
        place = BIASES.index(bias)
        inside = (of for first, last, of in self.pull if start <= first < last <= end)
        return float(sum(of[place] - of[0] for of in inside))


def scores_of(
    outputs: Mapping[str, Sequence[float]], pull: Sequence[tuple[int, int, Sequence[float]]]
) -> Scores:
    """Return the scores of one text from the graph's outputs."""
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
    """Return the softmax of the numbers, keyed by name."""
    most = max(numbers)
    powers = [math.exp(float(number) - float(most)) for number in numbers]
    whole = sum(powers)
    return {name: power / whole for name, power in zip(names, powers, strict=True)}


FOLDER = "reasonloom.llm.classifier"
MOST_TOKENS = 160
"""Maximum tokens per text; the rest is truncated."""

AT_ONCE = 4
"""Texts classified inline: below this, handing off to a thread costs more than it saves."""

THREADS = min(2, os.cpu_count() or 1)
"""Threads per text: two nearly halve the time of one; more gain little on texts this short."""

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
    """Return, in order, whether the claim follows from the text for each (text, claim) pair.

    Each pair is truncated to 160 tokens in all; the longer part is cut.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    outputs = await _outputs("entailment", pairs)
    return [Entailment(**_shares(VERDICTS, output)) for output in outputs]


async def replaces(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the probability that the newer memory supersedes the older, for each pair.

    It supersedes when it gives a new value for the same thing, or says that it ended. Pairs are
    (older, newer); each is truncated to 160 tokens in all.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    return [_yes_or_no(output[0]) for output in await _outputs("replaces", pairs)]


async def answers(pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return the logit that the text answers the question, for each (text, question) pair.

    Each pair is truncated to 160 tokens in all.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    return [float(output[0]) for output in await _outputs("answers", pairs)]


async def _outputs(name: str, pairs: Sequence[tuple[str, str]]) -> list[Sequence[float]]:
    """Return one of the graph's outputs for each pair."""
    return await asyncio.to_thread(_run_pairs, name, pairs) if pairs else []


def _run_pairs(name: str, pairs: Sequence[tuple[str, str]]) -> list[Sequence[float]]:
    graph = _graph()
    return [graph.run(graph.tokenizer.encode(*pair))[name] for pair in pairs]


def _yes_or_no(number: float) -> float:
    """Return the sigmoid of a logit."""
    return _shares(("no", "yes"), (0.0, number))["yes"]


def _graph() -> Graph:
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> Graph:
    return load_graph("classifier", FOLDER, "reader.onnx", most_tokens=MOST_TOKENS, threads=THREADS)
