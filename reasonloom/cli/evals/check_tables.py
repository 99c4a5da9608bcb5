"""Prints the results of evals of checks: grounding, metacognition, triggers and outcomes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from reasonloom.cli.output import wide_console

GROUNDING_WIDTH, METACOGNITION_WIDTH = 120, 132
INTERVALS = "Intervals are of 95 % (Wilson). One person set each label, once."
METACOGNITION_NOTE = (
    "Intervals are of 95 % (Wilson). guess: a random label; majority: always the set's most"
    " frequent label; both on the same items. One person set each label, once."
)
Half = dict[str, Any]
Figure = Mapping[str, Any]


def draw_grounding(result: dict[str, Any]) -> None:
    """Print, for each half, the goals, all figures, and the misjudged claims."""
    console = wide_console(GROUNDING_WIDTH)
    for half, found in result["halves"].items():
        title = f"{result['eval']}, {half} · llm {result['llm']} · {result['embedder']}"
        console.print(_grounding_figures(title, found))
        console.print(_grounding_goals(half, found))
        console.print(_wrong(half, found))
    console.print(INTERVALS)
    console.print(result["note"])


def _grounding_goals(half: str, found: Half) -> Table:
    table = Table("goal", "", "value", title=f"{half}: goals {'met' if found['met'] else 'missed'}")
    for name, each in found["goals"].items():
        value = each["value"]
        table.add_row(
            name, each["goal"], f"{value:.1%}" if isinstance(value, float) else str(value)
        )
    return table


def _grounding_figures(title: str, found: Half) -> Table:
    table = Table("", "of", "share", "95 %", "n", "overlap", title=title)
    for each in found["figures"]:
        table.add_row(each["name"], each["of"], *share_cells(each), _percent(each["overlap"]))
    table.add_row("median call", "", f"{found['median_ms']} ms", "", "", "")
    return table


def _wrong(half: str, found: Half) -> Table:
    counted = Counter((each["kind"], each["said"]) for each in found["wrong"])
    table = Table("kind", "verdict", "claims", title=f"{half}: judged wrongly")
    for (kind, verdict), count in counted.most_common():
        table.add_row(kind, verdict, str(count))
    return table


def share_cells(figure: Figure) -> tuple[str, str, str]:
    """Return a share in per cent, its interval, and the number of items."""
    return _percent(figure["value"]), interval_ends(figure), str(figure["n"])


def figure_table(title: str, parts: str, figures: Sequence[Figure]) -> Table:
    """Return a table of shares; `parts` heads the column of their parts."""
    table = Table(parts, "", "of", "share", "95 %", "n", title=title)
    for each in figures:
        table.add_row(each["part"], each["name"], each["of"], *share_cells(each))
    return table


def interval_ends(figure: Figure) -> str:
    """Return the ends of a figure's interval in per cent; empty if it has none."""
    return " to ".join(f"{100 * end:.0f}" for end in figure.get("interval") or ())


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def draw_everyday(result: dict[str, Any]) -> None:
    """Print, for each half, how claims and texts were judged."""
    console = wide_console(GROUNDING_WIDTH)
    for half, figures in result["halves"].items():
        title = f"{result['eval']}, {half} · llm {result['llm']} · {result['embedder']}"
        console.print(figure_table(title, "", figures))
    console.print(INTERVALS)


def draw_metacognition(result: dict[str, Any]) -> None:
    """Print the goals and whether they are met, all figures, and the frameworks' confusion."""
    console = wide_console(METACOGNITION_WIDTH)
    halves: dict[str, Half] = result["halves"]
    console.print(_metacognition_goals(result, halves))
    console.print(_metacognition_figures(halves))
    for half, found in halves.items():
        if found["confusion"]["frameworks"]:
            console.print(_confusion(half, found["confusion"]["frameworks"]))
    console.print(METACOGNITION_NOTE)
    console.print(result["note"])


