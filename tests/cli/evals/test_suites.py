"""`reasonloom eval run FILE`, `eval compare` and `prompts`, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from reasonloom.cli.app import app
from reasonloom.errors import CallerMistake, ReasonloomError
from reasonloom.evals.core.tool import MODES, Tool
from reasonloom.evals.log import EvalLog
from reasonloom.prompts.registry import PromptRegistry
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from tests.support.evals.suites import log_of, own_prompts

OWN = """
from reasonloom.evals import Asking, Item, Suite, contains

ITEMS = [Item(f"{n}", f"{n} été {n}", str(n)) for n in range(6)]
SUITE = Suite("years", ITEMS, (contains(),), Asking("own/answer"))
"""


def typed(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def refused(*arguments: str) -> str:
    """Return what is said of a command that is refused."""
    result = typed(*arguments)
    assert isinstance(result.exception, CallerMistake | ReasonloomError), result.output
    return result.exception.message


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(
        "REASONLOOM_PROMPTS", str(own_prompts(tmp_path / "prompts", "Say.", "Tell."))
    )
    monkeypatch.chdir(tmp_path)
    (tmp_path / "years.py").write_text(OWN, encoding="utf-8")
    return tmp_path


def logs(folder: Path) -> list[Path]:
    return sorted((folder / "home" / "evals").glob("*.jsonl"), key=lambda path: len(path.name))


TWO = ("--prompt", "own/answer=v1", "--prompt", "own/answer=2")


def test_two_versions_of_a_prompt_are_run_on_the_same_items_and_compared(folder: Path) -> None:
    result = typed("eval", "run", "years.py", *TWO, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert [each["prompts"]["own/answer"]["version"] for each in found["runs"]] == [1, 2]
    (compared,) = found["comparison"]["compared"]
    assert (compared["items"], compared["prompts"][0]["prompt"]) == (6, "own/answer")
    first, second = (EvalLog(path) for path in logs(folder))
    assert [r.item for r in first.records] == [r.item for r in second.records]
    listed = typed("eval", "list").output
    assert listed.count("6 of 6 results of years") == 2


def test_a_run_that_was_stopped_goes_on(folder: Path) -> None:
    result = typed("eval", "run", "years.py", *TWO, "--calls", "8", "--parallel", "1")
    assert result.exit_code == 1
    assert "4 of 6 answers missing: the budget of 8 calls" in " ".join(result.output.split())
    assert [len(EvalLog(path).records) for path in logs(folder)] == [6, 2]
    first = logs(folder)[0].name
    assert typed("eval", "run", "years.py", *TWO, "--resume", first).exit_code == 0
    assert [len(EvalLog(path).records) for path in logs(folder)] == [6, 6]


def test_a_run_without_a_model_or_without_answers_says_so(folder: Path) -> None:
    assert "no language model was called" in typed("eval", "run", "years.py").output
    (folder / "sums.yaml").write_text(f"{DECLARED}  - llm: litellm:openai/gpt-5\n")
    said = refused("eval", "run", "sums.yaml", "--llm", "offline")
    assert said.endswith("set OPENAI_API_KEY, or another REASONLOOM_LLM")
    assert len(logs(folder)) == 1


def test_a_table_is_planned_without_being_asked(folder: Path) -> None:
    rows = "\n".join(f"何{n}?,{n}" for n in range(100))
    (folder / "t.csv").write_text(f"q,a\n{rows}\n", encoding="utf-8")
    columns = ("--column", "input=q", "--column", "target=a")
    result = typed("eval", "run", "t.csv", *columns, "--plan", "--flips", "0.3", "--effect", "0.2")
    assert "a difference of 0.200 is found with" in result.output
    assert logs(folder) == []


DECLARED = """
cases: [{input: 1, target: 1}, {input: 2, target: 2}]
task: own/answer
scorers: [contains]
compare:
  - prompts: {own/answer: 1}
  - prompts: {own/answer: 2}
    llm: simulated:reader
