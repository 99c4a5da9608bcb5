"""Begins a check: takes what is given, and computes every part that is asked for."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.metacognition.bias import measure_bias
from reasonloom.nodes.metacognition.confidence import measure_confidence
from reasonloom.nodes.metacognition.emotion import measure_emotion
from reasonloom.nodes.metacognition.quality import measure_quality
from reasonloom.nodes.metacognition.state import CheckState, Done, Given, PartName
from reasonloom.nodes.metacognition.text_analysis import Read, read

Measure = Callable[[Read, Done], Awaitable[dict[str, Any]]]
MEASURES: Mapping[PartName, Measure] = MappingProxyType(
    {
        "bias": measure_bias,
        "quality": measure_quality,
        "confidence": measure_confidence,
        "emotion": measure_emotion,
    }
)
"""In the order in which they are computed: the later may use the earlier."""

COMPARING = frozenset({"quality", "confidence"})
UNSUPPORTED = (
    "words are judged in English only, and this text is {language}: nothing was computed of them"
)
UNSURE = "in a language that could not be told"


def measuring(given_of: Callable[[dict[str, Any]], Given]) -> Callable[..., Awaitable[Any]]:
    """Return the first node of a check whose request `given_of` reads."""

    async def measure(state: CheckState, runtime: Runtime[Execution]) -> dict[str, Any]:
        started = time.perf_counter()
        given = given_of(state["request"])
        wanted = [part for part in MEASURES if part in given["parts"]]
        compare = bool(COMPARING.intersection(wanted))
        seen = await read(given, runtime.context.loom.embedder, compare=compare)
        done: dict[PartName, dict[str, Any]] = {}
        for part in wanted:
            done[part] = await MEASURES[part](seen, done)
        language = seen.language
        named = UNSURE if language.code == "und" else f"`{language.code}`"
        notes = [] if language.supported else [UNSUPPORTED.format(language=named)]
        return {
            "given": given,
            "language": {"language": language.code, "supported": language.supported},
            "milliseconds": [round((time.perf_counter() - started) * 1000, 3)],
            "measured": done,
            "notes": [*notes, *seen.notes],
        }

    return measure