def _metacognition_goals(result: dict[str, Any], halves: dict[str, Half]) -> Table:
    columns = (name for half in halves for name in (half, "95 %", "n", ""))
    title = f"{result['eval']} · llm {result['llm']} · {result['embedder']}"
    table = Table("", "goal", *columns, "guess", "majority", title=title)
    for each in _by_figure(halves):
        first = each[0]
        if "goal" in first:
            cells = (
                cell for one in each for cell in (*_cells(one), "met" if one["met"] else "missed")
            )
            table.add_row(_label(first), first["goal"], *cells, *_guesses(first))
    return table


def _metacognition_figures(halves: dict[str, Half]) -> Table:
    columns = (name for half in halves for name in (half, "95 %", "n"))
    table = Table("", "of", *columns, "guess", "majority", title="all figures")
    part = ""
    for each in _by_figure(halves):
        first = each[0]
        if part and part != first["part"]:
            table.add_section()
        part = first["part"]
        cells = (cell for one in each for cell in _cells(one))
        table.add_row(f"{part}: {first['name']}", first["of"], *cells, *_guesses(first))
    return table


def _confusion(half: str, counts: dict[str, dict[str, int]]) -> Table:
    table = Table("label", "chosen", title=f"frameworks, {half}: which framework was chosen")
    for label, labels in counts.items():
        most_first = Counter(labels).most_common()
        table.add_row(label, ", ".join(f"{name} {count}" for name, count in most_first))
    return table


def _by_figure(halves: dict[str, Half]) -> Iterator[Sequence[dict[str, Any]]]:
    """Yield each figure that all halves have, as one entry per half."""
    by_half = [
        {(each["part"], each["name"], each["of"]): each for each in found["figures"]}
        for found in halves.values()
    ]
    for place in by_half[0]:
        if all(place in found for found in by_half):
            yield [found[place] for found in by_half]


def _cells(figure: Figure) -> tuple[str, str, str]:
    return _value(figure["value"], figure["unit"]), interval_ends(figure), str(figure["n"])


def _value(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "share":
        return _percent(value)
    return f"{value:.2f} ms" if unit == "ms" else f"{value:.2f}"


def _guesses(figure: Figure) -> tuple[str, ...]:
    return tuple(
        _value(figure[name], figure["unit"]) if figure[name] is not None else ""
        for name in ("guess", "majority")
    )


def _label(figure: Figure) -> str:
    of = "" if figure["of"] == "all" else f", {figure['of']}"
    return f"{figure['part']}: {figure['name']}{of}"


def draw_outcomes(result: dict[str, Any]) -> None:
    """Print, for each half, the figures, and the misjudged observations."""
    console = Console()
    for half, found in result["halves"].items():
        title = f"{result['eval']}, {half} · {result['embedder']}, cosine >= {result['cosine']:.2f}"
        console.print(figure_table(title, "by", found["figures"]))
        for each in found["wrong"]:
            console.print(f"wrong: {each['observation']} ({each['kind']}, {each['language']})")
    console.print(result["note"])


def draw_triggers(result: dict[str, Any]) -> None:
    """Print, for each half, the figures, and the misjudged messages."""
    console = Console()
    for half, found in result["halves"].items():
        title = f"{result['eval']}, {half} · {result['embedder']}"
        table = Table("", "of", "share", "95 %", "n", title=title)
        table.add_row("F1", "all", _percent(found["f1"]), "", "")
        table.add_row("F1", "words alone", _percent(found["f1_words"]), "", "")
        table.add_row(
            "F1", f"cosine >= {result['cosine']:.2f}", _percent(found["f1_cosine"]), "", ""
        )
        table.add_row("precision", "all", _percent(found["precision"]), "", "")
        table.add_row("recall", "all", _percent(found["recall"]), "", "")
        for each in found["figures"]:
            table.add_row(each["name"], each["of"], *share_cells(each))
        console.print(table)
        console.print(f"F1 of at least 80 %: {'met' if found['met'] else 'missed'}")
        for each in found["wrong"]:
            console.print(f"wrong: {each['message']} ({each['kind']}), fired {each['fired']}")
    console.print(result["note"])
