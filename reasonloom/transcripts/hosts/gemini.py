"""Reads Gemini CLI's transcripts: one JSONL file per session and per sub-agent.

The first line has the session; then come messages, of which one that grew is written again under
its id, and changes of the session (`$set`, `$rewindTo`). What a rewind took back was said, so it
stays. The working folder is in a file next to the transcripts' folder.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from reasonloom.transcripts.hosts.single_lane import SingleLane
from reasonloom.transcripts.lines import LONGEST, PATH_LENGTH, Position, parse_moment, short_text
from reasonloom.transcripts.parts import BLOCKS, Message, message_part, tool_result, tool_use
from reasonloom.transcripts.reader import TurnReader
from reasonloom.transcripts.turns import Kind, Part, Skipped, Source

KNOWN = frozenset({"user", "gemini", "info", "error", "warning"})
CHATS, ROOT = "chats", ".project_root"
"""The folder of transcripts, and the file next to it that names the working folder."""

ADDED = re.compile(r"\A\s*<(hook_context|session_context)>.*?</\1>", re.DOTALL)
"""What Gemini CLI puts before a request in the user's name."""

FAILED = frozenset({"error", "cancelled"})


def read(
    stream: BinaryIO,
    since: Position | None = None,
    *,
    source: Source | None = None,
    longest: int = LONGEST,
) -> TurnReader:
    """Return the turns of a transcript, from its beginning or from `since`.

    Args:
        stream: the file, seekable; it may grow during reading.
        since: the position at which the previous read ended.
        source: what the file's path tells (see `source_of`).
        longest: the maximum length of a line in bytes.

    Raises:
        InvalidArgument: the file is binary or UTF-16, or contains no line of a transcript.
    """
    return TurnReader(
        stream, since, lambda known: Session(known, source or Source()), longest=longest
    )


def source_of(path: Path) -> Source:
    """Return what a transcript's path tells: the folder, and the session that a sub-agent is of.

    Sub-agents' files are in a folder of `chats` with the name of their session.
    """
    above = path.parent
    agent = above.parent.name == CHATS
    root = (above.parent if agent else above).parent / ROOT
    return Source(
        session=above.name if agent else None,
        project=_folder(root),
        agent=path.stem[:8] if agent else None,
    )


class Session(SingleLane):
    """The conversation of one file."""

    def read(self, entry: Mapping[str, Any], skipped: Skipped) -> Message | None:
        """See `SingleLane`."""
        kind = entry.get("type")
        if isinstance(entry.get("$set"), dict) or isinstance(entry.get("$rewindTo"), str):
            self.taken += 1
            return None
        if isinstance(entry.get("sessionId"), str) and "projectHash" in entry:
            self.taken += 1
            self._learn(entry)
            return None
        if self.identity(entry) is None or not isinstance(kind, str):
            skipped.malformed += 1
            return None
        if kind not in KNOWN:
            skipped.unknown += 1
            return None
        self.taken += 1
        at = self.moment(entry)
        if kind == "user":
            return _request(entry, at)
        return Message(tuple(_answer(entry, at)), False) if kind == "gemini" else None

    def identity(self, entry: Mapping[str, Any]) -> str | None:
        """See `SingleLane`."""
        return short_text(entry.get("id"))

    def moment(self, entry: Mapping[str, Any]) -> datetime | None:
        """See `SingleLane`."""
        return parse_moment(entry.get("timestamp"))

    def _learn(self, entry: Mapping[str, Any]) -> None:
        known = self.source
        self.source = Source(
            session=known.session or short_text(entry.get("sessionId")),
            project=known.project,
            agent=known.agent,
        )


def _request(entry: Mapping[str, Any], at: datetime | None) -> Message:
    """Return what a person typed; results of tools also come in the user's name."""
    typed = "\n".join(_texts(entry.get("displayContent") or entry.get("content")))
    parts = message_part(Kind.USER, ADDED.sub("", typed), at)
    return Message(parts, bool(parts))


def _answer(entry: Mapping[str, Any], at: datetime | None) -> Iterator[Part]:
    """Yield the thoughts, the text, and the tools of an answer, each with its result."""
    for thought in _objects(entry.get("thoughts")):
        words = [thought.get("subject"), thought.get("description")]
        text = "\n".join(each for each in words if isinstance(each, str))
        yield from message_part(Kind.THINKING, text, parse_moment(thought.get("timestamp")) or at)
    yield from message_part(Kind.ASSISTANT, "\n".join(_texts(entry.get("content"))), at)
    for call in _objects(entry.get("toolCalls")):
        when = parse_moment(call.get("timestamp")) or at
        yield tool_use(call.get("name"), call.get("args"), call.get("id"), when)
        full = "\n".join(_outputs(call.get("result")))
        failed = call.get("status") in FAILED
        if full or failed:
            yield tool_result(full, when, short_text(call.get("id")), failed=failed)


def _objects(held: Any) -> list[dict[str, Any]]:
    """Return the objects of a list, or the object that stands for a list of one."""
    listed = held[:BLOCKS] if isinstance(held, list) else [held]
    return [each for each in listed if isinstance(each, dict)]


def _texts(content: Any) -> Iterator[str]:
    """Yield the texts of a content: a text, a part, or a list of both; files get a placeholder."""
    for block in content[:BLOCKS] if isinstance(content, list) else [content]:
        if isinstance(block, str):
            yield block
        elif isinstance(block, dict) and block.get("thought") is not True:
            if isinstance(block.get("text"), str):
                yield block["text"]
            elif "inlineData" in block or "fileData" in block:
                yield "[file]"


def _outputs(result: Any) -> Iterator[str]:
    """Yield what a tool returned."""
    yield from _texts(result)
    for block in _objects(result):
        response = block.get("functionResponse")
        held = response.get("response") if isinstance(response, dict) else None
        for key in ("output", "error", "content"):
            if isinstance(held, dict) and isinstance(held.get(key), str):
                yield held[key]


def _folder(root: Path) -> str | None:
    """Return the folder that the file names, None without a full path."""
    try:
        with root.open("rb") as file:
            text = file.read(PATH_LENGTH + 1).decode().strip()
    except (OSError, UnicodeDecodeError, ValueError):
        return None
    return short_text(text, PATH_LENGTH) if Path(text).is_absolute() else None
