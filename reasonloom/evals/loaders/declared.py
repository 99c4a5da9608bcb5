"""Evals declared in a YAML file: cases, what answers, scorers, and the systems to compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.way import Way
from reasonloom.evals.loaders.files import inline, read_text, table
from reasonloom.evals.scorers.named import scorer_named
from reasonloom.evals.task import way_of

YAML = (".yaml", ".yml")
EXAMPLES = {
    "cases": "capitals.csv, or a list such as [{input: 2 + 2, target: '4'}]",
    "task": "reasoning_linear or own/answer",
    "arguments": "{max_branches: 2}",
    "scorers": "[contains, 'numeric:0.01']",
    "compare": "[{prompts: {own/answer: 1}}, {prompts: {own/answer: 2}}]",
    "prompts": "{own/answer: 2}",
    "llm": "litellm:openai/gpt-5",
    "epochs": "3",
    "seed": "7",
}


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Variant(_Part):
    """One system to compare; whatever it omits is that of the eval."""

    task: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    prompts: dict[str, int] = Field(default_factory=dict)
    llm: str | None = None


class DeclaredEval(_Part):
    """The content of an eval's YAML file."""

    name: str | None = None
    cases: str | list[dict[str, Any]]
    columns: dict[str, str] = Field(default_factory=dict)
    task: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    prompts: dict[str, int] = Field(default_factory=dict)
    llm: str | None = None
    judge: str | None = None
    scorers: list[str] = Field(min_length=1)
    epochs: int = Field(1, ge=1, le=100)
    seed: int = Field(0, ge=0)
    compare: list[Variant] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class LoadedEval:
    """A declared eval: its suite, its systems, and options of the run by name."""

    suite: Suite
    systems: Sequence[System]
    options: Mapping[str, Any]


def declared_eval(path: Path) -> LoadedEval:
    """Load an eval from a YAML file.

    Raises:
        InvalidArgument: the file is no YAML, or a field is missing, unknown or of a wrong form.
    """
    try:
        found = yaml.safe_load(read_text(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark else ""
        raise InvalidArgument(f"{path.name}: is no YAML{where}", field="suite") from None
    if not isinstance(found, dict):
        raise InvalidArgument(
            f"{path.name}: must be an object with cases, task and scorers", field="suite"
        )
    try:
        declared = DeclaredEval.model_validate(found)
    except ValidationError as error:
        raise _refused(path, error) from None
    variants = declared.compare or [Variant()]
    suite = _suite(path, declared)
    given = {"epochs": declared.epochs, "seed": declared.seed, "judge": declared.judge}
    options = {name: value for name, value in given.items() if value is not None}
    return LoadedEval(suite, [_system(declared, each) for each in variants], options)


def _refused(path: Path, error: ValidationError) -> InvalidArgument:
    """Return the error that names the first field at fault, with an example of it."""
    first = error.errors(include_url=False, include_input=False)[0]
    parts = [str(part) for part in first["loc"] if str(part) not in ("str", "list[dict[str,any]]")]
    field = ".".join(parts)
    named = next((part for part in reversed(parts) if part in EXAMPLES), "")
    reason = {
        "missing": "is missing",
        "extra_forbidden": "unknown field; known: "
        + ", ".join((Variant if parts[0] == "compare" else DeclaredEval).model_fields),
    }.get(first["type"], first["msg"])
    example = f"; for example {EXAMPLES[named]}" if named else ""
    return InvalidArgument(f"{path.name}: {field}: {reason}{example}", field=field)


def _suite(path: Path, declared: DeclaredEval) -> Suite:
    scorers = [scorer_named(each) for each in declared.scorers]
    name = declared.name or path.stem
    if isinstance(declared.cases, str):
        cases = path.parent / declared.cases
        return table(cases, declared.columns, scorers=scorers, name=name)
    if declared.columns:
        raise InvalidArgument(
            f"{path.name}: columns: need a file as cases, such as capitals.csv", field="columns"
        )
    return inline(declared.cases, scorers=scorers, name=name)


def _system(declared: DeclaredEval, variant: Variant) -> System:
    same_task = variant.task in (None, declared.task)
    arguments = {**(declared.arguments if same_task else {}), **variant.arguments}
    way, versions = way_of(variant.task or declared.task, arguments)
    answers: Way | None = way
    prompts = {**(declared.prompts if same_task else {}), **versions, **variant.prompts}
    return System(answers, prompts, variant.llm or declared.llm)
