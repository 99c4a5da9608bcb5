"""All errors that reasonloom raises deliberately: caller mistakes and service faults.

    ReasonloomError
    ├── CallerMistake               the caller can fix it; names field, fault, valid form
    │   ├── InvalidArgument         a value of the wrong type, size or form
    │   │   └── MissingArgument     a required argument that was not given
    │   ├── UnknownName             a tool, toolset, prompt or setting that does not exist
    │   ├── NotPermitted            a space that the caller may read, without the right needed
    │   ├── NotFound                an id that this owner does not have
    │   │   ├── MemoryNotFound
    │   │   ├── SessionNotFound
    │   │   ├── ThoughtNotFound
    │   │   ├── BranchNotFound
    │   │   ├── CheckpointNotFound
    │   │   ├── GraphNotFound
    │   │   ├── NodeNotFound
    │   │   ├── WorkspaceNotFound
    │   │   ├── ModelNotFound       a mental model
    │   │   ├── PredictionNotFound
    │   │   └── RunNotFound
    │   ├── InvalidBasin            a basin that is unknown or not part of the model
    │   ├── WouldEmpty              a revision that would leave a model without a basin
    │   ├── NoChange                a revision that would change nothing
    │   ├── Conflict                the call conflicts with an earlier one
    │   │   ├── RunInProgress       another process or call is executing the run
    │   │   ├── KeyTaken            another call with the same idempotency key won
    │   │   ├── NotConfirmed        the user did not confirm it; nothing was done
    │   │   ├── DuplicateName       another mental model has the name
    │   │   ├── NotActive           a mental model that is not active
    │   │   └── Settled             a prediction that is resolved or has expired
    │   ├── PromptMistake           a template that lacks a variable or is malformed
    │   └── SettingMistake          an invalid setting
    └── ServiceFault                not the caller's fault; says whether a retry can help
        ├── DatabaseUnavailable     retry
        │   ├── DatabaseFull        final: its disk is full until someone frees space
        │   ├── Deadlocked          retry: two writes deadlocked
        │   ├── OwnerMoved          retry: the owner's data has moved to another database
        │   └── StandbyLost         retry: the read replica failed
        ├── LlmUnavailable          retry: unreachable after all attempts
        ├── LlmRefused              final: the provider answered with an error
        ├── TimedOut                retry: a deadline passed
        ├── BudgetExceeded          final: a limit of the run was reached
        ├── EmbedderUnavailable     final: dense search is off, all else works
        └── InternalFault           final: a bug of ours, without its details

Messages never contain a traceback, a path, SQL or a secret. Only `server/envelopes` converts
these errors to the error format of each published reference.
"""

from typing import Any


class ReasonloomError(Exception):
    """An error raised deliberately; `message` is safe to show to anyone."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class CallerMistake(ReasonloomError):
    """An error the caller can fix.

    `field` is the dotted path of the argument, if there is one; `example` are arguments that fit.
    """

    example: dict[str, Any] | None = None

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class InvalidArgument(CallerMistake):
    """A value of the wrong type, out of range, empty, too long, or not text.

    `kind` is missing, unknown, empty, choice, text or value.
    """

    def __init__(self, message: str, *, field: str | None = None, kind: str = "value") -> None:
        super().__init__(message, field=field)
        self.kind = kind


class MissingArgument(InvalidArgument):
    """A required argument was not given."""


class UnknownName(CallerMistake):
    """A name that does not exist; the message suggests the closest match."""


class NotPermitted(CallerMistake):
    """The caller may read a space and lacks the right that the call needs."""


class NotFound(CallerMistake):
    """An id that this owner does not have; another owner's id gives exactly the same answer."""

    kind = "Record"

    def __init__(self, identifier: str, *, field: str | None = None) -> None:
        super().__init__(f"{self.kind} not found: {identifier}", field=field)
        self.identifier = identifier


class MemoryNotFound(NotFound):
    """No such memory."""

    kind = "Memory"


class SessionNotFound(NotFound):
    """No such reasoning session."""

    kind = "Session"


class ThoughtNotFound(NotFound):
    """No such thought."""

    kind = "Thought"


class BranchNotFound(NotFound):
    """No such branch."""

    kind = "Branch"


class CheckpointNotFound(NotFound):
    """No such checkpoint."""

    kind = "Checkpoint"


class GraphNotFound(NotFound):
    """No such graph of thoughts."""

    kind = "Graph"


