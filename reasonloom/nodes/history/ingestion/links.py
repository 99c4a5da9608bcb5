"""Links new chunks to the earlier chunks that they follow from.

A chunk follows from earlier chunks of its project with which it shares rare words: file names,
error messages, people, things. Adding vector similarity found no more of the labelled links
(docs/history.md has the figures).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from reasonloom.contracts.caller import Caller
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.history.ingestion.link_reasons import Reasons
from reasonloom.nodes.history.truncation import gist, texts_in
from reasonloom.stores.database import Transaction
from reasonloom.stores.history import chunk_links, rare_words
from reasonloom.stores.history.chunk_links import Ended, Facts, NewEdge
from reasonloom.stores.history.rare_words import RareWord, Sharing

LOOKED = 8
"""Preceding sessions considered as continued ones."""

HOURS = 12.0
"""A session that starts within this time of the last one may continue it, whatever it says."""

SOON_WEIGHT, PHRASE_WEIGHT, CONTENT_WEIGHT = 0.3, 0.3, 0.5
"""Maximum weights of the signals: time, phrases of continuation, and shared rare words."""

LEAST_CONTINUATION = 0.1
OPENING = 2
"""Passages at the start of a session in which a phrase of continuation counts."""

GOES_ON = re.compile(
    r"\b(?:where we (?:left|stopped|were)|left off|pick(?:ing)? (?:\w+ )?up|carry(?:ing)? on|"
    r"continu\w+|resum\w+|go(?:ing)? on with|back to|again|yesterday|last time|still|"
    r"weiter\w*|fortsetz\w+|zurück zu\w*|gestern|letztes Mal|"
    r"repren\w+|on en était|reven\w+|hier|la dernière fois|poursui\w+|"
    r"segui\w+|sigamos|retom\w+|volv\w+|ayer|la última vez|donde (?:lo )?dejamos|"
    r"riprend\w+|ieri|verder|gisteren|ontem|vamos continuar|продолж\w+|вчера|верн\w+)\b|"
    r"続き|続け|昨日|前回|先日|继续|昨天|上次|계속|어제",
    re.IGNORECASE,
)


def find_continuation(
    first: Facts, before: Sequence[Ended], alike: Sequence[Sharing], whole: float
) -> NewEdge | None:
    """Return the edge from the session that the new one continues; None without evidence.

    Args:
        first: the new session's first chunk.
        before: the preceding sessions, latest first.
        alike: chunks that share words with the first.
        whole: total weight of the first chunk's words.
    """
    opening = "\n".join(texts_in(first.content)[:OPENING])
    says = GOES_ON.search(opening)
    shares = {each.id: each.shared / whole for each in alike} if whole else {}
    best: tuple[float, int, str] | None = None
    for place, ended in enumerate(before[:LOOKED]):
        soon = _soon(first.started_at, ended.ended) if place == 0 else 0.0
        matter = CONTENT_WEIGHT * shares.get(ended.id, 0.0)
        weight = soon + matter + (PHRASE_WEIGHT if says and (matter or place == 0) else 0.0)
        if weight >= LEAST_CONTINUATION and (best is None or weight > best[0]):
            best = weight, ended.id, _time_words(soon, says.group() if says else None)
    if best is None:
        return None
    weight, source, reason = best
    return NewEdge(source, first.id, "temporal_next", min(1.0, weight), "continuation", reason)


def _soon(began: datetime | None, ended: datetime) -> float:
    """Return the weight of the time between two sessions, falling to 0 at HOURS."""
    if began is None:
        return 0.0
    hours = (began - ended).total_seconds() / 3600
    return SOON_WEIGHT * (1 - hours / HOURS) if 0 <= hours < HOURS else 0.0


def _time_words(soon: float, says: str | None) -> str:
    if says:
        return f"the next session says “{' '.join(says.split())}”"
    return "the next session follows within hours" if soon else "the next session takes it up"


CAUSES = 3
"""Maximum causal edges from one chunk."""

COMPARED = 12
"""Chunks considered as causes of one chunk: those that share most with it."""

LEAST = 0.1
"""Minimum share of a chunk's words, by weight, that a cause must have."""

FEW = 8
"""A chunk with fewer words than this is scored as if the missing ones were not shared."""

MANY = 50
"""New chunks from which it pays to settle the word statistics before looking up words."""

AT_ONCE = 200
"""Chunks linked per transaction."""

RENEWED = 5
"""Later chunks that are relinked when an older chunk arrives, those that share most with it."""


