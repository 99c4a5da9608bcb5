"""`reasonloom eval run NAME`: one of the project's own suites."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from reasonloom.cli.evals.request import Asked, pairs_of, purse_of
from reasonloom.cli.prompt_names import versions_given
from reasonloom.errors import InvalidArgument

if TYPE_CHECKING:
    from reasonloom.cli.evals.request import Result, Work
    from reasonloom.evals.suites.packaged import Packaged

Made = Callable[[Asked], "Packaged"]


def work(made: Made) -> Callable[[Asked], Work]:
    """Return what runs the suite that is made of what was asked."""

    def of(asked: Asked) -> Work:
        from reasonloom.evals.core.system import System  # noqa: PLC0415
        from reasonloom.evals.suites.packaged import carried  # noqa: PLC0415

        chosen, own = asked.options, made(asked)
        prompts = dict(versions_given(chosen.get("prompt", ())))
        if len(prompts) < len(chosen.get("prompt", ())):
            raise InvalidArgument(
                "--prompt: name each once here, and hold two runs against each other by `eval"
                " compare`",
                field="prompt",
            )
        system, purse = System(prompts=prompts, llm=chosen.get("llm")), purse_of(chosen)
        seed, at_once = chosen.get("seed", 0), chosen.get("parallel", 1)
        return lambda tell: carried(
            own, asked.log, system=system, purse=purse, seed=seed, at_once=at_once, tell=tell
        )

    return of


def draw(table: str) -> Callable[[Result], None]:
    """Return what prints the notes of a run, and its figures by a module of tables."""

    def of(result: Result) -> None:
        from rich.console import Console  # noqa: PLC0415

        for note in result["notes"]:
            Console().print(f"note: {note}", markup=False)
        if result["notes"]:
            Console().print("figures are of whole runs: there are none yet")
        else:
            import_module(f"reasonloom.cli.{table}").draw(result)

    return of


def halved(module: str) -> Made:
    """Return what makes a suite that has halves, and may have another's own data."""

    def made(asked: Asked) -> Packaged:
        suite: Any = import_module(f"reasonloom.evals.{module}")
        own: Packaged = suite.packaged(asked.options.get("half", "dev"), asked.data)
        return own

    return made


def recalled(asked: Asked) -> Packaged:
    """Return a suite of recall."""
    from reasonloom.evals.suites.memory.collection import Source  # noqa: PLC0415
    from reasonloom.evals.suites.memory.retrieval import packaged  # noqa: PLC0415
    from reasonloom.evals.suites.memory.suites import suite  # noqa: PLC0415

    chosen = asked.options
    source = Source(asked.data, chosen.get("half", "all"))
    epochs = chosen.get("epochs", 1)
    return packaged(suite(asked.name), source, epochs, ablate="ablate" in chosen)


def orchestrated(asked: Asked) -> Packaged:
    """Return an eval of orchestration."""
    from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices  # noqa: PLC0415
    from reasonloom.evals.suites.reasoning.orchestration.rows import packaged  # noqa: PLC0415
    from reasonloom.evals.suites.reasoning.orchestration.suites import orchestration  # noqa: PLC0415

    chosen = asked.options
    settings = pairs_of(chosen.get("set", ()), "set")
    choices = Choices(asked.data, chosen.get("items"), settings)
    only = chosen.get("row", ())
    return packaged(orchestration(asked.name), choices, chosen.get("seeds", 10), only)


def remembered(asked: Asked) -> Packaged:
    """Return the questions about past conversations."""
    from reasonloom.evals.suites.history.suite import packaged  # noqa: PLC0415

    chosen = asked.options
    return packaged(chosen.get("half", "dev"), asked.data, chosen.get("asked", "other"))


def conversed(asked: Asked) -> Packaged:
    """Return LoCoMo's questions, asked of past conversations."""
    from reasonloom.evals.suites.memory.locomo_history import packaged  # noqa: PLC0415

    return packaged(asked.data)
