"""What a server and its process for heavy calls send each other, over a socket of their own.

Messages are pickled: both ends are the same program, and nobody else has the socket.
"""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from reasonloom.errors import ReasonloomError

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.graphs.runs.call import Call, Outcome, Step

LENGTH_BYTES = 8


@dataclass(frozen=True, slots=True)
class Begin:
    """A call to carry out; its graph goes by its name."""

    number: int
    tool: str
    graph: str
    request: dict[str, Any]
    caller: Caller
    key: str | None
    offered: frozenset[str] | None
    asks_caller: bool

    @classmethod
    def of(cls, number: int, call: Call) -> Self:
        """Return the message of a call."""
        return cls(
            number, call.tool, call.graph.name, call.request, call.caller, call.key, call.offered,
            call.asks_caller,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cancel:
    """The caller of a call is gone."""

    number: int


@dataclass(frozen=True, slots=True)
class Leave:
    """The server is about to end: cancelled runs are left to others."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of a call has begun or ended."""

    number: int
    step: Step


@dataclass(frozen=True, slots=True)
class RaisedError:
    """An error as its parts: the constructors of errors differ."""

    kind: type[ReasonloomError]
    args: tuple[Any, ...]
    values: dict[str, Any]

    @classmethod
    def of(cls, error: ReasonloomError) -> Self:
        """Return the parts of an error."""
        return cls(type(error), error.args, vars(error))

    def error(self) -> ReasonloomError:
        """Return the error again."""
        error = self.kind.__new__(self.kind, *self.args)
        error.__dict__.update(self.values)
        return error


@dataclass(frozen=True, slots=True)
class End:
    """A call has ended: with an outcome, an error, or neither where it was cancelled.

    `seconds` is the processor time that it took.
    """

    number: int
    seconds: float
    outcome: Outcome | None = None
    error: RaisedError | None = None


def write_message(writer: asyncio.StreamWriter, message: object) -> None:
    """Send a message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    writer.write(len(data).to_bytes(LENGTH_BYTES))
    writer.write(data)


async def read_message(reader: asyncio.StreamReader) -> Any:
    """Return the next message, None where the other end is closed."""
    try:
        length = int.from_bytes(await reader.readexactly(LENGTH_BYTES))
        return pickle.loads(await reader.readexactly(length))  # noqa: S301 - see the module
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
