"""A split keeps clusters together, is the same in any order, and comes near its shares."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.errors import InvalidArgument
from reasonloom.evals.core.item import Item
from reasonloom.evals.core.suite import Suite
from reasonloom.evals.optimization.split import Split, split
from reasonloom.evals.scorers.text import exact
from tests.support.evals.optimisation import tutored


def parts(found: Split) -> list[set[str]]:
    return [{item.id for item in part} for part in (found.train, found.validation, found.test)]


def test_the_parts_are_the_suite_and_share_no_cluster() -> None:
    suite = tutored(90, clusters=15)
    found = split(suite, 7)
    assert set.union(*parts(found)) == {item.id for item in suite.items}
    clusters = [{item.cluster for item in p} for p in (found.train, found.validation, found.test)]
    assert not any(one & two for one, two in combinations(clusters, 2))
    about = found.about()
    assert [about[name]["items"] for name in ("train", "validation", "test")] == [30, 24, 36]
    assert about["test"]["clusters"] == 6


def test_the_order_of_the_items_means_nothing_and_the_seed_all() -> None:
    suite = tutored(40)
    turned = replace(suite, items=suite.items[::-1])
    assert parts(split(suite, 3)) == parts(split(turned, 3))
    assert parts(split(suite, 3)) != parts(split(suite, 4))


@given(st.lists(st.integers(0, 8), min_size=3, max_size=60), st.integers(0, 99))
def test_no_part_is_empty_where_there_are_three_clusters(sizes: list[int], seed: int) -> None:
    items = [
        Item(f"{place}-{n}", "?", "!", f"c{place}")
        for place, size in enumerate(sizes)
        for n in range(size + 1)
    ]
    found = split(Suite("made", items, (exact(),)), seed)
    assert all(parts(found))
    assert Counter(item.id for part in (found.train, found.validation, found.test) for item in part)


@pytest.mark.parametrize("shares", [(1, 1), (1, 0, 1), (1, 1, -1), ()])
def test_shares_that_are_none_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(InvalidArgument, match="split: must be three numbers above 0"):
        split(tutored(), 0, shares)


def test_two_clusters_are_too_few() -> None:
    with pytest.raises(InvalidArgument, match="has 2 clusters"):
        split(tutored(10, clusters=2), 0)
