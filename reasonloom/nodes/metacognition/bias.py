"""Detects biases, and the sentences that show them, by classifier and by lenses."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from types import MappingProxyType
from typing import Any, get_args

from reasonloom.contracts.metacognition import Bias
from reasonloom.nodes.judging.joining import merge_reasons
from reasonloom.nodes.metacognition.judges import JUDGES, LLM_SHARE
from reasonloom.nodes.metacognition.spans import Sentence, find_quote, join_spans, overlap
from reasonloom.nodes.metacognition.state import CheckInput, JudgeVote, Measurements
from reasonloom.nodes.metacognition.text_analysis import ARGUES, TextAnalysis
from reasonloom.text.shortening import shorten

CORRECTIONS: Mapping[Bias, str] = MappingProxyType(
    {
        "confirmation": "Look for what would prove {quote} wrong, and weigh it by the same "
        "measure as what supports it.",
        "anchoring": "Leave the figure behind {quote} aside, estimate from independent grounds "
        "first, and compare the two only then.",
        "availability": "Look up how often this really happens before {quote} decides: a case "
        "that comes to mind easily is not a frequent one.",
        "recency": "Put {quote} beside the whole record with its dates, and let it count for "
        "one entry unless something has changed for good.",
        "representativeness": "Begin with how common it is at all, and ask how much {quote} "
        "really changes that; a likeness or a few cases are weak evidence.",
        "framing": "Say {quote} the other way round (gain as loss, part as rest, per day as per "
        "year), and see whether the judgement stays the same.",
        "sunk_cost": "What {quote} speaks of is gone either way: compare only what still lies "
        "ahead, as somebody would who begins today.",
        "attribution": "Ask what in the situation would make anybody do the same before {quote} "
        "is laid to character; apply the same measure to yourself.",
    }
)
LONGEST_QUOTE = 100


def correction(bias: Bias, quote: str) -> str:
    """Return advice on correcting a bias shown by the quoted words."""
    words = " ".join(quote.split())
    return CORRECTIONS[bias].format(quote=f"“{shorten(words, LONGEST_QUOTE, placeholder=' …')}”")


BIASES: tuple[Bias, ...] = get_args(Bias)
NONE = "none"
SURE, SUREST = 0.8, 0.9
"""Minimum probability of any bias for the classifier alone to report the most likely one: for a
text of one window, and the upper limit for texts of many windows."""

NAMED = 0.5
"""Minimum probability of a bias for the classifier alone to name it: likelier than all others."""

NO_ARGUMENT = (
    "no argument to judge: the text states, tells or asks something, and concludes nothing"
)

REPORTED = 0.4
"""Minimum confidence for a bias to be reported when lenses replied."""

UNACTED = 0.7
"""Severity factor of a bias whose sentence neither decides nor concludes anything."""

ACTS = re.compile(
    r"\b(?:so|therefore|thus|hence|that(?:'s| is) why|decid\w+|will|won't|going to|recommend\w*"
    r"|sign\w*|order\w*|refus\w+|approv\w+|reject\w*|put|set|made?|bought|sold|stay\w*|keep\w*"
    r"|voted?|propos\w+|should|must)\b",
    re.I,
)
UNQUOTED = "{lens} named {bias} with words that are not in the text; that was left out"


async def measure_bias(read: TextAnalysis, done: Measurements) -> dict[str, Any]:
    """Return the most likely bias of each arguing, likely biased window, and all probabilities.

    The probability of a bias is its maximum over the windows. The threshold rises with the number
    of windows, since otherwise every long text would show some bias.
    """
    arguing = [scores for scores in read.scores if scores.argues >= ARGUES]
    found: dict[Bias, dict[str, Any]] = {}
    for place, scores in enumerate(read.scores):
        if scores.argues >= ARGUES and 1 - scores.bias[NONE] >= _sure(len(read.scores)):
            bias = max(BIASES, key=scores.bias.__getitem__)
            if scores.bias[bias] < NAMED:
                continue
            seen = _found(bias, scores.bias[bias], _carrying(read, place, bias))
            if bias not in found or seen["confidence"] > found[bias]["confidence"]:
                found[bias] = seen
    shares = {
        bias: round(max((scores.bias[bias] for scores in arguing), default=0.0), 4)
        for bias in BIASES
        if read.scores
    }
    return {
        "found": [*found.values()],
        "shares": shares,
        "silent": bool(read.scores) and not arguing,
    }


def _sure(windows: int) -> float:
    """Return the minimum probability of any bias to report one, by number of windows."""
    return min(SUREST, 1 - (1 - SURE) / windows)


def _carrying(read: TextAnalysis, place: int, bias: Bias) -> Sentence:
    """Return the sentence of a window that contributes most to the bias."""
    start = 0
    pulls: list[float] = []
    for sentence in read.windows[place]:
        pulls.append(read.scores[place].pull_of(bias, start, start + len(sentence.text)))
        start += len(sentence.text) + 1
    return read.windows[place][pulls.index(max(pulls))]


def _found(bias: Bias, probability: float, carrying: Sentence) -> dict[str, Any]:
    acted = ACTS.search(carrying.text) is not None
    return {
        "type": bias,
        "confidence": round(probability, 3),
        "severity": round(probability * (1 if acted else UNACTED), 3),
        "spans": [carrying.span.wire()],
    }


def merge_bias(
    measured: dict[str, Any], votes: Sequence[JudgeVote], given: CheckInput
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the biases to report, most confident first, and notes.

    Different names given by lenses to the same words are merged into one bias. Confidence with
    lenses: 0.75 times the mean over the lenses that replied (0 for one that does not name it), plus
    0.25 times the classifier's probability; biases below 0.4 are dropped.
    """
    heard = [vote for vote in votes if vote["said"] is not None]
    if not heard:
        found = [_render(each) for each in _surest(measured["found"])]
        return found, [NO_ARGUMENT] if measured.get("silent") else []
    named, notes = _named(heard, given)
    seen = {each["type"] for each in measured["found"]}
    share = LLM_SHARE if measured["shares"] else 1.0
    merged = []
    for group in _groups(named):
        sayings = [saying for bias in group for saying in named[bias]]
        lenses = sum(saying["confidence"] for saying in sayings) / len(heard)
        computed = max(measured["shares"].get(bias, 0.0) for bias in group)
        sure = share * lenses + (1 - share) * computed
        if sure >= REPORTED:
            by = "llm" if seen.isdisjoint(group) else "both"
            merged.append(_judged(sure, sayings, given["text"], by))
    return _surest(merged), notes


