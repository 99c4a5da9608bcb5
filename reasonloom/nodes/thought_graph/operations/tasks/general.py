"""Any problem in prose: thoughts are continued, improved, merged, and judged by blind ballots."""

import re
from collections.abc import Mapping
from typing import Any

from reasonloom.nodes.judging.ballots import label
from reasonloom.nodes.reasoning.tree_search.deduplication import normalised
from reasonloom.nodes.thought_graph.operations.state import Thought
from reasonloom.nodes.thought_graph.operations.task import Candidate, Move, Task, TaskQuestion

PUNCTUATION = re.compile(r"[^\w\s]+(?=\s|$)")
"""Punctuation at the end of a word; elsewhere it may be part of a number."""

STOPS = ".!?\u2026\u3002\uff01\uff1f"
"""Final punctuation that is ignored when comparing texts."""


def _generate_variables(question: TaskQuestion) -> dict[str, Any]:
    return {
        **_refine_variables(question),
        "siblings": [],
        "count": question.count,
    }


def _read_continuations(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    before = question.thoughts[0]["text"]
    new = [each for each in answer["continuations"] if each["thought"] != before]
    found = [each for each in new if _adds_anything(question, each)]
    return [
        Candidate(each["thought"], None, each["confidence"]) for each in found[: question.count]
    ]


def _refine_variables(question: TaskQuestion) -> dict[str, Any]:
    return {
        "problem": question.problem["text"],
        "node": question.thoughts[0]["text"],
        "line": [{"content": each["text"]} for each in question.line],
        "memories": question.memories,
    }


def _read_refinement(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    made = Candidate(answer["thought"], {"critique": answer["critique"]}, answer["confidence"])
    return [made] if _adds_anything(question, answer) else []


def _merge_variables(question: TaskQuestion) -> dict[str, Any]:
    inputs = [
        {"label": label(place), "content": each["text"]}
        for place, each in enumerate(question.thoughts)
    ]
    return {"problem": question.problem["text"], "inputs": inputs}


def _read_merger(question: TaskQuestion, answer: Mapping[str, Any]) -> list[Candidate]:
    made = Candidate(answer["thought"], None, answer["confidence"])
    return [made] if _adds_anything(question, answer) else []


def _adds_anything(question: TaskQuestion, answer: Mapping[str, Any]) -> bool:
    """Return whether a thought says anything other than the problem."""
    return _bare(answer["thought"]) != _bare(question.problem["text"])


def _bare(text: str) -> str:
    return normalised(text).rstrip(STOPS)


def _same_idea(first: Thought, second: Thought) -> bool:
    """Return whether two thoughts differ only in case, white space and punctuation.

    A single word or number may be the answer, so similarity of the rest means nothing.
    """
    return _unpunctuated(first["text"]) == _unpunctuated(second["text"])


def _unpunctuated(text: str) -> str:
    return PUNCTUATION.sub("", normalised(text))


GENERAL = Task(
    name="general",
    same=_same_idea,
    moves={
        "generate": Move(
            "got/generate", _generate_variables, _read_continuations, "got_generate", plain=True
        ),
        "refine": Move("got/refine", _refine_variables, _read_refinement, "got_refine", plain=True),
        "aggregate": Move(
            "got/aggregate", _merge_variables, _read_merger, "got_aggregate", plain=True, takes=None
        ),
    },
)
