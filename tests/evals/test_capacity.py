"""The estimate of machines and sizes, and the arithmetic that it is made of."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.errors import InvalidArgument
from reasonloom.evals.scale.check import Sample, predict, sample_of
from reasonloom.evals.scale.costs import Costs, read_costs
from reasonloom.evals.scale.simulation import Demand, Prices, estimate
from tests.cli.test_every_command import Type, type_

__all__ = ["type_"]
COSTS, PRICES = Costs(), Prices()
TEAM = Demand(200, 5_000, 20)
ALONE = Sample(1, 20.0, 0.040, 0.012, 0.008, 2.0)


def test_the_same_seed_draws_the_same() -> None:
    assert estimate(TEAM, COSTS, PRICES) == estimate(TEAM, COSTS, PRICES)
    assert estimate(TEAM, COSTS, PRICES) != estimate(TEAM, COSTS, PRICES, seed=8)


@given(st.integers(1, 5_000), st.floats(1, 5_000), st.floats(0.1, 100))
def test_more_of_anything_needs_no_less(owners: int, memories: float, calls: float) -> None:
    demand = Demand(owners, memories, calls)
    before = estimate(demand, COSTS, PRICES)
    more_memories = estimate(replace(demand, memories=2 * memories), COSTS, PRICES)
    more_calls = estimate(replace(demand, calls=2 * calls), COSTS, PRICES)
    dearer = estimate(demand, replace(COSTS, read_process=1.0), PRICES)
    assert more_memories.gigabytes > before.gigabytes
    assert more_calls.calls > before.calls
    assert more_calls.replicas >= before.replicas
    assert dearer.replicas >= before.replicas
    assert min(before.replicas, before.databases) >= 1


def test_bytes_are_the_measured_ones() -> None:
    many = estimate(Demand(100_000, 100, 0.001), replace(COSTS, overhead=1), PRICES)
    assert many.gigabytes == pytest.approx(100_000 * 100 * 4_830 / 1e9, rel=0.05)


def test_what_one_database_cannot_hold_is_spread() -> None:
    found = estimate(Demand(1_000_000, 500, 20), COSTS, PRICES)
    assert (found.databases > 1, found.by) == (True, "bytes")
    assert 1 / found.databases <= found.fullest < 1.1 / found.databases


@pytest.mark.parametrize(("count", "available", "callers", "rate"), [
    (1, 2.0, 1_000, 20.0),  # what one process can do
    (2, 4.0, 1_000, 40.0),  # twice as much, on processors enough
    (4, 2.0, 1_000, 2.0 / 0.060),  # all of the processors there are
    (2, 1.0, 1_000, 1.0 / 0.060),  # less of them, as others use the rest
    (4, 9.0, 30, 30.0),  # what is asked for
])  # fmt: skip
def test_the_least_limit_counts(count: int, available: float, callers: float, rate: float) -> None:
    assert predict(ALONE, count, available, callers) == pytest.approx(rate)


def test_a_sample_is_the_difference_of_two_readings() -> None:
    before = {"own": 1.0, "postgres": 2.0, "callers": 3.0, "idle": 10.0, "at": 0.0}
    after = {"own": 5.0, "postgres": 4.0, "callers": 4.0, "idle": 13.0, "at": 10.0}
    assert sample_of(2, 100, before, after) == Sample(2, 10.0, 0.04, 0.02, 0.01, 1.0)


def test_profiles_are_printed(type_: Type) -> None:
    printed = type_("capacity").out
    for name in ("one person", "a team", "a company", "a service"):
        assert name in printed
    assert "estimated from measured costs" in printed
    words = ("--owners", "1000", "--memories", "100", "--calls-per-hour", "5", "--json")
    (found,) = json.loads(type_("capacity", *words).out)["estimates"]
    assert (found["profile"], found["owners"], found["databases"]) == ("yours", 1_000, 1)


@pytest.mark.parametrize(("text", "fault"), [
    ("{", "cannot be read as JSON"),
    ("[]", "must be an object with some of"),
    ('{"bytes": 5}', "not bytes"),
    ('{"memory_bytes": 0}', "memory_bytes: must be a number above 0"),
    ('{"memory_bytes": true}', "memory_bytes: must be a number above 0"),
])  # fmt: skip
def test_wrong_costs_are_refused(text: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    path.write_text(text)
    with pytest.raises(InvalidArgument, match="--costs"):
        read_costs(path)
    with pytest.raises(InvalidArgument) as caught:
        read_costs(path)
    assert fault in caught.value.message
    path.write_text('{"memory_bytes": 9000}')
    assert read_costs(path) == Costs(memory_bytes=9_000)
