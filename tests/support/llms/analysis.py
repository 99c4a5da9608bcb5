"""A language model that divides problems as a test says, and links what the test links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reasonloom.llm.interfaces import Ask
from tests.support.llms.answering import AnsweringLlm, ReplyFields

CONCLUSION: ReplyFields = {
    "rests_on": ["S2"],
    "conclusion": "The cold valve did it.",
    "confidence": 0.7,
}


def vote(framework: str, confidence: float = 0.9) -> ReplyFields:
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


def analysing(
    step: Callable[[Ask], ReplyFields | None] = lambda ask: None, **more: Any
) -> AnsweringLlm:
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


WORDS = (
    "harbour", "violin", "granite", "pepper", "lantern", "glacier", "tractor", "orchid",
    "compass", "walrus", "saddle", "thunder", "biscuit", "marble", "ferry", "quilt",
)  # fmt: skip
"""One for each sub-problem: no two may be alike."""


def whole(reason: str = "one person can do it") -> dict[str, Any]:
    """Say that a problem is atomic."""
    return {
        "atomic": True, "reason": reason, "confidence": 0.9, "sub_problems": [],
        "dependencies": [],
    }  # fmt: skip


def into(*parts: str | tuple[str, float], links: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Divide a problem into parts, with an effort where it is told."""
    told = [
        {"description": each} if isinstance(each, str) else
        {"description": each[0], "effort": each[1]}
        for each in parts
    ]  # fmt: skip
    return {
        "atomic": False, "reason": "by place", "confidence": 0.8, "sub_problems": told,
        "dependencies": list(links),
    }  # fmt: skip


def link(before: Any, after: Any, sure: float = 0.9, kind: str = "needs") -> dict[str, Any]:
    """Say that one comes before another: places in a division, outline numbers across them."""
    return {"before": before, "after": after, "type": kind, "certainty": sure, "why": "so"}


def splitting(
    tree: Mapping[str, ReplyFields],
    links: ReplyFields | None = None,
    other: Callable[[Ask], ReplyFields] | None = None,
) -> AnsweringLlm:
    """Return a model that says of a problem what `tree` says; all others are atomic."""

    def said(ask: Ask) -> ReplyFields:
        part = str(ask.material["part"])
        return tree[part] if part in tree else other(ask) if other else whole()

    return AnsweringLlm(atomic=said, dependencies=links or {"dependencies": []})


def growing(width: int) -> Callable[[Ask], ReplyFields]:
    """Divide every problem into as many, each with a name of its own."""
    made = iter(range(10_000))

    def said(ask: Ask) -> ReplyFields:
        names = [next(made) for _ in range(width)]
        return into(*(f"{WORDS[n % 16]} {WORDS[n // 16 % 16]} number {n * 7919}" for n in names))

    return said
