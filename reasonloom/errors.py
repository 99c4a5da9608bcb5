"""Every error that reasonloom raises on purpose, as one tree with two trunks.

    ReasonloomError
    ├── CallerMistake               the caller can fix it; says field, fault, valid form
    │   ├── InvalidArgument         a value of the wrong type, size or form
    │   │   └── MissingArgument     a required argument that was not given
    │   ├── UnknownName             a tool, toolset, prompt or setting that does not exist
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
    │   ├── InvalidBasin            a basin that is not there, or not one of the model's
    │   ├── WouldEmpty              a revision that would leave a model without a basin
    │   ├── NoChange                a revision that would change nothing
    │   ├── Conflict                the call contradicts an earlier one
    │   │   ├── KeyTaken            another call with the same idempotency key was faster
    │   │   ├── DuplicateName       another mental model has the name
    │   │   ├── NotActive           a mental model that may not predict now
    │   │   └── Settled             a prediction that is resolved, or has expired
    │   ├── PromptMistake           a template that lacks a variable or is ill-formed
    │   └── SettingMistake          a setting that cannot be used
    └── ServiceFault                not the caller's; says whether trying again can help
        ├── DatabaseUnavailable     retry
        │   ├── DatabaseFull        final: no room on its disk, until somebody makes some
        │   └── Deadlocked          retry: two writes waited for each other
        ├── LlmUnavailable          retry: unreachable after all attempts
        ├── LlmRefused              final: the provider answered with an error
        ├── TimedOut                retry: a deadline passed
        ├── BudgetExceeded          final: a limit of the run was reached
        ├── EmbedderUnavailable     final: dense search is off, all else works
        └── InternalFault           final: a defect of ours, without its details

A message never holds a traceback, a path, SQL or a secret. `server/envelopes` alone
turns these errors into the form of each published reference.
"""


class ReasonloomError(Exception):
    """An error raised on purpose; `message` is safe to show to anyone."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class CallerMistake(ReasonloomError):
    """The caller can fix this; `field` is the argument's dotted path, if there is one."""

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
    """A name that does not exist; the message offers the nearest one that does."""


class NotFound(CallerMistake):
    """An id that this owner does not have; a foreign id answers exactly the same."""

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
    """No such mental model; said without its id, as the reference does."""

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
    """Basins that are not there, or not the model's; `suggestion` names those that are."""

    def __init__(self, suggestion: str, *, field: str) -> None:
        super().__init__("One or more basin IDs do not exist", field=field)
        self.suggestion = suggestion


class WouldEmpty(CallerMistake):
    """A revision that would leave a model without a basin."""


class NoChange(CallerMistake):
    """A revision that would change nothing."""


class Conflict(CallerMistake):
    """The call contradicts an earlier one, such as one key used for two requests."""


class RunInProgress(Conflict):
    """Another process or call is executing the run."""


class KeyTaken(Conflict):
    """Another call with the same idempotency key was faster; its answer is the answer."""


class DuplicateName(Conflict):
    """Another mental model of this owner has the name."""


class NotActive(Conflict):
    """A mental model that may not predict now."""


class Settled(Conflict):
    """A prediction that is resolved already, or has expired."""


class PromptMistake(CallerMistake):
    """A template that names an unknown variable, lacks one, or is ill-formed."""


class SettingMistake(CallerMistake):
    """A setting that cannot be used; `field` is its environment variable."""


class ServiceFault(ReasonloomError):
    """Not the caller's fault; `retryable` says whether the same call can succeed later."""

    retryable = False


class DatabaseUnavailable(ServiceFault):
    """The database did not answer."""

    retryable = True


class DatabaseFull(DatabaseUnavailable):
    """The database has no room left on its disk; nothing was stored."""

    retryable = False

    def __init__(self) -> None:
        super().__init__(
            "the database has no room left, nothing was stored; make room on its disk, then try "
            "again"
        )


class Deadlocked(DatabaseUnavailable):
    """Two writes waited for each other; the database rolled this one back."""


class LlmUnavailable(ServiceFault):
    """The language model's provider could not be reached after all attempts."""

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
    """A defect of ours, without its details; `reference` finds it in the log."""

    def __init__(self, reference: str) -> None:
        super().__init__(f"Internal error (reference {reference}); the server's log holds the rest")
        self.reference = reference
