"""Two runs side by side: what they have in common, what flipped, what it cost, what is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy.stats import binomtest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.compare import compare, not_worse
from reasonloom.evals.comparison.pairs import pair_runs
from reasonloom.evals.comparison.power import plan_from_runs
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.run import run
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.core.system import System
from reasonloom.evals.core.way import Function
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.scorers.function import Measure
from reasonloom.evals.scorers.text import exact, numeric
from reasonloom.llm.interfaces import Ask
from tests.support.evals.suites import Echo, asking, log_of, suite, with_prompts


def right(folder: Path, name: str, pattern: str) -> EvalLog:
    """Write a run in which items are right (1) or wrong (0) as the pattern says."""
    return log_of(folder / name, {f"é{n}": float(each) for n, each in enumerate(pattern)})


def test_right_and_wrong_are_compared_item_by_item(tmp_path: Path) -> None:
    base = right(tmp_path, "base", "1" * 20 + "0" * 20)
    other = right(tmp_path, "other", "0" * 2 + "1" * 18 + "1" * 9 + "0" * 11)
    (found,) = compare(base, other)["compared"]
    assert found["difference"] == pytest.approx(7 / 40)
    table = found["mcnemar"]
    assert (table["to_right"], table["to_wrong"], table["both_right"], table["both_wrong"]) == (
        9,
        2,
        18,
        11,
    )
    assert (found["p"], found["test"]) == (table["mid_p"], "McNemar mid-p")
    assert found["p_holm"] == found["p"]
    low, high = found["interval"]
    assert low < 7 / 40 < high
    assert [flip["item"] for flip in found["flips"]["to_wrong"]] == ["é0", "é1"]
    assert len(found["flips"]["to_right"]) == 9
    (back,) = compare(other, base)["compared"]
    assert back["difference"] == -found["difference"]
    assert back["interval"] == pytest.approx([-high, -low], abs=0.002)


def test_several_runs_are_corrected_for_their_number(tmp_path: Path) -> None:
    base = right(tmp_path, "base", "0" * 30)
    better = right(tmp_path, "better", "1" * 8 + "0" * 22)
    same = right(tmp_path, "same", "1" + "0" * 29)
    first, second = compare(base, better, same)["compared"]
    assert first["p_holm"] == pytest.approx(2 * first["p"])
    assert second["p_holm"] == second["p"] == pytest.approx(0.5)


def test_items_that_hang_together_widen_the_interval(tmp_path: Path) -> None:
    logs: dict[str, list[EvalLog]] = {}
    for cluster in ("", "with"):
        logs[cluster] = []
        for name in ("base", "other"):
            log = EvalLog(tmp_path / f"{name}{cluster}")
            log.begin({"eval": "made", "items": 60, "epochs": 1})
            for n in range(60):
                score = float(name == "other" and n // 5 % 3 == 0)
                own = f"Ж{n // 5}" if cluster else ""
                log.add(Record(f"{n}", 0, own, {"exact": score}, 1.0, cluster=own))
            logs[cluster].append(log)
    (alone,) = compare(*logs[""])["compared"]
    (together,) = compare(*logs["with"])["compared"]
    assert (alone["clusters"], together["clusters"]) == (60, 12)
    assert together["difference"] == alone["difference"]
    wide, narrow = (each["interval"][1] - each["interval"][0] for each in (together, alone))
    assert wide > 2 * narrow
    assert together["test"] == "signs of clusters"
    assert together["p"] > 100 * alone["p"]
    assert any("McNemar's test does not know" in note for note in together["notes"])


def test_runs_that_have_nothing_in_common_are_refused(tmp_path: Path) -> None:
    one, two = log_of(tmp_path / "one", {"a": 1.0}), log_of(tmp_path / "two", {"b": 1.0})
    with pytest.raises(InvalidArgument, match="one and two have no item in common"):
        compare(one, two)
    other = log_of(tmp_path / "three", {"a": 1.0}, of="another input")
    with pytest.raises(InvalidArgument, match="no item in common"):
        compare(one, other)
    with pytest.raises(InvalidArgument, match="one: has no score best; it has exact"):
        compare(one, one, score="best")
    with pytest.raises(InvalidArgument, match="name two or more"):
        compare(one)
    with pytest.raises(InvalidArgument, match="there is no file nowhere"):
        compare(one, tmp_path / "nowhere")
    (tmp_path / "diary").write_text('{"dear": "diary"}\n')
    with pytest.raises(InvalidArgument, match="diary is no run of an eval"):
        compare(one, tmp_path / "diary")
    (tmp_path / "empty").write_text("")
    with pytest.raises(InvalidArgument, match="empty has no results"):
        compare(tmp_path / "empty", one)


def test_what_only_one_run_has_is_left_out_and_told(tmp_path: Path) -> None:
    one = log_of(tmp_path / "one", {"a": 1.0, "b": 0.0, "c": 1.0})
    two = log_of(tmp_path / "two", {"a": 0.0, "b": 0.0, "d": 1.0})
    (found,) = compare(one, two)["compared"]
    assert (found["items"], found["difference"]) == (2, -0.5)
    assert "2 items are in one of the runs only and left out" in found["notes"]


def test_where_nothing_differs_the_number_of_items_says_what_is_known(tmp_path: Path) -> None:
    one, two = right(tmp_path, "one", "10" * 50), right(tmp_path, "two", "10" * 50)
    (found,) = compare(one, two)["compared"]
    assert found["interval"] == pytest.approx([-0.0362, 0.0362], abs=1e-4)
    assert (found["p"], found["difference"]) == (1, 0)
    assert not not_worse(found, 0.02)
    assert not_worse(found, 0.04)


@pytest.mark.parametrize("items", [1, 2, 5, 6, 50])
def test_where_all_differ_alike_the_interval_leaves_0_out_as_the_exact_test_does(
    tmp_path: Path, items: int
) -> None:
    one, two = right(tmp_path, "one", "0" * items), right(tmp_path, "two", "1" * items)
    (found,) = compare(one, two)["compared"]
    low, high = found["interval"]
    assert low < 1 == high
    assert (low > 0) == (binomtest(0, items).pvalue < 0.05)
    assert (
        "all differ by the same: the interval is what so many items leave possible"
        in (found["notes"])
    )


def test_an_interval_and_a_test_that_do_not_agree_are_told(tmp_path: Path) -> None:
    base = log_of(tmp_path / "base", {f"{n}": 0.0 for n in range(100)})
    runs = [
        log_of(tmp_path / f"{flips}", {f"{n}": float(n < flips) for n in range(100)})
        for flips in (0, 5, 40)
    ]
    none, few, many = compare(base, *runs)["compared"]
    told = "the interval excludes 0, but the test does not agree: no difference is shown for sure"
    assert few["interval"][0] > 0
    assert few["p_holm"] > 0.05
    assert told in few["notes"]
    (alone,) = compare(base, runs[1])["compared"]
    assert alone["p"] <= 0.05
    assert not any("agree" in note for each in (none, alone, many) for note in each["notes"])


@pytest.mark.parametrize("items", [20, 100, 300])
def test_two_items_that_became_right_are_no_proof(tmp_path: Path, items: int) -> None:
    one, same, two = (
        right(tmp_path, name, "1" * flips + "0" * (items - flips))
        for name, flips in (("one", 0), ("same", 0), ("two", 2))
    )
    nothing, few = compare(one, same, two)["compared"]
    assert few["interval"][0] < 0
    assert few["interval"][1] - few["interval"][0] >= 2 * nothing["interval"][1]


def test_rounding_is_no_spread(tmp_path: Path) -> None:
    names = [f"{n}" for n in range(30)]
    one = log_of(tmp_path / "one", dict.fromkeys(names, 0.2))
    two = log_of(tmp_path / "two", dict.fromkeys(names, 0.3))
    (found,) = compare(one, two)["compared"]
    assert found["least_effect"] is None
    assert found["interval"] == pytest.approx([0.0769, 0.1231], abs=1e-4)
    told = plan_from_runs(pair_runs(one, two, "exact", "mean"), 500)
    assert (told["power"], told["least_effect"]) == ({}, None)
    assert "no spread" in told["notes"][0]


def test_items_of_one_cluster_that_do_not_differ_say_little(tmp_path: Path) -> None:
    scores = {f"{n}": 1.0 for n in range(1_000)}
    one, two = (log_of(tmp_path / name, scores, cluster="all") for name in ("one", "two"))
    (found,) = compare(one, two)["compared"]
    assert found["interval"] == pytest.approx([-0.975, 0.975])


async def test_another_scorer_of_the_same_name_is_told(tmp_path: Path) -> None:
    items, way = [Item("a", "1", "1.05")], Function(lambda item, epoch: item.input)
    strict, loose = numeric(), numeric(tolerance=0.1)
    one, two, three = [
        (await run(Suite("s", items, (scorer,), way), log=tmp_path / f"{n}.jsonl")).log
        for n, scorer in enumerate((strict, loose, strict))
    ]
    told = "the runs differ in how numeric is scored: the difference may be the scorer's"
    other, same = compare(one, two, three)["compared"]
    assert told in other["notes"]
    assert told not in same["notes"]


async def test_items_that_lack_the_score_are_counted(tmp_path: Path) -> None:
    def scored(few: range) -> Measure:
        return Measure("some", lambda item, output: 1.0 if int(item.id) in few else None)

    items, way = [Item(f"{n}", "x") for n in range(20)], Function(lambda item, epoch: "x")
    one, two = [
        (await run(Suite("s", items, (scorer,), way), log=tmp_path / f"{n}.jsonl")).log
        for n, scorer in enumerate((scored(range(15)), scored(range(5, 18))))
    ]
    (found,) = compare(one, two)["compared"]
    assert found["items"] == 10
    assert "10 items lack the score in one of the runs or both: left out" in found["notes"]
    assert not any("in one of the runs only" in note for note in found["notes"])


def all_but_3(ask: Ask) -> str:
    """Answer all questions right but one."""
    question = str(ask.messages[-1].content)
    return "?" if "3" in question else question.upper()


async def test_prompts_costs_and_transcripts_are_told(tmp_path: Path) -> None:
    settings = with_prompts(tmp_path / "prompts", "Say it.", "Say it ЛУЧШЕ.")
    chosen, paths = suite(12, asking()), (tmp_path / "one", tmp_path / "two")
    for version, path in enumerate(paths, 1):
        llm = Echo(usd=0.01 * version, say=all_but_3 if version == 2 else None)
        system = System(prompts={"own/answer": version}, llm=llm)
        await run(chosen, system, log=path, settings=settings, epochs=2)
    (found,) = compare(*paths)["compared"]
    assert found["costs"]["usd"]["difference"] == pytest.approx(0.01)
    assert found["costs"]["usd"]["change"] == pytest.approx(1.0)
    assert found["costs"]["calls"]["difference"] == 0
    (prompt,) = found["prompts"]
    assert (prompt["prompt"], prompt["base_version"], prompt["run_version"]) == ("own/answer", 1, 2)
    assert "+{% block system %}Say it ЛУЧШЕ.{% endblock %}" in prompt["difference"]
    (flip,) = found["flips"]["to_wrong"]
    assert (flip["item"], flip["target"]) == ("3", "WÖRT 3")
    assert [each["output"] for each in flip["base"]] == ["WÖRT 3"] * 2
    assert flip["run"][0]["calls"][0]["said"] == "?"
    json.dumps(found)


def right_so_often(often: int) -> Function:
    """Answer right in the first epochs only."""
    return Function(lambda item, epoch: "x" if epoch < often else "y")


async def test_epochs_become_one_by_the_reducer(tmp_path: Path) -> None:
    items = [Item(str(n), str(n), "x") for n in range(6)]
    logs = []
    for name, often in (("one", 1), ("two", 3)):
        ran = await run(
            Suite("s", items, (exact(),), right_so_often(often)), log=tmp_path / name, epochs=4
        )
        logs.append(ran.log)
    by = {
        how: compare(*logs, reducer=how)["compared"][0]
        for how in ("mean", "mode", "pass@2", "pass^2")
    }
    assert by["mean"]["difference"] == pytest.approx(0.5)
    assert by["mode"]["difference"] == 1
    assert by["pass@2"]["difference"] == pytest.approx(1 - 1 / 2)
    assert by["pass^2"]["difference"] == pytest.approx(1 / 2)
    assert by["mean"]["mcnemar"] is None
    assert by["mode"]["mcnemar"]["to_right"] == 6


def test_a_plan_from_a_pilot_has_its_error(tmp_path: Path) -> None:
    base = right(tmp_path, "base", "1" * 20 + "0" * 20)
    other = right(tmp_path, "other", "0" * 2 + "1" * 18 + "1" * 9 + "0" * 11)
    both = pair_runs(base, other, "exact", "mean")
    told = plan_from_runs(both, 160)
    assert told["error"] == pytest.approx(both.differences.error / 2)
    assert told["clusters"] == 160
    assert told["power"][0.2] > told["power"][0.05]
