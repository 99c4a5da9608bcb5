"""Joins what words show with what the language model's lenses say: the more careful one wins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from reasonloom.nodes.graph_memory.grounding.judges import Vote
from reasonloom.nodes.graph_memory.grounding.verdict import Verdict, Witness

By = Literal["words", "llm", "both"]
ALONE = 0.6
"""How sure a verdict is that one judge gives against the other, of the lenses' agreement."""

DIFFER = "the words and the language model do not agree; the more careful verdict is given"
NO_MAJORITY = "the lenses of the language model do not agree with each other"


class Joined(NamedTuple):
    """The verdict of both, how sure it is (0..1), who gave it, and what must be said."""

    verdict: Verdict
    confidence: float
    by: By
    notes: list[str]


def sureness(verdict: Verdict) -> float:
    """Return how sure a verdict of words alone is, 0..1.

    0.9 where one memory says it and 0.8 where several do, or where one contradicts; a partial or
    ungrounded one the share of the claim that is covered, or not.
    """
    if verdict.status == "verified":
        return 0.9 if len(verdict.witnesses) == 1 else 0.8
    if verdict.contradicted:
        return 0.8
    return verdict.coverage if verdict.status == "partial" else 1 - verdict.coverage


def join(words: Verdict, votes: Sequence[Vote], shown: Sequence[int], claim: str) -> Joined:
    """Return the verdict of the words and the lenses that answered."""
    answers = [said for vote in votes if (said := vote["said"])]
    if not answers:
        return Joined(words, sureness(words), "words", [])
    relation, count = Counter(str(each["relation"]) for each in answers).most_common(1)[0]
    share = count / len(answers)
    if 2 * count <= len(answers):
        verdict = _weaker(words)
        return Joined(verdict, ALONE * sureness(verdict), "both", [NO_MAJORITY])
    cited = _cited([each for each in answers if each["relation"] == relation], shown)
    verdict, agreed = _decided(words, relation, cited, _left(answers, relation, claim))
    notes = [DIFFER] if not agreed and _clash(words, relation) else []
    by: By = "both" if agreed or verdict is words else "llm"
    return Joined(
        verdict, share if agreed or (by == "llm" and not notes) else ALONE * share, by, notes
    )


def _decided(
    words: Verdict, relation: str, cited: Mapping[int, str], left: tuple[str, ...]
) -> tuple[Verdict, bool]:
    """Return the verdict, and whether both gave it."""
    if relation == "supported":
        return _borne_out(words, cited)
    if relation == "contradicted":
        return _denied(words, cited)
    if words.contradicted:
        return words, False
    if relation == "partly" and (cited or words.status != "ungrounded"):
        supports = words.witnesses or _witnesses(cited, "supports", words)
        told = replace(
            words, status="partial", witnesses=supports, uncovered=left or words.uncovered
        )
        return told, words.status == "partial"
    return _weaker(words), words.status == "ungrounded"


def _borne_out(words: Verdict, cited: Mapping[int, str]) -> tuple[Verdict, bool]:
    """A plain denial or another figure outweighs what the lenses find; a paraphrase does not."""
    if words.status == "verified":
        return words, True
    if words.contradicted and words.plain:
        return words, False
    if any(each.relation == "contradicts" for each in words.witnesses) and not words.contradicted:
        return words, False
    if not cited:
        return _weaker(words), False
    supports = _witnesses(cited, "supports", words)
    return Verdict("verified", 1.0, False, supports, (), (), False, words.unread), False


def _denied(words: Verdict, cited: Mapping[int, str]) -> tuple[Verdict, bool]:
    if words.contradicted:
        return words, True
    against = _witnesses(cited, "contradicts", words)
    if not against:
        return _weaker(words), False
    return replace(words, status="ungrounded", contradicted=True, witnesses=against), False


def _weaker(words: Verdict) -> Verdict:
    """Return what is left of a verdict of the words where the lenses do not bear it out."""
    return replace(words, status="partial") if words.status == "verified" else words


def _clash(words: Verdict, relation: str) -> bool:
    told = {"supported": "verified", "partly": "partial"}.get(relation, "ungrounded")
    return words.contradicted != (relation == "contradicted") or (
        words.status == "verified" and told != "verified"
    )


def _cited(answers: Sequence[dict[str, Any]], shown: Sequence[int]) -> dict[int, str]:
    """Return the nodes that the answers name, the most named first, with a reason."""
    named = Counter(
        shown[number - 1]
        for each in answers
        for number in dict.fromkeys(each["memories"])
        if 1 <= number <= len(shown)
    )
    why = {
        shown[number - 1]: str(each["why"])
        for each in reversed(answers)
        for number in each["memories"]
        if 1 <= number <= len(shown)
    }
    return {key: why[key] for key, _ in named.most_common()}


def _left(answers: Sequence[dict[str, Any]], relation: str, claim: str) -> tuple[str, ...]:
    """Return what the answers call uncovered, as far as it stands in the claim."""
    told = [part for each in answers if each["relation"] == relation for part in each["uncovered"]]
    return tuple(dict.fromkeys(part for part in told if part.casefold() in claim.casefold()))


def _witnesses(
    cited: Mapping[int, str], relation: Literal["supports", "contradicts"], words: Verdict
) -> tuple[Witness, ...]:
    known = {each.id: each.covers for each in words.witnesses}
    reason = relation == "contradicts"
    return tuple(
        Witness(key, relation, known.get(key, ()), why if reason else None)
        for key, why in cited.items()
    )
