"""Writes sessions in Claude Code's format: one JSON Lines file each, with lines linked by parent.

<folder>/<cwd with - for />/<session>.jsonl
<folder>/<cwd with - for />/<session>/subagents/agent-<agent>.jsonl

Meaningless text consists of pseudo-words with natural frequencies: real function words take the
first ranks and pronounceable invented words the rest, distributed by Zipf's law. Some words of a
text belong to its topic, so texts on the same topic share rare words.
"""

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

WORDS = 24_000
FLATTER = 2.7
"""Zipf-Mandelbrot offset: the word of rank r has a frequency proportional to 1 / (r + FLATTER)."""

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
    """Return the words, most frequent first; frequent words tend to be short."""
    one = ["".join(parts) for parts in product(ONSETS, NUCLEI, CODAS)]
    ends = dice.choice(one, size=(2, 4 * WORDS))
    many = [*one, *(f"{first}{last}" for first, last in zip(*ends.tolist(), strict=True))]
    known = set(FUNCTION_WORDS)
    made = [word for word in dict.fromkeys(many) if word not in known and len(word) > 1]
    made = made[: WORDS - len(FUNCTION_WORDS)]
    rank = np.array([len(word) for word in made]) + dice.normal(0, 3, len(made))
    return [*FUNCTION_WORDS, *(made[place] for place in np.argsort(rank, kind="stable"))]


class Prose:
    """Generates meaningless text of a given length in characters, determined by `dice`."""

    def __init__(self, dice: np.random.Generator) -> None:
        self.words = vocabulary(dice)
        self._dice = dice
        falling = np.cumsum(1 / (np.arange(1, len(self.words) + 1) + FLATTER))
        self._falling: NDArray[np.float64] = falling / falling[-1]
        self._ready: list[int] = []
        self._at = 0
        self._topic = np.zeros(0, dtype=np.int64)

    def turn_to(self, topic: int) -> None:
        """Switch to a topic, from which some words are drawn; equal numbers mean equal topics."""
        own = np.random.default_rng(topic)
        self._topic = own.integers(len(FUNCTION_WORDS), len(self.words), OF_A_TOPIC)
        self._ready, self._at = [], 0

    def text(self, length: int) -> str:
        """Return sentences with about `length` characters in total."""
        sentences: list[str] = []
        while length > 0:
            words = " ".join(self._next(int(self._dice.integers(*SENTENCE))))
            sentences.append(f"{words[0].upper()}{words[1:]}.")
            length -= len(sentences[-1]) + 1
        return " ".join(sentences)

    def lines(self, length: int) -> str:
        """Return lines that resemble tool output, with about `length` characters in total."""
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
        """Return a name of two content words, like those of files and errors."""
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
"""The parameter for a tool's text; `query` for all other tools."""


def stamp(time: datetime) -> str:
    """Format a time in UTC with milliseconds."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03d}Z"


def slug(cwd: str) -> str:
    """Return the folder name for a project's working directory."""
    return cwd.replace("/", "-").replace(".", "-")


@dataclass
class Thread:
    """The lines of a session or a sub-agent, each linked to the previous one.

    `names` yields the UUIDs of the lines; methods that add a message return its UUID. `size` is in
    bytes.
    """

    session: str
    cwd: str
    names: Iterator[str]
    agent: str | None = None
    parent: str | None = None
    lines: list[bytes] = field(default_factory=list)
    size: int = 0

    def user(self, text: str, time: datetime) -> str:
        """Add a message from the user, or the sub-agent's briefing."""
        return self._add("user", {"role": "user", "content": text}, time)

    def assistant(self, text: str, time: datetime) -> str:
        """Add a message from the assistant."""
        return self._answered({"type": "text", "text": text}, time)

    def thinking(self, text: str, time: datetime) -> str:
        """Add a thinking block."""
        return self._answered({"type": "thinking", "thinking": text, "signature": ""}, time)

    def call(self, number: str, tool: str, given: dict[str, Any], time: datetime) -> str:
        """Add a tool call; its result refers to `number`."""
        return self._answered(
            {"type": "tool_use", "id": number, "name": tool, "input": given}, time
        )

    def result(self, number: str, text: str, time: datetime, *, failed: bool = False) -> str:
        """Add a tool result."""
        block: dict[str, Any] = {"tool_use_id": number, "type": "tool_result", "content": text}
        if failed:
            block["is_error"] = True
        return self._add("user", {"role": "user", "content": [block]}, time)

    def note(self, kind: str, **fields: Any) -> None:
        """Add a line outside the conversation, such as a summary."""
        self._keep({"type": kind, **fields})

    def write(self, folder: Path) -> int:
        """Write the thread's file and return its size in bytes."""
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

    def _keep(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"
        self.lines.append(line.encode())
        self.size += len(self.lines[-1])


def write_world(
    world: LabelledWorld, folder: Path, *, noise: Prose | None = None, length: int = 1_200
) -> dict[str, str]:
    """Write a labelled world's sessions and return the turn id of every line by UUID.

    `noise` pads tool results with about `length` meaningless characters, like real tool output;
    without it a world is small enough to fit into one answer.
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
