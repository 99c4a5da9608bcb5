"""Prints the results of evals of orchestration next to the published figures."""

from typing import Any

from rich.table import Column, Table

from reasonloom.cli.output import wide_console

NOTE = (
    "This measures orchestration, not reasoning: one simulated language model under every row,"
    " only the arrangement of calls differs."
)
WIDTH = 132


def draw_orchestration(result: dict[str, Any]) -> None:
    """Print the rows, the compared pairs, and the kind of evidence this is."""
    console = wide_console(WIDTH)
    console.print(_rows(result))
    if result["counted"]:
        console.print(_counted(result))
    if result["compared"]:
        console.print(_compared(result))
    console.print(NOTE, style="bold")
    console.print(
        "Intervals are of 95 %, by bootstrap over items; sd is over seeds. fitted: a constant of"
        " the model was fitted to this figure; predicted: none was; control: a part is taken away;"
        " own: nobody published one. Calls, tokens and $ are means of an item."
    )


def _rows(result: dict[str, Any]) -> Table:
    score_name = f"{result['summarise']} {result['measure']}" if not result["share"] else "solved"
    right = [Column(name, justify="right") for name in ("calls", "tokens in", "out", "$")]
    table = Table(
        Column("row", no_wrap=True),
        "status",
        Column(score_name, justify="right"),
        "95 %",
        Column("sd", justify="right"),
        *right,
        "published",
        title=f"{result['eval']} · {result['items']} items · {result['seeds']} seeds"
        f" · {result['measure']}",
    )
    for row in result["rows"]:
        low, high = (_score(result, end) for end in row["interval"])
        table.add_row(
            row["row"],
            row["status"],
            _score(result, row["score"]),
            f"{low} to {high}",
            _score(result, row["seed_sd"]),
            f"{row['calls']:.1f}",
            f"{row['tokens_in']:.0f}",
            f"{row['tokens_out']:.0f}",
            f"{row['usd']:.4f}",
            row["published"],
        )
    return table


def _counted(result: dict[str, Any]) -> Table:
    names = result["counted"]
    right = (Column(name.replace("_", " "), justify="right") for name in names)
    table = Table("row", *right, title="mean counts per item")
    for row in result["rows"]:
        table.add_row(row["row"], *(f"{row[name]:.3f}" for name in names))
    return table


def _compared(result: dict[str, Any]) -> Table:
    table = Table("row", "compared with", "difference", "95 %", "as a share", "cost")
    for pair in result["compared"]:
        low, high = (_score(result, end, signed=True) for end in pair["score_difference_interval"])
        table.add_row(
            pair["row"],
            pair["base"],
            _score(result, pair["score_difference"], signed=True),
            f"{low} to {high}",
            _change(pair["score_change"]),
            _change(pair["usd_change"]),
        )
    return table


def _score(result: dict[str, Any], score: float, *, signed: bool = False) -> str:
    sign = "+" if signed else ""
    return f"{100 * score:{sign}.1f} %" if result["share"] else f"{score:{sign}.1f}"


def _change(share: float | None) -> str:
    return "" if share is None else f"{share:+.0%}"


READER_NOTE = (
    "With simulated:reader this measures orchestration, not reasoning: which facts reach the model,"
    " and what is made of its samples and judgements."
)


def draw_reason(result: dict[str, Any]) -> None:
    """Print what each system solved, in total and by kind, and how that was measured."""
    console = wide_console(WIDTH)
    console.print(_reason_rows(result))
    console.print(READER_NOTE, style="bold")
    console.print(
        "Intervals are of 95 %: of shares by Wilson, of differences to direct (the same tasks) by"
        " bootstrap over tasks. Calls and tokens are means of a task."
    )


def _reason_rows(result: dict[str, Any]) -> Table:
    numbers = ("solved", "95 %", "n", "calls", "tokens", "to direct", "95 %")
    title = f"{result['eval']}, {result['half']} · {result['tasks']} tasks · llm {result['llm']}"
    table = Table("kind", "row", *(Column(name, justify="right") for name in numbers), title=title)
    for row in result["rows_of"]:
        low, high = (f"{100 * end:.0f}" for end in row["interval"])
        lower, upper = (f"{100 * end:+.0f}" for end in row.get("difference_interval", (0, 0)))
        compared = "difference" in row
        table.add_row(
            row["kind"],
            row["row"],
            f"{100 * row['solved']:.1f} %",
            f"{low} to {high}",
            str(row["n"]),
            f"{row['calls']:.1f}",
            f"{row['tokens']:,}",
            f"{100 * row['difference']:+.1f}" if compared else "",
            f"{lower} to {upper}" if compared else "",
        )
    return table


def draw_calibration(result: dict[str, Any]) -> None:
    """Print how far each system's confidence is from the share it solved."""
    names = ("n", "confidence", "solved", "error as stated", "95 %", "recalibrated", "95 %")
    title = f"{result['eval']}, {result['half']} · {result['tasks']} tasks · llm {result['llm']}"
    table = Table("row", *(Column(name, justify="right") for name in names), title=title)
    for row in result["rows_of"]:
        errors = [
            text
            for kind in ("stated", "recalibrated")
            for text in (
                f"{row[kind]['ece']:.3f}",
                " to ".join(f"{end:.3f}" for end in row[kind]["interval"]),
            )
        ]
        means = (f"{row[name]:.3f}" for name in ("confidence", "solved"))
        table.add_row(row["row"], str(row["n"]), *means, *errors)
    console = wide_console(WIDTH)
    console.print(table)
    console.print(READER_NOTE, style="bold")
    console.print(
        "Errors are mean distances of confidence and share solved over ten bins; recalibrated by"
        " the outcomes of other tasks. Intervals are of 95 % by bootstrap over tasks."
    )