def _groups(named: Mapping[str, list[dict[str, Any]]]) -> list[list[str]]:
    """Group the named biases, merging names that different lenses give to the same words.

    Each lens occurs at most once in a group.
    """
    groups: list[list[str]] = []
    for bias in (each for each in BIASES if named.get(each)):
        known = next((group for group in groups if _is_same(named, group, bias)), None)
        if known is None:
            groups.append([bias])
        else:
            known.append(bias)
    return groups


def _is_same(named: Mapping[str, list[dict[str, Any]]], group: Sequence[str], bias: str) -> bool:
    pairs = [(one, other) for each in group for one in named[each] for other in named[bias]]
    return all(one["lens"] != other["lens"] for one, other in pairs) and any(
        overlap(one["span"], other["span"]) for one, other in pairs
    )


def _named(
    heard: Sequence[JudgeVote], given: CheckInput
) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """Return the lenses' findings by bias, without those whose quote is not in the text."""
    named: dict[str, list[dict[str, Any]]] = defaultdict(list)
    notes: list[str] = []
    for vote in heard:
        for found in (vote["said"] or {})["biases"]:
            span = find_quote(found["quote"], given["text"])
            if span is None:
                notes.append(UNQUOTED.format(lens=f"the {vote['lens']}", bias=found["type"]))
            elif all(other["lens"] != vote["lens"] for other in named[found["type"]]):
                named[found["type"]].append({**found, "lens": vote["lens"], "span": span})
    return named, notes


def _judged(sure: float, sayings: Sequence[dict[str, Any]], text: str, by: str) -> dict[str, Any]:
    """Merge the lenses' findings on the same words into one bias, by its most frequent name."""
    ranked = sorted(sayings, key=lambda found: found["confidence"], reverse=True)
    names = [name for name, _ in Counter(found["type"] for found in ranked).most_common()]
    spans = join_spans((found["span"] for found in sayings), text)
    reason = merge_reasons(found.get("why", "") for found in ranked)
    lenses = [lens for lens in JUDGES["bias"] if any(lens == s["lens"] for s in sayings)]
    return {
        "type": names[0],
        "confidence": round(sure, 3),
        "severity": round(fmean(found["severity"] for found in sayings), 3),
        "spans": spans,
        "evidence": [span["text"] for span in spans],
        "correction": next(f["correction"] for f in ranked if f["type"] == names[0]),
        "by": by,
        "lenses": lenses,
        "count": len(lenses),
        **({"also": names[1:]} if names[1:] else {}),
        **({"reason": reason} if reason else {}),
    }


def _render(found: dict[str, Any]) -> dict[str, Any]:
    evidence = [span["text"] for span in found["spans"]]
    return {
        **found,
        "evidence": evidence,
        "correction": correction(found["type"], evidence[0]),
        "by": "words",
    }


def _surest(found: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(found, key=lambda each: each["confidence"], reverse=True)
