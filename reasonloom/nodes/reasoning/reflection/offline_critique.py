"""Criticises an answer without a language model, by what can be counted, and says so.

It never says whether an answer is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reasonloom.text.sentences import sentences_in
from reasonloom.text.words import words_in

if TYPE_CHECKING:
    from collections.abc import Iterator

REASONS = re.compile(
    r"\b(?:because|since|therefore|thus|hence|so that|due to|as a result|consequently)\b", re.I
)
HEDGES = re.compile(r"\b(?:maybe|perhaps|probably|possibly|might|somehow|i think|i guess)\b", re.I)
CLAIMS = re.compile(r"\b(?:always|never|everybody|nobody|obviously|clearly|certainly)\b", re.I)
LONG_SENTENCE = 40
"""Words from which a sentence counts as hard to follow."""

FEW_WORDS = 8
"""Words below which an answer can hardly give its reason."""

NOT_JUDGED = "Whether it is right was not judged: only words were counted."
UNBLAMED = "Nothing that can be counted speaks against it; whether it is right was not judged."
ASK_SOMEBODY = "Have it judged by somebody who knows, or set REASONLOOM_LLM."


def offline_critique(content: str, question: str, areas: Sequence[str]) -> dict[str, Any]:
    """Return strengths, weaknesses, recommendations and findings by counting words.

    `confidence` is the share of the question's words that the answer uses; 0.5, which is unknown,
    without a question.
    """
    found = list(_checks(content, question))
    strengths = [remark for good, remark, _ in found if good]
    faults = [(remark, cure) for good, remark, cure in found if not good]
    return {
        "strengths": strengths or [UNBLAMED if not faults else "It can be read and checked."],
        "weaknesses": [remark for remark, _ in faults] or [NOT_JUDGED],
        "recommendations": [cure for _, cure in faults] or [ASK_SOMEBODY],
        "findings": [offline_finding(content, area) for area in areas],
        "confidence": _covered(content, question) if question else 0.5,
    }


def offline_finding(content: str, area: str) -> dict[str, str]:
    """Return a finding on one focus area: its first sentence that names it, if any."""
    wanted = set(words_in(area))
    matching = [each for each in sentences_in(content) if wanted & set(words_in(each))]
    finding = f"It speaks of it: {matching[0]}" if matching else "No sentence names it."
    return {"area": area, "finding": f"By words only: {finding}", "by": "words"}


def _checks(content: str, question: str) -> Iterator[tuple[bool, str, str]]:
    """Yield for each measure whether it is a strength, what to say, and the remedy."""
    sentences = sentences_in(content)
    reasons = REASONS.findall(content)
    if reasons:
        yield True, f"It gives reasons ({', '.join(sorted({r.lower() for r in reasons}))}).", ""
    elif len(words_in(content)) >= FEW_WORDS:
        yield False, "It gives no reason: no because, since or therefore.", "Say why it follows."
    longest = max(sentences, key=lambda each: len(each.split()), default="")
    if len(longest.split()) >= LONG_SENTENCE:
        cure = "Cut the longest sentence into steps that can be checked."
        yield False, f"A sentence of {len(longest.split())} words is hard to check.", cure
    else:
        yield True, f"Its sentences are short enough to check ({len(sentences)}).", ""
    for pattern, fault, cure in (
        (HEDGES, "It hedges", "Say what is known and what is not, instead of"),
        (CLAIMS, "It claims more than it can show", "Give the evidence, or drop"),
    ):
        if words := sorted({each.lower() for each in pattern.findall(content)}):
            yield False, f"{fault}: {', '.join(words)}.", f"{cure} {', '.join(words)}."
    if question:
        missed = [w for w in dict.fromkeys(words_in(question)) if w not in set(words_in(content))]
        if missed:
            listed = ", ".join(missed[:5])
            yield False, f"It does not take up of the question: {listed}.", f"Answer for: {listed}."
        else:
            yield True, "It takes up every word of the question.", ""


def _covered(content: str, question: str) -> float:
    wanted = set(words_in(question))
    return len(wanted & set(words_in(content))) / len(wanted) if wanted else 0.0
