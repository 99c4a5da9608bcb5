"""The text that is made to be committed: the same runs give the same lines, a change few others."""

from __future__ import annotations

from dataclasses import replace
from difflib import ndiff
from pathlib import Path

from reasonloom.evals.comparison.compare import compare
from reasonloom.evals.log import EvalLog
from reasonloom.evals.reporting.report import build_report
from reasonloom.evals.reporting.text import render_text
from tests.evals.reporting import hostile_texts
from tests.evals.reporting.arithmetic import PLAIN, SLOW, TERSE, runs, sums


async def test_two_runs_of_the_same_give_the_same_text(tmp_path: Path) -> None:
    told = []
    for at_once in (1, 16):
        folder = tmp_path / str(at_once)
        logs = await runs(folder, sums(30), PLAIN, SLOW, at_once=at_once, epochs=3)
        if at_once > 1:
            for log in logs:
                log.records.reverse()
        told += [render_text(build_report(*logs)), render_text(build_report(logs[0]))]
    assert told[0] == told[2]
    assert told[1] == told[3]


async def test_the_figures_are_those_of_compare(tmp_path: Path) -> None:
    logs = await runs(tmp_path, sums(40), PLAIN, SLOW, TERSE)
    lines = render_text(build_report(*logs)).splitlines()
    for each in compare(*logs)["compared"]:
        low, high = each["interval"]
        assert f"difference: {each['difference']:+.4f}" in lines
        assert f"difference 95 %: {low:+.4f} to {high:+.4f}" in lines
        assert f"p after Holm, of 2: {each['p_holm']:.4f}" in lines
        assert f"McNemar exact: {each['mcnemar']['exact']:.4f}" in lines
        for way in ("right", "wrong"):
            assert f"### became {way}: {len(each['flips'][f'to_{way}'])} of 40" in lines
        usd = each["costs"]["usd"]
        assert f"US dollars an item: {usd['base']:.6g} to {usd['run']:.6g}" in lines
    assert "+- Read the question twice." in lines
    assert not [line for line in lines if "latency" in line or ".jsonl" in line]


async def test_an_item_that_changes_changes_its_own_line(tmp_path: Path) -> None:
    base, other = await runs(tmp_path, sums(40), PLAIN, SLOW)
    before = render_text(build_report(base, other))
    changed = next(place for place, each in enumerate(other.records) if each.scores["numeric"] == 1)
    record = other.records[changed]
    other.records[changed] = replace(record, scores={"numeric": 0.25})
    after = render_text(build_report(base, other))
    heading = "\n## items: 40\n"
    one, two = (each.partition(heading)[2].splitlines() for each in (before, after))
    moved = [line for line in ndiff(one, two) if line[0] in "+-"]
    assert len(moved) == 2
    assert all(line[2:].startswith(f"{record.item}: ") for line in moved)


async def test_hostile_texts_steer_no_terminal(tmp_path: Path) -> None:
    logs: list[EvalLog] = await runs(tmp_path, sums(3, hostile_texts.items()), PLAIN, SLOW)
    for told in (render_text(build_report(*logs)), render_text(build_report(logs[0]))):
        assert all(each == "\n" or each.isprintable() or each == "\u0301" for each in told)
        assert max(map(len, told.splitlines())) < 1_000
        assert "⟨U+202E⟩" in told
