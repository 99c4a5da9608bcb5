"""What the paid language model says: of each question the same, whatever the order of its parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from reasonloom.llm.interfaces import Ask, Reply, Usage
from tests.support.contracts.references import least_request

Fields = dict[str, Any]
THOUGHT = {"thought": "The kitchen must leave the peanuts out.", "confidence": 0.9}
APPROACHES = [
    {"name": "Call", "approach": "Call the kitchen about the peanuts."},
    {"name": "Cook", "approach": "Cook at home instead."},
]
MENDED = " Ask who cooks."
CONTINUATIONS = (
    "The kitchen leaves the peanuts out.",
    "Anna brings a lunchbox of her own.",
    "Somebody rings the cook beforehand.",
    "Another restaurant fries with butter.",
)


def _fixed(**said: Any) -> Callable[[Fields], Fields]:
    return lambda material: dict(said)


def _thought(material: Fields) -> Fields:
    """Follow the approach that is named, if any."""
    return {**THOUGHT, **({"thought": material["approach"]} if "approach" in material else {})}


def _ballot(material: Fields) -> Fields:
    """Prefer the text that comes first by its letters, under whatever label it is shown."""
    texts = sorted(material["candidates"], key=lambda each: str(each["text"]))
    scores = [
        {"label": each["label"], "flaw": "None was found.", "score": 0.8 - place / 10}
        for place, each in enumerate(texts)
    ]
    return {"scores": scores, "reason": "It is safe.", "best": texts[0]["label"]}


def _revision(material: Fields) -> Fields:
    return {"revision": material["content"] + MENDED}


def _comparison(material: Fields) -> Fields:
    return {"same": material["first"] == material["second"], "reason": "Word for word."}


def _verdict(material: Fields) -> Fields:
    """Prefer the longer answer, wherever it stands."""
    longer = "first" if len(material["first"]) > len(material["second"]) else "second"
    scores = {f"{place}_score": 0.8 if place == longer else 0.4 for place in ("first", "second")}
    return {"reason": "It asks more.", **scores, "better": longer}


def _continuations(material: Fields) -> Fields:
    """Leave one out where several are asked for, so that somebody has to ask again."""
    there = {each["content"] for each in material["siblings"]}
    new = [each for each in CONTINUATIONS if each not in there]
    asked = max(1, material["count"] - 1)
    return {"continuations": [{"thought": each, "confidence": 0.6} for each in new[:asked]]}


def _scores(material: Fields) -> Fields:
    """Find the peanuts valid, what is mended better still, and the first of the others its like."""
    scores = [
        {
            "label": each["label"],
            "reason": "Nothing is wrong with it.",
            "relevance": 0.6,
            "validity": _valid(each),
            "depth": 0.4,
        }
        for each in material["candidates"]
    ]
    relation = {"label": scores[0]["label"], "other": "1", "why": "Both help.", "kind": "supports"}
    return {"scores": scores, "relations": [relation] if material["others"] else []}


def _valid(shown: Fields) -> float:
    return 0.1 + 0.5 * ("peanuts" in shown["content"]) + 0.3 * (MENDED in shown["content"])


def _refinement(material: Fields) -> Fields:
    return {"critique": ["Who cooks?"], "thought": material["node"] + MENDED, "confidence": 0.7}


def _merger(material: Fields) -> Fields:
    """Say one input after another, by their letters."""
    texts = sorted(each["content"] for each in material["inputs"])
    used = [each["label"] for each in material["inputs"]]
    return {"thought": " ".join(texts), "confidence": 0.7, "used": used, "conflicts": []}


def _conclusion(material: Fields) -> Fields:
    first = material["thoughts"][0]
    return {"conclusion": f"{first['content']} ({first['label']})", "sources": [first["label"]]}


PARTS = ("Ask Anna what she eats.", "Shop for the dinner.")


def _division(material: Fields) -> Fields:
    """Divide the whole and the first of its parts; all else is one piece."""
    texts = {material["problem"]: PARTS, PARTS[0]: ("Ring her.", "Write a list of it.")}
    parts = [{"description": each} for each in texts.get(material["part"], ())]
    first = {"before": 1, "after": 2, "type": "needs", "certainty": 0.9, "why": "It is known then."}
    return {
        "atomic": not parts, "reason": "By time.", "confidence": 0.8, "sub_problems": parts,
        "dependencies": [first] if parts else [],
    }  # fmt: skip


def _stream(material: Fields) -> Fields:
    """Say what a stream sees in a quarter, and agree with the newest of each of the others."""
    name, quarter = material["stream"]["name"], material["quarter"]
    agreed = [
        {"to": each["insights"][-1]["label"], "stance": "agree", "about": "fact", "quote": "",
         "why": "It is safe."}
        for each in material["others"]
    ]  # fmt: skip
    insight = {"content": f"{name} {quarter}: {ENDS[name]}", "importance": 0.5, "confidence": 0.8}
    return {
        "reasoning": ["It is known."], "reactions": agreed, "insights": [insight],
        "conclusion": ENDS[name], "confidence": 0.8,
    }  # fmt: skip


ENDS = dict(zip(("analytical", "creative", "critical", "synthetic"), CONTINUATIONS, strict=True))
"""What each stream comes to, in words of its own: they do not agree early."""


def _synthesis(material: Fields) -> Fields:
    advice = {"description": "Ask.", "sources": ["analytical-1"], "rationale": "It is safe."}
    return {"conclusion": "Ask the cook.", "recommendations": [advice]}


def _deliberation(material: Fields) -> Fields:
    return {
        "agree": False,
        "open": [{"point": "Who cooks?", "streams": []}],
        "resolved": [],
        **_synthesis(material),
    }


def _step(material: Fields) -> Fields:
    """Come to something in the words of the step, and of those before it."""
    heard = ", ".join(each["label"] for each in material["before"])
    return {
        "output": f"{material['step']['name']}: the cook knows ({heard}).",
        "insights": [f"{material['step']['name']} needs the cook."], "open": ["Who cooks?"],
        "confidence": 0.7,
    }  # fmt: skip


FOUND = {"strengths": ["It is short."], "weaknesses": ["Who cooks?"], "recommendations": ["Ask."]}
ANSWERS: Mapping[str, Callable[[Fields], Fields]] = MappingProxyType(
    {
        "opinion": _fixed(opinion="It holds together.", **FOUND),
        "findings": _fixed(findings=[{"area": 1, "finding": "Safe."}], confidence=0.5, **FOUND),
        "reasoning": _stream,
        "agree": _deliberation,
        "recommendations": _synthesis,
        "framework": _fixed(framework="root-cause-analysis", confidence=0.9, reason="It asks why."),
        "output": _step,
        "rests_on": _fixed(rests_on=["S4"], conclusion="Ask the cook.", confidence=0.7),
        "atomic": _division,
        "dependencies": _fixed(dependencies=[]),
        "summary": _fixed(summary="Anna runs round the lake.", confidence=0.9),
        "approaches": _fixed(approaches=APPROACHES),
        "best": _ballot,
        "viewpoint": _fixed(viewpoint="Ask the cook to leave the peanuts out.", confidence=0.9),
        "verdicts": _fixed(
            verdicts=[{"constraint": 1, "kept": True, "why": "It leaves them out."}]
        ),
        "synthesis": _fixed(synthesis="Ask the cook (P1).", sources=["P1"], confidence=0.8),
        "mode": _fixed(mode="linear", confidence=0.9, rationale="One fact is asked for."),
        "revision": _revision,
        "better": _verdict,
        "same": _comparison,
        "continuations": _continuations,
        "scores": _scores,
        "critique": _refinement,
        "used": _merger,
        "conclusion": _conclusion,
        "outcome": _fixed(outcome="failed", why="She laughs."),
    }
)
"""For a key that the schema asks for, the first that it does, what is made of the material."""


def scripted_reply(ask: Ask) -> Fields:
    """Return the object that the question asks for; a thought where it asks for no other."""
    wanted = (ask.schema or {}).get("required", ())
    answer = next((ANSWERS[name] for name in ANSWERS if name in wanted), _thought)
    return answer(dict(ask.material))


class ReadyLlm:
    """Says what the tests' paid model says; where that does not fit, the least the schema takes."""

    name = "ready"
    offline = False

    async def answer(self, ask: Ask) -> Reply:
        """Answer at once."""
        schema = ask.schema or {}
        answer = scripted_reply(ask)
        if not set(schema.get("required", ())) <= answer.keys():
            answer = least_request(schema)
        return Reply(json.dumps(answer), answer, self.name, Usage(10, 5, 0.0))

    async def close(self) -> None:
        """Hold nothing."""
