"""The kinds of evals: each name and option has its place, and a log of no known eval is listed."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from reasonloom.cli.evals.commands import run
from reasonloom.cli.evals.kinds import KINDS, NAMES, Kind, kind_of, line_of
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.log import EvalLog, Record

OF_ALL = {"name", "data", "as_json", "resume"}


def test_every_option_of_the_command_is_of_some_kind_and_none_is_of_none() -> None:
    offered = {name.rstrip("_") for name in inspect.signature(run).parameters} - OF_ALL
    assert offered == {option for kind in KINDS for option in kind.options}


def test_every_eval_is_of_one_kind() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(name in kind_of(name).names for name in NAMES)
    with pytest.raises(UnknownName, match="there is no eval sim; known: locomo, people, sim-"):
        kind_of("sim")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.names[0])
def test_an_option_of_another_kind_is_refused_by_name(kind: Kind) -> None:
    known = {option for each in KINDS for option in each.options}
    kind.refuse_foreign(kind.names[0], dict.fromkeys(kind.options, 1))
    for option in known - set(kind.options):
        with pytest.raises(InvalidArgument, match=f"--{option}: is not an option of"):
            kind.refuse_foreign(kind.names[0], {option: 1})


@pytest.mark.parametrize("head", [{}, {"eval": "of another day"}])
def test_a_log_of_no_known_eval_is_listed_by_its_records(
    head: dict[str, str], tmp_path: Path
) -> None:
    log = EvalLog(tmp_path / "log")
    log.begin(head)
    log.add(Record("a", 0, "g", {}, 1.0))
    assert line_of(log.path) == f"1 records {head.get('eval', '')}".strip()
