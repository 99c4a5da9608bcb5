"""Writes sessions as Claude Code does: a file of JSON lines a session, each with its parent.

<folder>/<cwd with - for />/<session>.jsonl
<folder>/<cwd with - for />/<session>/subagents/agent-<agent>.jsonl
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np
from numpy.typing import NDArray

from reasonloom.evals.suites.history.data import BRIEFING, LabelledWorld
from reasonloom.evals.suites.history.records import Turn

# Real function words stand among the first ranks, made-up ones that can be pronounced after them.
# Frequency falls as Zipf's law has it. A part of the words of a text belongs to its topic, so that
# texts about one thing share rare words.

WORDS = 24_000
FLATTER = 2.7
"""Zipf's law as Mandelbrot wrote it: the word of rank r is as frequent as 1 / (r + FLATTER)."""

OF_A_TOPIC = 60
ON_TOPIC = 0.25
AT_ONCE = 4_000
SENTENCE = (6, 22)

FUNCTION_WORDS = (
    "the", "of", "and", "to", "a", "in", "is", "it", "that", "for", "was", "on", "are", "with",
    "as", "be", "this", "at", "by", "not", "from", "or", "have", "an", "but", "they", "which",
    "you", "had", "we", "were", "there", "can", "all", "has", "if", "will", "one", "when", "up",
    "out", "so", "what", "do", "then", "about", "some", "into", "only", "other", "new", "no",
    "time", "could", "them", "than", "these", "may", "any", "like", "its", "over", "also", "after",
    "first", "because", "how", "our", "two", "where", "just", "through", "now", "each", "should",
    "way", "more", "most", "such", "here", "between", "both", "under", "same", "being", "before",
    "must", "those", "while", "still", "again", "very", "did", "your", "does", "since", "every",
    "off", "down", "until", "without", "however", "another", "why", "against", "never", "always",
    "around", "during", "yet",
)  # fmt: skip
ONSETS = (
    "b", "br", "c", "ch", "cl", "d", "dr", "f", "fl", "g", "gl", "gr", "h", "j", "k", "l", "m", "n",
    "p", "pl", "pr", "qu", "r", "s", "sk", "sl", "sp", "st", "t", "tr", "v", "w", "z",
)  # fmt: skip
NUCLEI = (
    "a", "e", "i", "o", "u", "ai", "ea", "ee", "ou", "io",
)  # fmt: skip
CODAS = ["", "", "l", "m", "n", "r", "s", "t", "nd", "rk", "st"]


def vocabulary(dice: np.random.Generator) -> list[str]:
    """Return the words, the most frequent first; short ones tend to be the frequent ones."""
    one = ["".join(parts) for parts in product(ONSETS, NUCLEI, CODAS)]
    ends = dice.choice(one, size=(2, 4 * WORDS))
    many = [*one, *(f"{first}{last}" for first, last in zip(*ends.tolist(), strict=True))]
    known = set(FUNCTION_WORDS)
    made = [word for word in dict.fromkeys(many) if word not in known and len(word) > 1]
    made = made[: WORDS - len(FUNCTION_WORDS)]
    rank = np.array([len(word) for word in made]) + dice.normal(0, 3, len(made))
    return [*FUNCTION_WORDS, *(made[place] for place in np.argsort(rank, kind="stable"))]


class Prose:
    """Texts of a wanted length in characters, the same for the same dice."""

    def __init__(self, dice: np.random.Generator) -> None:
        self.words = vocabulary(dice)
        self._dice = dice
        falling = np.cumsum(1 / (np.arange(1, len(self.words) + 1) + FLATTER))
        self._falling: NDArray[np.float64] = falling / falling[-1]
        self._ready: list[int] = []
        self._at = 0
        self._topic = np.zeros(0, dtype=np.int64)

    def turn_to(self, topic: int) -> None:
        """Take the rarer words from a topic from now on; a number is always the same topic."""
        own = np.random.default_rng(topic)
        self._topic = own.integers(len(FUNCTION_WORDS), len(self.words), OF_A_TOPIC)
        self._ready, self._at = [], 0

    def text(self, length: int) -> str:
        """Return sentences of about so many characters."""
        told: list[str] = []
        while length > 0:
            said = " ".join(self._next(int(self._dice.integers(*SENTENCE))))
            told.append(f"{said[0].upper()}{said[1:]}.")
            length -= len(told[-1]) + 1
        return " ".join(told)

    def lines(self, length: int) -> str:
        """Return lines as tools print them, about so many characters in all."""
        return "\n".join(self._lines(length))

    def _lines(self, length: int) -> Iterator[str]:
        number = int(self._dice.integers(1, 400))
        while length > 0:
            first, second, *rest = self._next(int(self._dice.integers(4, 9)))
            line = f"{number:5d}  {first}_{second}({', '.join(rest)})"
            length -= len(line) + 1
            number += 1
            yield line

    def name(self) -> str:
        """Return a name as files and errors have it, of two rare words."""
        first, second = self._dice.integers(len(FUNCTION_WORDS), len(self.words), 2).tolist()
        return f"{self.words[first]}_{self.words[second]}"

    def _next(self, number: int) -> list[str]:
        if self._at + number > len(self._ready):
            self._ready, self._at = self._drawn(), 0
        taken = self._ready[self._at : self._at + number]
        self._at += number
        return [self.words[place] for place in taken]

    def _drawn(self) -> list[int]:
        common = np.searchsorted(self._falling, self._dice.random(AT_ONCE))
        if len(self._topic):
            about = self._dice.random(AT_ONCE) < ON_TOPIC
            common[about] = self._dice.choice(self._topic, int(about.sum()))
        drawn: list[int] = common.tolist()
        return drawn


