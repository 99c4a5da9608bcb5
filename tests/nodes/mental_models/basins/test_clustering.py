"""The parts of clustering by themselves: identity, words, shapes, density, the child."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest

from reasonloom.nodes.mental_models.basins import cluster_process
from reasonloom.nodes.mental_models.basins.cluster_process import cluster_in_subprocess
from reasonloom.nodes.mental_models.basins.clustering import density_clusters
from reasonloom.nodes.mental_models.basins.formation import match_basins
from reasonloom.nodes.mental_models.basins.membership import Joiner, shape_of
from reasonloom.nodes.mental_models.basins.naming import cluster_keywords, content_words, name_of
from tests.support.memory.clusters import near

A, B = UUID(int=1), UUID(int=2)


def unit(rows: list[list[float]]) -> np.ndarray:
    made = np.array(rows, dtype=np.float32)
    whole: np.ndarray = made / np.linalg.norm(made, axis=1, keepdims=True)
    return whole


def test_half_of_the_members_make_the_same_basin_and_less_does_not() -> None:
    (half,) = match_basins([{1, 2, 3, 4}], {A: {1, 2, 3, 4, 5, 6, 7, 8}})
    assert half is not None and (half.basin, half.overlap) == (A, 0.5)
    assert match_basins([{1, 2, 3, 4}], {A: set(range(1, 10))}) == [None]


def test_the_larger_overlap_takes_the_basin_and_none_is_taken_twice() -> None:
    first, second = match_basins([{1, 2, 3}, {1, 2, 3, 4}], {A: {1, 2, 3, 4, 5}})
    assert first is None and second is not None and second.basin == A
    both = match_basins([{1, 2}, {3, 4}], {A: {3, 4}, B: {1, 2}})
    assert [each and each.basin for each in both] == [B, A]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["The red bicycle is broken", "A bicycle and its chain"], "bicycle"),
        (["Das Fahrrad ist für die Stadt", "Mein Fahrrad und die Kette"], "fahrrad"),
        (["Мой велосипед в городе", "Это велосипед для меня"], "велосипед"),
        (["春人は自転車が好き", "自転車を買った"], "自転"),
    ],
)
def test_words_of_every_script_without_stop_words(texts: list[str], expected: str) -> None:
    (words,) = cluster_keywords(
        [texts], ["Something else was said", "Another day", "Noch etwas", "昨日"]
    )
    assert words[0] == expected or expected in words[:2]
    assert not {"the", "is", "die", "und", "für", "в", "это"} & set(words)


SMALL = {
    "en": ("because the {} would have been there with us", "lantern kettle"),
    "de": ("und wenn der {} für uns nicht mit ihm war", "leuchter kessel"),
    "fr": ("mais pour nous le {} est avec elle dans une", "vélo panier"),
    "es": ("pero para su {} como una los más muy", "farol caldera"),
    "it": ("che non per sono una della {} nel", "lanterna pentola"),
    "pt": ("não uma das com {} os um", "lanterna panela"),
    "ru": ("или {} уже там потом надо быть для вас", "фонарь чайник"),
}


@pytest.mark.parametrize("language", SMALL)
def test_what_holds_a_sentence_together_names_no_cluster(language: str) -> None:
    """Every text of the cluster has the small words, no other has: by counting they would win."""
    frame, things = SMALL[language]
    texts = [frame.format(" ".join([thing, other])) for thing in things.split()
             for other in things.split()]  # fmt: skip
    (words,) = cluster_keywords([texts], ["xylophone quartet", "quartet zebra"])
    assert sorted(words) == sorted(things.split())


def test_ids_numbers_and_single_letters_are_no_words() -> None:
    said = content_words("mem-42 550e8400-e29b-41d4 v2 x 2026 abc123 snake_case 7b lantern 🐕")
    assert said == ["mem", "lantern"]


def test_what_all_clusters_say_is_not_what_tells_one() -> None:
    first = ["meeting about lanterns", "meeting about lanterns again", "lanterns in the meeting"]
    second = ["meeting about rivers", "meeting on rivers", "rivers meeting"]
    words = cluster_keywords([first, second], ["meeting tomorrow", "meeting today"])
    assert [each[0] for each in words] == ["lanterns", "rivers"]
    assert name_of(["a", "b", "c", "d"]) == "a, b, c"
    assert name_of([]) == "unnamed"


def test_a_memory_joins_where_half_of_the_members_are_no_nearer() -> None:
    inside = unit(near(0, 12))
    joiner = Joiner.of([shape_of(inside, 0.16), shape_of(unit(near(30, 12)), 0.16)])
    far = np.zeros((1, 64), dtype=np.float32)
    far[0, 0], far[0, 20] = 0.5, 0.866
    places, strengths = joiner.place(np.concatenate([inside.mean(0, keepdims=True), far]))
    assert places.tolist() == [0, -1]
    assert strengths[0] > 0.9 and strengths[1] == 0


def test_a_seed_gives_the_same_and_random_vectors_give_nothing() -> None:
    rows = np.concatenate([unit(near(place * 9, 12)) for place in range(5)])
    first, second = (density_clusters(rows, floor=0.16, seed=7) for _ in range(2))
    assert (first[0] == second[0]).all() and (first[1] == second[1]).all()
    assert first[0].max() >= 4
    dice = np.random.default_rng(1).standard_normal((300, 256))
    labels, strengths = density_clusters(unit(dice.tolist()), floor=0.16, seed=7)
    assert (labels == -1).all() and not strengths.any()


def test_twins_stand_together() -> None:
    rows = unit(near(0, 1) * 30 + near(9, 10) + near(18, 10) + near(27, 10))
    labels, _ = density_clusters(rows, floor=0.16, seed=7)
    assert len(set(labels[:30].tolist())) == 1


async def test_a_child_answers_what_clustering_here_does() -> None:
    rows = np.concatenate([unit(near(place * 9, 12)) for place in range(3)])
    found, sure = await cluster_in_subprocess(rows, floor=0.16, seed=7)
    labels, strengths = density_clusters(rows, floor=0.16, seed=7)
    assert found.tolist() == labels.tolist() and labels.max() > 0
    assert sure.tolist() == strengths.tolist()


async def test_a_child_that_fails_is_a_fault_and_not_an_answer() -> None:
    with pytest.raises(Exception, match="clustering ended"):
        await cluster_in_subprocess(np.zeros((10,), dtype=np.float32), floor=0.16, seed=7)


def test_what_to_install_is_said() -> None:
    assert "reasonloom[models]" in cluster_process.MISSING
