"""A text is shortened as the standard library does it, however long it is."""

from __future__ import annotations

import textwrap

from hypothesis import given
from hypothesis import strategies as st

from reasonloom.text.shortening import shorten


@given(st.text(st.sampled_from("ab \n\té-"), max_size=400), st.integers(3, 40))
def test_it_is_what_the_library_says(text: str, longest: int) -> None:
    assert shorten(text, longest) == textwrap.shorten(text, longest, placeholder=" …")


def test_a_text_of_blanks_then_words_is_read_to_its_words() -> None:
    assert shorten(" " * 10_000 + "word", 10) == "word"
