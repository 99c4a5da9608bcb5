"""Recorded replies: call a provider once, then replay its answers without a network.

A recording is a JSONL file, one reply per line: `{"key", "sample", "llm", "most_tokens", "ask",
"reply"}`. The key is the SHA-256 of the question. Replies to one sample of a question are replayed
in order, then the last one repeats; old lines without a sample serve any sample. Usage is replayed
as recorded, so that budgets behave the same.
"""

import asyncio
import hashlib
import json
import os
import threading
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from reasonloom.errors import LlmRefused, SettingMistake
from reasonloom.llm.interfaces import Ask, LanguageModel, Priced, Reply, Usage
from reasonloom.llm.messages import to_dicts
from reasonloom.llm.providers.callbacks import reported

try:
    import fcntl
except ImportError:  # Windows: only threads of one process exclude each other
    fcntl = None  # type: ignore[assignment]

_ONE_WRITER = threading.Lock()


def read_lines(path: Path) -> list[str]:
    """Return the lines of a recording.

    Raises:
        SettingMistake: the file cannot be read, is not text, or ends with an incomplete line.
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
    """Append one line atomically, under a lock between processes.

    Raises:
        LlmRefused: the file cannot be written, so the reply cannot be recorded.
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


SampleKey = tuple[str, int | None]
"""A question's key and sample."""

CallKey = tuple[str, int | None, int | None]
"""A question's key, sample, and token limit."""


class RecordedReply(NamedTuple):
    """One line of a recording; fields missing in old lines are None."""

    key: str
    reply: Reply
    sample: int | None
    llm: str | None
    most_tokens: int | None


def normalized_question(ask: Ask) -> dict[str, Any]:
    """Return the parts that identify a question, without deadline, thread or material."""
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
    """Replays a recording; `name` omits the file's folder, which is private.

    `llms` are the language models whose replies it has.
    """

    offline = False

    def __init__(self, file: str | Path, llm: str = "") -> None:
        """Read the recording: all of it, or only the replies of the language model `llm`.

        Raises:
            SettingMistake: the file is missing, truncated or not a recording.
        """
        path = Path(file).expanduser()
        self._file = path.name
        self.name = f"replay:{path.name}" + (f":{llm}" if llm else "")
        self._replies: defaultdict[SampleKey, list[Reply]] = defaultdict(list)
        self._played: Counter[SampleKey] = Counter()
        self.llms: set[str] = set()
        for number, line in enumerate(read_lines(path), start=1):
            recorded = _read(line, path.name, number)
            if not llm or recorded.llm == llm:
                self._replies[recorded.key, recorded.sample].append(recorded.reply)
                self.llms |= {recorded.llm} if recorded.llm else set()

    async def answer(self, ask: Ask) -> Reply:
        """Return the next recorded reply to this question.

        Raises:
            LlmRefused: the recording lacks this question, or this sample of it.
        """
        key = question_key(ask)
        known: SampleKey = (key, ask.sample)
        if known not in self._replies:
            known = (key, None)
        replies = self._replies.get(known)
        if not replies:
            file = self._file
            raise LlmRefused(
                f"{self.name}: the recording has no such question (pipe {ask.pipe or 'none'}, "
                f"sample {ask.sample}, key {key[:12]}); record it with "
                f"REASONLOOM_LLM=record:{file}:INNER, where "
                "INNER is the llm to ask, such as litellm:openai/gpt-5"
            )
        turn = self._played[known]
        self._played[known] += 1
        async with reported(self.name, ask) as call:
            call.reply = replies[min(turn, len(replies) - 1)]
        return call.reply

    async def close(self) -> None:
        """Do nothing: no resources are held."""


class _Wrapper:
    """Base of models that wrap another model and a recording; delegates prices and `close`."""

    def __init__(self, inner: LanguageModel, file: str | Path) -> None:
        self._inner = inner
        self._path = Path(file).expanduser()

    @property
    def offline(self) -> bool:
        """Whether the inner model is offline."""
        return self._inner.offline

    async def prices(self) -> tuple[float, float] | None:
        """Return the inner model's prices, None if unknown."""
        return await self._inner.prices() if isinstance(self._inner, Priced) else None

    async def close(self) -> None:
        """Close the inner model."""
        await self._inner.close()


class Recorder(_Wrapper):
    """Calls another model and appends each of its replies to a recording."""

    def __init__(self, inner: LanguageModel, file: str | Path) -> None:
        """Start a new recording, or continue an existing one.

        Raises:
            SettingMistake: the file exists but is not a recording, or its folder does not exist.
        """
        super().__init__(inner, file)
        if self._path.exists():
            ReplayModel(self._path)
        else:
            _require_folder(self._path)
        self.name = f"record:{self._path.name}:{inner.name}"

    async def answer(self, ask: Ask) -> Reply:
        """Return the inner model's answer and record it; errors propagate unrecorded."""
        reply = await self._inner.answer(ask)
        await asyncio.to_thread(append_line, self._path, _line(self._inner.name, ask, reply))
        return reply


class CachedModel(_Wrapper):
    """Replays recorded replies; calls another model for the rest, and records its replies.

    Calls are equal if question, sample, token limit and model are.
    """

    def __init__(self, inner: LanguageModel, file: str | Path) -> None:
        """Start a new recording, or continue an existing one.

        Raises:
            SettingMistake: the file exists but is not a recording, or its folder does not exist.
        """
        super().__init__(inner, file)
        self.name = inner.name
        self._replies: dict[CallKey, Reply] = {}
        self._locks: dict[CallKey, asyncio.Lock] = {}
        if not self._path.exists():
            _require_folder(self._path)
            return
        for number, line in enumerate(read_lines(self._path), start=1):
            recorded = _read(line, self._path.name, number)
            if recorded.llm == inner.name:
                call = (recorded.key, recorded.sample, recorded.most_tokens)
                self._replies.setdefault(call, recorded.reply)

    async def answer(self, ask: Ask) -> Reply:
        """Replay the recorded reply, or call the inner model, once for concurrent equal calls."""
        call: CallKey = (question_key(ask), ask.sample, ask.most_tokens)
        async with self._locks.setdefault(call, asyncio.Lock()):
            if call not in self._replies:
                reply = await self._inner.answer(ask)
                self._replies[call] = reply
                line = _line(self._inner.name, ask, reply)
                # A paid reply is recorded even if another call's error cancels this one.
                await asyncio.shield(asyncio.to_thread(append_line, self._path, line))
        return self._replies[call]


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


def _read(line: str, file: str, number: int) -> RecordedReply:
    try:
        record = json.loads(line)
        fields = record["reply"]
        reply = Reply(**{**fields, "usage": Usage(**fields["usage"])})
        sample, most = record.get("sample"), record.get("most_tokens")
        return RecordedReply(str(record["key"]), reply, sample, record.get("llm"), most)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SettingMistake(
            f"REASONLOOM_LLM: line {number} of {file} is no recorded reply; the file is not a "
            "recording or was cut short",
            field="REASONLOOM_LLM",
        ) from None
