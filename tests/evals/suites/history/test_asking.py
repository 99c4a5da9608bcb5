"""Which turns a piece of an answer shows, and how the answers of a form are summed up."""

from __future__ import annotations

import pytest

from reasonloom.cli.evals.memory_tables import draw
from reasonloom.evals.log import Record
from reasonloom.evals.suites.history.queries import SHOWN, held
from reasonloom.evals.suites.history.report import summary


def test_a_piece_holds_the_turns_of_its_project_that_it_shows() -> None:
    shown = {"h01-s1-t01": "Где ключ 🔑? [User] fragte", "h02-s1-t01": "Где ключ 🔑?"}
    projects = {"h01-s1-t01": "/home/ana/api", "h02-s1-t01": "/home/ana/shop"}
    piece = {"project": "api", "content": "[User] Где\nключ 🔑? \\[User] fragte er"}
    assert held(piece, shown, projects) == {"h01-s1-t01"}
    assert held({"project": "api", "content": "Где ключ"}, shown, projects) == set()
    assert SHOWN > 0


def _record(form: str, item: str, group: str, **scores: float) -> Record:
    return Record(f"{form}/{item}", 0, group, scores, 10.0)


def test_forms_are_summed_up_apart(capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        _record("plain", "h01-c1", "file", right=1.0, share=0.5),
        _record("plain", "h01-c2", "name", right=0.0, share=1.0),
        _record("noise", "h01-c1", "file", right=0.0, share=0.0),
        _record("plain", "h01-m1", "moment", foretold=0.25),
        _record("noise", "h01-m1", "moment", foretold=1.0),
    ]
    plain, noise = (summary(records, form) for form in ("plain", "noise"))
    assert (plain["all"]["n"], plain["all"]["right"], plain["all"]["share"]) == (2, 0.5, 0.75)
    assert plain["all"]["interval"] == pytest.approx([0.0945, 0.9055], abs=1e-3)
    assert plain["kinds"]["file"]["right"] == 1.0
    assert (plain["moments"]["foretold"], noise["moments"]["foretold"]) == (0.25, 1.0)
    assert noise["all"]["right"] == 0.0
    told = {"eval": "history", "half": "dev", "asked": "plain", "embedder": "x", "note": "note"}
    draw({**told, "forms": {"plain": plain, "noise": noise}})
    out = capsys.readouterr().out
    assert "foretold 25 %" in out
    assert "9 to 91" in out
    assert "asked: plain, as who half remembers it" in out
    draw({**told, "asked": "other", "forms": {"plain": plain}})
    assert "asked: other, in wholly other words" in capsys.readouterr().out
