"""Recorded replies: ask a provider once, then play its answers for ever, without a network.

A tape is a JSONL file, one reply a line: `{"key", "ask", "reply"}`. The key is the SHA-256 of
the question; a question asked several times takes its recorded replies in turn, and the last
one again from then on. Usage is played as it was recorded, so that budgets repeat too.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reasonloom.errors import LlmRefused, SettingMistake
from reasonloom.llm.port import Ask, Priced, Reply, Usage
from reasonloom.llm.tape import append_line, read_lines
from reasonloom.llm.wire import to_wire

if TYPE_CHECKING:
    from reasonloom.llm.port import LanguageModel


def question_of(ask: Ask) -> dict[str, Any]:
    """Return what makes two questions the same: no deadline, no session, no material."""
    return {
        "messages": to_wire(ask.messages),
        "schema": ask.schema,
        "pipe": ask.pipe,
        "temperature": ask.temperature,
        "seed": ask.seed,
    }


def key_of(ask: Ask) -> str:
    """Return the SHA-256, in hex, of the question's canonical JSON."""
    canonical = json.dumps(question_of(ask), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class ReplayModel:
    """Plays a tape; `name` shows the file without its folder, which is nobody's business."""

    offline = False

    def __init__(self, file: str | Path) -> None:
        """Read the whole tape.

        Raises:
            SettingMistake: the file is missing, cut short or no recording.
        """
        path = Path(file).expanduser()
        self.name = f"replay:{path.name}"
        self._replies: defaultdict[str, list[Reply]] = defaultdict(list)
        self._played: Counter[str] = Counter()
        for number, line in enumerate(read_lines(path), start=1):
            key, reply = _read(line, path.name, number)
            self._replies[key].append(reply)

    async def answer(self, ask: Ask) -> Reply:
        """Return the next recorded reply to this question.

        Raises:
            LlmRefused: the tape has no such question.
        """
        key = key_of(ask)
        replies = self._replies.get(key)
        if not replies:
            tape = self.name.partition(":")[2]
            raise LlmRefused(
                f"{self.name}: the recording has no such question (pipe {ask.pipe or 'none'}, "
                f"key {key[:12]}); record it with REASONLOOM_LLM=record:{tape}:INNER, where "
                "INNER is the llm to ask, such as litellm:openai/gpt-5"
            )
        turn = self._played[key]
        self._played[key] += 1
        return replies[min(turn, len(replies) - 1)]

    async def close(self) -> None:
        """Hold nothing open."""


class Recorder:
    """Asks another llm and appends each of its replies to a tape."""

    def __init__(self, inner: LanguageModel, file: str | Path) -> None:
        """Open a new tape or one to go on with.

        Raises:
            SettingMistake: the file exists and is no recording, or its folder does not exist.
        """
        path = Path(file).expanduser()
        if path.exists():
            ReplayModel(path)
        elif not path.parent.is_dir():
            raise SettingMistake(
                f"REASONLOOM_LLM: the folder of the recording {path.name} does not exist",
                field="REASONLOOM_LLM",
            )
        self.name = f"record:{path.name}:{inner.name}"
        self._inner = inner
        self._path = path

    @property
    def offline(self) -> bool:
        """Whether the llm behind the recording is none."""
        return self._inner.offline

    async def answer(self, ask: Ask) -> Reply:
        """Answer as the inner llm does; errors are passed on and not recorded."""
        reply = await self._inner.answer(ask)
        record = {"key": key_of(ask), "ask": question_of(ask), "reply": asdict(reply)}
        await asyncio.to_thread(append_line, self._path, json.dumps(record))
        return reply

    async def prices(self) -> tuple[float, float] | None:
        """Return the inner llm's prices, None where it knows none."""
        return await self._inner.prices() if isinstance(self._inner, Priced) else None

    async def close(self) -> None:
        """Close the inner llm."""
        await self._inner.close()


def _read(line: str, file: str, number: int) -> tuple[str, Reply]:
    try:
        record = json.loads(line)
        told = record["reply"]
        reply = Reply(**{**told, "usage": Usage(**told["usage"])})
        return str(record["key"]), reply
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SettingMistake(
            f"REASONLOOM_LLM: line {number} of {file} is no recorded reply; the file is not a "
            "recording or was cut short",
            field="REASONLOOM_LLM",
        ) from None
