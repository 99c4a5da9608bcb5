"""Dates in many written forms: what a memory carries, and what a question asks for."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.nodes.memory.calendar.mentions import DateMention, date_mentions
from reasonloom.nodes.memory.calendar.terms import date_terms, date_terms_of_query

TODAY = date(2026, 11, 21)
"""A Saturday."""

WHOLE = DateMention(2025, 3, 8)


@pytest.mark.parametrize(
    "written",
    [
        "2025-03-08",
        "2025/3/8",
        "8.3.2025",
        "08/03/2025",
        "8 March 2025",
        "8th of March, 2025",
        "March 8, 2025 at 7 pm",
        "Mar 8th, 2025",
        "Saturday, 8 Mar 2025",
        "1:56 pm on 8 March, 2025",
        "8. März 2025",
        "8 de marzo de 2025",
        "8 mars 2025",
        "2025年3月8日に京都へ",
    ],
)
def test_one_day_is_read_in_every_form(written: str) -> None:
    assert list(date_mentions(written)) == [WHOLE]


@pytest.mark.parametrize(
    "written",
    [
        "I may march on",
        "call 555-2025-1",
        "version 3.11.2",
        "at 12:30",
        "in room 2025b",
        "40.13.2025",
        "the 8th",
        "Jan is here, and Mar too",
        "192.168.10.2025",
        "",
    ],
)
def test_what_is_no_date_is_none(written: str) -> None:
    assert list(date_mentions(written)) == []


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What did Jo do on 8 March 2025?", {"2025-03-08": 1.0}),
        ("What happened on March 8?", {"*-03-08": 1.0}),
        ("What happened in October?", {"*-10": 0.5}),
        ("What happened in May 2023?", {"2023-05": 0.5}),
        ("What did May say?", {}),
        ("And in 2023?", {"2023": 0.25}),
        ("What did I do yesterday?", {"2026-11-20": 1.0}),
        ("What did we decide last Friday?", {"2026-11-20": 1.0}),
        ("two days ago", {"2026-11-19": 1.0}),
        (
            "What is planned for next quarter?",
            {"2027-01": 0.5, "2027-02": 0.5, "2027-03": 0.5, "2027": 0.25},
        ),
        (
            "Was war im Frühjahr 2024?",
            {"2024-03": 0.5, "2024-04": 0.5, "2024-05": 0.5, "2024": 0.25},
        ),
        ("Wer hat vorgestern angerufen?", {"2026-11-19": 1.0}),
        ("Will April come, or June?", {}),
        ("What was planned last month?", {"2026-10": 0.5}),
    ],
)
def test_a_question_asks_for_the_longest_it_says(question: str, asked: dict[str, float]) -> None:
    assert date_terms_of_query(question, TODAY) == asked


def test_a_week_is_seven_days() -> None:
    week = date_terms_of_query("Who came in the first week of June 2025?", TODAY)
    assert sorted(week) == [f"2025-06-{day:02}" for day in range(1, 8)]
    assert sorted(date_terms_of_query("last week", TODAY)) == [
        f"2026-11-{day:02}" for day in range(9, 16)
    ]


@pytest.mark.parametrize("written", ["two weeks ago", "a fortnight ago", "vor zwei Wochen"])
def test_weeks_ago_are_the_days_of_that_week(written: str) -> None:
    assert sorted(date_terms_of_query(written, TODAY)) == [
        f"2026-11-{day:02}" for day in range(2, 9)
    ]


@pytest.mark.parametrize(
    ("content", "term"),
    [
        ("We moved last month.", "2025-07"),
        ("Petra joined last spring.", "2025-04"),
        ("I have played the cello since June.", "2025-06"),
        ("The office opens next quarter.", "2025-11"),
        ("Im nächsten Quartal öffnet das Büro.", "2025-11"),
        ("Vor drei Tagen fiel die Heizung aus.", "2025-07-31"),
        ("Morgen ist der letzte Tag.", "2025-08-04"),
        ("We met on Friday and ate cake.", "2025-08-01"),
        ("The lease ends in four months.", "2025-12"),
        ("School starts next September.", "2025-09"),
    ],
)
def test_periods_in_a_memory_are_counted_from_when_it_was_said(content: str, term: str) -> None:
    assert term in date_terms(content, None, date(2025, 8, 3))


@pytest.mark.parametrize(
    "content",
    [
        "Guten Morgen!",
        "Heute Morgen kam niemand.",
        "We finished it in two days.",
        "We meet on Fridays.",
        "The last day of the sale.",
        "The last week of the sale.",
        "This may help.",
        "In 9999999999 years",
    ],
)
def test_what_is_no_period_adds_no_term(content: str) -> None:
    assert date_terms(content, None, TODAY) == date_terms("", None, TODAY)


def test_a_day_without_a_year_is_the_nearest_to_what_is_told_about_it() -> None:
    terms = date_terms("We fly on 3 June, and on 30 December.", "8 March 2025", TODAY)
    assert {"2025-06-03", "2024-12-30", "2025-03-08", "2026-11-21"} <= set(terms)
    assert "2026-06-03" not in terms


def test_yesterday_is_counted_from_when_it_was_said() -> None:
    assert "2023-05-07" in date_terms("I went there yesterday.", "1:56 pm on 8 May, 2023", TODAY)
    assert "2026-11-20" in date_terms("I went there yesterday.", None, TODAY)


@given(st.dates(date(1950, 1, 1), date(2090, 1, 1)), st.sampled_from(["%d %B %Y", "%Y-%m-%d"]))
def test_what_names_a_day_is_found_by_day_month_and_year(day: date, form: str) -> None:
    terms = set(date_terms(f"It was on {day.strftime(form)}.", None, TODAY))
    for question in (day.strftime("%-d %B %Y"), day.strftime("in %B %Y"), day.strftime("in %Y")):
        assert set(date_terms_of_query(question, TODAY)) <= terms
    other = day + timedelta(days=40)
    if other != TODAY:
        assert not set(date_terms_of_query(other.strftime("on %-d %B %Y"), TODAY)) & terms


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    date_terms(text, text, TODAY)
    assert all(0 < worth <= 1 for worth in date_terms_of_query(text, TODAY).values())
