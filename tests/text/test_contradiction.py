"""What words alone show of a contradiction, and what they must not be taken for."""

from __future__ import annotations

import pytest

from reasonloom.text.contradiction import contradiction

DENIED = [
    ("The Rialto cooks with peanut oil.", "The Rialto does not cook with peanut oil."),
    ("The Rialto doesn’t cook with peanut oil.", "The Rialto cooks with peanut oil"),
    ("Redis is fast.", "Redis is not fast."),
    ("Every cook stays. The kitchen closes at ten.", "The kitchen never closes at ten."),
    ("Das Rialto kocht mit Erdnussöl.", "Das Rialto kocht nicht mit Erdnussöl."),
    ("Das Rialto kocht mit Erdnussöl.", "Das Rialto kocht ohne Erdnussöl."),
    ("Kein Mitarbeiter arbeitet am Sonntag.", "Jeder Mitarbeiter arbeitet am Sonntag."),
]
OTHER_NUMBERS = [
    ("The tower is 330 metres high.", "The tower is 300 metres high.", "330 and 300"),
    ("The team has three members.", "The team has 5 members.", "3 and 5"),
    ("Das Team hat drei Mitglieder.", "Das Team hat fünf Mitglieder.", "3 and 5"),
    ("Der Turm kostet 1.500,50 Euro Miete.", "Der Turm kostet 1.600,50 Euro Miete.", "1500.5"),
    ("La torre mide 330 metros.", "La torre mide 300 metros.", "330 and 300"),
    ("The tower was built in 1889.", "The tower was built in 1890.", "1889 and 1890"),
]
NOT_SHOWN = [
    ("The tower is 1,000 metres high.", "The tower is 1000 metres high."),
    ("Der Preis beträgt 1,50 Euro.", "Der Preis beträgt 1.5 Euro."),
    ("Sales rose by 5 % in 2019.", "Sales rose by 7 % in 2020."),
    ("Step 1 costs money and time.", "Step 2 costs money and time."),
    ("The tank holds 5 litres of water.", "The tank holds 5000 millilitres of water."),
    ("Paul beats Peter at chess.", "Peter does not beat Paul at chess."),
    ("Not only Anna eats peanuts.", "Anna eats peanuts."),
    ("Ohne Zweifel hält die Brücke.", "Die Brücke hält."),
    ("Anna eats.", "Anna eats no peanuts."),
    ("Is Redis not fast?", "Redis is fast."),
    ("It is not true that Redis is not fast.", "It is true that Redis is fast."),
    ("Redis costs 5 euros a month.", "Redis does not cost 7 euros a month."),
    ("The band is loud.", "The wall is not thin."),
    ("The door is open.", "The door is shut."),
    ("塔高330米", "塔高300米"),
    ("", "Redis is fast."),
]


@pytest.mark.parametrize(("one", "other"), DENIED)
def test_a_denial_is_seen_either_way(one: str, other: str) -> None:
    for found in (contradiction(one, other), contradiction(other, one)):
        assert found
        assert found.startswith("one denies what the other says")


@pytest.mark.parametrize(("one", "other", "told"), OTHER_NUMBERS)
def test_other_numbers_are_told(one: str, other: str, told: str) -> None:
    found = contradiction(one, other)
    assert found
    assert told in found
    assert contradiction(other, one)


@pytest.mark.parametrize(("one", "other"), NOT_SHOWN)
def test_what_words_do_not_show_is_none(one: str, other: str) -> None:
    assert contradiction(one, other) is None
    assert contradiction(other, one) is None


@pytest.mark.parametrize("text", [pair[0] for pair in DENIED + NOT_SHOWN])
def test_no_text_contradicts_itself(text: str) -> None:
    assert contradiction(text, text) is None


def test_long_texts_are_quoted_in_short_and_read_in_part() -> None:
    tail = " ".join(f"word{n}" for n in range(60))
    found = contradiction(f"The tower leans {tail}", f"The tower never leans {tail}")
    assert found
    assert len(found) < 300
    far = "Nobody came. " * 60 + "Redis is not fast."
    assert contradiction(far, "Redis is fast.") is None


def test_code_states_nothing() -> None:
    one = "Halves go up.\n```python\nresult[name] = 5 * floor(scaled / 5 + Fraction(1, 2))\n```"
    other = one.replace(
        "5 * floor(scaled / 5 + Fraction(1, 2))", "floor(scaled / 5 + Fraction(1, 2)) * 5"
    )
    assert contradiction(one, other) is None
