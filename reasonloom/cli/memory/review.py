"""`reasonloom memory review`: settles outdated, duplicate, suspicious or unused memories."""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from reasonloom.cli.arguments import AsJson, User
from reasonloom.cli.engine import with_engine
from reasonloom.cli.output import print_json_line, printable
from reasonloom.contracts.validation import parse_request
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.memory.maintenance.review import (
    REASONS,
    Decision,
    ReviewItem,
    review_items,
    settle,
)

DEFAULT_MOST = 20
KEYS: dict[str, Decision | None] = {"s": "supersede", "k": "keep", "f": "forget", "n": None}
QUIT = "q"
NOTHING = "nothing to review"
HOW = (
    "To decide, run `reasonloom memory review` in a terminal, or add "
    '"decision": "supersede", "keep" or "forget" to the lines of --json and run --apply FILE'
)


def review(
    apply: Annotated[
        Path | None, typer.Option(help="Apply the decisions in a file of --json lines.")
    ] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=1_000, help="Maximum memories of each kind.")
    ] = DEFAULT_MOST,
    as_json: AsJson = False,
    user: User = None,
) -> None:
    """Review outdated, duplicate, suspicious and unused memories."""
    if apply is not None:
        _settle(_read_decisions(apply), user)
        return

    items = with_engine(lambda engine, caller: review_items(engine.loom, caller, most=limit), user)
    if as_json:
        for item in items:
            print_json_line(item.model_dump(exclude_none=True))
    elif not items:
        typer.echo(NOTHING)
    elif sys.stdin.isatty():
        _settle(_ask(items), user)
    else:
        for item in items:
            _show(item)
        counts = Counter(item.finding for item in items)
        typer.echo(", ".join(f"{count} {finding}" for finding, count in counts.items()))
        typer.echo(HOW)


def _show(item: ReviewItem) -> None:
    sure = f" ({item.confidence:.0%})" if item.confidence is not None else ""
    typer.echo(f"{REASONS[item.finding]}{sure}")
    if item.newer:
        typer.echo(f"  {item.newer}: {printable(item.newer_text or '')}")
    typer.echo(f"  {item.memory}: {printable(item.text)}\n")


def _ask(items: list[ReviewItem]) -> list[ReviewItem]:
    """Ask for a decision on each item, until the user quits."""
    decided = []
    for place, item in enumerate(items, start=1):
        typer.echo(f"{place} of {len(items)}")
        _show(item)
        keys = "skfnq" if item.newer else "kfnq"
        words = {"s": "supersede", "k": "keep", "f": "forget", "n": "next", "q": "quit"}
        offered = ", ".join(f"[{key}] {words[key]}" for key in keys)
        key = ""
        while key not in keys or not key:
            key = typer.prompt(offered, default="n", show_default=False).strip().lower()[:1]
        if key == QUIT:
            break
        decided.append(item.model_copy(update={"decision": KEYS[key]}))
    return decided


def _read_decisions(path: Path) -> list[ReviewItem]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument(
            "--apply: must be a file of lines of `reasonloom memory review --json`", field="apply"
        ) from None
    return [_item(line, number) for number, line in enumerate(lines, start=1) if line.strip()]


def _item(line: str, number: int) -> ReviewItem:
    try:
        given = json.loads(line)
        return parse_request(ReviewItem, given if isinstance(given, dict) else {})
    except ValueError:
        raise InvalidArgument(f"line {number}: must be a JSON object", field="apply") from None
    except InvalidArgument as error:
        raise InvalidArgument(f"line {number}, {error.message}", field="apply") from None


def _settle(items: list[ReviewItem], user: str | None) -> None:
    done = with_engine(lambda engine, caller: settle(engine.loom, caller, items), user)
    typer.echo(f"superseded {done.superseded}, kept {done.kept}, forgotten {done.forgotten}")
