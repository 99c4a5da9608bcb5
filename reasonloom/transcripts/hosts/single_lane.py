"""The form of a JSONL file with one conversation: what its readers share."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from reasonloom.transcripts.lines import Line, Position, parse_entry
from reasonloom.transcripts.parts import Message
from reasonloom.transcripts.reader import Form, Started
from reasonloom.transcripts.turns import Kind, Part, Skipped, Source, Turn


@dataclass(slots=True)
class OpenTurn(Started):
    """The turn that may still grow: its messages by id, in order."""

    uuid: str | None
    messages: dict[str, tuple[Part, ...]] = field(default_factory=dict)
    begun: bool = False
    first: datetime | None = None
    last: datetime | None = None

    def turn(self, *, complete: bool) -> Turn:
        """Return the turn so far, with the tools' names in their results."""
        parts = [part for message in self.messages.values() for part in message]
        names = {part.tool_id: part.name for part in parts if part.kind is Kind.TOOL_USE}
        named = tuple(
            replace(part, name=part.name or names.get(part.tool_id)) if part.tool_id else part
            for part in parts
        )
        agent = self.source.agent
        return Turn(
            self.number, named, self.first, self.last, agent, complete, self.source, self.uuid
        )


class SingleLane(Form):
    """At most one open turn, which the next request closes.

    A message that comes again under the same id replaces itself within the open turn.
    """

    started: list[OpenTurn]

    def __init__(self, known: Position | None, source: Source) -> None:
        super().__init__(known)
        self.source = known.source if known else source
        self.started = []

    @abstractmethod
    def read(self, entry: Mapping[str, Any], skipped: Skipped) -> Message | None:
        """Return the message of a line's object, and learn the source from it.

        None means that the line has no message; a malformed or unknown one is counted in `skipped`,
        any other in `taken`.
        """

    @abstractmethod
    def identity(self, entry: Mapping[str, Any]) -> str | None:
        """Return the id of a line's message, None if it has none."""

    @abstractmethod
    def moment(self, entry: Mapping[str, Any]) -> datetime | None:
        """Return the time of a line."""

    def take(self, line: Line, skipped: Skipped) -> tuple[list[Turn], bool]:
        """Process a line; return the turn that it completes, and whether it adds to any turn."""
        if not line.data.strip():
            return [], False
        entry = parse_entry(line, skipped)
        if entry is None:
            skipped.malformed += 1
            return [], False
        message = self.read(entry, skipped)
        if message is None or not message.parts:
            return [], False
        return self._add(message, entry, line.start)

    def open(self) -> list[Turn]:
        """Return the open turn, marked incomplete."""
        return [turn.turn(complete=False) for turn in self.started if turn.messages]

    def _add(
        self, message: Message, entry: Mapping[str, Any], start: int
    ) -> tuple[list[Turn], bool]:
        name, at = self.identity(entry), self.moment(entry)
        closed: list[Turn] = []
        turn = self.started[0] if self.started else None
        again = turn is not None and name is not None and name in turn.messages
        if turn is None or (message.begins and turn.begun and not again):
            closed = [turn.turn(complete=True)] if turn else []
            turn = OpenTurn(self.number, start, self.source, name)
            self.number += 1
            self.started = [turn]
        turn.begun |= message.begins or any(p.kind is not Kind.SUMMARY for p in message.parts)
        turn.messages[name or f"at {start}"] = message.parts
        turn.first, turn.last = turn.first or at, at or turn.last
        return closed, True