async def link_chunks(loom: Loom, caller: Caller, new: Mapping[str, Sequence[int]]) -> None:
    """Link new or changed chunks, given by project, with the stored ones.

    Called once their transcripts are read, and again for the same chunks after a crash; it is
    idempotent. Later chunks that share much with a new one are relinked, because their cause may
    have arrived only now.
    """
    if sum(map(len, new.values())) >= MANY:
        async with loom.database.begin(caller) as tx:
            await rare_words.settle(tx)
    for project, ids in new.items():
        later = await _link(loom, caller, project, ids)
        await _link(loom, caller, project, sorted(later - set(ids)))


async def _link(loom: Loom, caller: Caller, project: str, ids: Sequence[int]) -> set[int]:
    """Link chunks, AT_ONCE per transaction; return later ones that share much with them."""
    later: set[int] = set()
    for start in range(0, len(ids), AT_ONCE):
        batch = ids[start : start + AT_ONCE]
        async with loom.database.begin(caller, searching=True) as tx:
            compared = await _compared(tx, project, batch)
            edges = [edge for each in compared for edge in await _continued(tx, each)]
            alike = {other.id for each in compared for other in each.enough}
            known = {each.id: each for each in await chunk_links.facts(tx, sorted(alike))}
            edges += [edge for each in compared for edge in _causes(each, known)]
            await chunk_links.replace(tx, batch, edges)
        later.update(key for each in compared for key in each.later)
    return later


@dataclass(frozen=True, slots=True)
class Compared:
    """A chunk and the chunks that share most of its words.

    Attributes:
        chunk: the chunk.
        found: chunks that share words with it, those that share most first.
        whole: total weight of the chunk's words.
        first: whether it begins the main conversation of its session.
    """

    chunk: Facts
    found: Sequence[Sharing]
    whole: float
    first: bool

    @property
    def earlier(self) -> list[Sharing]:
        """The found chunks that precede it."""
        here = self.chunk.at, self.chunk.id
        return [each for each in self.found if (each.at, each.id) < here][:COMPARED]

    @property
    def enough(self) -> list[Sharing]:
        """The earlier chunks that share enough to be causes."""
        return [each for each in self.earlier if each.shared >= LEAST * self.whole]

    @property
    def later(self) -> list[int]:
        """Ids of up to RENEWED chunks after it that share as much."""
        after = [each for each in self.found if each.at > self.chunk.at]
        return [each.id for each in after if each.shared >= LEAST * self.whole][:RENEWED]


async def _compared(tx: Transaction, project: str, ids: Sequence[int]) -> list[Compared]:
    """Return the chunks of `ids`, each with the chunks that share words with it."""
    chunks = [each for each in await chunk_links.facts(tx, ids) if each.project == project]
    if not chunks:
        return []
    firsts = await chunk_links.first_of(tx, project, sorted({each.session for each in chunks}))
    words = await rare_words.rarest(tx, [gist(each.content) for each in chunks])
    rare = {chunk.id: each for chunk, each in zip(chunks, words, strict=True)}
    found = await rare_words.sharing(tx, project, rare, most=2 * COMPARED)
    return [
        Compared(chunk, found[chunk.id], _whole(rare[chunk.id]), chunk.id in firsts)
        for chunk in chunks
    ]


async def _continued(tx: Transaction, compared: Compared) -> list[NewEdge]:
    """Return the edge from the session that a new one continues, if there is one."""
    if not compared.first:
        return []
    before = await chunk_links.sessions_before(tx, compared.chunk, most=LOOKED)
    found = find_continuation(compared.chunk, before, compared.earlier, compared.whole)
    return [found] if found else []


def _causes(compared: Compared, known: Mapping[int, Facts]) -> list[NewEdge]:
    """Return the heaviest causal edges, each with its reason."""
    chunk = compared.chunk
    alike = [each for each in compared.enough if each.id in known]
    reasons = Reasons(chunk, [known[each.id] for each in alike])
    edges: list[NewEdge] = []
    for each in alike:
        why = reasons.reason(known[each.id], each.words)
        weight = min(1.0, each.shared / compared.whole + why.more)
        edges.append(NewEdge(chunk.id, each.id, "caused_by", weight, "cause", why.text))
    return sorted(edges, key=lambda edge: (-edge.weight, edge.target))[:CAUSES]


def _whole(words: Sequence[RareWord]) -> float:
    """Return the total weight of a chunk's words, scaled up if there are fewer than FEW."""
    weight = sum(word.weight for word in words)
    return weight * max(1.0, FEW / len(words)) if words else 0.0
