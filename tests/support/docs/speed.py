"""docs/speed.md, made from the reports of `reasonloom bench` in docs/figures.

`python -m tests.support.docs.speed` writes the page; `--measured REPORT` first notes in a fresh
report which code it measured; `--check` fails where the page or the code is no longer that of the
reports.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from tests import ROOT

PAGE = ROOT / "docs" / "speed.md"
REPORTS = ROOT / "docs" / "figures"
TEMPLATE = Path(__file__).with_name("speed.md.j2")
ROUND_TRIPS = ROOT / "tests" / "snapshots" / "__snapshots__" / "test_round_trips"
Report = dict[str, Any]
HEAD = f"| what | p50 ms | p95 ms | floor ms | ratio | goal | |\n|{' --- |' * 7}"


def round_trips() -> str:
    """Return the hash of the table of round trips."""
    texts = (each.read_bytes() for each in sorted(ROUND_TRIPS.iterdir()))
    return hashlib.sha256(b"".join(texts)).hexdigest()[:12]


def read_reports(folder: Path = REPORTS) -> dict[str, Report]:
    """Return the report that measured each part; that of `speed-large.json` is `memory-large`."""
    found: dict[str, Report] = {}
    for path in sorted(folder.glob("speed*.json")):
        report = json.loads(path.read_text())
        kind = path.stem.removeprefix("speed")
        for part in dict.fromkeys(figure["part"] + kind for figure in report["figures"]):
            found[part] = report
    return found


def page(reports: dict[str, Report]) -> str:
    """Return the page of these reports."""

    def table(*parts: str) -> str:
        measured = [part for part in parts if part in reports]
        if not measured:
            return "Not measured at a commit that is on record."
        taken = dict.fromkeys(_circumstances(reports[part], measured) for part in measured)
        rows = (_row(each) for part in measured for each in _figures(reports[part], part))
        return "\n".join([*taken, "", HEAD, *rows])

    made = Environment(  # noqa: S701 - it makes Markdown
        undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    ).from_string(TEMPLATE.read_text())
    return made.render(table=table)


def _figures(report: Report, part: str) -> list[dict[str, Any]]:
    return [each for each in report["figures"] if each["part"] == _measured_as(part)]


def _measured_as(part: str) -> str:
    return part.partition("-")[0]


def _circumstances(report: Report, parts: Sequence[str]) -> str:
    settings = report["settings"]
    sizes = ",".join(map(str, settings["sizes"]))
    options = (
        f"--runs {settings['runs']} --starts {settings['starts']} --sizes {sizes}"
        f" --owners {settings['owners']} --steps {settings['steps']}"
        f" --megabytes {settings['megabytes']}"
    )
    before, after = report["load"]
    only = ",".join(map(_measured_as, parts))
    return (
        f"`reasonloom bench --only {only} {options}` (seed {report['seed']}) at commit"
        f" {report['commit']} on {report['date']}, round trips {report['round_trips']}, Python"
        f" {report['python']}, {report['cores']} cores, load {before:g} before and {after:g} after."
    )


def _row(figure: dict[str, Any]) -> str:
    reached = {True: ", reached", False: ", **missed**", None: ""}[figure["reached"]]
    goal = f"{figure['goal']:g}{reached}" if figure["goal"] else ""
    note = figure["said"].replace("\n", " ").replace("|", "\\|")
    floor, ratio = (f"{each:.2f}" if each else "" for each in (figure["floor"], figure["ratio"]))
    times = f"{_rounded(figure['p50'])} | {_rounded(figure['p95'])}"
    return f"| {figure['name']} | {times} | {floor} | {ratio} | {goal} | {note} |"


def _rounded(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def differences(reports: dict[str, Report]) -> list[str]:
    """Return what differs between the page, its reports and the code as it is."""
    found = [] if PAGE.read_text() == page(reports) else ["docs/speed.md is not made from them"]
    for part, report in reports.items():
        if report["round_trips"] != round_trips():
            found.append(f"{part}: the table of round trips has changed")
        elif _changed_since(report["commit"]):
            found.append(f"{part}: the package has changed since {report['commit']}")
    return found


def _changed_since(commit: str) -> bool:
    return bool(_git("diff", "--name-only", commit, "--", "reasonloom"))


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _measured(path: Path) -> None:
    report = json.loads(path.read_text())
    report |= {"commit": _git("rev-parse", "--short=10", "HEAD"), "round_trips": round_trips()}
    path.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measured", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.measured:
        _measured(given.measured)
    if given.check:
        if differing := differences(read_reports()):
            raise SystemExit("\n".join(differing))
    else:
        PAGE.write_text(page(read_reports()))
