"""The order of problems, held against every order and every chain that there can be."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reasonloom.nodes.thinking.breakdown.dependencies import (
    certainty,
    check_links,
    critical_path,
    find_cycle,
    levels,
    predecessors,
    topological_order,
)
from reasonloom.nodes.thinking.breakdown.state import (
    ROOT,
    Link,
    Problem,
    is_within,
    is_work,
    place_of,
)

MOST = 12


def tree_of(parents: list[int], *, efforts: list[float] | None = None) -> list[Problem]:
    """Return a tree: each entry names the place in the list of a problem's parent."""
    problems = [Problem(id=ROOT, text="p", description="p", depth=1, parent=None)]
    for place, parent in enumerate(parents):
        above = problems[parent % len(problems)]
        above["split_by"] = "llm"
        number = sum(each["parent"] == above["id"] for each in problems)
        one = Problem(id=f"{above['id']}-{number}", text="p", description="p",
                      depth=above["depth"] + 1, parent=above["id"])  # fmt: skip
        if efforts:
            one["effort"] = efforts[place]
        problems.append(one)
    return problems


@st.composite
def breakdowns(draw: st.DrawFn) -> tuple[list[Problem], list[Link]]:
    size = draw(st.integers(1, MOST - 1))
    parents = draw(st.lists(st.integers(0, MOST), min_size=size, max_size=size))
    whole = st.integers(1, 9).map(float)
    efforts = draw(st.none() | st.lists(whole, min_size=size, max_size=size))
    problems = tree_of(parents, efforts=efforts)
    ids = [each["id"] for each in problems]
    ends = st.tuples(st.sampled_from(ids), st.sampled_from(ids), st.integers(0, 10))
    links = [
        Link(before=before, after=after, type="needs", certainty=sure / 10)
        for before, after, sure in draw(st.lists(ends, max_size=14))
    ]
    return problems, links


def must(problems: list[Problem], links: list[Link]) -> set[tuple[str, str]]:
    """Return all pairs (earlier, later), written down anew and closed under `and then`."""
    ids = [each["id"] for each in problems]
    pairs = {(a, b) for a in ids for b in ids if a != b and is_within(b, a)}
    for link in links:
        pairs |= {
            (a, b) for a in ids for b in ids
            if is_within(a, link["before"]) and is_within(b, link["after"])
        }  # fmt: skip
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs |= more
    return pairs


@given(breakdowns())
@settings(max_examples=300, deadline=None)
def test_the_order_respects_every_dependency(made: tuple[list[Problem], list[Link]]) -> None:
    problems, links = made
    found = check_links(problems, links)
    order = topological_order(predecessors(problems, found.links))
    assert sorted(order) == sorted(each["id"] for each in problems)
    assert order[0] == ROOT
    for before, after in must(problems, found.links):
        assert order.index(before) < order.index(after)


@given(breakdowns())
@settings(max_examples=300, deadline=None)
def test_circles_lose_no_more_than_they_must(made: tuple[list[Problem], list[Link]]) -> None:
    problems, links = made
    found = check_links(problems, links)
    assert find_cycle(predecessors(problems, found.links)) is None
    told = {(each["before"], each["after"]) for each in [*found.links, *found.dropped]}
    assert told == {(each["before"], each["after"]) for each in links}
    for link in found.dropped:
        if is_within(link["before"], link["after"]) or is_within(link["after"], link["before"]):
            continue
        surer = [each for each in found.links if certainty(each) >= certainty(link)]
        assert find_cycle(predecessors(problems, [*surer, link])), "it could have stayed"


@given(breakdowns())
@settings(max_examples=200, deadline=None)
def test_the_critical_path_is_the_longest_chain(made: tuple[list[Problem], list[Link]]) -> None:
    problems, links = made
    kept = check_links(problems, links).links
    before = predecessors(problems, kept)
    chain = critical_path(problems, before, topological_order(before))
    pairs = must(problems, kept)
    work = {each["id"]: each for each in problems if is_work(each)}
    by_effort = all("effort" in each for each in work.values())
    weight = {name: each["effort"] if by_effort else 1.0 for name, each in work.items()}

    def chains(at: str) -> Iterator[float]:
        yield weight[at]
        for each in work:
            if (at, each) in pairs:
                yield from (weight[at] + rest for rest in chains(each))

    assert chain.basis == ("effort" if by_effort else "count")
    assert chain.length == max(length for each in work for length in chains(each))
    assert chain.length == sum(weight[each] for each in chain.problems)
    assert all(pair in pairs for pair in pairwise(chain.problems))


