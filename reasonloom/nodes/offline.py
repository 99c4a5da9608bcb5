"""Answers without a language model: quotes from known text, and open questions.

Nothing here reasons. Only memories and the request are quoted, never a session's earlier thoughts,
which are not facts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from reasonloom.contracts.base import Kind
from reasonloom.nodes.execution import Execution
from reasonloom.text.extraction import Findings
from reasonloom.text.sentences import QUESTION, sentences_in
from reasonloom.text.shortening import shortened

OPEN_QUESTION: Kind = "open_question"
"""The `kind` of an unanswered question."""

NO_MODEL = "No language model answered: set REASONLOOM_LLM (`reasonloom doctor` shows how)."
UNCHECKED = "nothing is recommended yet that could keep or break it"
QUOTED_CONFIDENCE = 0.1
"""Confidence of an answer that quotes something; one that only asks has 0."""

MOST_QUOTES, LONGEST_QUOTE, LONGEST_PROBLEM = 2, 90, 60
MOST_READ_CHARS = 10_000
CITED = re.compile(r"” \(mem-(\d+)\)")
NOTICE = re.compile(r"\[[^\n]*\]\n")
"""The notice line before a suspicious memory, which is not part of its content."""


def quotes_on(
    problem: str,
    memories: Sequence[Mapping[str, Any]],
    background: str = "",
    *,
    most: int = MOST_QUOTES,
) -> list[str]:
    """Return the sentences that share words with a problem, each quoted with its source.

    For a question, the best one of each memory, in the order given: nearest first. For any other
    text, those that share the most words.
    """
    sources: dict[str, str] = {}
    texts = [(f"mem-{each['id']}", str(each["content"])) for each in memories]
    for source, text in [*texts, ("background", background)]:
        bare = text[notice.end() :] if (notice := NOTICE.match(text)) else text
        for sentence in sentences_in(bare[:MOST_READ_CHARS]):
            sources.setdefault(sentence, source)
    ranked = [each for each in Findings(problem, (*sources,)).ranked if each in sources]
    if memories and QUESTION.search(problem):
        ranked = best_of_each(ranked, sources)
    return [f"{quote(each, LONGEST_QUOTE)} ({sources[each]})" for each in ranked[:most]]


def best_of_each(ranked: Sequence[str], sources: Mapping[str, str]) -> list[str]:
    """Return the best ranked sentence of each source that has one, in their order."""
    best: dict[str, str] = {}
    for sentence in ranked:
        best.setdefault(sources[sentence], sentence)
    return [best[source] for source in dict.fromkeys(sources.values()) if source in best]


def quote(text: str, longest: int) -> str:
    """Return the beginning of a text in quotes, about `longest` characters when JSON-escaped."""
    line = shortened(text, longest)
    escaped = line.count('"') + line.count("\\")
    return f"“{shortened(line, max(longest - escaped, longest // 2))}”"


def cited_memories(content: str) -> list[int]:
    """Return the ids of the memories that a text quotes."""
    return [*dict.fromkeys(int(number) for number in CITED.findall(content))]


def open_question(question: str, problem: str) -> str:
    """Return a question about a problem as one line."""
    return f"On {quote(problem, LONGEST_PROBLEM)}: {question}"


def open_thought(question: str, problem: str, quotes: Sequence[str]) -> dict[str, Any]:
    """Return the `content` and `confidence` of a thought that only quotes and asks."""
    return {
        "content": "\n".join([*quotes, open_question(question, problem)]),
        "confidence": confidence_of(quotes),
    }


def confidence_of(quotes: Sequence[str]) -> float:
    """Return the confidence of an answer with these quotes."""
    return QUOTED_CONFIDENCE if quotes else 0.0


def remark(execution: Execution) -> dict[str, Any]:
    """Return the answer's `suggestion` to set a language model if it is offline, else empty."""
    return {"suggestion": NO_MODEL} if execution.loom.llm.offline else {}


def undecided(constraints: Sequence[str]) -> list[dict[str, Any]]:
    """Return undecided verdicts on constraints that were not checked."""
    return [
        {"constraint": each, "kept": None, "by": "none", "why": UNCHECKED} for each in constraints
    ]
