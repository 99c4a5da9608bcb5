"""The graphs of the metacognition checks: compute, query the judges in parallel, answer."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reasonloom.contracts.metacognition import DetectEmotion
from reasonloom.graphs.graph import Graph, Node, by_name, wiring
from reasonloom.nodes.metacognition.answer import (
    answer_bias,
    answer_confidence,
    answer_emotion,
    answer_evaluation,
)
from reasonloom.nodes.metacognition.checks import (
    ANSWER_NODE,
    ask_judge,
    begin_check,
    dispatch_judges,
)
from reasonloom.nodes.metacognition.state import (
    CheckInput,
    CheckState,
    PartName,
    bias_input,
    confidence_input,
    emotion_input,
    evaluation_input,
)

COMPONENTS: Mapping[PartName, tuple[str, ...]] = MappingProxyType(
    {
        "quality": ("reasoningEvaluator",),
        "confidence": ("confidenceAssessor",),
        "bias": ("biasDetector",),
        "emotion": ("emotionAnalyzer", "discreteEmotionClassifier"),
    }
)
WORDS = {"measure": "compute", "look": "look through lenses", ANSWER_NODE: "put together"}


def _check(
    name: str,
    input_of: Callable[[dict[str, Any]], CheckInput],
    answer: Node,
    components: tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]],
) -> Graph:
    """Return the graph of one check; its steps are saved only with a language model."""
    return Graph(
        name,
        1,
        wiring(
            CheckState,
            {"measure": begin_check(input_of), "look": ask_judge, ANSWER_NODE: answer},
            routes={"measure": (dispatch_judges, ["look", ANSWER_NODE])},
        ),
        saved=True,
        rounds=lambda request: 1,
        saved_offline=False,
        stateless=True,
        components=components,
        of_llm=("languageModel",),
        more_steps=lambda request: len(input_of(request)["parts"]) - 1,
        words=WORDS,
    )


def _of_emotion(request: dict[str, Any]) -> tuple[str, ...]:
    detector, classifier = COMPONENTS["emotion"]
    discrete = DetectEmotion.model_validate(request).include_discrete
    return (detector, classifier) if discrete else (detector,)


def _of_evaluation(request: dict[str, Any]) -> tuple[str, ...]:
    return tuple(name for part in evaluation_input(request)["parts"] for name in COMPONENTS[part])


GRAPHS = by_name(
    _check("assess_confidence", confidence_input, answer_confidence, COMPONENTS["confidence"]),
    _check("detect_bias", bias_input, answer_bias, COMPONENTS["bias"]),
    _check("detect_emotion", emotion_input, answer_emotion, _of_emotion),
    _check("evaluate", evaluation_input, answer_evaluation, _of_evaluation),
)