class NodeNotFound(NotFound):
    """No such node of a graph."""

    kind = "Node"


class WorkspaceNotFound(NotFound):
    """No such workspace."""

    kind = "Workspace"


class ModelNotFound(NotFound):
    """No such mental model; the message omits the id, as the reference does."""

    kind = "Model"

    def __init__(self, identifier: str, *, field: str | None = None) -> None:
        super().__init__(identifier, field=field)
        self.message = "Model not found"


class PredictionNotFound(NotFound):
    """No such prediction."""

    kind = "Prediction"


class RunNotFound(NotFound):
    """No such run."""

    kind = "Run"


class InvalidBasin(CallerMistake):
    """Basins that are unknown or not part of the model; `suggestion` names the valid ones."""

    def __init__(self, suggestion: str, *, field: str) -> None:
        super().__init__("One or more basin IDs do not exist", field=field)
        self.suggestion = suggestion


class WouldEmpty(CallerMistake):
    """A revision that would leave a model without a basin."""


class NoChange(CallerMistake):
    """A revision that would change nothing."""


class Conflict(CallerMistake):
    """The call conflicts with an earlier one, such as one key used for two requests."""


class RunInProgress(Conflict):
    """Another process or call is executing the run."""


class KeyTaken(Conflict):
    """Another call with the same idempotency key won; its answer applies to both."""


class NotConfirmed(Conflict):
    """The user, asked through the client, did not confirm the call; nothing was done."""


class DuplicateName(Conflict):
    """Another mental model of this owner has the name."""


class NotActive(Conflict):
    """A mental model that is not active, so it cannot predict."""


class Settled(Conflict):
    """A prediction that is already resolved or has expired."""


class PromptMistake(CallerMistake):
    """A template that names an unknown variable, lacks one, or is malformed."""


class SettingMistake(CallerMistake):
    """An invalid setting; `field` is its environment variable."""


class ServiceFault(ReasonloomError):
    """An error that is not the caller's fault; if `retryable`, a retry can succeed."""

    retryable = False


class DatabaseUnavailable(ServiceFault):
    """The database did not answer."""

    retryable = True


class DatabaseFull(DatabaseUnavailable):
    """The disk of the database is full; nothing was stored."""

    retryable = False

    def __init__(self) -> None:
        super().__init__(
            "the database has no room left, nothing was stored; make room on its disk, then try "
            "again"
        )


class Deadlocked(DatabaseUnavailable):
    """A deadlock between two writes; the database rolled this one back."""


class OwnerMoved(DatabaseUnavailable):
    """The owner's data has just moved to another database; nothing was stored here.

    Attributes:
        owner: who moved.
        destination: the name of the database that has it now.
        epoch: the number of the move.
    """

    def __init__(self, owner: str, destination: str, epoch: int) -> None:
        super().__init__("the data of this user has just moved to another database; try again")
        self.owner = owner
        self.destination = destination
        self.epoch = epoch


class StandbyLost(DatabaseUnavailable):
    """The read replica failed during a search; the next attempt uses the primary."""


class LlmUnavailable(ServiceFault):
    """The language model's provider could not be reached after all retries."""

    retryable = True


class LlmRefused(ServiceFault):
    """The language model's provider answered with an error that no retry fixes."""


class TimedOut(ServiceFault):
    """A deadline passed."""

    retryable = True


class BudgetExceeded(ServiceFault):
    """A limit of the run was reached; `limit` is calls, tokens, usd or seconds, or empty."""

    def __init__(self, message: str, *, limit: str = "") -> None:
        super().__init__(message)
        self.limit = limit


class EmbedderUnavailable(ServiceFault):
    """No embedder could be loaded."""


class InternalFault(ServiceFault):
    """A bug of ours, without its details; `reference` identifies it in the log."""

    def __init__(self, reference: str) -> None:
        super().__init__(
            f"Internal error (reference {reference}); the server's log has the details"
        )
        self.reference = reference


def restored(kind: str, message: str) -> ReasonloomError:
    """Return an error that was stored as its class name and message."""
    found = globals().get(kind)
    made: type[ReasonloomError] = ServiceFault
    if isinstance(found, type) and issubclass(found, ReasonloomError):
        made = found
    error = made.__new__(made)  # constructors differ
    ReasonloomError.__init__(error, message)
    error.__dict__ |= {"field": None, "limit": ""}
    if isinstance(error, InvalidArgument):
        error.kind = "value"
    return error
