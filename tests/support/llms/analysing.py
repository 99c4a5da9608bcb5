"""A language model that works through frameworks, each step in words of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reasonloom.llm.port import Ask
from tests.support.llms.answering import AnsweringLlm, Said

CONCLUSION: Said = {"rests_on": ["S2"], "conclusion": "The cold valve did it.", "confidence": 0.7}


def vote(framework: str, confidence: float = 0.9) -> Said:
    """Vote for a framework."""
    return {"framework": framework, "confidence": confidence, "reason": "It asks for that."}


def step_of(ask: Ask) -> str:
    """Return the name of the step that a question asks for."""
    step: Any = ask.material["step"]
    return str(step["name"])


def found(ask: Ask, **more: Any) -> dict[str, Any]:
    """Return what a step comes to where nothing else is asked of it."""
    name = step_of(ask)
    return {
        "output": f"{name} shows the valve. It sticks.",
        "insights": [f"{name} points at number {sum(map(ord, name))}"],
        "open": [f"Who did {name}?"],
        "confidence": 0.8,
        **more,
    }


def analysing(step: Callable[[Ask], Said | None] = lambda ask: None, **more: Any) -> AnsweringLlm:
    """Return a model that answers steps by `step`, else each in its own words."""
    said: dict[str, Any] = {
        "framework": vote("root-cause-analysis"),
        "output": lambda ask: step(ask) or found(ask),
        "rests_on": CONCLUSION,
        "verdicts": lambda ask: {
            "verdicts": [
                {"constraint": number, "kept": True, "why": "ok"}
                for number, _ in enumerate(ask.material["constraints"], 1)
            ]
        },
    }
    return AnsweringLlm(**{**said, **more})
