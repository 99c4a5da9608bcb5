"""Analyses a text once for all parts of a check: language, sentences, windows, scores."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from reasonloom.errors import EmbedderUnavailable
from reasonloom.llm.classifier import Scores, classify
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.metacognition.argument import Argument, argument_of
from reasonloom.nodes.metacognition.faults import Fault, faults_of
from reasonloom.nodes.metacognition.spans import (
    Sentence,
    join_sentences,
    sentences_of,
    spread,
    windows_of,
)
from reasonloom.nodes.metacognition.state import CheckInput
from reasonloom.nodes.similarity import Similarity, similarity_of
from reasonloom.text.language import Language, is_loaded, language_of

T = TypeVar("T")
CUT = "only the first {count} sentences were looked at by words"
SAMPLED = "the classifier read {count} of {whole} passages, evenly spread over the text"
NO_CLASSIFIER = (
    "the packaged classifier cannot be loaded: no probability was computed; reinstall reasonloom"
)
SHORTENED = "only the first {count:,} characters of each item of evidence were read"
MOST_COMPARED = 80
"""Maximum sentences to compare with each other, from the start."""

MOST_CLASSIFIED = 60
"""Maximum windows to classify: at most a second of work, reached at about 12,000 characters."""

MOST_EVIDENCE_LETTERS = 50_000
"""Characters of evidence to compare in total, divided equally among the items."""

ARGUES = 0.5
"""Minimum probability of arguing for a text to be checked for biases and missing grounds."""

LONG = 4_000
"""Characters of text and evidence above which rules run in a thread, to spare the event loop."""


@dataclass(frozen=True, slots=True)
class TextAnalysis:
    """The analysis shared by all parts; no windows or scores if the language is unsupported.

    `argument` and `faults` are also empty then, and if no comparison was requested.
    """

    given: CheckInput
    language: Language
    sentences: list[Sentence]
    windows: list[list[Sentence]]
    scores: list[Scores]
    likeness: Similarity
    argument: Argument
    faults: list[Fault]
    notes: list[str]


async def analyze_text(given: CheckInput, embedder: Embedder, *, compare: bool) -> TextAnalysis:
    """Analyse the input; sentences and evidence are only compared if `compare` is set."""
    language = await _aside(partial(language_of, given["text"]), aside=not is_loaded())
    sentences = sentences_of(given["text"])
    whole = windows_of(sentences) if language.supported else []
    windows = spread(whole, MOST_CLASSIFIED)
    try:
        scores = await classify([join_sentences(window) for window in windows])
    except EmbedderUnavailable:
        windows, scores = [], []
    compared = sentences[:MOST_COMPARED] if compare and language.supported else []
    longest = MOST_EVIDENCE_LETTERS // max(1, len(given["evidence"]))
    evidence = [item[:longest] for item in given["evidence"]] if compared else []
    likeness = await similarity_of(embedder, [*(each.text for each in compared), *evidence])
    long = sum(map(len, [given["text"], *evidence])) > LONG
    argument = await _aside(partial(argument_of, compared, evidence, likeness), aside=long)
    argues = any(each.argues >= ARGUES for each in scores)
    faults = await _aside(partial(faults_of, argument, argues=argues), aside=long)
    unread = sentences[-1:] and given["text"][sentences[-1].end :].strip()
    notes = [CUT.format(count=len(sentences))] if unread else []
    if whole and not windows:
        notes.append(NO_CLASSIFIER)
    elif len(windows) < len(whole):
        notes.append(SAMPLED.format(count=len(windows), whole=len(whole)))
    if evidence != given["evidence"] and evidence:
        notes.append(SHORTENED.format(count=longest))
    return TextAnalysis(
        given, language, sentences, windows, scores, likeness, argument, faults,
        [*notes, *likeness.notes],
    )  # fmt: skip


async def _aside(work: Callable[[], T], *, aside: bool) -> T:
    """Run `work` and return its result, in a thread if `aside` is set."""
    return await asyncio.to_thread(work) if aside else work()
