"""The frameworks as data: eight, as the reference names them, each one workable."""

from __future__ import annotations

from typing import get_args

import pytest

from reasonloom.contracts.thinking.analyze import FrameworkId
from reasonloom.nodes.thinking.analyze.features import FEATURES
from reasonloom.nodes.thinking.analyze.frameworks.catalog import FRAMEWORKS
from reasonloom.nodes.thinking.analyze.frameworks.framework import Framework
from reasonloom.prompts.registry import PromptRegistry

every_framework = pytest.mark.parametrize("framework", FRAMEWORKS.values(), ids=FRAMEWORKS)


def test_there_are_the_eight_of_the_reference_and_the_vote_knows_them() -> None:
    assert tuple(FRAMEWORKS) == get_args(FrameworkId)
    schema = PromptRegistry().get("analysis/select").schema
    assert schema
    assert sorted(schema["properties"]["framework"]["enum"]) == sorted(FRAMEWORKS)
    assert {each.framework for each in FEATURES} == {*FRAMEWORKS}


@every_framework
def test_a_framework_has_four_to_six_steps_each_with_questions_and_what_it_brings(
    framework: Framework,
) -> None:
    assert 4 <= len(framework.steps) <= 6
    assert len({each.name for each in framework.steps}) == len(framework.steps)
    for step in framework.steps:
        assert step.instruction and step.expects
        assert len(step.questions) >= 2
        assert all(each.endswith("?") for each in step.questions)


@every_framework
def test_no_step_comes_before_what_it_needs_and_each_comes_once(framework: Framework) -> None:
    seen: set[str] = set()
    for wave in framework.waves:
        for step in wave:
            assert {*step.after} <= seen
        seen |= {step.name for step in wave}
    assert seen == {step.name for step in framework.steps}
    assert sum(map(len, framework.waves)) == len(framework.steps)


def test_frameworks_differ_in_their_steps() -> None:
    names = [step.name for each in FRAMEWORKS.values() for step in each.steps]
    assert len(set(names)) == len(names)


def test_what_does_not_need_each_other_is_one_wave() -> None:
    waves = [[step.name for step in wave] for wave in FRAMEWORKS["root-cause-analysis"].waves]
    assert waves == [
        ["Describe the failure"], ["Reconstruct the changes", "List possible causes"],
        ["Test the causes"], ["Prevent"],
    ]  # fmt: skip
