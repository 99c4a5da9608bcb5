"""What the paid language model says: of each question the same, whatever the order of its parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reasonloom.llm.port import Ask

Said = dict[str, Any]
THOUGHT = {"thought": "The kitchen must leave the peanuts out.", "confidence": 0.9}
APPROACHES = [
    {"name": "Call", "approach": "Call the kitchen about the peanuts."},
    {"name": "Cook", "approach": "Cook at home instead."},
]
MENDED = " Ask who cooks."


def _said(**said: Any) -> Callable[[Said], Said]:
    return lambda material: dict(said)


def _thought(material: Said) -> Said:
    """Follow the approach that is named, if any."""
    return {**THOUGHT, **({"thought": material["approach"]} if "approach" in material else {})}


def _ballot(material: Said) -> Said:
    """Prefer the text that comes first by its letters, under whatever label it is shown."""
    texts = sorted(material["candidates"], key=lambda each: str(each["text"]))
    scores = [
        {"label": each["label"], "score": 0.8 - place / 10} for place, each in enumerate(texts)
    ]
    return {"scores": scores, "best": texts[0]["label"], "reason": "It is safe."}


def _revision(material: Said) -> Said:
    return {"revision": material["content"] + MENDED}


def _verdict(material: Said) -> Said:
    """Prefer the longer answer, wherever it stands."""
    longer = "first" if len(material["first"]) > len(material["second"]) else "second"
    scores = {f"{place}_score": 0.8 if place == longer else 0.4 for place in ("first", "second")}
    return {"better": longer, **scores, "reason": "It asks more."}


FOUND = {"strengths": ["It is short."], "weaknesses": ["Who cooks?"], "recommendations": ["Ask."]}
ANSWERS: Mapping[str, Callable[[Said], Said]] = MappingProxyType(
    {
        "summary": _said(summary="Anna runs round the lake.", confidence=0.9),
        "approaches": _said(approaches=APPROACHES),
        "best": _ballot,
        "viewpoint": _said(viewpoint="Ask the cook to leave the peanuts out.", confidence=0.9),
        "verdicts": _said(verdicts=[{"constraint": 1, "kept": True, "why": "It leaves them out."}]),
        "synthesis": _said(synthesis="Ask the cook (P1).", sources=["P1"]),
        "mode": _said(mode="linear", confidence=0.9, rationale="One fact is asked for."),
        "opinion": _said(opinion="It holds together.", **FOUND),
        "findings": _said(findings=[{"area": 1, "finding": "Safe."}], confidence=0.5, **FOUND),
        "revision": _revision,
        "better": _verdict,
    }
)
"""For a key that the schema asks for, what is made of the question's material."""


def said(ask: Ask) -> Said:
    """Return the object that the question asks for; a thought where it asks for no other."""
    wanted = (ask.schema or {}).get("required", ())
    answer = next((ANSWERS[name] for name in ANSWERS if name in wanted), _thought)
    return answer(dict(ask.material))
