"""Reads plain conversations: simple JSONL, and text with speaker names or paragraphs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, BinaryIO

from reasonloom.text.cleaning import message_text, visible_text
from reasonloom.transcripts.lines import (
    PATH_LENGTH,
    Line,
    Position,
    decoded,
    parse_entry,
    parse_moment,
    short_text,
)
from reasonloom.transcripts.mentions import errors, files
from reasonloom.transcripts.reader import Form, Started, TurnReader
from reasonloom.transcripts.turns import Kind, Part, Skipped, Turn

ROLES = {
    "user": Kind.USER,
    "human": Kind.USER,
    "assistant": Kind.ASSISTANT,
    "ai": Kind.ASSISTANT,
    "model": Kind.ASSISTANT,
    "bot": Kind.ASSISTANT,
    "system": Kind.SUMMARY,
    "summary": Kind.SUMMARY,
    "thinking": Kind.THINKING,
    "tool": Kind.TOOL_RESULT,
}
"""Known role names; any other name is a speaker's."""

SPEAKER = re.compile(r"([^\W\d_][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,2}): +(?=\S)")
"""A speaker at the beginning of a line, followed by text."""

ALONE = re.compile(SPEAKER.pattern.removesuffix(r" +(?=\S)") + r"\s*")
"""A speaker alone on a line, whose text follows on the next lines."""

_NO_NAMES = """
note notes warning error example todo fixme tip ps re subject date from to http https file usage
output input result answer question step info debug hint caution important
"""
NO_NAMES = frozenset(_NO_NAMES.split())
"""Words before a colon that are not speakers."""


def read_jsonl(stream: BinaryIO, since: Position | None = None) -> TurnReader:
    """Return the turns of a JSONL conversation, from its beginning or from `since`.

    A line is `{"role": …, "content": …}`, with optional `time` (ISO 8601), `session` and
    `project`; the latter two also apply to later lines. A role is one of `ROLES` or a name;
    messages of the first name start turns, those of other names are replies.

    Raises:
        InvalidArgument: the file is binary or UTF-16, or has no such line.
    """
    return TurnReader(stream, since, JsonlForm)


def read_text(stream: BinaryIO, since: Position | None = None) -> TurnReader:
    """Return the turns of a text: lines `Name: …`, or paragraphs if there are no names.

    Lines without a name belong to the last speaker. Content can imitate a speaker: a quoted
    `Name: …` at the beginning of a line counts as one.

    Raises:
        InvalidArgument: the file is binary or UTF-16.
    """
    return TurnReader(stream, since, TextForm, lines_of_json=False)


@dataclass(slots=True)
class OpenTurn(Started):
    """A turn that may still grow; its parts are (kind, name, lines of text, time)."""

    parts: list[tuple[Kind, str | None, list[str], datetime | None]] = field(default_factory=list)
    begun: bool = False

    def turn(self, *, complete: bool) -> Turn | None:
        """Return the turn so far, None if it is empty."""
        made = [_part(kind, name, "\n".join(texts), at) for kind, name, texts, at in self.parts]
        parts = tuple(part for part in made if part.text)
        times = [part.at for part in parts if part.at]
        first, last = (times[0], times[-1]) if times else (None, None)
        if not parts:
            return None
        return Turn(self.number, parts, first, last, None, complete, self.source)


class PlainForm(Form):
    """What both formats share: at most one open turn, and the roles."""

    started: Sequence[OpenTurn] = ()

    def open(self) -> list[Turn]:
        """Return the open turn, marked incomplete."""
        return self._turns(complete=False)

    def _turns(self, *, complete: bool) -> list[Turn]:
        turns = [turn.turn(complete=complete) for turn in self.started]
        return [turn for turn in turns if turn]

    def _say(
        self, kind: Kind, name: str | None, text: str, at: datetime | None, start: int
    ) -> list[Turn]:
        """Add a message; return the turn that it completes, if any."""
        closed: list[Turn] = []
        turn = self.started[0] if self.started else None
        begins = kind is Kind.USER
        if turn is None or (begins and turn.begun) or turn.source.session != self.source.session:
            closed = self._close()
            turn = OpenTurn(self.number, start, self.source)
            self.started = (turn,)
            self.number += 1
        turn.begun |= begins or kind is not Kind.SUMMARY
        turn.parts.append((kind, name, [text], at))
        return closed

    def _close(self) -> list[Turn]:
        """Close the open turn and return it; the number of an empty one is reused."""
        closed = self._turns(complete=True)
        if self.started and not closed:
            self.number = self.started[0].number
        self.started = ()
        return closed

    def _role(self, role: str) -> tuple[Kind, str | None]:
        """Return the kind and name of a speaker; the first named one is the user."""
        known = ROLES.get(role.casefold())
        if known:
            return known, None
        if self.source.speaker is None:
            self.source = replace(self.source, speaker=role)
        return (Kind.USER if role == self.source.speaker else Kind.ASSISTANT), role


class JsonlForm(PlainForm):
    """JSON lines, one message each."""

    def take(self, line: Line, skipped: Skipped) -> tuple[list[Turn], bool]:
        """Return the turn that a line completes, and whether it adds anything."""
        if not line.data.strip():
            return [], False
        entry = parse_entry(line, skipped)
        role = short_text(entry.get("role")) if entry else None
        content = entry.get("content") if entry else None
        if entry is None or role is None or not isinstance(content, str):
            skipped.malformed += 1
            return [], False
        self.taken += 1
        text = message_text(content)
        if not text:
            return [], False
        self._learn(entry)
        kind, name = self._role(role.strip())
        return self._say(kind, name, text, parse_moment(entry.get("time")), line.start), True

    def _learn(self, entry: Mapping[str, Any]) -> None:
        session = short_text(entry.get("session")) or self.source.session
        project = short_text(entry.get("project"), PATH_LENGTH) or self.source.project
        if (session, project) != (self.source.session, self.source.project):
            self.source = replace(self.source, session=session, project=project)


class TextForm(PlainForm):
    """Lines of text; a name starts a message, an empty line a paragraph."""

    _empty = True

    def take(self, line: Line, skipped: Skipped) -> tuple[list[Turn], bool]:
        """Return the turn that a line completes, and whether it adds anything."""
        self.taken += 1
        text = visible_text(decoded(line.data.removesuffix(b"\r"), skipped))
        empty_before, self._empty = self._empty, not text.strip()
        match = SPEAKER.match(text) or (ALONE.fullmatch(text) if line.ended else None)
        if match and _speaks(match[1], alone=not text[match.end() :]):
            kind, name = self._role(match[1])
            if name is None and self.source.speaker is None:
                self.source = replace(self.source, speaker=match[1])
            return self._say(kind, name, text[match.end() :], None, line.start), True
        if self._empty and not self.started:
            return [], False
        if not self.started or (empty_before and not self._empty and not self.source.speaker):
            return self._say(Kind.USER, None, text, None, line.start), True
        self.started[0].parts[-1][2].append(text)
        return [], not self._empty

    def whole(self, line: Line) -> bool:
        """Return whether there is any text; a line that grows later is read again."""
        return bool(line.data)


def _speaks(name: str, *, alone: bool) -> bool:
    """Return whether `name:` is a speaker; alone on a line, only roles are."""
    folded = name.casefold()
    like_a_name = name[0] != name[0].lower() or not name.isascii()
    return folded in ROLES or (not alone and like_a_name and folded not in NO_NAMES)


def _part(kind: Kind, name: str | None, text: str, at: datetime | None) -> Part:
    text = message_text(text)
    return Part(kind, text, at, name=name, files=files(text), errors=errors(text))
