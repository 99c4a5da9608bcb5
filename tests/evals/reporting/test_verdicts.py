"""What a report says: its verdicts, names of runs, numbers, prompts' differences and axes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.reporting.comparison import diff_wording
from reasonloom.evals.reporting.formatting import (
    DisplayBudget,
    ScoreFormat,
    escape_hidden,
    format_change,
    format_number,
    format_p,
    natural_key,
    shortened_line,
)
from reasonloom.evals.reporting.html import axis
from reasonloom.evals.reporting.report import build_report, labels
from reasonloom.evals.reporting.verdict import verdict
from tests.support.evals.suites import log_of

BASE = "0" * 30 + "1" * 30
SAID = [
    (("1" * 20 + BASE[20:],), "better", "run is better than base by 33.3 points (95 % "),
    (
        ("1" * 5 + "0" * 28 + "1" * 27,),
        "unclear",
        "No difference is shown between run and base: +3.3 points",
    ),
    ((BASE,), "same", "run has the same score as base on 60 items; a difference of −6.0 to 6.0"),
    (("1" * 6 + BASE[6:],), "better", "run is better than base by 10.0 points"),
    (("1" * 6 + BASE[6:],) * 4, "perhaps", "p corrected for 4 comparisons is 0.0625"),
]


def log(folder: Path, name: str, pattern: str, **head: object) -> EvalLog:
    scores = {f"ж{n}": float(each) for n, each in enumerate(pattern)}
    if not head:
        return log_of(folder / name, scores)
    made = EvalLog(folder / name)
    made.begin({"eval": "made", "items": len(scores), "epochs": 1, **head})
    for item, score in scores.items():
        made.add(Record(item, 0, "", {"score": score}, 1.0))
    return made


@pytest.mark.parametrize(("patterns", "tone", "said"), SAID)
def test_a_verdict_says_what_was_found_and_no_more(
    tmp_path: Path, patterns: tuple[str, ...], tone: str, said: str
) -> None:
    names = ["run", "second", "third", "fourth"]
    others = [log(tmp_path, name, each) for name, each in zip(names, patterns, strict=False)]
    found = build_report(log(tmp_path, "base", BASE), *others)
    told = verdict(found, found.compared[0])
    assert told.tone == tone
    assert said in told.headline
    assert ("8 times out of 10" in told.remark) == (tone in ("unclear", "perhaps"))


def test_a_worse_run_is_called_worse_by_a_positive_number(tmp_path: Path) -> None:
    found = build_report(log(tmp_path, "base", "1" * 60), log(tmp_path, "run", "1" * 40 + "0" * 20))
    told = verdict(found, found.compared[0])
    assert told.tone == "worse"
    low, high = (100 * end for end in found.compared[0].found["interval"])
    assert f"worse than base by 33.3 points (95 % {-high:.1f} to {-low:.1f})" in told.headline


def test_of_a_score_that_is_better_lower_the_lower_run_is_better(tmp_path: Path) -> None:
    about = [{"scorer": "score", "better": "lower"}]
    base = log(tmp_path, "base", "3" * 30 + "1" * 30, scorers=about)
    run = log(tmp_path, "run", "1" * 30 + "0" * 30, scorers=about)
    found = build_report(base, run)
    told = verdict(found, found.compared[0])
    assert told.tone == "better"
    assert told.headline.startswith("run is better than base by 1.5 (95 % ")
    assert "; lower is better)" in told.headline
    assert "points" not in told.headline


def test_costs_are_told_beside(tmp_path: Path) -> None:
    logs = []
    for name, tokens in (("base", 100.0), ("run", 90.0), ("long", 350.0)):
        made = EvalLog(tmp_path / name)
        made.begin({"eval": "made", "items": 5, "epochs": 1})
        for n in range(5):
            usage = {"calls": 1.0, "tokens_in": tokens, "tokens_out": 0.0, "usd": 0.5}
            made.add(Record(str(n), 0, "", {"score": n % 2}, 1.0, usage=usage))
        logs.append(made)
    found = build_report(*logs)
    beside = [verdict(found, each).remark for each in found.compared]
    assert beside == [
        "It takes 10.0 % fewer tokens and as much money.",
        "It takes 3.5 times as many tokens and as much money.",
    ]


def heads(*each: dict[str, object]) -> list[dict[str, object]]:
    return [{"eval": "e", "items": 1, "epochs": 1, **head} for head in each]


def prompted(version: int) -> dict[str, object]:
    return {"prompts": {"own/p": {"version": version, "hash": str(version)}}}


NAMED = [
    (heads({"system": {"llm": "a"}}, {"system": {"llm": "b"}}), ["a", "b"]),
    (heads(prompted(1), prompted(2)), ["own/p v1", "own/p v2"]),
    (heads({"system": {"tool": "think"}}, {"system": {"tool": "ponder"}}), ["think", "ponder"]),
    (heads({"epochs": 1}, {"epochs": 5}), ["epochs 1", "epochs 5"]),
    (heads({}, {}), ["0", "1"]),
]


@pytest.mark.parametrize(("told", "names"), NAMED)
def test_runs_are_called_by_what_tells_them_apart(
    tmp_path: Path, told: list[dict[str, object]], names: list[str]
) -> None:
    logs = []
    for place, head in enumerate(told):
        logs.append(EvalLog(tmp_path / f"{place}-20260101T000000.jsonl"))
        logs[-1].head = dict(head)
    assert labels(logs) == names
    same = EvalLog(tmp_path / "other" / "0-20270101T000000.jsonl")
    same.head = dict(told[0])
    assert len(set(labels([*logs, same]))) == len(logs) + 1


def test_numbers_are_written_for_people() -> None:
    written = ScoreFormat()
    assert [written.by(n) for n in (0.0625, -0.0625, 0.0004, -0.0)] == [
        "+6.2",
        "−6.2",
        "0.0",
        "0.0",
    ]
    assert (written.mark(1), written.mark(1 / 3)) == ("100 %", "33.3 %")
    assert written.ends((0.5, 0.75)) == "50.0 to 75.0 %"
    assert [format_number(n) for n in (12_345.6, 0.0000123, -2, 0)] == [
        "12,346",
        "0.0000123",
        "−2",
        "0",
    ]
    assert (format_change(0.12), format_change(2.5), format_p(0.00001)) == (
        "+12.0 %",
        "3.5 times",
        "< 0.0001",
    )


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9))
def test_all_values_lie_on_the_axis(values: list[float]) -> None:
    found = axis([0.0, *values])
    assert 2 <= len(found.ticks) <= 8
    places = [float(found.at(value).removesuffix("%")) for value in (0.0, *values)]
    assert all(4.99 <= place <= 95.01 for place in places)
    order = sorted(zip((0.0, *values), places, strict=True))
    assert [place for _, place in order] == sorted(places)


LINES = st.lists(st.text("ab .é日", max_size=12), max_size=12)


@given(LINES, LINES)
def test_a_difference_holds_every_line_that_went_and_came(one: list[str], two: list[str]) -> None:
    def head(lines: list[str]) -> dict[str, object]:
        return {"prompts": {"p": {"hash": "h"}}, "texts": {"h": "\n".join(lines)}}

    found = diff_wording(head(one), head(two), "p")
    for kind, lines in (("gone", one), ("new", two)):
        told = ["".join(piece for _, piece in line.pieces) for line in found if line.kind == kind]
        split = "\n".join(lines).splitlines()
        rest = iter(split)
        assert all(line in rest for line in told)
    same = "\n".join(one).splitlines() == "\n".join(two).splitlines()
    assert (found == []) == same


def test_words_that_changed_are_marked() -> None:
    def head(text: str) -> dict[str, object]:
        return {"prompts": {"p": {"hash": "h"}}, "texts": {"h": text}}

    gone, new = diff_wording(head("Read it once."), head("Read it twice, slowly."), "p")
    assert [piece for changed, piece in gone.pieces if changed] == ["once"]
    assert "".join(piece for changed, piece in new.pieces if changed) == "twice, slowly"


@given(st.text(max_size=200))
def test_shown_texts_hold_nothing_that_steers(text: str) -> None:
    told = escape_hidden(text)
    told.encode()
    assert not set(told) & {*map(chr, range(9)), "\x1b", "\r", "\x7f", "\u202e", "\u2028"}
    assert "\n" not in shortened_line(text, 50)
    assert len(shortened_line(text, 50)) <= 50


def test_what_scripts_and_emoji_need_stays() -> None:
    for text in ("👩‍👩‍👧", "می‌خواهم", "❤️", "שלום", "e\u0301"):
        assert escape_hidden(text) == text
    assert escape_hidden("a\0b\x1b\u202e\ud800") == "a␀b␛⟨U+202E⟩⟨U+D800⟩"


def test_room_is_for_all_texts_together() -> None:
    room = DisplayBudget(10)
    assert (room.cut("123456", most=4).left_out, room.cut("1234567").left_out) == (2, 1)
    assert room.full
    assert room.cut("x").text == ""


def test_names_with_numbers_are_in_their_order() -> None:
    assert sorted(["q10", "q2", "q", "10", "9"], key=natural_key) == ["9", "10", "q", "q2", "q10"]
