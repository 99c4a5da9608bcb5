"""What `reasonloom eval run NAME` cannot do is refused by name, and leaves no run."""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reasonloom.cli.app import app
from reasonloom.cli.evals.commands import run
from reasonloom.cli.evals.kinds import KINDS, NAMES, Kind, kind_of, log_summary
from reasonloom.errors import CallerMistake, InvalidArgument, ReasonloomError, UnknownName
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.suites.graph_memory.grounding.data import HERE as GROUNDING
from tests.evals.suites.reasoning.orchestration.conftest import puzzles  # noqa: F401

OF_ALL = {"name", "data", "as_json", "resume"}


def test_every_option_of_the_command_is_of_some_kind_and_none_is_of_none() -> None:
    offered = {name.rstrip("_") for name in inspect.signature(run).parameters} - OF_ALL
    assert offered == {option for kind in KINDS for option in kind.options}


def test_every_eval_is_of_one_kind() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert all(name in kind_of(name).names for name in NAMES)
    with pytest.raises(
        UnknownName,
        match="there is no eval sim; known: locomo, people, updates, team, retrieval-all, answer",
    ):
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
    assert log_summary(log.path) == f"1 records {head.get('eval', '')}".strip()


OF_24 = ("sim-game24", "--data", "{puzzles}")
REFUSED = [
    (
        ("sim-game42",),
        "there is no eval sim-game42; known: locomo, people, updates, team, retrieval-all, answer",
    ),
    (("sim-game24", "--half", "dev"), "--half: is not an option of sim-game24"),
    (("sim-game24", "--llm", "offline"), "--llm: is not an option of sim-game24"),
    (("sim-game24", "--epochs", "2"), "--epochs: is not an option of sim-game24"),
    (("sim-game24", "--ablate"), "--ablate: is not an option of sim-game24"),
    (("people", "--seeds", "2"), "--seeds: is not an option of people"),
    (("people", "--row", "tree-5"), "--row: is not an option of people"),
    (("people", "--half", "both"), "half: must be one of dev, held, all"),
    (("people", "--data", "x"), "data: the set comes with the package"),
    (("locomo", "--set", "a=b"), "--set: is not an option of locomo"),
    (("locomo",), "data: name the file, such as locomo10.json"),
    (("locomo-history", "--data", "absent"), "data: there is no such file"),
    (("sim-game24", "--data", "absent.csv"), "data: there is no such file"),
    ((*OF_24, "--items", "101"), "items: must be 1 to 100"),
    ((*OF_24, "--row", "tree-6"), "sim-game24 has no row tree-6"),
    ((*OF_24, "--set", "calls"), "--set: must be NAME=VALUE"),
    ((*OF_24, "--set", "calls=0"), "calls: must be a whole number"),
    ((*OF_24, "--set", "slip=0"), "there is no setting slip"),
    (("sim-game24", "--resume", "absent.jsonl"), "there is no run absent.jsonl"),
    (("metacognition", "--half", "both"), "half: must be one of dev, held, all"),
    (("metacognition", "--seeds", "2"), "--seeds: is not an option of metacognition, which has"),
    (("metacognition", "--epochs", "2"), "--epochs: is not an option of metacognition"),
    (("metacognition", "--set", "a=b"), "--set: is not an option of metacognition"),
    (("metacognition", "--data", "absent"), "data: must be a folder with one of biases.jsonl"),
    (("metacognition", "--resume", "absent.jsonl"), "there is no run absent.jsonl"),
    (("triggers", "--half", "both"), "half: must be one of dev, held, all"),
    (("triggers", "--data", "absent"), "triggers.jsonl: there is no such file"),
    (("grounding", "--half", "both"), "half: must be one of dev, held, all"),
    (("grounding", "--data", "absent"), "memories.jsonl: there is no such file"),
    (("grounding", "--llm", "simulated:sortin"), "did you mean `sorting`?"),
    (("grounding", "--llm", "replay:absent.jsonl"), "absent.jsonl"),
    (("grounding", "--limit", "0"), "--limit: must be CALLS or PROVIDER=CALLS"),
    (("grounding", "--usd", "0"), "usd: must be more than 0"),
    (("grounding", "--prompt", "grounding"), "--prompt: must be NAME=VERSION"),
    (("grounding", "--prompt", "tree/propos=1"), "did you mean tree/propose?"),
    (("grounding", "--prompt", "tree/propose=9"), "has no version 9; it has 1"),
    (
        ("grounding", "--prompt", "tree/propose=1", "--prompt", "tree/propose=1"),
        "--prompt: name each once here",
    ),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_what_cannot_be_is_refused_and_leaves_no_run(
    puzzles: Path,  # noqa: F811
    tmp_path: Path,
    arguments: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = ["eval", "run", *(each.format(puzzles=puzzles) for each in arguments)]
    result = CliRunner().invoke(app, typed)
    assert isinstance(result.exception, CallerMistake | ReasonloomError), result.output
    assert said in result.exception.message
    assert not list(tmp_path.rglob("*-*.jsonl"))


def test_a_set_with_an_id_twice_is_refused_by_its_file(tmp_path: Path) -> None:
    for name in ("memories.jsonl", "claims.jsonl"):
        shutil.copy(GROUNDING / name, tmp_path / name)
    with (tmp_path / "claims.jsonl").open("a", encoding="utf-8") as file:
        file.write((GROUNDING / "claims.jsonl").read_text(encoding="utf-8").splitlines()[0] + "\n")
    result = CliRunner().invoke(app, ["eval", "run", "grounding", "--data", str(tmp_path)])
    assert isinstance(result.exception, CallerMistake)
    assert "is there twice" in result.exception.message
