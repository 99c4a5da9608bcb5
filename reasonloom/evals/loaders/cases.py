"""Case files: runs of the engine as eval items, one JSON object per line."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.errors import Conflict, DuplicateName, InvalidArgument, UnknownName
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.suite import LONGEST_ID
from reasonloom.evals.core.tool import MODES, Tool
from reasonloom.evals.core.way import value_at
from reasonloom.evals.loaders.files import JSONL, Row, read_rows
from reasonloom.evals.log import lock, write_whole
from reasonloom.graphs.runs.engine import Engine
from reasonloom.graphs.runs.resume import find_run
from reasonloom.settings import NO_TEXT
from reasonloom.stores.runs import runs
from reasonloom.stores.runs.runs import RunRow
from reasonloom.text.shortening import shortened

ENDED = (runs.DONE, runs.FAILED)
SESSION = "session_id"


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a case file: a tool, the arguments to call it with, and the target.

    Cases that depend on each other share a `cluster`. `origin` records the source run's id, graph,
    language model and prompt versions.
    """

    id: str
    tool: str
    input: dict[str, Any]
    target: str
    cluster: str = ""
    origin: dict[str, Any] = field(default_factory=dict)

    @property
    def item(self) -> Item:
        """The case as an eval item."""
        return Item(self.id, self.input, self.target, self.cluster)


@dataclass(frozen=True, slots=True)
class CaseRequest:
    """The run to turn into a case, and its target; `id` defaults to the run's id.

    Exactly one of `target`, a text, and `target_from`, a run whose answer is used, is required.
    """

    run: str
    target: str = ""
    target_from: str = ""
    id: str = ""
    cluster: str = ""

    def check(self) -> None:
        """Validate the request before the run is looked up."""
        if bool(self.target.strip()) == bool(self.target_from):
            raise InvalidArgument(
                "target: say what would have been right, by --target TEXT or by --target-from RUN"
                " with a run that was right, such as a fork",
                field="target",
            )
        for name, text in (("id", self.id), ("cluster", self.cluster), ("target", self.target)):
            if NO_TEXT.search(text):
                raise InvalidArgument(f"{name}: must be text without NUL", field=name)
        if len(self.id) > LONGEST_ID:
            raise InvalidArgument(f"id: must have up to {LONGEST_ID} characters", field="id")


async def case_of(engine: Engine, caller: Caller, wanted: CaseRequest) -> Case:
    """Build a case from one of the caller's runs.

    Refuses a run that has not finished, used a tool without eval support, or depended on a session,
    and a `target_from` run with another tool or input.
    """
    wanted.check()
    row = await find_run(engine, caller, wanted.run)
    if row.status not in ENDED:
        raise Conflict(
            f"run {row.id} is {row.status} and has no end yet; `reasonloom runs resume {row.id}`"
            " carries it on"
        )
    tool = _tool(row)
    case = Case(
        id=wanted.id or str(row.id),
        tool=row.tool,
        input=row.input,
        target=wanted.target or await _answer(engine, caller, row, tool, wanted.target_from),
        cluster=wanted.cluster,
        origin=await _origin(engine, caller, row, wanted),
    )
    tool.check(case.item, engine.loom.prompts)
    return case


def _tool(row: RunRow) -> Tool:
    if row.tool not in MODES:
        raise UnknownName(
            f"run {row.id} called {row.tool}, which no eval asks; a case is a run of"
            f" {', '.join(MODES)}",
            field="run",
        )
    if row.input.get(SESSION):
        raise InvalidArgument(
            f"run {row.id} went on with a session, which a case that stands by itself has not; ask"
            f" the question without {SESSION}, with all that it needs, and add that run",
            field="run",
        )
    return Tool(row.tool)


async def _answer(engine: Engine, caller: Caller, row: RunRow, tool: Tool, right: str) -> str:
    other = await find_run(engine, caller, right)
    if other.status != runs.DONE:
        raise Conflict(f"run {other.id} is {other.status} and has no answer to be right")
    if (other.tool, other.input) != (row.tool, row.input):
        raise Conflict(
            f"run {other.id} asked something else than run {row.id}; name a run of the same"
            " question, such as a fork of it"
        )
    found = value_at((other.output or {}).get("answer"), tool.known.answer_path)
    if not isinstance(found, str) or not found.strip():
        raise Conflict(f"run {other.id} has no answer to be right")
    return found


async def _origin(
    engine: Engine, caller: Caller, row: RunRow, wanted: CaseRequest
) -> dict[str, Any]:
    async with engine.loom.database.begin(caller) as tx:
        calls = (await runs.calls_of(tx, [row.id]))[row.id]
    prompts = {
        call["prompt"]: {"version": call["prompt_version"], "hash": call["prompt_hash"]}
        for call in calls
    }
    return {
        "run": str(row.id),
        "status": row.status,
        "graph": row.graph,
        "graph_version": row.graph_version,
        "llm": row.llm,
        "prompts": prompts,
        **({"target_from": wanted.target_from} if wanted.target_from else {}),
    }


TOOL = "tool"


def append_case(path: Path, case: Case) -> int:
    """Append a case under an exclusive lock and return the new number of cases in the file.

    Refuses a case whose id or input is already in the file, and one for another tool. A failed
    write leaves the file unchanged.
    """
    if path.suffix.lower() != JSONL:
        raise InvalidArgument(f"suite: {path.name}: must be a file named *{JSONL}", field="suite")
    with _locked_for_append(path) as file:
        size = os.fstat(file).st_size
        known = read_rows(path) if size else []
        _refuse(known, case, path)
        line = json.dumps(asdict(case), ensure_ascii=False) + "\n"
        ended = size == 0 or os.pread(file, 1, size - 1) == b"\n"
        _write(file, size, ("" if ended else "\n") + line)
    return len(known) + 1


def tool_of_cases(path: Path) -> Tool | None:
    """Return the tool that all rows of a case file name, None if no row names one."""
    if path.suffix.lower() != JSONL:
        return None
    found = read_rows(path)
    if not any(row.cells.get(TOOL) for row in found):
        return None
    first = found[0].cell(TOOL)
    for row in found:
        if row.cell(TOOL) != first:
            raise row.refuse(TOOL, f"must be {first}, as in {found[0].where}")
    tool = Tool(shortened(str(first)))
    _ = tool.known
    return tool


def _refuse(known: list[Row], case: Case, path: Path) -> None:
    digest = json.dumps(case.input, sort_keys=True)
    for row in known:
        name = str(row.cells.get("id", ""))
        if name == case.id:
            raise DuplicateName(
                f"{path.name}: {row.where}: the id {case.id} is taken; name another by --id"
            )
        if json.dumps(row.cells.get("input"), sort_keys=True) == digest:
            raise DuplicateName(f"{path.name}: {row.where}: the case {name} asks the same already")
        if (tool := row.cells.get(TOOL)) != case.tool:
            raise Conflict(
                f"{path.name}: {row.where}: is of {tool or 'no tool'}, and the run called"
                f" {case.tool}; name another file by --suite"
            )


@contextmanager
def _locked_for_append(path: Path) -> Iterator[int]:
    """Open the file for appending under an exclusive lock."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        raise InvalidArgument(f"suite: {path.name}: cannot be written", field="suite") from None
    try:
        lock(file)
        yield file
    finally:
        os.close(file)


def _write(file: int, size: int, line: str) -> None:
    try:
        write_whole(file, line.encode("utf-8", "replace"))
    except OSError:
        os.ftruncate(file, size)
        raise InvalidArgument("suite: the file cannot be written", field="suite") from None