"""


def test_a_declared_eval_compares_its_systems(folder: Path) -> None:
    (folder / "sums.yaml").write_text(DECLARED, encoding="utf-8")
    found = json.loads(typed("eval", "run", "sums.yaml", "--llm", "offline", "--json").stdout)
    labels = ["own/answer v1, offline", "own/answer v2, simulated:reader"]
    assert [each["label"] for each in found["runs"]] == labels
    assert found["comparison"]["base_label"] == labels[0]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("task: own/answer", "", "sums.yaml: task: is missing; for example reasoning_linear"),
        ("scorers", "scorer", "scorers: is missing; for example [contains, 'numeric:0.01']"),
        ("llm: sim", "model: sim", "compare.1.model: unknown field; known: task, arguments"),
        ("{own/answer: 1}", "{own/answer: one}", "compare.0.prompts.own/answer: Input should be"),
        ("[{input: 1, target: 1}", "[{inpt: 1, target: 1}", "case 1: inpt: unknown part"),
        ("cases: [", "cases: [[", "sums.yaml: is no YAML (line 3)"),
        ("task: own/answer", "task: own/answr", "sums: asks no prompt own/answer"),
    ],
)
def test_a_faulty_declaration_is_refused_with_its_field(
    folder: Path, before: str, after: str, said: str
) -> None:
    (folder / "sums.yaml").write_text(DECLARED.replace(before, after, 1), encoding="utf-8")
    assert said in refused("eval", "run", "sums.yaml")
    assert logs(folder) == []


REFUSED = [
    (("years.py", "--prompt", "own/answer=9"), "prompt own/answer has no version 9; it has 1, 2"),
    (("years.py", "--prompt", "own/answr=1"), "no prompt own/answr; did you mean own/answer?"),
    (("years.py", "--prompt", "own/answer"), "--prompt: must be NAME=VERSION"),
    (("years.py", "--scorer", "exactly"), "scorer: must be one of exact, final"),
    (("years.py", "--scorer", "regex"), "scorer: must be one of"),
    (("years.py", "--by", "reasoning_tre"), "did you mean `reasoning_tree`?"),
    (("years.py", "--reducer", "pass@2"), "reducer: of 1 epochs no 2 can be drawn"),
    (("years.py", "--reducer", "median"), "reducer: must be mean, mode, pass@K or pass^K"),
    (("years.py", "--scorer", "judge:nan"), "scorer: nan is no whole number"),
    (("years.py", "--scorer", "judge:2.9"), "scorer: 2.9 is no whole number"),
    (("years.py", "--scorer", "exact:x"), "scorer: exact takes nothing after a colon"),
    (("years.py", "--format", "bbh"), "--format: years.py defines its suite itself"),
    (("years.py", "--column", "input=q"), "--column: years.py defines its suite itself"),
    (("n.csv", "--format", "bbh", "--column", "input=q"), "--column: --format bbh names"),
    (("years.py", "--by", "own/answer", "--set", "n=1"), "--set: n: a prompt takes only read=NAME"),
    (("NONE.CSV", "--by", "think"), "NONE.CSV: there is no such file"),
    (("years.py", "--limit", "many"), "--limit: must be CALLS or PROVIDER=CALLS"),
    (("years.py", "--usd", "0"), "usd: must be more than 0"),
    (("years.py", "--llm", "simulated:sortin"), "did you mean `sorting`?"),
    (("years.py", "--half", "dev"), "--half: is not an option of years.py"),
    (("years.py", "--resume", "nothing.jsonl"), "there is no run nothing.jsonl"),
    (("none.csv", "--by", "think"), "none.csv: there is no such file"),
    (("locomo", "--by", "think"), "--by: is not an option of locomo"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused("eval", "run", *arguments)
    assert logs(folder) == []


def test_a_run_can_be_named_from_what_is_printed(folder: Path) -> None:
    (folder / "a-rather-long-name-of-a-file.py").write_text(OWN, encoding="utf-8")
    shown = typed("eval", "run", "a-rather-long-name-of-a-file.py").output
    (log,) = logs(folder)
    assert f"run: {log.name}" in shown.splitlines()


def test_a_reply_that_is_not_recorded_is_named_and_the_run_stops(folder: Path) -> None:
    assert typed("eval", "run", "years.py", "--llm", "record:tape.jsonl:offline").exit_code == 0
    told = typed("eval", "run", "years.py", "--llm", "replay:tape.jsonl", "--json")
    recorded, replayed = (EvalLog(path) for path in logs(folder))
    assert told.exit_code == 0
    assert [r.output for r in recorded.records] == [r.output for r in replayed.records]
    lines = (folder / "tape.jsonl").read_text().splitlines(keepends=True)
    (folder / "tape.jsonl").write_text("".join(lines[:-1]))
    said = refused("eval", "run", "years.py", "--llm", "replay:tape.jsonl", "--seed", "0")
    assert "the recording has no such question" in said
    assert "sample 0" in said


def test_a_cache_is_asked_once(folder: Path) -> None:
    for seed in ("0", "0", "1"):
        assert typed("eval", "run", "years.py", "--cache", "c.jsonl", "--seed", seed).exit_code == 0
    lines = [json.loads(line) for line in (folder / "c.jsonl").read_text().splitlines()]
    assert [line["ask"]["seed"] for line in lines] == [0] * 6 + [1] * 6


def write_runs(folder: Path) -> tuple[str, str]:
    for name, wrong in (("a.jsonl", 3), ("b.jsonl", 30)):
        scores = {f"é{n}": float(n >= wrong) for n in range(100)}
        log_of(folder / name, scores, output="日本\x1b[31m", input="где?")
    return "a.jsonl", "b.jsonl"


@pytest.mark.parametrize(
    ("margin", "order", "status"), [("0.02", 1, 1), ("0.5", 1, 0), ("0.02", -1, 0)]
)
def test_a_run_that_may_be_worse_ends_with_1(
    folder: Path, margin: str, order: int, status: int
) -> None:
    names = write_runs(folder)[::order]
    result = typed("eval", "compare", *names, "--not-worse-than", margin, "--plan", "400")
    assert result.exit_code == status, result.output
    assert "a run of 400 items" in result.output
    assert "\x1b[31m" not in result.output
    assert "to wrong: é10" in result.output if order == 1 else "to right: é10" in result.output


def test_a_comparison_as_json_has_all(folder: Path) -> None:
    found: dict[str, Any] = json.loads(
        typed("eval", "compare", *write_runs(folder), "--json").output
    )
    (compared,) = found["compared"]
    assert (compared["difference"], len(compared["flips"]["to_wrong"])) == (-0.27, 27)
    assert "there is no run c.jsonl" in refused("eval", "compare", "a.jsonl", "c.jsonl")


def test_every_mode_is_the_tool_of_the_catalogue() -> None:
    lines = {line.name: line for toolset in (*TOOLSETS, *EXTRA_TOOLSETS) for line in toolset.tools}
    for name, mode in MODES.items():
        line = lines[name].under_reference(name)
        request = line.request
        assert (request.__name__, line.graph) == (mode.contract[1], mode.graph), name
        assert request.__module__ == f"reasonloom.contracts.{mode.contract[0]}"
        assert mode.question_field in request.model_fields
        assert mode.answer_path in line.answer.model_fields
        assert Tool(name).graph.name == mode.graph


def test_prompts_are_listed_shown_begun_compared_and_rendered(folder: Path) -> None:
    listed = typed("prompts", "list").output
    assert "own/answer  v1* v2*\n" in listed
    assert "tree/propose  v1 v2\n" in listed
    assert (
        typed("prompts", "show", "own/answer").output
        == PromptRegistry(folder / "prompts").get("own/answer", 2).text
    )
    begun = typed("prompts", "new", "tree/propose")
    assert (folder / "prompts" / "tree" / "propose.v3.md").is_file()
    assert "REASONLOOM_PROMPTS" in begun.output
    assert "tree/propose  v1 v2 v3*\n" in typed("prompts", "list").output
    typed("prompts", "new", "mine/summary")
    typed("prompts", "new", "mine/summary")
    assert "mine/summary  v1* v2*\n" in typed("prompts", "list").output
    assert "nothing is wrong" in typed("prompts", "lint").output
    assert "did you mean tree/propose" in refused("prompts", "new", "tree/propos")
    changed = typed("prompts", "diff", "tree/propose=2", "v3").output.splitlines()
    assert typed("prompts", "diff", "tree/propose").output.splitlines() == changed
    assert [line for line in changed if line[0] in "+-"][2:] == ["-version: 2", "+version: 3"]
    rendered = typed("prompts", "render", "own/answer=1", "--var", "question=où?").output
    assert rendered == "--- system\nSay.\n--- user\noù?\n"
    (folder / "v.json").write_text('{"question": "何?"}', encoding="utf-8")
    assert "何?" in typed("prompts", "render", "own/answer", "--vars", "v.json").output
    assert "lacks the variable question" in refused("prompts", "render", "own/answer")
    assert "did you mean own/answer" in refused("prompts", "show", "own/answers")


def test_lint_tells_all_that_is_wrong(folder: Path) -> None:
    assert typed("prompts", "lint").output == "nothing is wrong\n"
    own = folder / "prompts" / "own"
    text = (own / "answer.v1.md").read_text()
    (own / "answer.v3.md").write_text(text)
    (own / "answer.v4.md").write_text(
        text.replace("version: 1", "version: 4").replace("{{ question }}", "?")
    )
    (own / "broken.md").write_text("")
    result = typed("prompts", "lint")
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        "own/answer.v3.md: its front matter says own/answer version 1",
        "own/answer.v4.md: declares the variable question and never uses it",
        "own/broken.md: a template's file is named STEP.vNUMBER.md",
    ]
