"""Judges the relation of two memories from different files, with a reason, by word rules."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from reasonloom.contracts.graph_memory.workspaces import Agreement, ContextMatch
from reasonloom.nodes.graph_memory.grounding.pair import Pair, judge_texts
from reasonloom.text.search_terms import keywords_of
from reasonloom.text.sentences import sentences_in

SAME_MATTER = 0.5
"""Minimum share of one memory's terms in another for both to be about the same thing."""

MOST_SENTENCES = 3
"""Sentences of a memory that are judged; time grows with the product of both memories' counts."""

READ_SENTENCES = 500
MOST_QUOTED = 5
QUOTED = re.compile("(“[^”]*”)")
BOTH = "both say the same"
ONE_WAY = "{more} says all that {less} says, and more"
SHARED = "both say {shared}"
ALONE = "only {label} says {words}"
NEWER = "; {label} is the newer ({date})"


@dataclass(frozen=True, slots=True)
class Statement:
    """A memory of a file with its judged sentences; `partial` if it has more of them."""

    match: ContextMatch
    sentences: tuple[str, ...]
    made: datetime | None = None
    partial: bool = False

    @property
    def text(self) -> str:
        """The judged sentences as one text."""
        return " ".join(self.sentences)


def statement_of(match: ContextMatch, made: datetime | None, topic: frozenset[str]) -> Statement:
    """Return a memory's sentences; for a long one, those with the most topic words."""
    sentences = sentences_in(match.content)
    partial = len(sentences) > MOST_SENTENCES
    if partial:
        naming = sorted(
            range(min(len(sentences), READ_SENTENCES)),
            key=lambda place: -len(topic & set(keywords_of(sentences[place]))),
        )
        sentences = [sentences[place] for place in sorted(naming[:MOST_SENTENCES])]
    return Statement(match, tuple(sentences), made, partial)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The relation of two memories, and why in plain words."""

    relation: Agreement
    why: str


def judge_pair(one: Statement, other: Statement, topic: frozenset[str]) -> Judgement | None:
    """Return the relation of two memories; None if they share nothing but the topic.

    They agree if one says all that the other does, contradict each other if either contradicts
    the other, and differ if they overlap in part. `topic` are the keywords of the question, which
    every match shares.
    """
    there, back = judge_texts(one.text, other.text), judge_texts(other.text, one.text)
    first, second = one.match, other.match
    ours, theirs = names(first, second)
    if why := _against(there, back, ours, theirs):
        return Judgement("contradiction", why + _newer(one, other))
    if why := _agreeing(there, back, ours, theirs):
        return Judgement("agreement", why)
    if _same_matter(there, back, topic):
        return Judgement("difference", _difference(there, back, ours, theirs))
    return None


def _against(there: Pair, back: Pair, ours: str, theirs: str) -> str | None:
    if there.why:
        return _named(there.why, ours, theirs)
    return _named(back.why, theirs, ours) if back.why else None


def _agreeing(there: Pair, back: Pair, ours: str, theirs: str) -> str | None:
    if there.relation == back.relation == "same":
        return BOTH
    if there.relation == "same":
        return ONE_WAY.format(more=theirs, less=ours)
    return ONE_WAY.format(more=ours, less=theirs) if back.relation == "same" else None


def names(first: ContextMatch, second: ContextMatch) -> tuple[str, str]:
    """Return display names of two files: their labels, or their ids if the labels are equal."""
    if first.label == second.label:
        return first.context_id, second.context_id
    return f"“{first.label}”", f"“{second.label}”"


def _named(why: str, claim: str, memory: str) -> str:
    """Insert the files' names into a reason, leaving quotations unchanged."""
    parts = QUOTED.split(why)
    parts[::2] = [
        part.replace("the claim", claim).replace("the memory", memory) for part in parts[::2]
    ]
    return "".join(parts)


def _newer(one: Statement, other: Statement) -> str:
    days = [each.made.astimezone(UTC).date() for each in (one, other) if each.made]
    if len(set(days)) < len((one, other)):
        return ""
    later = days.index(max(days))
    label = names(one.match, other.match)[later]
    return NEWER.format(label=label, date=days[later].isoformat())


def _same_matter(there: Pair, back: Pair, topic: frozenset[str]) -> bool:
    if max(there.coverage, back.coverage) < SAME_MATTER:
        return False
    return bool(set(keywords_of(" ".join((*there.covered, *back.covered)))) - topic)


def _difference(there: Pair, back: Pair, ours: str, theirs: str) -> str:
    parts = [SHARED.format(shared=_quoted(there.covered or back.covered))]
    for label, words in ((ours, there.uncovered), (theirs, back.uncovered)):
        if words:
            parts.append(ALONE.format(label=label, words=_quoted(words)))
    return "; ".join(parts)


def _quoted(words: Sequence[str]) -> str:
    different = list(dict.fromkeys(words))
    quoted = ", ".join(f"“{word}”" for word in different[:MOST_QUOTED])
    return f"{quoted}, …" if len(different) > MOST_QUOTED else quoted
