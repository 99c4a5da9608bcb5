"""Intervals against cases that are known, and what a summary says of rows and pairs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from random import Random

import pytest

from reasonloom.evals.log import Record
from reasonloom.evals.suites.reasoning.orchestration.catalog import Orchestration, Result, Row
from reasonloom.evals.suites.reasoning.orchestration.suite import (
    bootstrap_interval,
    orchestration_summary,
    table,
)

ITEMS = 400
Scored = Callable[[int, int], float]


def records(row: str, score: Scored, *, seeds: int = 1, items: int = ITEMS) -> list[Record]:
    """Return a record for each item and seed, of one call for one cent each."""
    return [
        Record(
            f"{row}/{item}",
            seed,
            row,
            {"score": score(item, seed)},
            1.0,
            usage={"calls": 1, "tokens_in": 2, "tokens_out": 3, "usd": 0.01},
        )
        for item in range(items)
        for seed in range(seeds)
    ]


def half(item: int, _seed: int) -> float:
    return float(item % 2)


def test_a_share_of_independent_items_has_the_binomial_interval() -> None:
    low, high = bootstrap_interval(table(records("a", half)), "score", "mean")
    error = math.sqrt(0.25 / ITEMS)
    assert (low, high) == pytest.approx((0.5 - 1.96 * error, 0.5 + 1.96 * error), abs=0.005)


def test_seeds_of_an_item_are_not_taken_for_so_many_items() -> None:
    one = bootstrap_interval(table(records("a", half)), "score", "mean")
    ten = bootstrap_interval(table(records("a", half, seeds=10)), "score", "mean")
    assert ten == pytest.approx(one)


def test_two_rows_are_compared_on_the_same_items() -> None:
    chance = Random(1)  # noqa: S311
    hardness = [chance.random() for _ in range(ITEMS)]
    base = table(records("base", lambda item, _: hardness[item]))
    more = table(records("more", lambda item, _: hardness[item] + 0.25))
    twice = table(records("twice", lambda item, _: hardness[item] * 2))
    differing = bootstrap_interval(more, "score", "mean", reference=base, relation="difference")
    assert differing == pytest.approx((0.25, 0.25))
    assert bootstrap_interval(twice, "score", "mean", reference=base) == pytest.approx((2, 2))


def test_a_median_is_resampled_as_a_median() -> None:
    skewed = table(records("a", lambda item, _: 10.0**6 if item % 10 == 0 else 7.0))
    assert bootstrap_interval(skewed, "score", "median") == (7.0, 7.0)


def test_items_that_lack_a_seed_are_left_out() -> None:
    whole = records("a", half, seeds=2, items=3)
    assert table(whole[:-1]).count() == 4
    assert not table([])


async def nothing(*_: object) -> Result:
    raise AssertionError


def test_a_summary_says_what_it_cannot_say() -> None:
    suite = Orchestration(
        name="x",
        measure="share",
        better="higher",
        load=lambda _: ([], ""),
        rows=lambda _: [],
        compared=(("new", "base"), ("new", "absent")),
    )
    rows = [Row("base", nothing, "1 %", "fitted"), Row("new", nothing), Row("absent", nothing)]
    found = orchestration_summary(
        suite, rows, [*records("base", lambda *_: 0.0, seeds=2), *records("new", half, seeds=2)]
    )
    base, new = found["rows"]
    assert (base["row"], base["published"], base["status"]) == ("base", "1 %", "fitted")
    assert (base["score"], base["interval"], base["n"]) == (0.0, [0.0, 0.0], 800)
    assert (new["calls"], new["tokens_in"], new["tokens_out"], new["usd"]) == (1, 2, 3, 0.01)
    (pair,) = found["compared"]
    assert (pair["score_difference"], pair["usd_change"]) == (0.5, 0.0)
    assert (pair["score_change"], pair["score_change_interval"]) == (None, [None, None])
    json.dumps(found, allow_nan=False)


def test_seeds_differ_by_their_standard_deviation() -> None:
    rows = [Row("a", nothing)]
    suite = Orchestration("x", "share", "higher", lambda _: ([], ""), lambda _: [])
    found = orchestration_summary(suite, rows, records("a", lambda _, seed: seed / 10, seeds=3))
    assert found["rows"][0]["seed_sd"] == pytest.approx(0.1)
