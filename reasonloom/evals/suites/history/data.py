"""Loads past sessions with their chains and moments, and validates the whole set."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.history.records import (
    KINDS,
    WORDINGS,
    Chain,
    InWorld,
    Language,
    Moment,
    Turn,
    Wording,
)
from reasonloom.evals.suites.labelled import Half, load_records, of_half, require_balanced

HERE = Path(__file__).parent
TURNS, CHAINS, MOMENTS = "turns.jsonl", "chains.jsonl", "moments.jsonl"
SESSION_COUNTS = range(4, 9)
TURN_COUNTS = range(6, 26)
COPIED = 4
"""Consecutive words that a `plain` question must not share with a labelled turn of its world."""
COPIED_CHARACTERS = 10
"""The same in characters, for Japanese, which has no spaces."""
BRIEFING = "Task"
"""The tool that starts a sub-agent; its result is the sub-agent's report."""


def require_sound(
    turns: Sequence[Turn], chains: Sequence[Chain], moments: Sequence[Moment]
) -> None:
    """Refuse a set with inconsistent records."""
    _require_whole_worlds(turns, chains, moments)
    _require_order(turns)
    _require_sizes(turns)
    _require_agents(turns)
    known = {turn.id: turn for turn in turns}
    for chain in chains:
        _require_chain(chain, known)
    for moment in moments:
        _require_known(MOMENTS, moment, (*moment.moments, *moment.after), known)
    _require_once(turns, chains, moments)
    _require_own_words(chains, moments, known)
    require_balanced(CHAINS, ((chain.kind, chain.half) for chain in chains), KINDS)
    halves = Counter(moment.half for moment in moments)
    if halves["dev"] != halves["held"]:
        why = f"{halves['dev']} in dev and {halves['held']} in held; the halves must be equal"
        raise InvalidArgument(f"{MOMENTS}: {why}", field="data")


def _require_whole_worlds(
    turns: Sequence[Turn], chains: Sequence[Chain], moments: Sequence[Moment]
) -> None:
    first = {turn.world: turn for turn in reversed(turns)}
    named = ((TURNS, turns), (CHAINS, chains), (MOMENTS, moments))
    for name, items in named:
        for item in items:
            if item.world not in first:
                raise _refused(name, item.id, f"there is no turn of {item.world}")
            one: tuple[Half, str] = (first[item.world].half, first[item.world].language)
            if (item.half, item.language) != one:
                raise _refused(name, item.id, f"{item.world} is {' and '.join(one)}")
        if absent := first.keys() - {item.world for item in items}:
            why = f"{name}: there is nothing of {min(absent)}"
            raise InvalidArgument(why, field="data")
    for turn in turns:
        if turn.project != (project := first[turn.world].project):
            raise _refused(TURNS, turn.id, f"project: must be {project}")


def _require_order(turns: Sequence[Turn]) -> None:
    for earlier, later in pairwise(turns):
        if earlier.world != later.world:
            if earlier.world > later.world:
                raise _refused(TURNS, later.id, "must follow the worlds before it")
        elif earlier.time >= later.time:
            raise _refused(TURNS, later.id, "time: must be later than the turn before")
    counted: Counter[str] = Counter()
    for turn in turns:
        if turn.session not in counted:
            counted[turn.world] += 1
        counted[turn.session] += 1
        expected = f"{turn.world}-s{counted[turn.world]}-t{counted[turn.session]:02d}"
        if turn.id != expected:
            raise _refused(TURNS, turn.id, f"id: must be {expected}")


def _require_sizes(turns: Iterable[Turn]) -> None:
    sessions = Counter(turn.session for turn in turns)
    worlds = Counter(session.split("-", maxsplit=1)[0] for session in sessions)
    sizes = ((sessions, TURN_COUNTS, "turns"), (worlds, SESSION_COUNTS, "sessions"))
    for counted, allowed, of in sizes:
        for name, number in counted.items():
            if number not in allowed:
                why = f"{name} has {number} {of}, not {allowed[0]} to {allowed[-1]}"
                raise InvalidArgument(f"{TURNS}: {why}", field="data")


def _require_agents(turns: Iterable[Turn]) -> None:
    pending: dict[tuple[str, str | None], Turn] = {}
    for turn in turns:
        if turn.agent is not None:
            brief = pending.get((turn.session, None))
            if brief is None or brief.tool != BRIEFING:
                raise _refused(TURNS, turn.id, f"agent: must be inside a {BRIEFING} call")
        place = (turn.session, turn.agent)
        if turn.role == "call":
            pending[place] = turn
        elif turn.role == "result":
            call = pending.pop(place, None)
            if call is None or call.tool != turn.tool:
                raise _refused(TURNS, turn.id, f"there is no call of {turn.tool} to answer")
    for call in pending.values():
        raise _refused(TURNS, call.id, "this call has no result")


def _require_chain(chain: Chain, known: dict[str, Turn]) -> None:
    named = (*chain.chain, *(each.turn for each in chain.distractors))
    _require_known(CHAINS, chain, named, known)
    texts = [known[each].text for each in chain.chain]
    for (earlier, later), link in zip(pairwise(texts), chain.links, strict=True):
        if not link.holds(earlier, later):
            raise _refused(CHAINS, chain.id, f"links: {link.what!r} is not where it is due")
    for (earlier, later), link in zip(pairwise(chain.chain), chain.links, strict=True):
        tools = {known[each].tool for each in (earlier, later)}
        if link.by == "report" and BRIEFING not in tools:
            raise _refused(CHAINS, chain.id, "links: there is no report of a sub-agent")


