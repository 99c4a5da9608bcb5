"""Brings perspectives together: how novel each is, what they come to, and how far they agree."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reasonloom.nodes.reasoning.attempts import surest
from reasonloom.text.extraction import as_prose, sentences_in

if TYPE_CHECKING:
    from reasonloom.contracts.reasoning.divergent import ReasoningDivergent
    from reasonloom.nodes.runs.ask_or_say import Heard
    from reasonloom.nodes.similarity import Likeness

PROMPT = "divergent/synthesise"
SENTENCES = 3
"""Sentences of each perspective where there is no synthesis."""

LABEL = re.compile(r"\bP(\d+)\b")
FOUND = "the synthesis named no source; those it is most like are named instead"
UNKNOWN = "the synthesis named sources that do not exist: {names}"
EXTRACTED = "there is no synthesis: the perspectives' first sentences stand in its place"


def label(view: Mapping[str, Any]) -> str:
    """Return the short name by which the synthesis names a perspective."""
    return f"P{view['number']}"


def novelty(
    view: Mapping[str, Any], views: Sequence[Mapping[str, Any]], likeness: Likeness
) -> float:
    """Return 1 minus the greatest cosine to any other perspective or to the plain answer."""
    others = [
        each["viewpoint"]
        for each in views
        if "viewpoint" in each and each["number"] != view["number"]
    ]
    return 1.0 - max((likeness.cosine(view["viewpoint"], other) for other in others), default=0.0)


def agreement(views: Sequence[Mapping[str, Any]], synthesis: str, likeness: Likeness) -> float:
    """Return the perspectives' mean likeness (0..1) to what they are said to come to."""
    return fmean(likeness.of(each["viewpoint"], synthesis) for each in views)


def confidence(views: Sequence[Mapping[str, Any]], agreed: float) -> float:
    """Return the perspectives' mean confidence, halved where they do not agree at all."""
    return fmean(float(each["confidence"]) for each in views) * (1 + agreed) / 2


def variables(
    request: ReasoningDivergent, views: Sequence[Mapping[str, Any]], doubt: str = ""
) -> dict[str, Any]:
    """Return what the prompt for the synthesis is rendered with."""
    return {
        "content": request.content,
        "perspectives": [{"label": label(each), "broken": broken(each), **each} for each in views],
        "constraints": request.constraints or [],
        "doubt": doubt,
    }


def broken(view: Mapping[str, Any]) -> list[str]:
    """Return the constraints that a perspective breaks."""
    return [each["constraint"] for each in view["constraints"] if each["kept"] is False]


def best_of(attempts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the surest synthesis; what stands in its place only where none was made."""
    return surest([each for each in attempts if each["made"]] or attempts)


def extracted(views: Sequence[Mapping[str, Any]]) -> str:
    """Return the first sentences of each perspective under its label, none said twice."""
    said: dict[str, None] = {}
    parts = []
    for each in views:
        fresh = [one for one in sentences_in(each["viewpoint"])[:SENTENCES] if one not in said]
        said.update(dict.fromkeys(fresh))
        parts += [f"{label(each)}: {as_prose(fresh)}"] if fresh else []
    return " ".join(parts)


def read(heard: Heard, views: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the synthesis and the labels that it names, which are those of `views` alone."""
    if heard.parsed is None and not heard.text:
        return {
            "content": extracted(views),
            "sources": [label(each) for each in views],
            "notes": [EXTRACTED],
            "made": False,
        }
    said = heard.parsed or {"synthesis": heard.text, "sources": []}
    known = {label(each) for each in views}
    named = dict.fromkeys([*said["sources"], *(f"P{n}" for n in LABEL.findall(said["synthesis"]))])
    unknown = [each for each in named if each not in known]
    return {
        "content": said["synthesis"],
        "sources": sorted(
            (each for each in named if each in known), key=lambda each: int(each[1:])
        ),
        "notes": [UNKNOWN.format(names=", ".join(unknown[:5]))] if unknown else [],
        "made": True,
    }


def likest(views: Sequence[Mapping[str, Any]], synthesis: str, likeness: Likeness) -> list[str]:
    """Return the labels of the perspectives that a synthesis is at least as like as the mean."""
    alike = {label(each): likeness.of(each["viewpoint"], synthesis) for each in views}
    mean = fmean(alike.values())
    return [name for name, value in alike.items() if value >= mean or math.isclose(value, mean)]
