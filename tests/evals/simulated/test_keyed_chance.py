"""Chance that is keyed: the same in any order, and never the same for two keys."""

from __future__ import annotations

import statistics

from reasonloom.evals.simulated.conversation import GPT_4
from reasonloom.evals.simulated.draw import chance, stream, trait
from tests.evals.simulated.odds import plausible

KEYS = [
    (0, "4 5 6 10", "propose", "", 0),
    (1, "4 5 6 10", "propose", "", 0),
    (0, "4 5 6 11", "propose", "", 0),
    (0, "4 5 6 10", "value", "", 0),
    (0, "4 5 6 10", "propose", "4 5", 0),
    (0, "4 5 6 10", "propose", "", 1),
    (0, '4 5 6 10", "propose', "", "", 0),
]


def test_each_part_of_a_key_counts_and_none_runs_into_the_next() -> None:
    assert len({stream(*key).random() for key in KEYS}) == len(KEYS)
    assert len({chance(*key) for key in KEYS}) == len(KEYS)
    assert trait("a", "b", "c").random() != trait("a", "bc").random()


def test_draws_are_what_they_always_were() -> None:
    """Figures that were shown come out again only if these stay."""
    assert round(stream(7, "item", "kind", "state", 3).random(), 12) == STREAM
    assert round(chance(7, "item", "kind", "state", 3), 12) == CHANCE
    assert round(trait("item", "kind", "state").random(), 12) == TRAIT


def test_one_draw_of_each_of_many_keys_is_even() -> None:
    for draw in (chance, lambda *key: stream(*key).random()):
        drawn = [draw(0, "item", "kind", "state", sample) for sample in range(4000)]
        for tenth in range(10):
            hits = sum(tenth / 10 <= each < (tenth + 1) / 10 for each in drawn)
            assert plausible(hits, 4000, 0.1)
        following = statistics.correlation(drawn[:-1], drawn[1:])
        assert abs(following) < 0.07


def test_a_question_is_paid_once_however_many_samples_its_answer_holds() -> None:
    usage = GPT_4.usage(297, 20 * 46)
    assert (usage.tokens_in, usage.tokens_out, usage.estimated) == (297, 920, True)
    assert usage.cost_usd == 297 * 3e-5 + 920 * 6e-5


STREAM, CHANCE, TRAIT = 0.82734854263, 0.447641514803, 0.11491988706
