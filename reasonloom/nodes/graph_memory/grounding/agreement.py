"""Combines the verdict of the words with the judges' votes; the more careful one wins."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from reasonloom.nodes.graph_memory.grounding.judges import Vote
from reasonloom.nodes.graph_memory.grounding.reading.clause import READ
from reasonloom.nodes.graph_memory.grounding.verdict import Verdict, Witness
from reasonloom.nodes.judging.joining import merge_reasons

DecidedBy = Literal["words", "llm", "both"]
ALONE = 0.6
"""Factor of the confidence of a verdict that words and language model do not share."""

DIFFER = "the words and the language model do not agree; the more careful verdict is given"
NO_MAJORITY = "the lenses of the language model do not agree with each other"


class JointVerdict(NamedTuple):
    """The combined verdict, its confidence (0..1), who decided it, and notes."""

    verdict: Verdict
    confidence: float
    by: DecidedBy
    notes: list[str]


def sureness(verdict: Verdict) -> float:
    """Return the confidence of a verdict of words alone, 0..1.

    0.9 if one memory verifies the claim; 0.8 if it takes several, if the claim is contradicted, or
    if it is ungrounded although memories have its words (54 of 67 claims of `grounds-1.jsonl` and
    `claims-1.jsonl` in `training/cases`); the covered share of the claim for a partial verdict, the
    uncovered share for any other ungrounded one.
    """
    if verdict.status == "verified":
        return 0.9 if len(verdict.witnesses) == 1 else 0.8
    if verdict.status == "ungrounded" and verdict.witnesses:
        return 0.8
    return verdict.coverage if verdict.status == "partial" else 1 - verdict.coverage


def join_votes(
    words: Verdict, votes: Sequence[Vote], listed: Sequence[int], claim: str
) -> JointVerdict:
    """Return the verdict of the words combined with the votes of the judges that answered."""
    answers = [reply for vote in votes if (reply := vote["said"])]
    if not answers:
        return JointVerdict(words, sureness(words), "words", [])
    relation, count = Counter(str(each["relation"]) for each in answers).most_common(1)[0]
    share = count / len(answers)
    if 2 * count <= len(answers):
        verdict = _weaker(words)
        return JointVerdict(verdict, ALONE * sureness(verdict), "both", [NO_MAJORITY])
    signed = sign_evidence(answers, listed)
    deciding = [each for each in answers if each["relation"] == relation]
    wanted: Sign = "contradicts" if relation == "contradicted" else "supports"
    cited = {
        key: signed[key].why
        for key in _cited(deciding, listed)
        if key in signed and signed[key].sign == wanted
    }
    verdict, agreed = _decided(words, relation, cited, _left(answers, relation, claim))
    witnesses = _explained(verdict.witnesses, signed)
    verdict = replace(verdict, witnesses=(*witnesses, *_opposing(witnesses, signed, len(answers))))
    notes = [DIFFER] if not agreed and _clash(words, relation) else []
    by: DecidedBy = "both" if agreed or verdict is words else "llm"
    return JointVerdict(
        verdict, share if agreed or (by == "llm" and not notes) else ALONE * share, by, notes
    )


def _decided(
    words: Verdict, relation: str, cited: Mapping[int, str], left: tuple[str, ...]
) -> tuple[Verdict, bool]:
    """Return the verdict, and whether words and judges agree on it."""
    if relation == "supported":
        return _borne_out(words, cited)
    if relation == "contradicted":
        return _denied(words, cited)
    if words.contradicted:
        return words, False
    if relation == "partly" and (cited or words.status != "ungrounded"):
        supports = words.witnesses or _witnesses(cited, "supports", words)
        outcome = replace(
            words, status="partial", witnesses=supports, uncovered=left or words.uncovered
        )
        return outcome, words.status == "partial"
    return _weaker(words), words.status == "ungrounded"


def _borne_out(words: Verdict, cited: Mapping[int, str]) -> tuple[Verdict, bool]:
    """Apply a supporting majority; a plain denial or another figure in the words outweighs it."""
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
    """Return the verdict of the words, with verified weakened to partial."""
    return replace(words, status="partial") if words.status == "verified" else words


def _clash(words: Verdict, relation: str) -> bool:
    outcome = {"supported": "verified", "partly": "partial"}.get(relation, "ungrounded")
    return words.contradicted != (relation == "contradicted") or (
        words.status == "verified" and outcome != "verified"
    )


Sign = Literal["supports", "contradicts"]
_SIGNS: Mapping[str, Sign] = MappingProxyType(
    {
        "supports": "supports",
        "opposes": "contradicts",
        "supported": "supports",
        "partly": "supports",
        "contradicted": "contradicts",
    }
)


class Signed(NamedTuple):
    """The majority sign of a memory among the judges that cite it, why, and how many judges."""

    sign: Sign
    why: str
    lenses: int


def sign_evidence(answers: Sequence[Mapping[str, Any]], listed: Sequence[int]) -> dict[int, Signed]:
    """Return the majority sign of each memory that judges cite, with the reasons.

    A tie counts as a contradiction.
    """
    reasons: dict[int, dict[Sign, list[str]]] = {}
    for answer in answers:
        for number, (sign, why) in _evidence_of(answer).items():
            if 1 <= number <= len(listed):
                reasons.setdefault(listed[number - 1], {}).setdefault(sign, []).append(why)
    return {key: _most(found) for key, found in reasons.items()}


def _most(found: Mapping[Sign, list[str]]) -> Signed:
    sign = max(found, key=lambda each: (len(found[each]), each == "contradicts"))
    return Signed(sign, merge_reasons(found[sign]) or "", len(found[sign]))


def _evidence_of(answer: Mapping[str, Any]) -> dict[int, tuple[Sign, str]]:
    """Return the sign and reason that one judge gives each memory, by number.

    A judge queried alone gives one verdict and one reason for all memories that it cites.
    """
    if "evidence" in answer:
        return {
            each["memory"]: (_SIGNS[each["relation"]], str(each["why"]))
            for each in answer["evidence"]
        }
    sign = _SIGNS.get(str(answer["relation"]))
    return {number: (sign, str(answer["why"])) for number in answer["memories"]} if sign else {}


def _cited(answers: Sequence[Mapping[str, Any]], listed: Sequence[int]) -> list[int]:
    """Return the nodes that the answers cite, most cited first."""
    named = Counter(
        listed[number - 1]
        for each in answers
        for number in _evidence_of(each)
        if 1 <= number <= len(listed)
    )
    return [key for key, _ in named.most_common()]


def _explained(witnesses: Sequence[Witness], signed: Mapping[int, Signed]) -> tuple[Witness, ...]:
    """Return the witnesses; those without a reason get the judges' reason."""
    return tuple(
        replace(each, why=signed[each.id].why or None)
        if each.why is None and each.id in signed and signed[each.id].sign == each.relation
        else each
        for each in witnesses
    )


