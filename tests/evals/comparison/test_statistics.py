"""The statistics against known answers, other people's code, and their promises on made-up data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.power import (
    least_effect,
    least_effect_right_wrong,
    plan,
    power_of_mean,
    power_right_wrong,
)
from reasonloom.evals.comparison.statistics import (
    ClusterSums,
    cluster_sums,
    holm,
    interval,
    mcnemar_exact,
    mcnemar_mid_p,
    no_difference,
    sign_flip_mid_p,
)
from tests.support.evals.calibration import in_clusters, measure_calibration, right_wrong

FLIPS = [(8, 2), (0, 5), (3, 3), (25, 10), (1, 0), (40, 41)]


@pytest.mark.parametrize(("to_right", "to_wrong"), FLIPS)
def test_mcnemar_is_the_binomial_test(to_right: int, to_wrong: int) -> None:
    exact = binomtest(to_right, to_right + to_wrong).pvalue
    assert mcnemar_exact(to_right, to_wrong) == pytest.approx(exact)
    assert mcnemar_exact(to_right, to_wrong) == mcnemar_exact(to_wrong, to_right)
    assert mcnemar_mid_p(to_right, to_wrong) <= mcnemar_exact(to_right, to_wrong)


def test_mid_p_is_that_of_a_published_table() -> None:
    # Fagerland, Lydersen & Laake 2013, table 1: airway hyper-responsiveness, 1 and 7 flips.
    assert mcnemar_exact(1, 7) == pytest.approx(0.0703, abs=1e-4)
    assert mcnemar_mid_p(1, 7) == pytest.approx(0.0391, abs=1e-4)
    assert mcnemar_exact(0, 0) == mcnemar_mid_p(0, 0) == 1


def of(*sums: float) -> ClusterSums:
    return ClusterSums(np.array(sums), np.ones(len(sums)))


def every_sign(sums: Sequence[float]) -> float:
    """Return the mid-p by trying all signs, as the definition has it."""
    totals = [abs(math.fsum(s * x for s, x in zip(signs, sums, strict=True)))
              for signs in product((-1, 1), repeat=len(sums))]  # fmt: skip
    reached = abs(math.fsum(sums))
    beyond = sum(total > reached + 1e-9 for total in totals)
    return (beyond + sum(abs(total - reached) <= 1e-9 for total in totals) / 2) / len(totals)


def test_the_test_by_signs_is_its_definition() -> None:
    sums = [0.3, -0.1, 0.25, 0.7, -0.2, 0.1]
    assert sign_flip_mid_p(of(*sums, 0.0, 0.0)) == pytest.approx(every_sign(sums))
    assert sign_flip_mid_p(of(0.0, 0.0)) == 1
    many = [1.0] * 30 + [-1.0] * 14
    assert sign_flip_mid_p(of(*many)) == pytest.approx(mcnemar_mid_p(30, 14), abs=0.006)
    assert sign_flip_mid_p(of(*many)) == sign_flip_mid_p(of(*[-each for each in many]))


def test_holm_is_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.5]) == [1.0, 1.0]
    assert holm([]) == []


def test_the_error_is_that_of_cluster_sums() -> None:
    alone = cluster_sums(np.array([1.0, 0.0, -1.0, 1.0]), ["", "", "", ""])
    assert alone.count == 4
    assert alone.error == pytest.approx(np.std([1, 0, -1, 1], ddof=1) / 2)
    twice = cluster_sums(np.array([1.0, 0.0, -1.0, 1.0] * 2), ["a", "b", "c", "d"] * 2)
    assert (twice.count, twice.mean) == (4, alone.mean)
    assert twice.error == pytest.approx(alone.error), "a copy of each item teaches nothing"
    assert cluster_sums(np.array([1.0]), [""]).error == 0


def test_an_interval_is_about_that_of_the_normal_where_there_is_much() -> None:
    drawn = np.random.default_rng(1).normal(0.2, 1.0, 2_000)
    low, high = interval(cluster_sums(drawn, [""] * 2_000))
    reach = 1.96 * np.std(drawn, ddof=1) / math.sqrt(2_000)
    assert (high - low) / 2 == pytest.approx(reach, rel=0.05)
    assert (high + low) / 2 == pytest.approx(float(drawn.mean()))


def test_the_same_data_give_the_same_interval_in_any_order() -> None:
    drawn = np.random.default_rng(2).normal(0.2, 1.0, 300)
    names = [f"c{n % 40}" for n in range(300)]
    turned = interval(cluster_sums(drawn[::-1], names[::-1]))
    assert interval(cluster_sums(drawn, names)) == pytest.approx(turned)
    assert interval(of(0.5, 0.5, 0.5)) == (0.5, 0.5)
    assert no_difference(100) == pytest.approx(0.0362, abs=1e-4)


def test_power_is_exact_where_it_can_be_counted() -> None:
    # 10 items that all flip, nine of ten to the right: mid-p finds 0, 1 or 9, 10 of ten.
    found = sum(math.comb(10, k) * 0.9**k * 0.1 ** (10 - k) for k in (0, 1, 9, 10))
    assert mcnemar_mid_p(2, 8) > 0.05 > mcnemar_mid_p(1, 9)
    assert power_right_wrong(10, 0.8, 1.0) == pytest.approx(found)
    assert power_right_wrong(10, -0.8, 1.0) == pytest.approx(found)


def test_the_least_effect_is_found_8_times_out_of_10() -> None:
    least = least_effect_right_wrong(300, 0.3)
    assert least is not None
    assert power_right_wrong(300, least, 0.3) == pytest.approx(0.8, abs=0.005)
    assert least_effect_right_wrong(5, 0.5) is None
    assert power_of_mean(least_effect(0.03, 60), 0.03, 60) == pytest.approx(0.8, abs=0.005)
    assert power_of_mean(0.0, 0.03, 60) == pytest.approx(0.05)


def test_a_plan_tells_the_usual_differences_or_the_one_asked_for() -> None:
    told = plan(200, flips=0.25)
    assert list(told["power"]) == [0.02, 0.05, 0.1, 0.15, 0.2]
    assert told["power"][0.1] == pytest.approx(0.82, abs=0.02)
    assert list(plan(200, effect=0.07)["power"]) == [0.07]
    for wrong in ({"flips": 0.0}, {"flips": 1.5}, {"flips": 0.1, "effect": 0.2}):
        with pytest.raises(InvalidArgument, match=r"(flips|effect): "):
            plan(200, **wrong)
    with pytest.raises(InvalidArgument, match="items: must be 1 to 100,000"):
        plan(0)


def test_made_up_worlds_have_the_difference_and_the_likeness_that_they_say() -> None:
    chance = np.random.default_rng(3)
    world = in_clusters(4_000, 5, 5, 0.2, 0.1, 0.3)
    drawn = world.draw(chance)
    assert drawn.mean == pytest.approx(0.1, abs=0.02)
    alone = right_wrong(20_000, 0.2, 0.1).draw(chance)
    design = (drawn.error / alone.error) ** 2
    assert design == pytest.approx(1 + 4 * 0.3, rel=0.1)


@pytest.mark.timeout(600)
def test_the_statistics_keep_their_promises_on_made_up_data() -> None:
    """The study of `tests.support.evals.calibration` in small: within 4 standard errors."""
    for share in measure_calibration(lambda what, done, total: None, repetitions=300, seed=4):
        slack = 4 * max(share.error, 100 * math.sqrt(0.05 * 0.95 / 300))
        assert share.least - slack <= share.per_cent <= share.most + slack, share
