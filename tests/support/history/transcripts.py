"""Transcripts for tests: lines as Claude Code writes them, and what is read and cut of them."""

from __future__ import annotations

import io
import itertools
import json
import random
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from reasonloom.transcripts import claude_code
from reasonloom.transcripts.chunking import Chunk, Chunker, ChunkerState
from reasonloom.transcripts.lines import Position
from reasonloom.transcripts.turns import Turn

BEGIN = datetime(2026, 3, 1, 9, tzinfo=UTC)


NUMBERS = itertools.count()
"""Every line of every script has an id of its own."""


@dataclass
class Script:
    """Writes the lines of one session, each ten seconds after the one before."""

    session: str = "11111111-2222-3333-4444-555555555555"
    cwd: str = "/home/ana/api"
    lines: list[str] = field(default_factory=list)
    now: datetime = BEGIN

    def line(self, kind: str, content: Any = None, **more: Any) -> Script:
        self.now += timedelta(seconds=10)
        entry: dict[str, Any] = {
            "parentUuid": None,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": "2.1.0",
            "gitBranch": "main",
            "type": kind,
            "uuid": f"{next(NUMBERS):08d}-aaaa",
            "timestamp": self.now.isoformat().replace("+00:00", "Z"),
        }
        if content is not None:
            entry["message"] = {"role": kind, "content": content}
        self.lines.append(json.dumps(entry | more, ensure_ascii=False))
        return self

    def user(self, content: Any, **more: Any) -> Script:
        return self.line("user", content, **more)

    def said(self, text: str, **more: Any) -> Script:
        return self.line("assistant", [{"type": "text", "text": text}], **more)

    def thought(self, text: str, **more: Any) -> Script:
        return self.line("assistant", [{"type": "thinking", "thinking": text}], **more)

    def used(self, name: str, given: Any, tool_id: str = "t1", **more: Any) -> Script:
        block = {"type": "tool_use", "id": tool_id, "name": name, "input": given}
        return self.line("assistant", [block], **more)

    def got(self, content: Any, tool_id: str = "t1", error: bool = False, **more: Any) -> Script:
        block = {"type": "tool_result", "tool_use_id": tool_id, "content": content}
        return self.line("user", [block | ({"is_error": True} if error else {})], **more)

    def data(self) -> bytes:
        return "".join(f"{line}\n" for line in self.lines).encode("utf-8", "surrogatepass")


def turns_of(data: bytes, since: Position | None = None, **more: Any) -> list[Turn]:
    return list(claude_code.read(io.BytesIO(data), since, **more))


def part_texts(turn: Turn) -> list[tuple[str, str]]:
    return [(part.kind.value, part.text) for part in turn.parts]


@dataclass
class Shelf:
    """What is kept of a file that is read again and again: its chunks by id."""

    reader: Any = claude_code.read
    cutter: dict[str, Any] = field(default_factory=dict)
    position: Position | None = None
    state: ChunkerState | None = None
    chunks: dict[str, Chunk] = field(default_factory=dict)

    def read(self, data: bytes) -> list[Chunk]:
        """Read what is new and keep it, as a store would, through JSON; return what was given."""
        since = self.position and Position.of(json.loads(json.dumps(self.position.wire())))
        state = self.state and ChunkerState.of(json.loads(json.dumps(self.state.wire())))
        reading = self.reader(io.BytesIO(data), since)
        if reading.rewritten:
            state, self.chunks = None, {}
        cutter = Chunker(state, **self.cutter)
        given = [chunk for turn in reading for chunk in cutter.add(turn)]
        ending = cutter.end()
        given += ending.chunks
        for chunk in given:
            if chunk.replaces:
                del self.chunks[chunk.replaces]
            assert chunk.id not in self.chunks
            self.chunks[chunk.id] = replace(chunk, replaces=None)
        for void in ending.dropped:
            del self.chunks[void]
        self.position, self.state = reading.position, ending.state
        return given

    def all(self) -> list[Chunk]:
        return sorted(self.chunks.values(), key=lambda c: (c.first_turn, c.continues, c.text))


TOPICS = (
    ("login", "token session cookie password expiry refresh bearer signature middleware", "auth"),
    ("invoice", "rounding currency amount total discount ledger payment receipt", "billing"),
    ("рендер", "кадр камера текстура шейдер освещение геометрия буфер", "render"),
    ("検索", "索引 検索結果 単語 文書 順位 語彙 関連度 形態素解析", "search"),
    ("déploiement", "conteneur réseau grappe réplique sonde équilibreur certificat", "deploy"),
)


def generated(turns: int, seed: int = 1, *, script: Script | None = None) -> Script:
    """Return a session of several topics, with tools, errors, code, thinking and emoji."""
    dice = random.Random(seed)  # noqa: S311 - tests want the same again
    script = script or Script()
    topic = dice.choice(TOPICS)
    for number in range(turns):
        if dice.random() < 0.3:
            topic = dice.choice(TOPICS)
        word, rest, folder = topic
        pick = rest.split()
        vocabulary = [word, *pick]

        def phrase(count: int, among: list[str] = vocabulary) -> str:
            return " ".join(dice.choice(among) for _ in range(count))

        script.user(f"Please look at the {word} {phrase(4)} in src/{folder}/main.py 🙂 {number}")
        for step in range(dice.randint(1, 4)):
            script.thought(f"Thinking of {phrase(6)}")
            key = f"t{number}-{step}"
            script.used("Bash", {"command": f"grep -rn {word} src/{folder}"}, key)
            script.got(f"src/{folder}/main.py:{step}: {phrase(40)}\nValueError: bad {word}", key)
            code = "\n".join(f"{p} = {i}\n" for i, p in enumerate(phrase(8).split()))
            script.said(f"{phrase(50)}.\n\n```python\n{code}```\n\n{phrase(20)}. Done.")
    return script
