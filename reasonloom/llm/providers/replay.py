"""Recorded replies: ask a provider once, then play its answers for ever, without a network.

A tape is a JSONL file, one reply a line: `{"key", "sample", "llm", "most_tokens", "ask", "reply"}`.
The key is the SHA-256 of the question; one sample of a question that was asked several times takes
its recorded replies in turn, and the last one again from then on. Old lines without a sample serve
for all. Usage is played as it was recorded, so that budgets repeat too.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from reasonloom.errors import LlmRefused, SettingMistake
from reasonloom.llm.messages import to_dicts
from reasonloom.llm.port import Ask, Priced, Reply, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from reasonloom.llm.port import LanguageModel


try:
    import fcntl
except ImportError:  # Windows: threads of one process are still kept apart
    fcntl = None  # type: ignore[assignment]

_ONE_WRITER = threading.Lock()


def read_lines(path: Path) -> list[str]:
    """Return the lines of a tape, each of them whole.

    Raises:
        SettingMistake: the file cannot be read, is no text, or ends within a line.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = "is no text" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        reason = "does not exist" if isinstance(error, FileNotFoundError) else reason
        raise _unusable(path, reason) from None
    if text and not text.endswith("\n"):
        raise _unusable(path, "ends within a line: it was cut short")
    return text.split("\n")[:-1]


def append_line(path: Path, line: str) -> None:
    """Add one line, wholly or not at all, under a lock that other processes respect.

    Raises:
        LlmRefused: the file cannot be written, so the reply would be lost to the recording.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
    try:
        with _ONE_WRITER:
            file = os.open(path, flags, 0o600)
            try:
                _write(file, line.encode() + b"\n")
            finally:
                os.close(file)
    except OSError:
        raise LlmRefused(f"record:{path.name}: the recording cannot be written") from None


def _write(file: int, data: bytes) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX)
    size = os.fstat(file).st_size
    try:
        while data:
            data = data[os.write(file, data) :]
    except OSError:
        os.ftruncate(file, size)
        raise


def _unusable(path: Path, reason: str) -> SettingMistake:
    return SettingMistake(
        f"REASONLOOM_LLM: the recording {path.name} {reason}", field="REASONLOOM_LLM"
    )


SampledReplies = tuple[str, int | None]
"""A question's key, and which of its answers."""

RepeatedReplies = tuple[str, int | None, int | None]
"""A question's key, which of its answers, and how long that may be."""


class RecordedReplies(NamedTuple):
    """One line of a tape; what old ones do not tell is None."""

    key: str
    reply: Reply
    sample: int | None
    llm: str | None
    most_tokens: int | None


def normalized_question(ask: Ask) -> dict[str, Any]:
    """Return what makes two questions the same: no deadline, no session, no material."""
    return {
        "messages": to_dicts(ask.messages),
        "schema": ask.schema,
        "pipe": ask.pipe,
        "temperature": ask.temperature,
        "seed": ask.seed,
    }


def question_key(ask: Ask) -> str:
    """Return the SHA-256, in hex, of the question's canonical JSON."""
    canonical = json.dumps(normalized_question(ask), sort_keys=True, separators=(",", ":"))
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
        self._replies: defaultdict[SampledReplies, list[Reply]] = defaultdict(list)
        self._played: Counter[SampledReplies] = Counter()
        for number, line in enumerate(read_lines(path), start=1):
            taped = _read(line, path.name, number)
            self._replies[taped.key, taped.sample].append(taped.reply)

    async def answer(self, ask: Ask) -> Reply:
        """Return the next recorded reply to this question.

        Raises:
            LlmRefused: the tape has no such question, or not this sample of it.
        """
        key = question_key(ask)
        known: SampledReplies = (key, ask.sample)
        if known not in self._replies:
            known = (key, None)
        replies = self._replies.get(known)
        if not replies:
            tape = self.name.partition(":")[2]
            raise LlmRefused(
                f"{self.name}: the recording has no such question (pipe {ask.pipe or 'none'}, "
                f"sample {ask.sample}, key {key[:12]}); record it with "
                f"REASONLOOM_LLM=record:{tape}:INNER, where "
                "INNER is the llm to ask, such as litellm:openai/gpt-5"
            )
        turn = self._played[known]
        self._played[known] += 1
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
        else:
            _require_folder(path)
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
        await asyncio.to_thread(append_line, self._path, _line(self._inner.name, ask, reply))
        return reply

    async def prices(self) -> tuple[float, float] | None:
        """Return the inner llm's prices, None where it knows none."""
        return await self._inner.prices() if isinstance(self._inner, Priced) else None

    async def close(self) -> None:
        """Close the inner llm."""
        await self._inner.close()


class CachedModel:
    """Asks another llm what its tape does not hold, and appends that; all else is played.

    The same call is the same question, sample, limit of tokens, and llm.
    """

    def __init__(self, inner: LanguageModel, file: str | Path) -> None:
        """Open a new tape or one to go on with.

        Raises:
            SettingMistake: the file exists and is no recording, or its folder does not exist.
        """
        self._path = Path(file).expanduser()
        self.name, self.offline, self._inner = inner.name, inner.offline, inner
        self._replies: dict[RepeatedReplies, Reply] = {}
        self._asked: dict[RepeatedReplies, asyncio.Lock] = {}
        if not self._path.exists():
            _require_folder(self._path)
            return
        for number, line in enumerate(read_lines(self._path), start=1):
            taped = _read(line, self._path.name, number)
            if taped.llm == inner.name:
                call = (taped.key, taped.sample, taped.most_tokens)
                self._replies.setdefault(call, taped.reply)

    async def answer(self, ask: Ask) -> Reply:
        """Play the recorded reply, or ask; the same call twice at once is asked once."""
        call: RepeatedReplies = (question_key(ask), ask.sample, ask.most_tokens)
        async with self._asked.setdefault(call, asyncio.Lock()):
            if call not in self._replies:
                reply = await self._inner.answer(ask)
                self._replies[call] = reply
                line = _line(self._inner.name, ask, reply)
                # What is paid is kept, also where another call's refusal ends this one.
                await asyncio.shield(asyncio.to_thread(append_line, self._path, line))
        return self._replies[call]

    async def prices(self) -> tuple[float, float] | None:
        """Return the inner llm's prices, None where it knows none."""
        return await self._inner.prices() if isinstance(self._inner, Priced) else None

    async def close(self) -> None:
        """Close the inner llm."""
        await self._inner.close()


def _require_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise SettingMistake(
            f"REASONLOOM_LLM: the folder of the recording {path.name} does not exist",
            field="REASONLOOM_LLM",
        )


def _line(llm: str, ask: Ask, reply: Reply) -> str:
    record = {
        "key": question_key(ask),
        "sample": ask.sample,
        "llm": llm,
        "most_tokens": ask.most_tokens,
        "ask": normalized_question(ask),
        "reply": asdict(reply),
    }
    return json.dumps(record)


def _read(line: str, file: str, number: int) -> RecordedReplies:
    try:
        record = json.loads(line)
        told = record["reply"]
        reply = Reply(**{**told, "usage": Usage(**told["usage"])})
        sample, most = record.get("sample"), record.get("most_tokens")
        return RecordedReplies(str(record["key"]), reply, sample, record.get("llm"), most)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SettingMistake(
            f"REASONLOOM_LLM: line {number} of {file} is no recorded reply; the file is not a "
            "recording or was cut short",
            field="REASONLOOM_LLM",
        ) from None
