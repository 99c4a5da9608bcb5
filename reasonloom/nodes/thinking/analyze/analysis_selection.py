"""Says which framework a problem calls for: computed of its words, as shares of one."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean
from types import MappingProxyType

from reasonloom.llm.classifier import classify
from reasonloom.nodes.metacognition.spans import joined, sentences_of, windows_of
from reasonloom.nodes.reasoning.routing.features import certainty
from reasonloom.nodes.reasoning.routing.weights import shares_of
from reasonloom.nodes.sessions.picture import shortened
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.table import FEATURES
from reasonloom.text.language import language_of

READ = 4_000
"""Characters that are read for cues from a problem's beginning, and as many from its end."""

CLASSIFIER, CUES = 0.6, 0.42
"""The powers of both; below 1, as each is surer of itself than it is right."""

MOST_WINDOWS = 20
"""Windows of a problem that the classifier reads, the first ones."""

MOST_QUOTED = 3
LONGEST = 40
"""Characters of a sign that is quoted."""

LEANING = MappingProxyType({"critical-thinking": 0.1})
"""Evidence from the start: what nothing is a sign for is at least to be judged."""


async def computed_shares(problem: str) -> dict[str, float]:
    """Return for each framework by its id its share of one: how well it fits.

    English problems are read by the classifier too. Both are put together as a logarithmic pool
    (Genest and Zidek 1986): the product of their shares, each to its power, again of one.
    """
    cues = cue_shares(problem)
    read = await _read_as(problem)
    pooled = (
        {name: read[name] ** CLASSIFIER * cues[name] ** CUES for name in cues} if read else cues
    )
    whole = sum(pooled.values())
    return {name: share / whole for name, share in pooled.items()}


async def _read_as(problem: str) -> dict[str, float]:
    """Return the classifier's shares, the mean over its windows; none in another language."""
    if not language_of(problem).supported:
        return {}
    windows = [joined(window) for window in windows_of(sentences_of(problem))]
    read = [scores.framework for scores in await classify(windows[:MOST_WINDOWS])]
    return {name: fmean(shares[name] for shares in read) for name in FRAMEWORKS}


def cue_shares(problem: str) -> dict[str, float]:
    """Return the shares by cues alone: patterns of words in English and German."""
    evidence = {name: LEANING.get(name, 0.0) for name in FRAMEWORKS}
    text = _read(problem)
    for each in FEATURES:
        cues = {found[0].casefold() for found in each.cues.finditer(text)}
        evidence[each.framework] += each.weight * certainty(len(cues))
    return shares_of(evidence)


def signs_of(problem: str) -> Mapping[str, list[str]]:
    """Return for each framework what speaks for it, the weightiest first, with the words."""
    found: dict[str, list[tuple[float, str]]] = {name: [] for name in FRAMEWORKS}
    text = _read(problem)
    for each in FEATURES:
        words = list(dict.fromkeys(one[0].strip() for one in each.cues.finditer(text)))
        if words:
            quoted = ", ".join(f"“{shortened(word, LONGEST)}”" for word in words[:MOST_QUOTED])
            weight = each.weight * certainty(len(words))
            found[each.framework].append((weight, f"{each.said} ({quoted})"))
    return {
        name: [said for _, said in sorted(signs, reverse=True)] for name, signs in found.items()
    }


def _read(problem: str) -> str:
    if len(problem) <= 2 * READ:
        return problem
    return f"{problem[:READ]}\n{problem[-READ:]}"
