"""Answers the tool `eval_compare`: two runs of the folder of saved evals, of a limited size."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reasonloom.contracts.runs import (
    CaseAnswer,
    ChangedPrompt,
    ComparedCase,
    ComparedEval,
    ComparedFigure,
    EvalCompare,
    EvalCompared,
    EvalComparison,
    Interval,
    SavedEval,
)
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.comparison.statistics import MIN_CLUSTERS
from reasonloom.evals.comparison.summary import llm_of
from reasonloom.evals.core.way import text_of
from reasonloom.evals.reporting.comparison import Pieces, word_difference
from reasonloom.evals.reporting.facts import comparison_costs
from reasonloom.evals.reporting.formatting import escape_hidden, shortened_line
from reasonloom.evals.reporting.items import Row, item_rows
from reasonloom.evals.reporting.matrix import first_answer
from reasonloom.evals.reporting.report import Compared, Report, ReportedRun, build_report
from reasonloom.evals.reporting.saved_runs import LARGEST, head_of, run_names
from reasonloom.evals.reporting.verdict import verdict
from reasonloom.nodes.execution import Execution

MOST_RUNS = 100
"""Newest runs among which the default is looked for."""

MOST_LISTED, MOST_PROMPTS, MOST_LINES = 20, 10, 60
LONGEST_LINE, LONGEST_ANSWER = 400, 600
"""Maximum characters of a name or a prompt's line, and of an answer."""

EXAMPLE = "`reasonloom eval example` copies one to try, and names the command that runs it"
NOTHING = f"no eval run is saved, or none for you: `reasonloom eval run FILE` saves one; {EXAMPLE}"
NO_PAIR = (
    "no two of the saved runs are of one suite and differ in a prompt version: name base and"
    f" other, from runs; {EXAMPLE}"
)

Head = Mapping[str, Any]


async def answer(execution: Execution) -> dict[str, Any]:
    """Return the comparison that a call asks for; other owners than the server's have no runs.

    Raises:
        UnknownName: there is no run of that name or number.
        InvalidArgument: the runs cannot be compared.
    """
    settings, request = execution.loom.settings, execution.request(EvalCompare)
    own = execution.caller.owner == settings.user
    folder = settings.home / "evals"
    compared, notes = await asyncio.to_thread(_answered, folder if own else None, request)
    return {"answer": compared.wire(), "notes": notes}


def _answered(folder: Path | None, request: EvalCompare) -> tuple[EvalCompared, list[str]]:
    known = [folder / name for name in run_names(folder)] if folder else []
    heads = {path: head_of(path) for path in known[:MOST_RUNS]}
    base, other = (_named(known, getattr(request, field), field) for field in ("base", "other"))
    pair = _pair(heads, base, other)
    comparison = _compared(*pair, request.limit) if pair else None
    runs = [
        SavedEval(number=number, name=path.name, suite=_suite(heads[path]))
        for number, path in enumerate(known[:MOST_LISTED], 1)
    ]
    found = EvalCompared(comparison=comparison, runs=runs, runs_total=len(known))
    return found, [] if pair else [NO_PAIR if known else NOTHING]


def _named(known: Sequence[Path], name: str | None, field: str) -> Path | None:
    if name is None:
        return None
    if name.isdecimal() and len(name) < len(str(10**9)) and 1 <= int(name) <= len(known):
        return known[int(name) - 1]
    found = next((path for path in known if path.name == name), None)
    if found is None:
        form = (
            f"give a number from 1, the newest, to {len(known)}, or a name, such as {known[0].name}"
            if known
            else NOTHING
        )
        raise UnknownName(f"{field}: there is no run {name[:80]}; {form}", field=field)
    return found


def _pair(
    heads: Mapping[Path, Head], base: Path | None, other: Path | None
) -> tuple[Path, Path] | None:
    """Return the runs to compare, the base first: those named, completed by the newest that fit."""
    if base and other:
        return base, other
    if named := base or other:
        suite = _suite(head_of(named))
        rest = [path for path in heads if path != named and _suite(heads[path]) == suite]
        if not rest:
            field = "other" if base else "base"
            raise InvalidArgument(
                f"{field}: no other saved run is of the suite of {named.name}; run it again with"
                " another prompt version, or name a run",
                field=field,
            )
        return (named, rest[0]) if base else (rest[0], named)
    return _newest_pair(heads)


