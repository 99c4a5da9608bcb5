"""Confirms with the packaged reader what words show, and finds the paraphrases they cannot see."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier import entail
from reasonloom.nodes.graph_memory.grounding.pair import judge_readings
from reasonloom.nodes.graph_memory.grounding.reading.clauses import read_text
from reasonloom.nodes.graph_memory.grounding.reading.matching import find_term
from reasonloom.nodes.graph_memory.grounding.verdict import Verdict, Witness
from reasonloom.text.language import is_english
from reasonloom.text.search_terms import index_terms, keywords_of
from reasonloom.text.sentences import join_sentences, sentences_in

DENIED = 0.1
"""Probability of a contradiction below which what words call one is not."""

PARAPHRASED = 0.97
"""Probability from which a memory that words do not find says the claim."""

PART = re.compile(r"[,;] (?:and|but) ")
"""What joins parts of a claim; one part that is denied denies all of it."""

MOST_READ = 5
"""Memories that are read for a paraphrase, the nearest ones."""

MOST_LETTERS = 500
"""Letters of a memory that are read beside a claim, its nearest sentences."""


async def confirm_verdict(verdict: Verdict, claim: str, current: Mapping[int, str]) -> Verdict:
    """Return the verdict of words as the reader sees it; `current` has the nearest first.

    What words call contradicted stays so if the reader sees a contradiction too, or if a correction
    shows it. A claim that they neither verify nor contradict is verified if one of the nearest
    memories says it in other words, has all its figures, and does not contradict it by its words.
    The reader knows English; without it, or in another language, the verdict stays.
    """
    against = any(each.relation == "contradicts" for each in verdict.witnesses)
    if verdict.status == "verified" or verdict.superseded or (against and not verdict.contradicted):
        return verdict
    if not await asyncio.to_thread(is_english, claim):
        return verdict
    try:
        if verdict.contradicted:
            return await _denied(verdict, claim, current)
        return await _paraphrased(verdict, claim, current)
    except EmbedderUnavailable:
        return verdict


async def _denied(verdict: Verdict, claim: str, current: Mapping[int, str]) -> Verdict:
    parts = [claim, *PART.split(claim)]
    pairs = [
        (excerpt(current[each.id], part), part) for each in verdict.witnesses for part in parts
    ]
    if any(each.contradiction >= DENIED for each in await entail(pairs)):
        return verdict
    return replace(verdict, contradicted=False, witnesses=(), plain=False)


async def _paraphrased(verdict: Verdict, claim: str, current: Mapping[int, str]) -> Verdict:
    nearest = {key: _statements(text) for key, text in islice(current.items(), MOST_READ)}
    read = await entail([(excerpt(memory, claim), claim) for memory in nearest.values()])
    likely = {key: each.entailment for key, each in zip(nearest, read, strict=True)}
    for key in sorted(likely, key=lambda key: -likely[key]):
        if likely[key] >= PARAPHRASED and _may_say(claim, nearest[key]):
            witness = Witness(key, "supports", (), None)
            return Verdict("verified", 1.0, False, (witness,), (), (), False, verdict.unread)
    return verdict


def _statements(memory: str) -> str:
    """Return a memory without its questions, which say nothing."""
    kept = [each for each in sentences_in(memory) if not each.rstrip().endswith("?")]
    return join_sentences(kept)


def _may_say(claim: str, memory: str) -> bool:
    """Return whether a memory has all figures of a claim and does not contradict it by words."""
    claimed, held = read_text(claim), read_text(memory)
    figures = all(find_term(term, held.terms) for term in claimed.terms if term.value)
    return figures and not claimed.cut and judge_readings(claimed, held).relation != "contradicts"


def excerpt(memory: str, claim: str) -> str:
    """Return the sentences of a memory that have most words of a claim, in their order."""
    if len(memory) <= MOST_LETTERS:
        return memory
    wanted = set(keywords_of(claim))
    sentences = sentences_in(memory)
    ranked = sorted(range(len(sentences)), key=lambda n: -len(wanted & index_terms(sentences[n])))
    chosen: list[int] = []
    room = MOST_LETTERS
    for place in ranked:
        if len(sentences[place]) > room and chosen:
            break
        chosen.append(place)
        room -= len(sentences[place])
    return " ".join(sentences[place] for place in sorted(chosen))
