"""`loom_eval` in a test file, as a researcher writes one."""

from __future__ import annotations

from pathlib import Path

import pytest

from reasonloom.evals.log import EvalLog
from tests.support.evals.suites import own_prompts

pytest_plugins = "pytester"

INI = """[pytest]
reasonloom_prompts = prompts
asyncio_default_fixture_loop_scope = function
"""
TESTS = '''
import pytest
from reasonloom.llm.interfaces import Reply, Usage

CASES = [{"input": f"{n} plus {n}?", "target": str(2 * n)} for n in range(12)]
calls = []

class Adder:
    """Adds where the prompt says so."""

    offline = False

    def __init__(self, name):
        self.name = name

    async def answer(self, ask):
        calls.append(self.name)
        system, question = (str(each.content) for each in ask.messages)
        total = 2 * int(question.split()[0])
        right = "Add" in system and self.name == "able"
        return Reply(str(total if right else -1), None, self.name, Usage(9, 1, 0.001))

    async def close(self): ...

def answered(loom_eval, version, llm="able"):
    return loom_eval(
        CASES, task=f"own/answer={version}", scorers=["exact"], llm=Adder(llm), epochs=1
    )

@pytest.fixture(scope="module")
def guessing(loom_eval):
    return answered(loom_eval, 1)

def test_adding_is_better(loom_eval, guessing):
    adding = answered(loom_eval, 2)
    assert (guessing.score, adding.score) == (0, 1)
    adding.assert_better_than(guessing)
    adding.assert_not_worse_than(guessing, margin=0.05)
    assert len(adding.to_dataframe()) == 12

def test_guessing_is_not_worse(loom_eval, guessing):
    guessing.assert_not_worse_than(answered(loom_eval, 2), margin=0.05)

def test_the_other_model_is_not_worse(loom_eval):
    answered(loom_eval, 2, "unable").assert_not_worse_than(answered(loom_eval, 2), margin=0.05)
'''


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with two versions of a prompt and a test file."""
    own_prompts(pytester.path / "prompts", "Guess.", "Add.")
    pytester.makeini(INI)
    pytester.makepyfile(test_sums=TESTS)
    return pytester


def run(project: pytest.Pytester, *options: str) -> pytest.RunResult:
    return project.runpytest_inprocess("-p", "no:langsmith_plugin", *options)


def logs(tmp_path: Path) -> list[EvalLog]:
    return [EvalLog(path) for path in sorted((tmp_path / "home" / "evals").iterdir())]


def test_versions_and_models_are_compared_and_a_failure_is_the_verdict(
    project: pytest.Pytester, tmp_path: Path
) -> None:
    result = run(project)
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "E *AssertionError: Not shown to be less than 5.0 points worse."
            " own/answer v1 is worse than own/answer v2 by 100.0 points*on 12 items.*",
            "E *became wrong: 1, 2, 3, 4, 5 and 7 more",
            "E *Not shown to be less than 5.0 points worse. unable is worse than able by*",
            "wrong: 5: -1 (right: 8)",
            "and 7 more",
        ]
    )
    assert [len(log.records) for log in logs(tmp_path)] == [12] * 5
    assert {log.head["eval"] for log in logs(tmp_path)} == {
        "test_adding_is_better",
        "test_guessing_is_not_worse",
        "test_the_other_model_is_not_worse",
    }


def test_recorded_replies_are_replayed_by_a_worker(project: pytest.Pytester) -> None:
    run(project, "--reasonloom-record", "tape.jsonl").assert_outcomes(passed=1, failed=2)
    assert len((project.path / "tape.jsonl").read_text().splitlines()) == 36
    replayed = TESTS.replace("calls.append(self.name)", "raise AssertionError('called')")
    project.makepyfile(test_sums=replayed)
    result = run(project, "--reasonloom-replay", "tape.jsonl", "-n", "1")
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.no_fnmatch_line("*called*")
    project.makepyfile(test_sums=replayed.replace("plus", "and"))
    result = run(project, "--reasonloom-replay", "tape.jsonl")
    result.stdout.fnmatch_lines(["*has no such question*; record it with --reasonloom-record FILE"])
    both = run(project, "--reasonloom-replay", "tape.jsonl", "--reasonloom-record", "tape.jsonl")
    both.stderr.fnmatch_lines(["*exclude each other; give one of them"])


def test_functions_need_no_model_and_what_is_wrong_is_a_sentence(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        CASES = [{"input": 1, "target": "2"}, {"input": 2, "target": "4"}]

        async def double(number):
            return str(2 * number)

        def even(item, answer):
            return int(answer) % 2 == 0

        def test_sync(loom_eval):
            result = loom_eval(CASES, task=lambda number: str(2 * number), scorers=["exact", even])
            assert result.scores == {"exact": 1, "even": 1}

        @pytest.mark.asyncio
        async def test_async(loom_eval):
            result = await loom_eval.arun(CASES, task=double)
            assert loom_eval(CASES, task=double).score == result.score == 1

        def test_no_model(loom_eval):
            assert loom_eval(CASES, task="own/answer").score == 0

        @pytest.mark.parametrize("options", [
            {"task": "reasoning_tre"}, {"task": double, "scorers": ["exactly"]}, {},
            {"task": 3}, {"task": "think", "arguments": {"mood": 1}},
        ])
        def test_wrong(loom_eval, options):
            loom_eval([*CASES, {"input": 1, "answer": "2"}] if not options else CASES, **options)

        def test_raises(loom_eval):
            loom_eval(CASES, task=lambda number: 1 / 0)
        """
    )
    own_prompts(pytester.path / "prompts", "Guess.")
    pytester.makeini(INI)
    result = run(pytester)
    result.assert_outcomes(passed=3, failed=6, warnings=1)
    result.stdout.fnmatch_lines(
        [
            "E *did you mean `reasoning_tree`?",
            "E *scorer: must be one of exact, final*; got exactly",
            "E *case 3: answer: unknown part; a case has id, input, target, cluster",
            "E *task: must be a tool such as 'reasoning_linear'*; not int",
            "E *mood*",
            "E *ZeroDivisionError*",
            "*UserWarning: no language model was called*",
        ]
    )
