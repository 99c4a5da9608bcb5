"""Starts a check: reads the request, computes the requested parts, and calls the judges."""

import time
from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.judging.views import TOGETHER, ask_lens
from reasonloom.nodes.metacognition.bias import measure_bias
from reasonloom.nodes.metacognition.confidence import measure_confidence
from reasonloom.nodes.metacognition.emotion import measure_emotion
from reasonloom.nodes.metacognition.judges import JUDGES
from reasonloom.nodes.metacognition.quality import measure_quality
from reasonloom.nodes.metacognition.state import (
    CheckInput,
    CheckState,
    JudgeTask,
    JudgeVote,
    Measurements,
    PartName,
)
from reasonloom.nodes.metacognition.text_analysis import TextAnalysis, analyze_text
from reasonloom.nodes.runs.llm_call import Question

Measure = Callable[[TextAnalysis, Measurements], Awaitable[dict[str, Any]]]
MEASURES: Mapping[PartName, Measure] = MappingProxyType(
    {
        "bias": measure_bias,
        "quality": measure_quality,
        "confidence": measure_confidence,
        "emotion": measure_emotion,
    }
)
"""Measures in order of computation; later ones may use earlier results."""

COMPARING = frozenset({"quality", "confidence"})
UNSUPPORTED = (
    "words are judged in English only, and this text is {language}: nothing was computed of them"
)
UNSURE = "in a language that could not be recognised"


def begin_check(given_of: Callable[[dict[str, Any]], CheckInput]) -> Callable[..., Awaitable[Any]]:
    """Return the first node of a check; `given_of` parses its request."""

    async def measure(state: CheckState, runtime: Runtime[Execution]) -> dict[str, Any]:
        started = time.perf_counter()
        given = given_of(state["request"])
        wanted = [part for part in MEASURES if part in given["parts"]]
        compare = bool(COMPARING.intersection(wanted))
        seen = await analyze_text(given, runtime.context.loom.embedder, compare=compare)
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


ANSWER_NODE = "tell"


def dispatch_judges(state: CheckState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Return one task per part, or per lens if the judges are separate.

    Without a language model, return the answer node.
    """
    loom = runtime.context.loom
    if loom.llm.offline:
        return ANSWER_NODE
    given = state["given"]
    separate = loom.settings.judges == "separate"
    return [
        Send("look", JudgeTask(given=given, part=part, lens=lens))
        for part in given["parts"]
        for lens in (JUDGES[part] if separate else [TOGETHER])
    ]


async def ask_judge(state: JudgeTask, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Request the judgement of one part, by one lens or by all lenses in one call.

    A failed call, or a lens missing from the reply, yields an empty vote and a note.
    """
    given, part, lens = state["given"], state["part"], state["lens"]
    material: dict[str, Any] = {"text": given["text"], "background": given["context"]}
    if part != "emotion":
        material["evidence"] = given["evidence"]
    question = Question(
        node="look",
        prompt=f"metacognition/{part}",
        blind=True,
        variables=material,
        pipe="metacognition",
        task=f"{part}/{lens}",
    )
    views, notes = await ask_lens(runtime.context, question, lens, JUDGES[part], part)
    votes = [JudgeVote(part=part, lens=name, said=view) for name, view in views.items()]
    return {"votes": votes, "notes": notes}