def _require_known(name: str, item: InWorld, turns: Iterable[str], known: dict[str, Turn]) -> None:
    for each in turns:
        if each not in known or known[each].world != item.world:
            raise _refused(name, item.id, f"{each} is no turn of its world")


def _require_once(
    turns: Sequence[Turn], chains: Sequence[Chain], moments: Sequence[Moment]
) -> None:
    """Refuse duplicates; only unlabelled tool calls and results may repeat."""
    labelled = _labelled(chains, moments)
    texts = Counter(turn.text.casefold() for turn in turns)
    for turn in turns:
        once = turn.tool is None or turn.id in labelled
        if once and texts[turn.text.casefold()] > 1:
            raise _refused(TURNS, turn.id, "this text is there twice")
    seen: set[str] = set()
    for name, items in ((CHAINS, chains), (MOMENTS, moments)):
        for item in items:
            plain = [item.plain.casefold()] if isinstance(item, Chain) else []
            for value in (item.id, item.body.casefold(), *plain):
                if value in seen:
                    raise _refused(name, item.id, f"{value!r} is there twice")
                seen.add(value)


def _labelled(chains: Iterable[Chain], moments: Iterable[Moment]) -> set[str]:
    """Return the ids of the turns in chains and moments."""
    turns = {each for chain in chains for each in chain.chain}
    return turns | {each for moment in moments for each in (*moment.moments, *moment.after)}


def _require_own_words(
    chains: Sequence[Chain], moments: Sequence[Moment], known: dict[str, Turn]
) -> None:
    """Refuse a `plain` question that quotes a labelled turn or a distractor."""
    labelled = _labelled(chains, moments)
    labelled |= {each.turn for chain in chains for each in chain.distractors}
    for chain in chains:
        own = _runs(chain.plain, chain.language)
        for turn in sorted(each for each in labelled if known[each].world == chain.world):
            if copied := own & _runs(known[turn].text, chain.language):
                why = f"plain: {min(copied)!r} is copied from {turn}"
                raise _refused(CHAINS, chain.id, why)


def _runs(text: str, language: Language) -> set[str]:
    """Return all word sequences of the length that must not be copied."""
    words = re.findall(r"\w+", text.casefold())
    if language == "ja":
        joined = "".join(words)
        return {
            joined[at : at + COPIED_CHARACTERS] for at in range(len(joined) - COPIED_CHARACTERS + 1)
        }
    return {" ".join(words[at : at + COPIED]) for at in range(len(words) - COPIED + 1)}


def _refused(name: str, which: str, why: str) -> InvalidArgument:
    return InvalidArgument(f"{name}, {which}: {why}", field="data")


@dataclass(frozen=True)
class LabelledSession:
    """A session of a world with its turns, oldest first."""

    id: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class LabelledWorld:
    """The sessions of one project, oldest first, and the questions about them."""

    id: str
    project: str
    sessions: tuple[LabelledSession, ...]
    chains: tuple[Chain, ...]
    moments: tuple[Moment, ...]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of all sessions, oldest first."""
        return tuple(turn for session in self.sessions for turn in session.turns)


@dataclass(frozen=True)
class HistorySet:
    """Worlds in file order, and the SHA-256 (hex) of the three files by name."""

    worlds: tuple[LabelledWorld, ...]
    sha256: dict[str, str]

    @property
    def chains(self) -> tuple[Chain, ...]:
        """The chains of all worlds."""
        return tuple(chain for world in self.worlds for chain in world.chains)

    @property
    def moments(self) -> tuple[Moment, ...]:
        """The moments of all worlds."""
        return tuple(moment for world in self.worlds for moment in world.moments)


def load_history(half: str = "dev", folder: Path = HERE) -> HistorySet:
    """Load the worlds of a half or of `all`; `folder` may hold another set in this format."""
    turns, first = load_records(folder / TURNS, Turn)
    chains, second = load_records(folder / CHAINS, Chain)
    moments, third = load_records(folder / MOMENTS, Moment)
    require_sound(turns, chains, moments)
    worlds = _worlds(of_half(half, turns), of_half(half, chains), of_half(half, moments))
    return HistorySet(worlds, {TURNS: first, CHAINS: second, MOMENTS: third})


def require_wording(name: str) -> Wording:
    """Return the wording with this name; refuses an unknown one."""
    for each in WORDINGS:
        if each == name:
            return each
    raise InvalidArgument(f"asked: must be one of {', '.join(WORDINGS)}", field="asked")


def _worlds(
    turns: Iterable[Turn], chains: Sequence[Chain], moments: Sequence[Moment]
) -> tuple[LabelledWorld, ...]:
    kept: dict[str, dict[str, list[Turn]]] = {}
    for turn in turns:
        kept.setdefault(turn.world, {}).setdefault(turn.session, []).append(turn)
    return tuple(
        LabelledWorld(
            name,
            next(iter(sessions.values()))[0].project,
            tuple(LabelledSession(each, tuple(own)) for each, own in sessions.items()),
            tuple(chain for chain in chains if chain.world == name),
            tuple(moment for moment in moments if moment.world == name),
        )
        for name, sessions in kept.items()
    )
