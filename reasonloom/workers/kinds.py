"""The kinds of jobs: which queue each waits in, and the function that does it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from reasonloom.errors import InvalidArgument
from reasonloom.llm.setting_forms import one_of

EVAL, EMBEDDING, UPKEEP = "eval", "embedding", "upkeep"
QUEUES = (EVAL, EMBEDDING, UPKEEP)
PLAN = "plan_upkeep"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of job.

    Attributes:
        queue: where it waits.
        target: its function, as `module:name` below this package.
        meaning: what it does, for lists.
        followed: whether somebody waits for its answer; then its function gets the task that the
            ids name, and returns a JSON value.
    """

    name: str
    queue: str
    target: str
    meaning: str
    followed: bool = False

    def load(self) -> Any:
        """Return its function."""
        module, _, name = self.target.partition(":")
        return getattr(import_module(f"reasonloom.workers.{module}"), name)


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "embed_range",
            EMBEDDING,
            "embedding:embed_range",
            "embeds memories of a range of ids",
            True,
        ),
        Kind("cluster_owner", UPKEEP, "upkeep:cluster_owner", "keeps clusters up to date"),
        Kind("decay_space", UPKEEP, "upkeep:decay_space", "lowers the strength of unread memories"),
        Kind("erase_forgotten", UPKEEP, "upkeep:erase_forgotten", "erases forgotten conversations"),
        Kind("drop_steps", UPKEEP, "upkeep:drop_steps", "deletes saved steps of old runs"),
        Kind("drop_items", UPKEEP, "upkeep:drop_items", "deletes expired items"),
        Kind("maintain_indexes", UPKEEP, "upkeep:maintain_indexes", "builds vector indexes"),
        Kind(PLAN, UPKEEP, "upkeep:plan", "enqueues the upkeep that is due"),
        Kind("eval_item", EVAL, "eval_items:answer_item", "answers an item in an epoch", True),
    )
}


def chosen_queues(given: Iterable[str] | None) -> list[str]:
    """Return the queues to serve, all by default.

    Raises:
        InvalidArgument: there is no such queue.
    """
    names = list(given) if given is not None else list(QUEUES)
    for name in names:
        if name not in QUEUES:
            known = ", ".join(QUEUES)
            raise InvalidArgument(
                f"--queues: there is no queue {name[:80]!r}; {one_of(name, QUEUES)}; give some of"
                f" {known}, such as --queues eval,embedding",
                field="--queues",
            )
    if not names:
        raise InvalidArgument(
            f"--queues: must name one of {', '.join(QUEUES)}, such as --queues eval",
            field="--queues",
        )
    return list(dict.fromkeys(names))
