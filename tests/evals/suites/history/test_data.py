"""The labelled sessions are what their page says, and a broken set is refused."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.suites.history.data import (
    CHAINS,
    HERE,
    MOMENTS,
    TURNS,
    load_history,
    require_wording,
)
from reasonloom.evals.suites.history.records import KINDS, Link, LinkedBy
from tests.support.history_overlap import by_kind, foreseen, found

FILES = (TURNS, CHAINS, MOMENTS)


@pytest.mark.parametrize("name", FILES)
def test_the_page_holds_the_hash_of_the_file(name: str) -> None:
    readme = (HERE / "README.md").read_text()
    assert f"sha256 of `{name}`: {load_history('all').sha256[name]}\n" in readme
    assert load_history("dev").sha256 == load_history("held").sha256


def test_without_plain_the_chains_are_byte_for_byte_the_file_before_it() -> None:
    before = []
    for line in (HERE / CHAINS).read_text(encoding="utf-8").splitlines(keepends=True):
        added = f', "plain": {json.dumps(json.loads(line)["plain"], ensure_ascii=False)}'
        assert line.count(added) == 1
        before.append(line.replace(added, ""))
    told = hashlib.sha256("".join(before).encode()).hexdigest()
    assert f"is byte for byte the file before it ({told})" in (HERE / "README.md").read_text()


def test_a_question_is_asked_in_the_wording_that_is_named() -> None:
    for chain in load_history().chains:
        assert chain.in_wording(require_wording("other")) == chain.question != chain.plain
        assert chain.in_wording(require_wording("plain")) == chain.plain
    with pytest.raises(InvalidArgument, match="asked: must be one of other, plain"):
        require_wording("others")


def test_dev_is_given_unless_another_half_is_named() -> None:
    assert load_history() == load_history("dev") != load_history("held")
    assert {chain.half for chain in load_history().chains} == {"dev"}


def test_halves_are_fourteen_worlds_each_and_share_none() -> None:
    dev, held = (load_history(half).worlds for half in ("dev", "held"))
    assert len(dev) == len(held) == 14
    for of in ("id", "project"):
        assert {getattr(world, of) for world in dev}.isdisjoint(
            {getattr(world, of) for world in held}
        )
    assert {world.id for world in load_history("all").worlds} == {
        world.id for world in (*dev, *held)
    }


@pytest.mark.parametrize("half", ["dev", "held"])
def test_a_half_is_balanced_by_kind_and_holds_every_language(half: str) -> None:
    one = load_history(half)
    assert Counter(chain.kind for chain in one.chains) == dict.fromkeys(KINDS, 3)
    assert len(one.moments) == 14
    spoken = Counter(world.turns[0].language for world in one.worlds)
    assert spoken == {"en": 10, "de": 1, "fr": 1, "es": 1, "ja": 1}


def test_counts_are_those_of_the_page() -> None:
    readme = (HERE / "README.md").read_text()
    for half in ("dev", "held"):
        one = load_history(half)
        sessions = sum(len(world.sessions) for world in one.worlds)
        turns = sum(len(world.turns) for world in one.worlds)
        linked = sum(len(chain.chain) for chain in one.chains)
        wrong = sum(len(chain.distractors) for chain in one.chains)
        told = [len(one.worlds), sessions, turns, len(one.chains), linked, wrong, len(one.moments)]
        assert f"| {half} | {' | '.join(map(str, told))} |\n" in readme


def test_every_link_and_every_distraction_occurs_in_both_halves() -> None:
    for half in ("dev", "held"):
        chains = load_history(half).chains
        assert {link.by for chain in chains for link in chain.links} == {
            "file", "error", "name", "topic", "decision", "continuation", "time", "report"
        }  # fmt: skip
        assert {each.why for chain in chains for each in chain.distractors} == {
            "similar", "same_file", "same_error", "abandoned", "chatter"
        }  # fmt: skip


@pytest.mark.parametrize(
    ("by", "both", "later", "earlier", "neither"),
    [
        ("file", True, False, False, False),
        ("error", True, False, False, False),
        ("name", True, False, False, False),
        ("decision", True, True, False, False),
        ("continuation", True, True, False, False),
        ("topic", True, True, True, False),
    ],
)
def test_a_link_holds_where_its_words_are_due(
    by: LinkedBy, both: bool, later: bool, earlier: bool, neither: bool
) -> None:
    link = Link(by=by, what="Große A.py")
    has, lacks = "in große a.py", "elsewhere"
    assert link.holds(has, has) is both
    assert link.holds(lacks, has) is later
    assert link.holds(has, lacks) is earlier
    assert link.holds(lacks, lacks) is neither


def test_most_chains_cross_sessions_and_step_over_others() -> None:
    chains = load_history("all").chains
    sessions = [[turn.rsplit("-", 1)[0] for turn in chain.chain] for chain in chains]
    assert sum(len(set(each)) > 1 for each in sessions) == 42
    over = [int(b[-1]) - int(a[-1]) > 1 for each in sessions for a, b in pairwise(each)]
    assert sum(over) >= 30


def test_no_said_text_is_there_twice() -> None:
    said = Counter(
        turn.text.casefold()
        for world in load_history("all").worlds
        for turn in world.turns
        if turn.role in {"user", "assistant"}
    )
    assert [text for text, times in said.items() if times > 1] == []


@pytest.mark.parametrize("half", ["dev", "held"])
@pytest.mark.parametrize("own_world", [True, False])
def test_words_alone_do_not_find_chains(half: str, own_world: bool) -> None:
    one = load_history(half)
    chains = found(one, own_world=own_world)
    shares = [
        sum(getattr(each, of) for each in chains) / len(chains)
        for of in ("first", "last", "any", "whole", "share", "misled")
    ]
    ahead = foreseen(one, own_world=own_world)
    shares += [sum(each[1] for each in ahead) / 14, sum(each[2] for each in ahead) / 14]
    assert shares[3] == 0
    assert shares[4] < 0.3
    among = "its world" if own_world else "the half"
    readme = (HERE / "README.md").read_text()
    assert f"| {half}, {among} | {in_per_cent(shares)} |\n" in readme
    assert f"| {half}, {among} | {in_per_cent(by_kind(chains).values())} |\n" in readme


def in_per_cent(shares: Any) -> str:
    return " | ".join(f"{100 * share:.0f}" for share in shares)
