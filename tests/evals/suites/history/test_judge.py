"""An answer is judged by what it holds of a chain, in which order, and how much else."""

from __future__ import annotations

from reasonloom.evals.suites.history.data import load_history
from reasonloom.evals.suites.history.suite import judge_chain, share_predicted

CHAIN = next(chain for chain in load_history().chains if len(chain.chain) == 4)
FIRST, SECOND, THIRD, LAST = ([turn] for turn in CHAIN.chain)
WRONG = [CHAIN.distractors[0].turn]
OTHER = ["h99-s1-t01"]


def test_the_whole_chain_in_order_is_right() -> None:
    answer = judge_chain(CHAIN, [FIRST, SECOND, THIRD, LAST])
    assert answer.right
    assert (answer.share, answer.pure, answer.strayed) == (1.0, 1.0, 0)


def test_a_piece_may_hold_many_turns() -> None:
    assert judge_chain(CHAIN, [[*FIRST, *OTHER, *SECOND, *THIRD, *LAST]]).right


def test_both_ends_and_half_of_it_suffice() -> None:
    answer = judge_chain(CHAIN, [FIRST, LAST])
    assert answer.right
    assert answer.share == 0.5


def test_what_lacks_an_end_or_comes_backward_is_not_right() -> None:
    assert not judge_chain(CHAIN, [SECOND, THIRD, LAST]).right
    assert not judge_chain(CHAIN, [FIRST, SECOND, THIRD]).right
    backward = judge_chain(CHAIN, [LAST, THIRD, SECOND, FIRST])
    assert backward.problem
    assert backward.solution
    assert not backward.ordered
    assert not backward.right


def test_everything_poured_out_is_not_right() -> None:
    answer = judge_chain(CHAIN, [FIRST, OTHER, OTHER, WRONG, LAST])
    assert answer.pure == 0.4
    assert answer.strayed == 1
    assert not answer.right


def test_a_distractor_beside_the_chain_in_one_piece_is_no_straying() -> None:
    assert judge_chain(CHAIN, [[*FIRST, *WRONG], LAST]).strayed == 0


def test_nothing_is_judged_as_nothing() -> None:
    answer = judge_chain(CHAIN, [])
    assert not answer.right
    assert (answer.share, answer.pure) == (0.0, 0.0)


def test_what_came_after_is_counted() -> None:
    moment = next(each for each in load_history().moments if len(each.after) == 2)
    assert share_predicted(moment, []) == 0
    assert share_predicted(moment, [OTHER, [moment.after[1]]]) == 0.5
    assert share_predicted(moment, [moment.after]) == 1
