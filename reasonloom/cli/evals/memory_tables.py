"""Prints the results of evals of recall, poisoning and history."""

from typing import Any

from rich.console import Console
from rich.table import Table

from reasonloom.cli.evals.check_tables import INTERVALS, figure_table, interval_ends, share_cells
from reasonloom.cli.output import wide_console

WIDTH = 120
COLUMNS = ("problem", "solution", "share", "pure", "strayed", "pieces", "chain", "tokens")
COUNTS = {"strayed", "pieces"}
QUESTION_KINDS = {
    "other": "in entirely different words from the sessions",
    "plain": "as someone who half remembers it, with a word or two of the project",
}


def draw_retrieval(result: dict[str, Any]) -> None:
    """Print the means overall, without each signal, and by group, and the latency."""
    console = Console()
    console.print(_means(f"{result['eval']} · {result['embedder']}", result))
    if "nothing" in result["groups"]:
        nothing = result["groups"]["nothing"]
        console.print(
            f"nothing to be found: {nothing['nothing_found']:.0%} of {nothing['n']} questions found"
            f" nothing; mean best score {nothing['best_score']:.2f}"
        )
    latency = result["latency_ms"]
    if latency:
        console.print(f"recall: p50 {latency['p50']} ms, p95 {latency['p95']} ms")


def _means(title: str, result: dict[str, Any]) -> Table:
    """Return a table of means overall, without each signal, and by group."""
    names = [name for name in result["overall"] if name != "n"]
    table = Table("", "n", *names, title=title)
    without = {f"without {name}": means for name, means in result.get("without", {}).items()}
    for group, means in {"overall": result["overall"], **without, **result["groups"]}.items():
        cells = (f"{means[name]:.3f}" if name in means else "" for name in names)
        table.add_row(group, str(means["n"]), *cells)
    return table


def draw_all_sets(result: dict[str, Any]) -> None:
    """Print the sets in columns: their scores, and the gain of each signal on the first score."""
    sets = result["sets"]
    title = f"{result['eval']} · {result['embedder']}"
    table = Table("", *(f"{name}, n {each['n']}" for name, each in sets.items()), title=title)
    first = next(iter(sets.values()))
    for name in first["scores"]:
        table.add_row(name, *(_estimate(each["scores"][name], "") for each in sets.values()))
    table.add_section()
    for name in first["signals"]:
        table.add_row(
            f"gain of {name}", *(_estimate(each["signals"][name], "+") for each in sets.values())
        )
    console = wide_console(WIDTH)
    console.print(table)
    console.print("Intervals are of 95 % (bootstrap over questions).")


def _estimate(figure: dict[str, float], sign: str) -> str:
    ends = f"{figure['low']:{sign}.3f} to {figure['high']:{sign}.3f}"
    return f"{figure['mean']:{sign}.3f} ({ends})"


def draw_answerable(result: dict[str, Any]) -> None:
    """Print how well each set's questions with and without an answer are distinguished."""
    sets = result["sets"]
    counts = (f"{name}, n {each['n'][0]} + {each['n'][1]}" for name, each in sets.items())
    table = Table("", *counts, title=f"{result['eval']}, {result['half']} · bar {result['bar']}")
    for name in ("auroc", "refused at a tenth", "ece"):
        table.add_row(name, *(each[name] and _estimate(each[name], "") for each in sets.values()))
    for name in ("refused without an answer", "refused with an answer"):
        cells = (share_cells(each[name]) if name in each else None for each in sets.values())
        table.add_row(name, *(of and f"{of[0]} ({of[1]})" for of in cells))
    table.add_row("left out", *(str(each["left out"]) for each in sets.values()))
    console = wide_console(WIDTH)
    console.print(table)
    console.print(
        "n: questions with and without an answer; left out are those of other languages. refused "
        "at a tenth: those without one below the bar that refuses a tenth of the others. "
        "Intervals are of 95 %."
    )
    latency = result["latency_ms"]
    console.print(f"recall: p50 {latency['p50']} ms, p95 {latency['p95']} ms")


def draw_context(result: dict[str, Any]) -> None:
    """Print the figures of the context given to a step of reasoning, by group."""
    Console().print(_means(f"{result['eval']}, {result['half']}", result))


def draw_poisoning(result: dict[str, Any]) -> None:
    """Print, for each half, the figures with their intervals, and the false flags."""
    console = Console()
    for half, found in result["halves"].items():
        title = f"{result['eval']}, {half} · {result['embedder']}"
        console.print(figure_table(title, "controls", found["figures"]))
    value, ends, n = share_cells(result["false_flags"])
    console.print(f"false flags: {value} ({ends} %) of the {n} memories of people")
    console.print(result["note"])


def draw_history(result: dict[str, Any]) -> None:
    """Print, for each form, a table of chains and the share of moments predicted."""
    console = wide_console(WIDTH)
    for form, found in result["forms"].items():
        title = f"{result['eval']}, {result['half']}, {form} · {result['embedder']}"
        console.print(_chains(title, found))
        moments, took = found["moments"], found["latency_ms"]
        console.print(
            f"moments: {moments['n']}, foretold {_percent(moments.get('foretold'))}; "
            f"a call takes {took.get('p50')} ms (median), {took.get('p95')} ms (p95)"
        )
    console.print(
        f"asked: {result['asked']}, {QUESTION_KINDS[result['asked']]}; moments have one wording"
    )
    console.print(INTERVALS)
    console.print(result["note"])


def _chains(title: str, found: dict[str, Any]) -> Table:
    table = Table("kind", "n", "right", "95 %", *COLUMNS, title=title)
    for name, each in (*found["kinds"].items(), ("all", found["all"])):
        table.add_row(
            name, str(each["n"]), _percent(each.get("right")), interval_ends(each),
            *(_cell(column, each.get(column)) for column in COLUMNS),
        )  # fmt: skip
    return table


def _cell(column: str, value: float | None) -> str:
    if value is None:
        return ""
    if column == "tokens":
        return f"{value:.0f}"
    return f"{value:.1f}" if column in COUNTS else _percent(value)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"