VERSION = "2.0.0"
MODEL = "made-up"
TAKES = {"Bash": "command", "Read": "file_path", "Write": "file_path", "Edit": "file_path"}
"""The parameter by which a tool takes its text; all others take `query`."""


def stamp(time: datetime) -> str:
    """Return a time as the lines have it, in UTC and to the millisecond."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def slug(cwd: str) -> str:
    """Return the name of the folder of a project."""
    return cwd.replace("/", "-").replace(".", "-")


@dataclass
class Thread:
    """The lines of a session, or of a sub-agent of it, each bound to the one before it.

    `names` gives the UUIDs of the lines. Every method returns the UUID of its line.
    `size` is the bytes of all lines.
    """

    session: str
    cwd: str
    names: Iterator[str]
    agent: str | None = None
    parent: str | None = None
    lines: list[bytes] = field(default_factory=list)
    size: int = 0

    def user(self, text: str, time: datetime) -> str:
        """Add what the user, or whoever briefs the sub-agent, says."""
        return self._add("user", {"role": "user", "content": text}, time)

    def assistant(self, text: str, time: datetime) -> str:
        """Add what the assistant says."""
        return self._answered({"type": "text", "text": text}, time)

    def thinking(self, text: str, time: datetime) -> str:
        """Add what the assistant thinks."""
        return self._answered({"type": "thinking", "thinking": text, "signature": ""}, time)

    def call(self, number: str, tool: str, given: dict[str, Any], time: datetime) -> str:
        """Add the use of a tool; `number` is what its result is bound to."""
        return self._answered(
            {"type": "tool_use", "id": number, "name": tool, "input": given}, time
        )

    def result(self, number: str, text: str, time: datetime, *, failed: bool = False) -> str:
        """Add what a tool gave."""
        block: dict[str, Any] = {"tool_use_id": number, "type": "tool_result", "content": text}
        if failed:
            block["is_error"] = True
        return self._add("user", {"role": "user", "content": [block]}, time)

    def note(self, kind: str, **told: Any) -> None:
        """Add a line that is no part of what was said, such as a summary."""
        self._keep({"type": kind, **told})

    def write(self, folder: Path) -> int:
        """Write the file of this thread; return its bytes."""
        path = folder / slug(self.cwd) / f"{self.session}.jsonl"
        if self.agent is not None:
            path = path.with_suffix("") / "subagents" / f"agent-{self.agent}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.write_bytes(b"".join(self.lines))

    def _answered(self, block: dict[str, Any], time: datetime) -> str:
        message = {"type": "message", "role": "assistant", "model": MODEL, "content": [block]}
        return self._add("assistant", message, time)

    def _add(self, kind: str, message: dict[str, Any], time: datetime) -> str:
        own = next(self.names)
        line = {
            "parentUuid": self.parent,
            "isSidechain": self.agent is not None,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": VERSION,
            "gitBranch": "main",
            **({} if self.agent is None else {"agentId": self.agent}),
            "type": kind,
            "message": message,
            "uuid": own,
            "timestamp": stamp(time),
        }
        self._keep(line)
        self.parent = own
        return own

    def _keep(self, told: dict[str, Any]) -> None:
        line = json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"
        self.lines.append(line.encode())
        self.size += len(self.lines[-1])


def write_world(
    world: LabelledWorld, folder: Path, *, noise: Prose | None = None, length: int = 1_200
) -> dict[str, str]:
    """Write the sessions of a labelled world; return the turn's id for the UUID of every line.

    With `noise` what a tool gave goes on for so many characters without meaning, as the output of
    real tools does; without it a world is so small that it fits whole into an answer.
    """
    for session in world.sessions:
        for agent in dict.fromkeys(turn.agent for turn in session.turns):
            own = [turn for turn in session.turns if turn.agent == agent]
            names = iter([_name(turn.id) for turn in own])
            thread = Thread(_name(session.id), world.project, names, agent)
            number = ""
            for turn in own:
                number = f"toolu_{turn.id}" if turn.role == "call" else number
                more = "" if noise is None or turn.role != "result" else noise.lines(length)
                _put(thread, turn, number, f"{turn.text}\n{more}".rstrip())
            thread.write(folder)
    return {_name(turn.id): turn.id for turn in world.turns}


def _put(thread: Thread, turn: Turn, number: str, text: str) -> None:
    if turn.role == "user":
        thread.user(text, turn.time)
    elif turn.role == "assistant":
        thread.assistant(text, turn.time)
    elif turn.role == "result":
        thread.result(number, text, turn.time)
    else:
        thread.call(number, str(turn.tool), _given(turn), turn.time)


def _given(turn: Turn) -> dict[str, Any]:
    if turn.tool == BRIEFING:
        return {"description": turn.text, "prompt": turn.text}
    return {TAKES.get(str(turn.tool), "query"): turn.text}


def _name(of: str) -> str:
    return str(uuid5(NAMESPACE_URL, of))
