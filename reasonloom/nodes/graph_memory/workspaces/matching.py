"""Scores a file's memories against a question, by words and meaning, on a fixed scale, 0..1."""

import asyncio
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.graph_memory.workspaces.cache import FILES
from reasonloom.nodes.graph_memory.workspaces.parsing import FileMemory, FileVectors, ParsedFile
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.text.hidden_characters import remove_hidden
from reasonloom.text.search_terms import keywords_of

HALF = 0.5
"""The weight of words and of meaning, each."""

LEAST = 0.05
"""Minimum similarity of a match; below it, no word is shared and the texts are unrelated."""

ROLE_FACTORS = {"primary": 1.0, "secondary": 0.9, "reference": 0.8, "archive": 0.7}
"""Score weights of the files' roles."""

ALL_EMBEDDED = 20_000
"""Unembedded memories of a file up to which all are embedded; beyond, only the best by words."""

CANDIDATES = 500
BATCH = 256
SLICE = 8_192
IN_PLACE = 5_000
"""Maximum memories of a file that are searched without starting a thread."""

NO_WORDS = (
    "“{text}” has no distinctive word (only stop words or punctuation): nothing was"
    " searched; name what it is about"
)
SOME_VECTORS = (
    "{label}: more than {most:,} memories without vectors; those that share no word with the "
    "question were not compared by meaning (export it with --with-embeddings)"
)


@dataclass(frozen=True, slots=True)
class WorkspaceQuery:
    """A question: its keywords, and its vector if there is an embedder."""

    text: str
    words: list[str]
    vector: NDArray[np.float32] | None
    floor: float
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Match:
    """A memory of a file that matches the question.

    Attributes:
        place: its index in the file.
        held: the memory.
        words: share of the question's keywords in it, 0..1.
        similarity: half words, half meaning; words alone without an embedder.
    """

    place: int
    held: FileMemory
    words: float
    similarity: float


async def parse_workspace_query(embedder: Embedder, text: str) -> WorkspaceQuery:
    """Prepare a question for searching; one without keywords is not embedded."""
    visible, _ = remove_hidden(text)
    words = keywords_of(visible)
    if not words:
        note = NO_WORDS.format(text=visible.strip()[:100])
        return WorkspaceQuery(visible, [], None, 0.0, [note])
    vectors, notes = await embed_or_note(embedder, [visible])
    if notes:
        return WorkspaceQuery(visible, words, None, 0.0, notes)
    return WorkspaceQuery(visible, words, np.asarray(vectors[0], np.float32), embedder.floor)


async def embed_for(
    embedder: Embedder, parsed: ParsedFile, question: WorkspaceQuery, *, label: str
) -> tuple[bool, list[str]]:
    """Embed the memories of a file that a question needs; return whether that succeeded."""
    if question.vector is None or not parsed.held:
        return True, []
    places, cut = _to_embed(parsed, embedder.model, _shares(parsed, question))
    if faults := await _embed(embedder, parsed, places):
        return False, faults
    return True, [SOME_VECTORS.format(label=label, most=ALL_EMBEDDED)] if cut else []


async def matches(parsed: ParsedFile, question: WorkspaceQuery) -> list[Match]:
    """Return a file's matches, best first, using the vectors that exist."""
    if not question.words or not parsed.held:
        return []
    if len(parsed.held) <= IN_PLACE:
        return _ranked(parsed, question)
    return await asyncio.to_thread(_ranked, parsed, question)


def _shares(parsed: ParsedFile, question: WorkspaceQuery) -> NDArray[np.float32]:
    """Return each memory's share of the question's keywords."""
    counts = np.zeros(len(parsed.held), np.float32)
    for word in question.words:
        if (where := parsed.words.get(word)) is not None:
            counts[np.asarray(where)] += 1
    return counts / np.float32(len(question.words))


def _to_embed(
    parsed: ParsedFile, model: str, shares: NDArray[np.float32]
) -> tuple[NDArray[np.intp], bool]:
    """Return the indices of the memories to embed, and whether others stay without vectors."""
    vectors = parsed.vectors
    known = vectors.known if vectors and vectors.model == model else np.zeros(shares.size, bool)
    lacking = np.flatnonzero(~known)
    if lacking.size <= ALL_EMBEDDED:
        return lacking, False
    sharing = lacking[shares[lacking] > 0]
    best = sharing[np.argsort(-shares[sharing], kind="stable")][:CANDIDATES]
    return best, True


async def _embed(embedder: Embedder, parsed: ParsedFile, places: NDArray[np.intp]) -> list[str]:
    """Embed the memories at the indices `places`, yielding to other tasks between batches."""
    for start in range(0, places.size, BATCH):
        batch = places[start : start + BATCH]
        texts = [parsed.held[place].content for place in batch]
        vectors, notes = await embed_or_note(embedder, texts)
        if notes:
            return notes
        rows = np.asarray(vectors, np.float32)
        _vectors_of(parsed, embedder.model, rows.shape[1]).put(batch, rows)
        await asyncio.sleep(0)
    if places.size:
        FILES.trim()
    return []


def _vectors_of(parsed: ParsedFile, model: str, dimension: int) -> FileVectors:
    vectors = parsed.vectors
    if vectors is None or vectors.model != model or vectors.rows.shape[1] != dimension:
        vectors = parsed.vectors = FileVectors.none(model, len(parsed.held), dimension)
    return vectors


def _ranked(parsed: ParsedFile, question: WorkspaceQuery) -> list[Match]:
    similarity = shares = _shares(parsed, question)
    if question.vector is not None:
        similarity = HALF * shares + HALF * _meaning(parsed, question.vector, question.floor)
    places = np.flatnonzero(similarity >= LEAST)
    order = places[np.argsort(-similarity[places], kind="stable")]
    return [
        Match(int(place), parsed.held[place], float(shares[place]), float(similarity[place]))
        for place in order
    ]


def _meaning(parsed: ParsedFile, vector: NDArray[np.float32], floor: float) -> NDArray[np.float32]:
    """Return each memory's (cosine - floor) / (1 - floor), within 0..1."""
    vectors = parsed.vectors
    if vectors is None or vectors.rows.shape[1] != vector.size:
        return np.zeros(len(parsed.held), np.float32)
    slices = range(0, len(parsed.held), SLICE)
    cosines = [vectors.rows[start : start + SLICE].astype(np.float32) @ vector for start in slices]
    return np.clip((np.concatenate(cosines) - floor) / (1 - floor), 0.0, 1.0)
