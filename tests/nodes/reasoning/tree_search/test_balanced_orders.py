"""The orders of ballots: no two alike, and no thing more often first than last."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from reasonloom.nodes.judging.ballots import balanced_orders


@given(count=st.integers(0, 12), most=st.integers(1, 12), seed=st.text(max_size=3))
def test_orders_are_balanced_and_differ(count: int, most: int, seed: str) -> None:
    things = [f"thing {number}" for number in range(count)]
    orders = balanced_orders(things, most, seed)
    assert orders == balanced_orders(things, most, seed)
    assert all(sorted(order) == sorted(things) for order in orders)
    assert len({tuple(order) for order in orders}) == len(orders) == min(most, count)
    if most > 1:
        firsts, lasts = Counter(o[0] for o in orders), Counter(o[-1] for o in orders)
        assert firsts == lasts


def test_two_things_are_compared_in_both_orders() -> None:
    assert sorted(balanced_orders(["a", "b"], 3, "seed")) == [["a", "b"], ["b", "a"]]