def _newest_pair(heads: Mapping[Path, Head]) -> tuple[Path, Path] | None:
    """Return the newest runs of one suite that differ in a prompt version, the older first."""
    newer: list[Path] = []
    for path, head in heads.items():
        for each in newer:
            if _suite(heads[each]) == _suite(head) and _versions(heads[each]) != _versions(head):
                return path, each
        if head:
            newer.append(path)
    return None


def _suite(head: Head) -> str:
    return str(head.get("eval") or "")


def _versions(head: Head) -> dict[str, Any]:
    prompts: Mapping[str, Any] = head.get("prompts") or {}
    return {name: each.get("hash") for name, each in prompts.items() if isinstance(each, Mapping)}


def _compared(base: Path, other: Path, limit: int) -> EvalComparison:
    for field, path in (("base", base), ("other", other)):
        if path.stat().st_size > LARGEST:
            reason = (
                f"{field}: {path.name} is larger than {LARGEST // 10**6} MB; name a smaller run"
            )
            raise InvalidArgument(reason, field=field)
    if base == other:
        raise InvalidArgument(f"other: {other.name} is the base; name another run", field="other")
    try:
        report = build_report(base, other)
    except InvalidArgument as error:
        reason = error.message.removeprefix("runs: ")
        raise InvalidArgument(f"other: {reason}", field="other") from None
    (each,) = report.compared
    words, rows = verdict(report, each), item_rows(report)
    return EvalComparison(
        suite=shortened_line(report.title, LONGEST_LINE),
        score=report.score,
        better="lower" if report.lower else "higher",
        verdict=f"{words.headline} {words.remark}".strip(),
        caveats=each.found["notes"],
        base=_side(report, report.base),
        other=_side(report, each.run),
        figures=list(_figures(report, each)),
        prompts=[_prompt(found) for found in each.found["prompts"][:MOST_PROMPTS]],
        cases=[_case(report, row) for row in rows[:limit]],
        cases_total=len(rows),
    )


def _side(report: Report, run: ReportedRun) -> ComparedEval:
    score = run.summary["scores"][report.score]
    return ComparedEval(
        name=run.log.path.name,
        label=run.label,
        llm=llm_of(run.log.head),
        items=len(run.side.scores),
        score=_rounded(score["mean"]),
        interval=_interval(score),
    )


def _figures(report: Report, each: Compared) -> Iterator[ComparedFigure]:
    found = each.found
    yield _figure(f"score: {report.score}", found, found["base_score"], found["score"], found)
    for name, cost in comparison_costs(found, report.base, each.run):
        yield _figure(name, cost, cost["base"], cost["run"], found)


def _figure(
    name: str, figure: Mapping[str, Any], base: float, other: float, found: Mapping[str, Any]
) -> ComparedFigure:
    return ComparedFigure(
        name=name,
        base=_rounded(base),
        other=_rounded(other),
        difference=_rounded(figure["difference"]),
        interval=_interval({**figure, "clusters": found["clusters"]}),
    )


def _interval(found: Mapping[str, Any]) -> Interval:
    if found["clusters"] < MIN_CLUSTERS:
        return "not estimable"
    return [_rounded(end) for end in found["interval"]]


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")


def _prompt(found: Mapping[str, Any]) -> ChangedPrompt:
    lines = [_text(line, LONGEST_LINE) for line in found["difference"][:MOST_LINES]]
    left = len(found["difference"]) - len(lines)
    base, other = (found[name] for name in ("base_version", "run_version"))
    return ChangedPrompt(
        prompt=found["prompt"],
        base_version=None if base is None else str(base),
        other_version=None if other is None else str(other),
        lines=[*lines, f"… ({left} more lines)"] if left else lines,
    )


def _case(report: Report, row: Row) -> ComparedCase:
    texts = [_text(first_answer(run, row), LONGEST_ANSWER) for run in report.runs]
    pieces = ((), ()) if None in row.scores else word_difference(*texts)
    base, other = (
        None if score is None else CaseAnswer(score=score, text=text, changed=_changed(parts))
        for score, text, parts in zip(row.scores, texts, pieces, strict=True)
    )
    return ComparedCase(
        item=shortened_line(row.item, LONGEST_LINE),
        question=row.question,
        outcome=row.ways[0],
        base=base,
        other=other,
    )


def _text(value: object, most: int) -> str:
    text = escape_hidden(text_of(value)[: most + 1])
    return text if len(text) <= most else f"{text[:most]}…"


def _changed(pieces: Pieces) -> list[tuple[int, int]]:
    """Return starts and ends of the changed pieces of a text, in characters."""
    found, start = [], 0
    for changed, piece in pieces:
        if changed:
            found.append((start, start + len(piece)))
        start += len(piece)
    return found
