"""`reasonloom prompts optimise`, as a person types it, with a provider on loopback."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from reasonloom.cli.app import app
from reasonloom.errors import ReasonloomError
from tests.support.evals.optimisation import HELPS, WORD, drawn
from tests.support.evals.suites import own_prompts
from tests.support.llms.providers import Chatting, chatting

TEMPLATE = (
    "{{% block system %}}{}{{% endblock %}}\n{{% block user %}}{{{{ question }}}}{{% endblock %}}"
)


def say(system: str, user: str) -> str:
    """Answer, better where the word is said; where a text is to be improved, propose the word."""
    if "<template>" in user:
        return json.dumps({"reason": "It is sloppy.", "template": TEMPLATE.format(HELPS)})
    return f"{user}!" if WORD in system or drawn(user) == 0 else user


@pytest.fixture
def llm() -> Iterator[Chatting]:
    with chatting(say) as server:
        yield server


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, llm: Chatting) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REASONLOOM_PROMPTS", str(own_prompts(tmp_path / "prompts", "Say it.")))
    for name, value in llm.settings.items():
        monkeypatch.setenv(name, value)
    rows = [{"id": f"q{n}", "input": f"wört {n}", "target": f"wört {n}!"} for n in range(40)]
    told = "\n".join(json.dumps(row) for row in rows)
    (tmp_path / "words.jsonl").write_text(told, encoding="utf-8")
    return tmp_path


def optimised(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["prompts", "optimise", *arguments])


def refused(*arguments: str) -> str:
    result = optimised(*arguments)
    assert isinstance(result.exception, ReasonloomError), result.output
    return result.exception.message


SUITE = ("own/answer", "--suite", "words.jsonl", "--scorer", "exact")


def test_sizes_come_first_and_the_winner_is_written_when_asked(folder: Path, llm: Chatting) -> None:
    plan = optimised(*SUITE, "--plan")
    assert plan.exit_code == 0, plan.output
    assert "train 12 items in 12 clusters; validation 12 items" in plan.stderr
    assert "test 16 items in 16 clusters. The test finds" in plan.stderr
    assert llm.asked == []
    done = optimised(*SUITE, "--rounds", "3", "--calls", "120")
    assert done.exit_code == 0, (done.output, done.exception)
    told = done.stdout
    assert "better on the test items: the interval of the difference lies above 0" in told
    assert f"+{{% block system %}}{HELPS}" in told
    assert not (folder / "prompts" / "own" / "answer.v2.md").exists()
    paid = len(llm.asked)
    (name,) = (path.name for path in (folder / "home" / "evals").iterdir())
    again = optimised(
        *SUITE, "--rounds", "3", "--calls", "120", "--resume", name, "--write", "--json"
    )
    assert again.exit_code == 0, (again.output, again.exception)
    found: dict[str, Any] = json.loads(again.stdout)
    assert len(llm.asked) == paid == found["spent"]["calls"]
    written = (folder / "prompts" / "own" / "answer.v2.md").read_text(encoding="utf-8")
    assert written.startswith("---\nname: own/answer\nversion: 2\nvariables: [question]\n---\n")
    assert HELPS in written
    once_more = optimised(*SUITE, "--rounds", "3", "--calls", "120", "--resume", name, "--write")
    assert "answer.v2.md has this text already" in once_more.output.replace("\n", "")
    assert not (folder / "prompts" / "own" / "answer.v3.md").exists()
    assert CliRunner().invoke(app, ["prompts", "lint"]).output == "nothing is wrong\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("own/answr", *SUITE[1:]), "no prompt own/answr; did you mean own/answer?"),
        ((*SUITE, "--split", "1,2"), "split: must be three numbers above 0"),
        ((*SUITE, "--split", "a,b,c"), "--split: must be three numbers"),
        ((*SUITE, "--resume", "../nothing"), "there is no run ../nothing of `prompts optimise`"),
        ((*SUITE, "--calls", "44"), "take 44 or more"),
        ((*SUITE, "--reflect-llm", "offline"), "reflect-llm: needs a language model"),
        ((*SUITE, "--by", "game24/direct"), "asks no prompt own/answer"),
        ((*SUITE, "--by", "reasoning_tre"), "did you mean `reasoning_tree`?"),
        ((*SUITE[:2], "none.jsonl"), "none.jsonl: there is no such file"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    folder: Path, llm: Chatting, arguments: tuple[str, ...], told: str
) -> None:
    assert told in refused(*arguments)
    assert llm.asked == []
    assert folder.is_dir()


def test_without_gepa_it_is_told_what_to_install(
    folder: Path, llm: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gepa", None)
    assert refused(*SUITE) == 'optimise: needs GEPA; pip install "reasonloom[optimise]"'
    assert (llm.asked, folder.is_dir()) == ([], True)


def test_a_folder_must_be_there_to_write_into(
    folder: Path, llm: Chatting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REASONLOOM_PROMPTS")
    assert "folder: --write needs a folder of your own" in refused(*SUITE, "--write")
    assert (llm.asked, (folder / "home").exists()) == ([], False)