@given(breakdowns())
@settings(max_examples=200, deadline=None)
def test_a_level_depends_on_earlier_levels_alone(made: tuple[list[Problem], list[Link]]) -> None:
    problems, links = made
    kept = check_links(problems, links).links
    before = predecessors(problems, kept)
    found = levels(problems, before, topological_order(before))
    pairs = must(problems, kept)
    at = {each: number for number, level in enumerate(found) for each in level}
    assert set(at) == {each["id"] for each in problems if is_work(each)}
    for one, level in at.items():
        earlier = [number for other, number in at.items() if (other, one) in pairs]
        assert level == max((each + 1 for each in earlier), default=0)


def test_without_dependencies_the_order_is_that_of_an_outline() -> None:
    problems = tree_of([0, 0, 1, 1, 2, 0])
    order = topological_order(predecessors(problems, []))
    assert order == sorted(order, key=place_of)
    assert [each.removeprefix(ROOT) for each in order] == [
        "", "-0", "-0-0", "-0-1", "-1", "-1-0", "-2",
    ]  # fmt: skip


def linked(*ends: tuple[str, str, float]) -> list[Link]:
    return [
        Link(before=ROOT + before, after=ROOT + after, type="needs", certainty=sure)
        for before, after, sure in ends
    ]


def test_a_circle_loses_its_least_certain_link_and_a_note_names_it() -> None:
    problems = tree_of([0, 0, 0])
    found = check_links(problems, linked(("-0", "-1", 0.9), ("-1", "-2", 0.3), ("-2", "-0", 0.8)))
    assert found.dropped == linked(("-1", "-2", 0.3))
    assert len(found.notes) == 1
    assert f"{ROOT}-1 before {ROOT}-2 was left out: it closes the circle" in found.notes[0]
    assert "0.30" in found.notes[0]


def test_a_circle_through_the_tree_is_found() -> None:
    """All of 1 before 2, and a part of 2 before a part of 1, cannot both be."""
    problems = tree_of([0, 0, 1, 1, 2, 2])
    found = check_links(problems, linked(("-0", "-1", 0.9), ("-1-0", "-0-1", 0.5)))
    assert found.dropped == linked(("-1-0", "-0-1", 0.5))


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [("-0", "-0", "a part of the other"), ("", "-0", "a part of"), ("-0-0", "", "a part of"),
     ("-7", "-0", "no such"), ("-0", "-7", "no such")],
)  # fmt: skip
def test_what_cannot_hold_is_left_out_and_said(before: str, after: str, why: str) -> None:
    problems = tree_of([0, 0, 1])
    found = check_links(problems, linked((before, after, 1.0)))
    assert (found.links, len(found.dropped)) == ([], 1)
    assert why in found.notes[0]


def test_what_is_the_same_as_another_is_no_work() -> None:
    problems = tree_of([0, 0, 0])
    twin: dict[str, Any] = {"reason": "duplicate", "duplicate_of": f"{ROOT}-0"}
    problems[3] = Problem(**{**problems[3], **twin})  # type: ignore[typeddict-item]
    before = predecessors(problems, linked(("-0", "-2", 1.0)))
    assert levels(problems, before, topological_order(before)) == [[f"{ROOT}-0", f"{ROOT}-1"]]
    assert critical_path(problems, before, topological_order(before)).length == 1.0


def test_a_thousand_links_in_circles_are_soon_put_in_order() -> None:
    problems = tree_of([place // 5 for place in range(199)])
    ids = [each["id"] for each in problems]
    links = [
        Link(before=ids[at * 7 % 200], after=ids[at * 13 % 200], type="needs",
             certainty=at % 11 / 10)
        for at in range(1500)
    ]  # fmt: skip
    found = check_links(problems, links)
    assert find_cycle(predecessors(problems, found.links)) is None
    assert found.dropped and found.links
