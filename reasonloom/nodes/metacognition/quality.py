"""Judges the quality of reasoning, by computation and by the lenses."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median
from types import MappingProxyType
from typing import Any

from reasonloom.nodes.judging.joining import group_texts, merge_reasons, says_same
from reasonloom.nodes.metacognition.argument import Argument, stems
from reasonloom.nodes.metacognition.faults import Fault
from reasonloom.nodes.metacognition.judges import distinct_texts
from reasonloom.nodes.metacognition.spans import find_quote, join_spans, overlap
from reasonloom.nodes.metacognition.state import CheckInput, JudgeVote, Measurements
from reasonloom.nodes.metacognition.text_analysis import TextAnalysis
from reasonloom.text.words import words_in

SIDES = ("coherence", "completeness", "logical_validity", "evidence_support")
JUDGED = 0.6
"""Weight of the classifier's judgement in each side of quality; rules have the rest."""

CENTRE = 1.1
"""Mean classifier output over its training pairs of sound and flawed reasoning."""

SCALE = 3.0
"""Divisor of the classifier's log-odds, since it is more confident on pairs than on texts."""

NEXT_ENOUGH = 0.35
"""Minimum likeness at which a sentence fully continues the one before."""

GRAVE = frozenset({"contradiction", "evidence_clash", "number_mismatch"})
LOGICAL = GRAVE | {"circularity", "hasty_generalisation", "correlation_for_cause"}
LEAST_WORDS = 4
"""Content words below which a text is too short to be an argument."""

NONE: Mapping[str, Any] = MappingProxyType({"faults": ()})
NOT_JUDGED = "Whether it is true was not judged: only its words and structure were."
TOO_SHORT = "It is too short to be judged as an argument."


def soundness(read: TextAnalysis) -> float:
    """Return the classifier's estimate of soundness, 0..1; 0.5 if there is none."""
    if not read.scores:
        return 0.5
    mean = fmean(scores.soundness for scores in read.scores)
    return 1 / (1 + math.exp((CENTRE - mean) / SCALE))


async def measure_quality(read: TextAnalysis, done: Measurements) -> dict[str, Any]:
    """Return the four sides, strengths, weaknesses, recommendations and findings."""
    argument, faults = read.argument, read.faults
    strengths, more = _strengths(argument), _missing(argument, read)
    return {
        "sides": {name: round(side, 4) for name, side in sides_of(read).items()},
        "strengths": strengths,
        "weaknesses": [*(fault.text for fault in faults), *(what for what, _ in more)],
        "recommendations": distinct_texts([*(f.cure for f in faults), *(cure for _, cure in more)]),
        "findings": [_finding(fault) for fault in faults],
    }


def sides_of(read: TextAnalysis) -> dict[str, float]:
    """Return the four sides of quality, each 0..1.

    Each is 0.6 times the classifier's soundness plus 0.4 times a value computed by rules:

    - coherence: the continuity of neighbouring sentences, halved if there is a grave fault.
    - completeness: the mean presence of claims, grounds, other sides and hedges, and of the words
      of the context.
    - logical validity: 1, halved for each logical fault.
    - evidence support: the mean support of the claims.

    All are 0.5 for an unsupported language, and 0.2 for a text that is too short.
    """
    if not read.language.supported:
        return dict.fromkeys(SIDES, 0.5)
    if len(words_in(read.given["text"])) < LEAST_WORDS:
        return dict.fromkeys(SIDES, 0.2)
    argument, faults = read.argument, read.faults
    grave = sum(fault.kind in GRAVE for fault in faults)
    logical = sum(fault.kind in LOGICAL for fault in faults)
    counted = {
        "coherence": _going_on(argument, read) * 0.5 ** min(grave, 1),
        "completeness": fmean(_there(argument, read)),
        "logical_validity": 0.5**logical,
        "evidence_support": argument.support,
    }
    judged = soundness(read)
    return {name: JUDGED * judged + (1 - JUDGED) * side for name, side in counted.items()}


def _going_on(argument: Argument, read: TextAnalysis) -> float:
    """Return the mean likeness of neighbouring sentences / `NEXT_ENOUGH`; 0.5 for a single one."""
    texts = [each.text for each in argument.sentences]
    alike = [min(1.0, read.likeness.of(*pair) / NEXT_ENOUGH) for pair in pairwise(texts)]
    return fmean(alike) if alike else 0.5


def _there(argument: Argument, read: TextAnalysis) -> list[float]:
    there = [
        float(bool(argument.claims)),
        min(1.0, 2 * argument.grounded) if not argument.evidence else 1.0,
        min(1.0, 2 * argument.weighs),
        min(1.0, 3 * argument.hedged),
    ]
    topic = stems(read.given["context"])
    return [*there, len(topic & stems(read.given["text"])) / len(topic)] if topic else there


