"""Checks the verdict of the words with the packaged NLI model, which also finds paraphrases."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from statistics import fmean

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier import Entailment, entail
from reasonloom.nodes.graph_memory.grounding.pair import judge_readings
from reasonloom.nodes.graph_memory.grounding.reading.clauses import read_text
from reasonloom.nodes.graph_memory.grounding.reading.matching import find_term
from reasonloom.nodes.graph_memory.grounding.verdict import Verdict, Witness
from reasonloom.text.language import is_english
from reasonloom.text.search_terms import index_terms, keywords_of
from reasonloom.text.sentences import join_sentences, sentences_in

CONFIRMED = 0.3
"""Minimum contradiction probability that confirms a contradiction found by words. This and the next
three were chosen on the 600 claims of `training/cases/grounds-1.jsonl`."""

PARAPHRASED = 0.9
"""Minimum entailment probability that verifies a claim in other words."""

DENIED, DENIED_ALONE = 0.85, 0.5
"""Minimum contradiction probabilities that contradict a claim in other words: of the nearest
memories together, and of one of them."""

DOUBTED = 0.1
"""Entailment probability, of the nearest memories together and of each supporting one, below which
a claim is ungrounded although the memories have its words."""

DOUBT = "it has the words of the claim, but the packaged reader doubts that it says so"
WHY = "it denies the claim in other words, as far as the packaged reader can tell"

PART = re.compile(r"[,;] (?:and|but) ")
"""Joins parts of a claim; denying one part denies the whole claim."""

MOST_READ = 5
"""How many of the nearest memories are checked for a paraphrase, all at once."""

MOST_LETTERS = 500
"""Characters of memories that are checked with a claim: their most relevant sentences."""


async def confirm_verdict(verdict: Verdict, claim: str, current: Mapping[int, str]) -> Verdict:
    """Check a verdict of the words with the NLI model; `current` has the nearest memories first.

    A contradiction holds only if the model sees one too, or if a correction or swapped words show
    it, which the model hardly sees. A verified claim is ungrounded if the model sees next to no
    entailment, unless a memory repeats it. One that is neither verified nor contradicted becomes
    verified if the nearest memories together entail it, have all its figures, and do not contradict
    it by their words, and contradicted if they deny it. The model reads English only: without the
    model, or in another language, the verdict is unchanged.
    """
    against = any(each.relation == "contradicts" for each in verdict.witnesses)
    if verdict.superseded or verdict.swapped or (against and not verdict.contradicted):
        return verdict
    if not current or not await asyncio.to_thread(is_english, claim):
        return verdict
    try:
        if verdict.status == "verified":
            return await _unless_doubted(verdict, claim, current)
        confirmed = await _confirmed(verdict, claim, current) if verdict.contradicted else verdict
        if confirmed.contradicted:
            return confirmed
        return await _in_other_words(confirmed, claim, current)
    except EmbedderUnavailable:
        return verdict


async def _confirmed(verdict: Verdict, claim: str, current: Mapping[int, str]) -> Verdict:
    parts = [claim, *PART.split(claim)]
    pairs = [
        (excerpt(current[each.id], part), part) for each in verdict.witnesses for part in parts
    ]
    if any(each.contradiction >= CONFIRMED for each in await entail(pairs)):
        return verdict
    related = tuple(replace(each, relation="related") for each in verdict.witnesses)
    kept = () if verdict.uncovered else related  # else no word is missing, and no reason is given
    return replace(verdict, contradicted=False, witnesses=kept, plain=False)


async def _unless_doubted(verdict: Verdict, claim: str, current: Mapping[int, str]) -> Verdict:
    """Return the verified verdict, or an ungrounded one if the model doubts what supports it."""
    supports = {each.id: excerpt(current[each.id], claim) for each in verdict.witnesses}
    bare = " ".join(claim.casefold().split()).strip(" .!")
    if any(bare in " ".join(current[key].casefold().split()) for key in supports):
        return verdict
    _, both = await _read_together(claim, _nearest(current))
    alone = await _read_alone(supports, claim)
    most = max(fmean(each.entailment for each in both), *(e.entailment for e in alone.values()))
    if most >= DOUBTED:
        return verdict
    doubted = tuple(replace(each, relation="related", why=DOUBT) for each in verdict.witnesses)
    return replace(verdict, status="ungrounded", witnesses=doubted)


async def _read_together(
    claim: str, nearest: Mapping[int, str]
) -> tuple[dict[int, str], list[Entailment]]:
    """Read the nearest memories together, in both orders, since they may complement each other.

    Returns the texts that were read, by memory, and what the model says in each order.
    """
    room = MOST_LETTERS // max(1, len(nearest))
    read = {key: excerpt(memory, claim, room) for key, memory in nearest.items()}
    texts = list(read.values())
    return read, await entail([("\n".join(each), claim) for each in (texts, texts[::-1])])


async def _in_other_words(verdict: Verdict, claim: str, current: Mapping[int, str]) -> Verdict:
    """Return the verdict that the nearest memories give if they say or deny the claim."""
    nearest = _nearest(current)
    read, both = await _read_together(claim, nearest)
    entailed = fmean(each.entailment for each in both) >= PARAPHRASED
    if entailed and _may_say(claim, "\n".join(nearest.values())):
        alone = await _read_alone(read, claim)
        best = max(alone, key=lambda key: alone[key].entailment)
        witness = Witness(best, "supports", (), None)
        return Verdict("verified", 1.0, False, (witness,), (), (), False, verdict.unread)
    if fmean(each.contradiction for each in both) >= DENIED:
        alone = await _read_alone(read, claim)
        best = max(alone, key=lambda key: alone[key].contradiction)
        if alone[best].contradiction >= DENIED_ALONE:
            witness = Witness(best, "contradicts", (), WHY)
            return replace(verdict, status="ungrounded", contradicted=True, witnesses=(witness,))
    return verdict


async def _read_alone(read: Mapping[int, str], claim: str) -> dict[int, Entailment]:
    """Read each memory alone, by id."""
    found = await entail([(text, claim) for text in read.values()])
    return dict(zip(read, found, strict=True))


def _nearest(current: Mapping[int, str]) -> dict[int, str]:
    """Return what the nearest memories state, by id."""
    return {key: _statements(text) for key, text in islice(current.items(), MOST_READ)}


def _statements(memory: str) -> str:
    """Return a memory without its questions, which assert nothing."""
    kept = [each for each in sentences_in(memory) if not each.rstrip().endswith("?")]
    return join_sentences(kept)


def _may_say(claim: str, memory: str) -> bool:
    """Return whether a memory has all figures of a claim and does not contradict it by words."""
    claimed, held = read_text(claim), read_text(memory)
    figures = all(find_term(term, held.terms) for term in claimed.terms if term.value)
    return figures and not claimed.cut and judge_readings(claimed, held).relation != "contradicts"


def excerpt(memory: str, claim: str, most: int = MOST_LETTERS) -> str:
    """Return the sentences of a memory that share the most words with a claim, in text order."""
    if len(memory) <= most:
        return memory
    wanted = set(keywords_of(claim))
    sentences = sentences_in(memory)
    ranked = sorted(range(len(sentences)), key=lambda n: -len(wanted & index_terms(sentences[n])))
    chosen: list[int] = []
    room = most
    for place in ranked:
        if len(sentences[place]) > room and chosen:
            break
        chosen.append(place)
        room -= len(sentences[place])
    return " ".join(sentences[place] for place in sorted(chosen))
