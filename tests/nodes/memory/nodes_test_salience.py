"""Salience follows its formula: each figure here was worked out by hand."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.nodes.memory.new_memory import emotion, salience, specificity


@pytest.mark.parametrize(
    ("content", "importance", "expected"),
    [
        ("Green tea is kept in the tin.", 0.5, 0.5),
        ("Green tea is kept in the tin.", 0.9, 0.7),
        ("Green tea is kept in the tin.", 0.0, 0.25),
        ("Never serve coffee.", 0.5, 0.55),
        ("Never say never, never", 0.5, 0.55),  # distinct words
        ("Important, urgent, critical: always remember the key.", 1.0, 0.9),  # at most three
        ("She was happy.", 0.5, 0.525),
        ("She was not happy.", 0.5, 0.525),  # a negated feeling counts alike
        ("She was furious and happy.", 0.5, 0.55),  # the strongest
        ("Look!", 0.5, 0.525),
        ("The train leaves at 22:40.", 0.5, 0.51),  # one number
        ("It met Anna, and Anna met Ben.", 0.5, 0.52),  # two names
        ("Es ist wichtig, niemals zu spät zu sein.", 0.5, 0.6),
        ("Siempre es urgente.", 0.5, 0.6),
        ("Il ne faut jamais oublier ce délai.", 0.5, 0.6),
        ("必ず覚えてください", 0.5, 0.5),  # not a language that is read
        ("", 0.5, 0.5),
    ],
)
def test_the_figure_is_the_formulas(content: str, importance: float, expected: float) -> None:
    assert salience(content, importance) == pytest.approx(expected)


def test_all_parts_together_reach_one() -> None:
    text = "Always remember this deadline: hate it in Oslo with Ben at 22:40 on 3/4/2026 for 7!"
    assert (emotion(text), specificity(text)) == (1.0, 1.0)
    assert salience(text, 1.0) == 1.0


def test_a_beginning_of_a_sentence_is_no_name() -> None:
    assert specificity("Then they left. Nobody stayed. It rained") == 0.0
    assert specificity("I think I know") == 0.0


@given(st.text(), st.floats(0, 1), st.floats(0, 1))
def test_it_is_bounded_and_rises_with_importance(content: str, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.25 <= salience(content, low) <= salience(content, high) <= 1


@given(st.text(st.characters(categories=["Ll", "Lu", "Zs"])))
def test_it_does_not_depend_on_how_letters_are_composed(content: str) -> None:
    composed, apart = (unicodedata.normalize(form, content) for form in ("NFC", "NFD"))
    assert salience(composed, 0.5) == salience(apart, 0.5)
