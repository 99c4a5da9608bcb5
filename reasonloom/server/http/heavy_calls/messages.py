"""Messages between the server and its worker for heavy calls, over a private socket.

Messages are pickled: both ends run the same program, and no other process has the socket.
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
    """Run a call; the graph is sent by name."""

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
        """Return the message for a call."""
        return cls(
            number, call.tool, call.graph.name, call.request, call.caller, call.key, call.offered,
            call.asks_caller,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cancel:
    """Cancel a call whose caller is gone."""

    number: int


@dataclass(frozen=True, slots=True)
class Leave:
    """Leave cancelled runs to other processes, as the server is about to exit."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A step of a call has started or ended."""

    number: int
    step: Step


@dataclass(frozen=True, slots=True)
class RaisedError:
    """An error in parts, because the constructors of errors differ."""

    kind: type[ReasonloomError]
    args: tuple[Any, ...]
    values: dict[str, Any]

    @classmethod
    def of(cls, error: ReasonloomError) -> Self:
        """Return the parts of an error."""
        return cls(type(error), error.args, vars(error))

    def error(self) -> ReasonloomError:
        """Rebuild the error."""
        error = self.kind.__new__(self.kind, *self.args)
        error.__dict__.update(self.values)
        return error


@dataclass(frozen=True, slots=True)
class End:
    """A call has ended with an outcome, an error, or neither if it was cancelled.

    `seconds` is the CPU time it took.
    """

    number: int
    seconds: float
    outcome: Outcome | None = None
    error: RaisedError | None = None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value for one of the server's metrics."""

    name: str
    value: float
    of: dict[str, str | bool]


def write_message(writer: asyncio.StreamWriter, message: object) -> None:
    """Send a message."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    writer.write(len(data).to_bytes(LENGTH_BYTES))
    writer.write(data)


async def read_message(reader: asyncio.StreamReader) -> Any:
    """Return the next message, None if the other end is closed."""
    try:
        length = int.from_bytes(await reader.readexactly(LENGTH_BYTES))
        return pickle.loads(await reader.readexactly(length))  # noqa: S301 - see the module
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
