"""The time that a question is about."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from reasonloom.nodes.memory.calendar.periods import QuestionTime, question_time

TODAY = date(2026, 11, 24)


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("Who led the team in spring 2024?", (2024, 3, 1), (2024, 6, 1)),
        ("Where did we stay last summer?", (2026, 6, 1), (2026, 9, 1)),
        ("Where did we stay last winter?", (2025, 12, 1), (2026, 3, 1)),
        ("Wer war im Herbst 2023 Teamleiter?", (2023, 9, 1), (2023, 12, 1)),
        ("What did the audit find in Q2 2025?", (2025, 4, 1), (2025, 7, 1)),
        ("Was kostete es im 1. Quartal 2025?", (2025, 1, 1), (2025, 4, 1)),
        ("Which database did we use in early 2024?", (2024, 1, 1), (2024, 5, 1)),
        ("Bei wem waren wir Ende 2023?", (2023, 9, 1), (2024, 1, 1)),
        ("What was the rate in March 2025?", (2025, 3, 1), (2025, 4, 1)),
        ("What was the rate on 8 March 2025?", (2025, 3, 8), (2025, 3, 9)),
        ("Where did she live in 2023?", (2023, 1, 1), (2024, 1, 1)),
        ("What did we decide last month?", (2026, 10, 1), (2026, 11, 1)),
        ("What was so two years ago?", (2024, 1, 1), (2025, 1, 1)),
        ("Wo wohnte er vor zwei Jahren?", (2024, 1, 1), (2025, 1, 1)),
        ("What was the price in Q4 last year?", (2025, 10, 1), (2026, 1, 1)),
        ("Wer war es im vierten Quartal des letzten Jahres?", (2025, 10, 1), (2026, 1, 1)),
        ("Who was our dentist the year before last?", (2024, 1, 1), (2025, 1, 1)),
        ("What happened on Monday?", (2026, 11, 23), (2026, 11, 24)),
    ],
)  # fmt: skip
def test_a_past_period(question: str, start: tuple[int, ...], end: tuple[int, ...]) -> None:
    found = question_time(question, TODAY)
    assert (found.start, found.end) == (date(*start), date(*end))


@pytest.mark.parametrize(
    ("question", "end"),
    [
        ("What was the rate before June 2025?", (2025, 6, 1)),
        ("Bis Ende 2024, wie viel Zeit hatten die Kunden?", (2024, 9, 1)),
        ("Where did they live until 2024?", (2024, 1, 1)),
    ],
)
def test_the_time_text_ahead_of_date(question: str, end: tuple[int, ...]) -> None:
    found = question_time(question, TODAY)
    assert (found.start, found.end) == (None, date(*end))
    assert found.looks_back or "Bis" in question


@pytest.mark.parametrize(
    "question",
    [
        "Where does she live?",
        "What is planned for spring 2027?",
        "How do I spring a leak?",
        "What do we do in winter?",
        "Who is on call this month?",
        "What is due in 2099?",
        "0000-99-99 and 31 February 2025",
        "9999999999 years ago",
    ],
)
def test_now_is_no_period(question: str) -> None:
    assert question_time(question, TODAY) == QuestionTime()


@pytest.mark.parametrize(
    ("question", "start"),
    [
        ("What has changed since March 2025?", (2025, 3, 1)),
        ("Was hat sich seit Juni geändert?", (2026, 6, 1)),
        ("Was geschah nach dem 10. Januar?", (2026, 1, 10)),
        ("What did we do in the last three months?", (2026, 8, 24)),
        ("Was war in den letzten zehn Tagen?", (2026, 11, 14)),
    ],
)
def test_a_period_up_to_now(question: str, start: tuple[int, ...]) -> None:
    found = question_time(question, TODAY)
    assert (found.start, found.end) == (date(*start), None)


def test_what_was_so_before_a_change_looks_back() -> None:
    assert question_time("Which bank did we use originally?", TODAY).looks_back
    assert question_time("Wo wohnten wir vor dem Umzug?", TODAY).looks_back
    assert not question_time("Which bank do we use?", TODAY).looks_back


def test_distance_of_a_period() -> None:
    spring = question_time("in spring 2024", TODAY)
    assert spring.days_away(datetime(2024, 4, 1, tzinfo=UTC)) == 0
    assert spring.days_away(datetime(2024, 6, 1, tzinfo=UTC)) == 1
    assert spring.days_away(datetime(2024, 2, 28, tzinfo=UTC)) == 2
