"""What several judges say is joined where it is the same, and never where it is the opposite."""

from __future__ import annotations

from reasonloom.nodes.judging.joining import group_texts, merge_reasons, says_same


def test_texts_that_say_the_same_are_one_group_the_largest_first() -> None:
    texts = ["The sample is old.", "No figure backs it.", "The sample is very old", "no figure"]
    texts += ["No figure backs it at all."]
    assert group_texts(texts) == [
        ["No figure backs it.", "no figure", "No figure backs it at all."],
        ["The sample is old.", "The sample is very old"],
    ]


def test_a_denial_is_another_matter() -> None:
    assert not says_same("The ledger of March is complete.", "The ledger of March is not complete.")


def test_texts_without_telling_words_are_the_same_only_letter_by_letter() -> None:
    assert says_same("So?", "so?")
    assert not says_same("So?", "Oh?")


def test_a_merged_reason_has_each_matter_once_and_at_most_three() -> None:
    texts = ["The sample is old", "The sample is old.", "Costs are left out.", "It is a guess."]
    merged = merge_reasons([*texts, "Nobody counted votes."])
    assert merged == "The sample is old. Costs are left out. It is a guess."
    assert merge_reasons(["", " "]) is None
