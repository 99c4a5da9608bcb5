"""What the packaged reader and the words of the nearest memories tell of a claim, as numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from reasonloom.llm.classifier import Entailment, entail
from reasonloom.nodes.graph_memory.grounding.figure_match import rivals
from reasonloom.nodes.graph_memory.grounding.literal import compare_texts, cover
from reasonloom.nodes.graph_memory.grounding.wording import READ, parts_of, read_wording, states
from reasonloom.text.search_terms import index_terms, keywords_of
from reasonloom.text.sentences import join_sentences, sentences_in

NEAREST = 5
"""Memories that are read with a claim."""

CORRECTED = 3
"""Corrected memories that are read with a claim, each by itself."""

MOST_LETTERS = 500
"""Letters of memories that are read together, their nearest sentences."""

LIMIT = 8.0
"""Most that a logarithm of odds counts."""

OPEN_FIGURES = "open figures"

GROUPS: Mapping[str, tuple[str, ...]] = {
    "joined": ("entail", "contradict", "entail turned", "contradict turned"),
    "single": ("single entail", "single contradict"),
    "parts": ("part entail", "part contradict", "part best", "several"),
    "words": ("coverage", "single coverage", "open words"),
    "figures": (OPEN_FIGURES, "rival figure"),
    "denial": ("denial",),
}
"""The features by what they are read from."""

NAMES = tuple(name for names in GROUPS.values() for name in names)


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """The features of a claim by their names, and what the reader says of each text.

    `alone` holds the memories that were read, each by itself, `parts` the parts of the claim read
    with all of them, `old` the corrected memories that were read.
    """

    features: Mapping[str, float]
    alone: Mapping[int, Entailment]
    parts: Sequence[tuple[str, Entailment]]
    old: Mapping[int, Entailment]


async def read_claim(
    claim: str, memories: Mapping[int, str], old: Mapping[int, str] | None = None
) -> ClaimReading:
    """Read a claim with its nearest memories (at least one, nearest first) and corrected ones.

    At most 14 pairs of texts are read, in one batch.

    Raises:
        EmbedderUnavailable: the packaged weights cannot be loaded.
    """
    claim = claim[:READ]
    kept = {key: statements(text[:READ]) for key, text in islice(memories.items(), NEAREST)}
    covers = {key: compare_texts(claim, text).coverage for key, text in kept.items()}
    nearest = {key: kept[key] for key in sorted(kept, key=lambda key: (-covers[key], kept[key]))}
    former = dict(islice((old or {}).items(), CORRECTED))
    room = MOST_LETTERS // len(nearest)
    texts = {key: excerpt(text, claim, room) for key, text in nearest.items()}
    joined, turned = "\n".join(texts.values()), "\n".join(reversed(texts.values()))
    parts = parts_of(claim)
    before = {key: excerpt(text[:READ], claim) for key, text in former.items()}
    singly = [(text, claim) for text in (*texts.values(), *before.values())]
    pairs = [(joined, claim), (turned, claim), *singly, *((joined, part) for part in parts)]
    distinct = list(dict.fromkeys(pairs))
    read = dict(zip(distinct, await entail(distinct), strict=True))
    alone = {key: read[text, claim] for key, text in texts.items()}
    by_part = [(part, read[joined, part]) for part in parts]
    features = _of_reader(read[joined, claim], read[turned, claim], alone, by_part)
    features |= _of_words(claim, list(nearest.values()))
    features["single coverage"] = max(covers.values())
    return ClaimReading(
        features, alone, by_part, {key: read[text, claim] for key, text in before.items()}
    )


def _of_reader(
    one: Entailment,
    other: Entailment,
    alone: Mapping[int, Entailment],
    parts: Sequence[tuple[str, Entailment]],
) -> dict[str, float]:
    return {
        "entail": _odds(one.entailment),
        "contradict": _odds(one.contradiction),
        "entail turned": _odds(other.entailment),
        "contradict turned": _odds(other.contradiction),
        "single entail": _odds(max(each.entailment for each in alone.values())),
        "single contradict": _odds(max(each.contradiction for each in alone.values())),
        "part entail": _odds(min(each.entailment for _, each in parts)),
        "part best": _odds(max(each.entailment for _, each in parts)),
        "part contradict": _odds(max(each.contradiction for _, each in parts)),
        "several": float(len(parts) > 1),
    }


def _of_words(claim: str, memories: Sequence[str]) -> dict[str, float]:
    """Compare the words of a claim with those of memories; the first has most of them."""
    wording, nearest = read_wording(claim), read_wording(memories[0])
    held = [term for text in memories for term in read_wording(text).content]
    left = [term for term in wording.content if cover([term], held)[1]]
    values = [term.value for term in left if term.value]
    words = [term for term in wording.content if not term.value]
    shared = len(cover(words, nearest.content)[0]) / (len(words) or 1)
    others = [term.value for term in nearest.content if term.value]
    denied = sum(each.denials for each in (*wording.sentences, *nearest.sentences)) % 2
    return {
        "coverage": 1 - len(left) / (len(wording.content) or 1),
        "open words": math.log1p(len(left) - len(values)),
        OPEN_FIGURES: float(bool(values)),
        "rival figure": shared * any(rivals(one, other) for one in values for other in others),
        "denial": shared * denied,
    }


def _odds(probability: float) -> float:
    """Return the logarithm of the odds of a probability, within bounds."""
    kept = min(max(probability, 1e-9), 1 - 1e-9)
    return min(max(math.log(kept / (1 - kept)), -LIMIT), LIMIT)


def statements(memory: str) -> str:
    """Return a memory without its questions and what is still to do, which say nothing."""
    return join_sentences([each for each in sentences_in(memory) if states(each)])


def excerpt(memory: str, claim: str, most: int = MOST_LETTERS) -> str:
    """Return the sentences of a memory that have most words of a claim, in their order."""
    if len(memory) <= most:
        return memory
    wanted = set(keywords_of(claim))
    sentences = sentences_in(memory)
    ranked = sorted(range(len(sentences)), key=lambda n: -len(wanted & index_terms(sentences[n])))
    chosen: list[int] = []
    room = most
    for place in ranked:
        if len(sentences[place]) > room and chosen:
            break
        chosen.append(place)
        room -= len(sentences[place])
    return " ".join(sentences[place] for place in sorted(chosen))
