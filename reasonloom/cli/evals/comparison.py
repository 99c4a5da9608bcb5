"""`reasonloom eval compare`: differences between runs, and which of them may be chance."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from reasonloom.cli.evals.request import run_path
from reasonloom.cli.output import printable
from reasonloom.evals.comparison.compare import compare as compared
from reasonloom.evals.comparison.compare import not_worse
from reasonloom.evals.comparison.pairs import pair_runs
from reasonloom.evals.comparison.power import plan_from_runs
from reasonloom.evals.comparison.statistics import MIN_CLUSTERS, NOT_ESTIMABLE
from reasonloom.evals.core.way import text_of
from reasonloom.evals.log import EvalLog
from reasonloom.evals.reporting.report import labels

DEFAULT_FLIPS = 3
"""Flips listed in each direction by default."""

MAX_ANSWER_LENGTH = 400
"""Maximum characters printed of an answer."""

Score = Annotated[str, typer.Option(help="The score to compare. Default: the base run's first.")]
Reducer = Annotated[str, typer.Option(help="mean, mode, pass@K or pass^K of an item's epochs.")]
STYLES = {"+": "green", "-": "red", "@": "cyan"}


def compare(
    runs: Annotated[
        list[str], typer.Argument(help="The base run, then the runs to compare with it.")
    ],
    score: Score = "",
    reducer: Reducer = "mean",
    flips: Annotated[
        int, typer.Option(min=0, help="Flips to show in each direction.")
    ] = DEFAULT_FLIPS,
    margin: Annotated[
        float | None,
        typer.Option(
            "--not-worse-than",
            min=0,
            help="Exit with 1 unless each run is worse by less than this, with 95 % confidence.",
        ),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(
            "--plan", min=2, help="Print what a run of this many items could detect, too."
        ),
    ] = None,
    effect: Annotated[
        float | None, typer.Option(min=0, max=1, help="With --plan: a difference.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Compare runs item by item: differences, intervals, tests, costs, flips, prompts."""
    logs = [run_path(run) for run in runs]
    found = labelled(compared(*logs, score=score, reducer=reducer), [EvalLog(log) for log in logs])
    if items is not None:
        found["plans"] = _plans(logs, found, items, effect)
    if margin is not None:
        found["margin"] = margin
        for each in found["compared"]:
            each["not_worse"] = not_worse(each, margin)
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False, default=str))
    else:
        draw_comparison(found, flips)
    if margin is not None and not all(each["not_worse"] for each in found["compared"]):
        raise typer.Exit(1)


def labelled(found: dict[str, Any], logs: Sequence[EvalLog]) -> dict[str, Any]:
    """Return a comparison with the `base_label` and each run's `label`, named by what differs."""
    base, *others = labels(logs)
    compared = [
        {"label": label, **each} for label, each in zip(others, found["compared"], strict=True)
    ]
    return {**found, "base_label": base, "compared": compared}


def _plans(
    logs: list[Path], found: dict[str, Any], items: int, effect: float | None
) -> list[dict[str, Any]]:
    base, *others = map(EvalLog, logs)
    return [
        plan_from_runs(
            pair_runs(base, other, found["score"], found["reducer"]), items, effect=effect
        )
        for other in others
    ]


def draw_comparison(found: dict[str, Any], flips: int = DEFAULT_FLIPS) -> None:
    """Print a comparison."""
    console = Console(soft_wrap=True, highlight=False)
    for each in found["compared"]:
        _draw_one(console, found, each)
        _draw_flips(console, each, flips)
        for prompt in each["prompts"]:
            _draw_prompt(console, prompt)
        for note in each["notes"]:
            _print_line(console, f"note: {note}", "dim")
        console.print()
    for each in found.get("plans", ()):
        draw_plan(each)


