"""`reasonloom eval report`, as a person types it, and a report of thousands of items."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser
from typer.testing import CliRunner, Result

from reasonloom.cli.app import app
from reasonloom.errors import CallerMistake
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.reporting.html import render_html
from reasonloom.evals.reporting.report import build_report
from tests.evals.reporting.arithmetic import PLAIN, SLOW, runs, sums
from tests.support.evals.suites import log_of
from tests.support.studio.browser import PHONE, watched


def typed(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["eval", "report", *map(str, arguments)])


def refused(*arguments: object) -> str:
    result = typed(*arguments)
    assert isinstance(result.exception, CallerMistake), result.output
    return result.exception.message


async def test_a_page_and_a_text_are_written(tmp_path: Path) -> None:
    logs = [log.path for log in await runs(tmp_path, sums(20), PLAIN, SLOW)]
    page, text = tmp_path / "r.html", tmp_path / "r.txt"
    told = typed(*logs, "--html", page, "--text", text)
    assert told.output.split() == [str(page), str(text)]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert typed(*logs).output == text.read_text(encoding="utf-8")
    assert typed(logs[0]).output.startswith("# sums-in-words\n\nsums/answer v1, scripted:reckoner")


def test_what_cannot_be_reported_is_refused(tmp_path: Path) -> None:
    one, two = log_of(tmp_path / "one", {"a": 1.0}), log_of(tmp_path / "two", {"b": 1.0})
    before = one.path.read_bytes()
    assert "--html: one is one of the runs" in refused(one.path, "--html", one.path)
    assert "--text: one is one of the runs" in refused(one.path, "--text", one.path)
    assert one.path.read_bytes() == before
    nowhere = tmp_path / "nowhere" / "r.html"
    assert "--html: the folder of r.html is not there" in refused(one.path, "--html", nowhere)
    assert "--html: " in refused(one.path, "--html", tmp_path)
    assert "have no item in common" in refused(one.path, two.path)
    assert "has no score best; it has exact" in refused(one.path, "--score", "best")
    assert "there is no run three" in refused(one.path, "three")
    (tmp_path / "diary").write_text('{"dear": "diary"}\n', encoding="utf-8")
    assert "diary is no run of an eval" in refused(tmp_path / "diary")
    own = EvalLog(tmp_path / "own")
    own.begin({"eval": "people"})
    own.add(Record("a", 0, "", {"recall": 1.0}, 1.0))
    assert "own is no run of a suite" in refused(own.path)


def large(path: Path, items: int, *, right: bool) -> EvalLog:
    """Write a run of many items with long transcripts of those that flip."""
    log = EvalLog(path)
    with log.held():
        log.begin({"eval": "large", "items": items, "epochs": 1})
        for n in range(items):
            flips = n % 4 == 0
            said = f"{n} " + "word " * (20_000 if flips else 1)
            call = {"asked": [{"role": "user", "content": said}], "said": said}
            score = float(right if flips else n % 3 == 0)
            log.add(
                Record(f"q{n}", 0, "", {"s": score}, 1.0, input=said, output=said, calls=[call])
            )
    return log


async def test_of_thousands_of_items_the_page_says_what_it_leaves_out(
    tmp_path: Path, browser: Browser
) -> None:
    logs = [large(tmp_path / f"{right}", 5_400, right=right) for right in (False, True)]
    told = render_html(build_report(*logs))
    path = tmp_path / "large.html"
    path.write_text(told, encoding="utf-8")
    assert path.stat().st_size < 10_000_000
    assert "n = 5,400. Only the first 5,000 are shown." in told
    shown = told.count('<details class="flip"')
    assert 0 < shown <= 100
    assert f"{1_350 - shown:,} more are not shown with their transcripts" in told
    assert re.search(r"\d{2},\d{3} characters more are not shown", told)
    ways = re.findall(r'<tr data-way="(\w+)"', told)
    assert ways[:1_350] == ["to_right"] * 1_350
    async with watched(browser, path, width=PHONE) as found:
        assert await found.overflow() <= 0
        assert await found.page.locator("table.items tbody tr").count() == 5_000
        assert found.complaints == []


@pytest.mark.parametrize("reducer", ["pass@2", "pass^2", "mode"])
async def test_epochs_become_one_as_asked(tmp_path: Path, reducer: str) -> None:
    logs = [log.path for log in await runs(tmp_path, sums(12), PLAIN, SLOW, epochs=2)]
    told = typed(*logs, "--reducer", reducer, "--html", tmp_path / "r.html")
    assert told.exit_code == 0, told.output
    assert f"({reducer} of epochs)" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"compared by: numeric, {reducer} of epochs" in typed(*logs, "--reducer", reducer).output
