"""Values for arguments of packaged prompts, as used by the modes themselves.

A value is the text that a client sends, as JSON if the template takes an object or a list; its
label is the text that a user types to find it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from reasonloom.nodes.graph_memory.grounding.judges import JUDGES as OF_GROUNDING
from reasonloom.nodes.judging.views import describe_lenses
from reasonloom.nodes.metacognition.judges import JUDGES as OF_CHECKS
from reasonloom.nodes.reasoning.divergent.lenses import LENSES as OF_DIVERGENT
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.streams import STREAMS

QUARTERS = 4
Given = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Offer:
    """One value of an argument, and the label that finds it."""

    label: str
    value: str


def values_of(prompt: str, argument: str, given: Given) -> list[Offer]:
    """Return the possible values of an argument, given the other arguments."""
    source = SOURCES.get((prompt, argument))
    return source(given) if source else []


def _frameworks(given: Given) -> list[Offer]:
    return [
        _as_json(each.name, {"name": each.name, "description": each.description})
        for each in FRAMEWORKS.values()
    ]


def _steps(given: Given) -> list[Offer]:
    """Return the steps of the given framework, else of all frameworks."""
    wanted = given.get("framework", "")
    given_one = [each for each in FRAMEWORKS.values() if json.dumps(each.name) in wanted]
    return [
        _as_json(
            step.name,
            {
                "name": step.name,
                "told": step.instruction,
                "questions": [*step.questions],
                "expects": step.expects,
            },
        )
        for framework in given_one or FRAMEWORKS.values()
        for step in framework.steps
    ]


def _all_frameworks(given: Given) -> list[Offer]:
    every = [{"id": each.id, "best_for": each.best_for} for each in FRAMEWORKS.values()]
    return [_as_json("all", every)]


def _streams(given: Given) -> list[Offer]:
    return [
        _as_json(name, {"name": name, "told": each.instruction, "questions": [*each.questions]})
        for name, each in STREAMS.items()
    ]


def _lenses(given: Given) -> list[Offer]:
    return [
        _as_json(each.name, {"name": each.name, "told": each.instruction}) for each in OF_DIVERGENT
    ]


def _texts(lenses: Mapping[str, str]) -> Callable[[Given], list[Offer]]:
    return lambda given: [Offer(name, text) for name, text in lenses.items()]


def _all_lenses(lenses: Mapping[str, str]) -> Callable[[Given], list[Offer]]:
    return lambda given: [_as_json("all", describe_lenses(lenses))]


def _words(*words: str) -> Callable[[Given], list[Offer]]:
    return lambda given: [Offer(word, word) for word in words]


def _as_json(label: str, value: object) -> Offer:
    return Offer(label, json.dumps(value, ensure_ascii=False))


SOURCES: Mapping[tuple[str, str], Callable[[Given], list[Offer]]] = MappingProxyType(
    {
        ("analysis/select", "frameworks"): _all_frameworks,
        ("analysis/step", "framework"): _frameworks,
        ("analysis/step", "step"): _steps,
        ("auto/route", "checkpoint"): _words("true", "false"),
        ("divergent/view", "lens"): _lenses,
        ("grounding/entailment", "lens"): _texts(OF_GROUNDING),
        ("grounding/entailment_views", "lenses"): _all_lenses(OF_GROUNDING),
        ("thinking/stream", "quarter"): _words(*map(str, range(1, QUARTERS + 1))),
        ("thinking/stream", "stream"): _streams,
        **{(f"metacognition/{part}", "lens"): _texts(lenses) for part, lenses in OF_CHECKS.items()},
        **{
            (f"metacognition/{part}_views", "lenses"): _all_lenses(lenses)
            for part, lenses in OF_CHECKS.items()
        },
    }
)
