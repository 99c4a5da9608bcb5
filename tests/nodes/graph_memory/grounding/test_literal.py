"""Words alone: what says a claim, what denies it or has another figure, and what does neither."""

from __future__ import annotations

import pytest

from reasonloom.nodes.graph_memory.grounding.literal import compare_texts, uncovered_phrases

SAME = [
    ("The ferry runs on Sundays", "The ferry runs on Sundays, and the kiosk is open."),
    ("The rent is forty euros.", "The rent is 40 €."),
    ("The parcel arrived on 22/11/2024.", "The parcel arrived on 22 November 2024."),
    ("Le théâtre n'ouvre pas le lundi.", "Le théâtre n’ouvre pas le lundi !"),
    ("Nadie vive aquí", "Nadie vive aquí."),
    ("Лаборатория закрыта в августе.", "Лаборатория закрыта в августе."),
    ("図書館は月曜日に閉まる", "図書館は月曜日に閉まる。"),
]
CONTRADICTED = [
    ("The ferry does not run on Sundays.", "The ferry runs on Sundays.", "denies"),
    ("The client moved the deadline again.", "The client did not move the deadline.", "denies"),
    ("Der Hund ist kein Pudel.", "Der Hund ist ein Pudel.", "denies"),
    ("Le théâtre ouvre le lundi.", "Le théâtre n'ouvre pas le lundi.", "denies"),
    ("El museo no abre los lunes.", "El museo abre los lunes.", "denies"),
    ("図書館は月曜日に閉まらない。", "図書館は月曜日に閉まる。", "denies"),
    ("Der Mietpreis beträgt 950 Euro.", "Der Mietpreis beträgt 900 Euro.", "900 Euro"),
    ("The clock was built in 1980.", "The clock was built in 1890.", "1890"),
    ("The trip takes two days.", "The trip takes 36 hours.", "36 hours"),
    ("The server runs version 2.10.", "The server runs version 2.1.", "2.1"),
]
NEITHER = [
    ("Tom likes Go.", "Tom likes chess."),
    ("Anna is an engineer.", "Anna is a German engineer."),
    ("Anna is not an engineer.", "Anna's brother is an engineer."),
    ("Anna calls Bert.", "Bert calls Anna."),
    ("Invoice 18 is paid.", "Invoice 17 is paid."),
    ("The door is open.", "The door is open if it rains."),
    ("The door is open.", "Is the door open?"),
    ("The door is painted.", "TODO: the door is painted."),
    ("The train goes from Ulm to Bonn.", "The train goes to Ulm from Bonn."),
    ("Die Tür ist offen.", "Die Tür ist vielleicht offen."),
]


@pytest.mark.parametrize(("claim", "memory"), SAME)
def test_the_same_words_and_figures_say_a_claim(claim: str, memory: str) -> None:
    found = compare_texts(claim, memory)
    assert (found.relation, found.uncovered, found.coverage) == ("same", (), 1.0)


@pytest.mark.parametrize(("claim", "memory", "why"), CONTRADICTED)
def test_another_figure_or_a_denial_contradicts(claim: str, memory: str, why: str) -> None:
    found = compare_texts(claim, memory)
    assert found.relation == "contradicts"
    assert why in (found.why or "")


@pytest.mark.parametrize(("claim", "memory"), NEITHER)
def test_other_things_orders_and_reserves_do_neither(claim: str, memory: str) -> None:
    assert compare_texts(claim, memory).relation in ("covers", "unrelated")


def test_uncovered_words_are_put_back_into_parts() -> None:
    claim = "Amara owns purple elephants and is a backend developer."
    assert uncovered_phrases(claim, ["owns", "purple", "elephants"]) == ["owns purple elephants"]
    assert uncovered_phrases("İstanbul'da kar var", ["kar"]) == ["kar"]