def _opposing(
    witnesses: Sequence[Witness], signed: Mapping[int, Signed], heard: int
) -> list[Witness]:
    """Return a witness for each further memory that most judges say contradicts the claim."""
    known = {each.id for each in witnesses}
    return [
        Witness(key, "contradicts", (), each.why or None)
        for key, each in signed.items()
        if each.sign == "contradicts" and 2 * each.lenses > heard and key not in known
    ]


def _left(answers: Sequence[dict[str, Any]], relation: str, claim: str) -> tuple[str, ...]:
    """Return the phrases that the answers call uncovered, if they occur in the claim."""
    parts = [part for each in answers if each["relation"] == relation for part in each["uncovered"]]
    return tuple(dict.fromkeys(part for part in parts if part.casefold() in claim.casefold()))


def _witnesses(cited: Mapping[int, str], relation: Sign, words: Verdict) -> tuple[Witness, ...]:
    known = {each.id: each.covers for each in words.witnesses}
    return tuple(
        Witness(key, relation, known.get(key, ()), why or None) for key, why in cited.items()
    )


LEAST_SURE = 0.3
"""A claim that rests on a memory with a lower confidence than this is partial at best."""

UNREAD = 0.5
"""Maximum confidence of an ungrounded verdict if something was not read."""

UNSURE = "memories of a confidence below {least:g} bear out no more than a part"
UNREAD_REST = (
    "what bears the claim out was read to its first {most:,} characters; the rest may take it back"
)
STEERING = "what bears the claim out reads like an instruction, and proves no more than a part"
OPPOSED = "current memories oppose each other on this: see the evidence that contradicts"
LATE = "{left} memories near the claim were not read in time"
EDGE = "an edge says that it contradicts node {of}"


@dataclass(frozen=True, slots=True)
class EvidenceFacts:
    """Facts about the memories that limit a verdict.

    Attributes:
        sure: each memory's own confidence, 0..1.
        cut: memories that were read only in part.
        opposed: by memory, the current memories that contradict it by an edge.
        steering: memories that look like a prompt injection.
    """

    sure: Mapping[int, float]
    cut: frozenset[int]
    opposed: Mapping[int, Sequence[int]]
    steering: frozenset[int] = frozenset()


def bound_verdict(joined: JointVerdict, known: EvidenceFacts) -> JointVerdict:
    """Limit a verdict to the strength of its evidence, with notes on why it is weaker."""
    verdict, notes = joined.verdict, list(joined.notes)
    bearing = [each.id for each in verdict.witnesses if each.relation == "supports"]
    edges = [] if verdict.contradicted else _by_edges(bearing, known)
    deciding = {each.id for each in verdict.witnesses}
    verdict = replace(
        verdict, witnesses=(*verdict.witnesses, *(e for e in edges if e.id not in deciding))
    )
    why = [OPPOSED] if any(each.relation == "contradicts" for each in verdict.witnesses) else []
    why = [] if verdict.contradicted else why
    if bearing and any(known.sure.get(key, 1.0) < LEAST_SURE for key in bearing):
        why.append(UNSURE.format(least=LEAST_SURE))
    if known.cut.intersection(bearing):
        why.append(UNREAD_REST.format(most=READ))
    if known.steering.intersection(bearing):
        why.append(STEERING)
    if verdict.unread:
        notes.append(LATE.format(left=verdict.unread))
    if verdict.status == "verified" and (why or verdict.unread):
        verdict = replace(verdict, status="partial")
    return joined._replace(
        verdict=verdict, notes=[*notes, *why], confidence=_sure(joined, known, bearing)
    )


def _sure(joined: JointVerdict, known: EvidenceFacts, bearing: Sequence[int]) -> float:
    """Return the verdict's confidence, at most that of its least confident supporting memory."""
    verdict = joined.verdict
    if bearing:
        return min(joined.confidence, *(known.sure.get(key, 1.0) for key in bearing))
    if verdict.contradicted:
        own = [known.sure.get(each.id, 1.0) for each in verdict.witnesses]
        return min(joined.confidence, max(own, default=1.0))
    return min(joined.confidence, UNREAD) if known.cut or verdict.unread else joined.confidence


def _by_edges(bearing: Sequence[int], known: EvidenceFacts) -> list[Witness]:
    return [
        Witness(other, "contradicts", (), EDGE.format(of=key))
        for key in bearing
        for other in known.opposed.get(key, ())
        if other not in bearing
    ]
