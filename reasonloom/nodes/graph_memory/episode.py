"""Sums up a session: in the caller's words, by the language model, or honestly by extract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.llm_call import Question
from reasonloom.text.extract import central_sentences

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.graph_memory.session_nodes import Entry

CALLER, LLM, EXTRACT = "caller", "llm", "extract"
ORDER = (
    ("decision",),
    ("correction", "fact"),
    ("inference", "skill"),
    ("episode", "user"),
    ("agent",),
)
"""The kinds in the order in which a summary tells them: what was decided comes first."""

MOST_OF_KIND = 60
"""Nodes of one kind that are read, the newest."""

EXTRACT_LIMIT, MOST_SENTENCES = 1_200, 6
"""Characters of an extract, and sentences that one group of kinds gives to it."""

LONGEST_NOTE, MOST_READ = 1_500, 30_000
"""Characters of one node, and of all together, that the language model reads."""

LONGEST_SUMMARY = 4_000
"""Characters of what a language model wrote that are kept."""

CALLER_CONFIDENCE = 0.9
OFFLINE = (
    "no language model is configured: the summary is an extract, sentences of the session as they "
    "were written; give summary, or set REASONLOOM_LLM, for a better one"
)
INSTEAD = "the summary is an extract, sentences of the session as they were written"
PARTLY = "the summary was made from {read} of the session's {nodes} nodes, of each kind the newest"
CUT = "the summary was cut to {limit} characters"


@dataclass(frozen=True, slots=True)
class Episode:
    """What a session comes to; `made_by` is caller, llm or extract."""

    content: str
    confidence: float
    made_by: str
    notes: list[str] = field(default_factory=list)

    def wire(self) -> dict[str, Any]:
        """Return it as a saved step holds it."""
        return asdict(self)


async def sum_up(execution: Execution, entries: Sequence[Entry], nodes: int) -> Episode:
    """Return what a session of `nodes` nodes comes to, from the `entries` that were read of it."""
    if execution.loom.llm.offline:
        return _extracted(entries, nodes, [OFFLINE])
    told = _told(entries)
    question = Question(
        node="sum_up_session", prompt="sessions/episode", variables={"notes": told}, pipe="linear"
    )
    heard = await ask_or_say(execution, question, "the summary")
    if heard.fault or not (heard.parsed or heard.text.strip()):
        return _extracted(entries, nodes, [*heard.notes, INSTEAD])
    said = heard.parsed or {"summary": heard.text, "confidence": _confidence(entries)}
    summary = said["summary"][:LONGEST_SUMMARY]
    cut = [CUT.format(limit=LONGEST_SUMMARY)] if len(said["summary"]) > LONGEST_SUMMARY else []
    notes = [*heard.notes, *cut, *_partly(len(told), nodes)]
    return Episode(summary, said["confidence"], LLM, notes)


def _told(entries: Sequence[Entry]) -> list[dict[str, str]]:
    """Return what the language model reads, in its order; what matters most where it is much."""
    left, chosen = MOST_READ, set()
    for kinds in ORDER:
        for entry in reversed([each for each in entries if each.kind in kinds]):
            length = min(len(entry.content), LONGEST_NOTE)
            if length <= left:
                chosen.add(entry.id)
                left -= length
    return [
        {"kind": entry.kind, "content": entry.content[:LONGEST_NOTE]}
        for entry in entries
        if entry.id in chosen
    ]


def _extracted(entries: Sequence[Entry], nodes: int, notes: list[str]) -> Episode:
    content = "\n".join(extract(entries)) or entries[-1].content[:EXTRACT_LIMIT]
    return Episode(content, _confidence(entries), EXTRACT, [*notes, *_partly(len(entries), nodes)])


def extract(entries: Sequence[Entry]) -> list[str]:
    """Return sentences of a session as they were written, decisions first, each once.

    Each group of kinds may take half of the room that is left, the last one all of it.
    """
    groups = [[each for each in entries if each.kind in kinds] for kinds in ORDER]
    filled = [group for group in groups if group]
    taken: dict[str, None] = {}
    left = EXTRACT_LIMIT
    for place, group in enumerate(filled, 1):
        room = left if place == len(filled) else left // 2
        for sentence in central_sentences(group, limit=room, most=MOST_SENTENCES):
            if sentence not in taken:
                taken[sentence] = None
                left -= len(sentence) + 1
    return list(taken)


def _confidence(entries: Sequence[Entry]) -> float:
    return round(sum(each.confidence for each in entries) / len(entries), 4)


def _partly(read: int, nodes: int) -> list[str]:
    return [PARTLY.format(read=read, nodes=nodes)] if read < nodes else []