def _draw_one(console: Console, found: dict[str, Any], each: dict[str, Any]) -> None:
    low, high = each["interval"]
    one = each["clusters"] < MIN_CLUSTERS
    ends = NOT_ESTIMABLE if one else f"[{low:+.4f}, {high:+.4f}]"
    _print_line(console, f"{each['label']} against {found['base_label']}", "bold")
    _print_line(console, f"{each['run']} against {found['base']}", "dim")
    _print_line(
        console,
        f"{found['score']} ({found['reducer']}): {each['base_score']:.4f} -> {each['score']:.4f}"
        f"  difference {each['difference']:+.4f}  95 % {ends}"
        f"  of {each['items']} items in {each['clusters']} clusters",
    )
    corrected = f", Holm {each['p_holm']:.4f}" if len(found["compared"]) > 1 else ""
    _print_line(console, f"p {each['p']:.4f} ({each['test']}{corrected})")
    if table := each["mcnemar"]:
        _print_line(
            console,
            f"became right {table['to_right']}, became wrong {table['to_wrong']}; McNemar exact"
            f" {table['exact']:.4f}, mid-p {table['mid_p']:.4f}",
        )
    if each["least_effect"] is not None:
        _print_line(console, f"found 8 times out of 10: a difference of {each['least_effect']:.4f}")
    for name, cost in each["costs"].items():
        if cost["base"] or cost["run"]:
            change = "" if cost["change"] is None else f" ({cost['change']:+.1%})"
            _print_line(
                console,
                f"{name}: {cost['base']:.6g} -> {cost['run']:.6g} an item{change}"
                f"  95 % [{cost['interval'][0]:+.4g}, {cost['interval'][1]:+.4g}]",
            )
    if "not_worse" in each:
        verdict = "surely not worse" if each["not_worse"] else "may be worse"
        _print_line(
            console, f"by {found['margin']:g}: {verdict}", "green" if each["not_worse"] else "red"
        )


def _draw_flips(console: Console, each: dict[str, Any], most: int) -> None:
    for way, style in (("to_wrong", "red"), ("to_right", "green")):
        for flip in each["flips"][way][:most]:
            _print_line(console, f"{way.replace('_', ' ')}: {flip['item']}", style)
            _print_line(console, f"  asked: {_short(flip['input'])}")
            if flip["target"] is not None:
                _print_line(console, f"  right: {_short(flip['target'])}")
            for side in ("base", "run"):
                first = flip[side][0]
                _print_line(console, f"  {side}: {_short(first['error'] or first['output'])}")
                for call in first["calls"][:most]:
                    _print_line(console, f"    reply: {_short(call['said'])}", "dim")
        if (more := len(each["flips"][way]) - most) > 0:
            _print_line(
                console, f"{more} more {way.replace('_', ' ')}; --flips or --json show them", "dim"
            )


def _draw_prompt(console: Console, prompt: dict[str, Any]) -> None:
    _print_line(
        console, f"{prompt['prompt']} v{prompt['base_version']} -> v{prompt['run_version']}", "bold"
    )
    for line in prompt["difference"]:
        _print_line(console, line, STYLES.get(line[:1], ""))


def draw_plan(plan: dict[str, Any]) -> None:
    """Print what a planned run could show."""
    console = Console(soft_wrap=True, highlight=False)
    _print_line(console, f"a run of {plan['items']} items", "bold")
    if "flips" in plan:
        _print_line(
            console, f"of which {plan['flips']:.0%} differ, each asked once, scored right or wrong"
        )
    for effect, power in plan["power"].items():
        _print_line(console, f"a difference of {effect:.3f} is found with {power:.1%}")
    if plan["power"]:
        least = plan["least_effect"]
        found = "no difference" if least is None else f"a difference of {least:.4f}"
        _print_line(console, f"found 8 times out of 10: {found}")
    for note in plan.get("notes", ()):
        _print_line(console, f"note: {note}", "dim")


def _short(value: Any) -> str:
    text = " ".join(text_of(value).split())
    return text if len(text) <= MAX_ANSWER_LENGTH else f"{text[:MAX_ANSWER_LENGTH]}…"


def _print_line(console: Console, line: str, style: str = "") -> None:
    """Print a line without control characters."""
    console.print(printable(line), style=style or None, markup=False)