def _strengths(argument: Argument) -> list[str]:
    found = []
    backed = [claim for claim in argument.claims if claim.supported_by and claim.support > JUDGED]
    if backed:
        found.append(f"“{backed[0].text}” rests on what is given: “{backed[0].supported_by[0]}”")
    if argument.weighs:
        found.append("It looks at another side or compares.")
    if argument.hedged and argument.grounded:
        found.append("It says where it is not sure.")
    return found


def _missing(argument: Argument, read: TextAnalysis) -> list[tuple[str, str]]:
    """Return missing elements, as far as words show them, each with a remedy."""
    if not read.language.supported:
        return [(NOT_JUDGED, "Have it judged by somebody who reads the language.")]
    if len(words_in(read.given["text"])) < LEAST_WORDS:
        return [(TOO_SHORT, "Say what is claimed, and what shows it.")]
    found = []
    if not argument.grounded and not argument.evidence:
        found.append(("It gives no ground that its words show.", "Say what shows it, and how."))
    if not argument.weighs:
        about = argument.claims[0].text if argument.claims else read.given["text"]
        cure = f"Say what else could explain or replace this, and why not: “{about[:100]}”."
        found.append(("It looks at no other side and compares with nothing.", cure))
    missed = sorted(stems(read.given["context"]) - stems(read.given["text"]))
    if missed and len(missed) > len(stems(read.given["context"])) / 2:
        words = [w for w in dict.fromkeys(words_in(read.given["context"])) if w[:5] in missed]
        named = ", ".join(words[:5])
        found.append(
            (f"It does not take up of the context: {named}.", f"Say what it means for: {named}.")
        )
    return found


def _finding(fault: Fault) -> dict[str, Any]:
    return {
        "kind": fault.kind,
        "told": fault.text,
        "spans": [each.span.wire() for each in fault.where],
    }


def merge_quality(
    measured: dict[str, Any], votes: Sequence[JudgeVote], given: CheckInput
) -> dict[str, Any]:
    """Return the quality: the lenses' median, or the computed values if no lens replied.

    The lenses' texts precede computed ones and are deduplicated; a fault whose quote is not in the
    text has no span.
    """
    heard = [vote["said"] for vote in votes if vote["said"] is not None]
    if not heard:
        return {
            "quality": measured["sides"],
            "strengths": measured["strengths"],
            "weaknesses": [*measured["weaknesses"], NOT_JUDGED][
                : max(1, len(measured["weaknesses"]))
            ],
            "recommendations": measured["recommendations"],
            "findings": measured["findings"],
        }
    sides = {name: round(median(answer[name] for answer in heard), 4) for name in SIDES}
    faults = _joined_faults(votes, given)
    strengths = group_texts(text for answer in heard for text in answer["strengths"])
    cures = group_texts(fault["cure"] for answer in heard for fault in answer["faults"])
    return {
        "quality": sides,
        "strengths": distinct_texts(group[0] for group in strengths),
        "weaknesses": distinct_texts([*(f["told"] for f in faults), *measured["weaknesses"]]),
        "recommendations": distinct_texts(
            [*(group[0] for group in cures), *measured["recommendations"]]
        ),
        "findings": [*faults, *measured["findings"]],
    }


def _joined_faults(votes: Sequence[JudgeVote], given: CheckInput) -> list[dict[str, Any]]:
    """Return the lenses' faults as findings, most frequent first; `count` is the number of lenses.

    Faults with overlapping quotes are merged, and so are equivalent faults without a quote.
    """
    groups: list[list[dict[str, Any]]] = []
    named = ((vote["lens"], each) for vote in votes for each in (vote["said"] or NONE)["faults"])
    for lens, fault in named:
        span = find_quote(fault["quote"], given["text"])
        found = {"fault": fault["fault"], "span": span, "lens": lens}
        known = next((group for group in groups if _is_same(group, found)), None)
        if known is None:
            groups.append([found])
        else:
            known.append(found)
    return [_judged(group, given["text"]) for group in sorted(groups, key=len, reverse=True)]


def _is_same(group: Sequence[dict[str, Any]], found: dict[str, Any]) -> bool:
    if found["span"] is None:
        return any(
            each["span"] is None and says_same(each["fault"], found["fault"]) for each in group
        )
    return any(each["span"] is not None and overlap(each["span"], found["span"]) for each in group)


def _judged(group: Sequence[dict[str, Any]], text: str) -> dict[str, Any]:
    spans = join_spans((each["span"] for each in group if each["span"]), text)
    reason = merge_reasons(each["fault"] for each in group)
    return {
        "kind": "judged",
        "told": reason,
        "spans": spans,
        "count": len({each["lens"] for each in group}),
    }
