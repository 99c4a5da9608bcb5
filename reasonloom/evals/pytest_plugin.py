"""The pytest plugin: the fixture `loom_eval`, and options to record and replay model replies.

pytest imports this module in every project with reasonloom installed, so that nothing heavy is
imported before the fixture is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from reasonloom.evals.testing import LoomEval

RECORD, REPLAY, PROMPTS = "--reasonloom-record", "--reasonloom-replay", "reasonloom_prompts"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the ini setting for a folder of prompts."""
    group = parser.getgroup("reasonloom")
    group.addoption(
        RECORD,
        metavar="FILE",
        help="record the replies of language models in FILE; reuse those that it holds",
    )
    group.addoption(
        REPLAY, metavar="FILE", help="replay the replies in FILE; call no language model"
    )
    parser.addini(PROMPTS, "folder of prompts for evals, relative to the root folder")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse the two options together."""
    if config.getoption(RECORD) and config.getoption(REPLAY):
        raise pytest.UsageError(f"{RECORD} and {REPLAY} exclude each other; give one of them")


@pytest.fixture(scope="session")
def loom_eval(pytestconfig: pytest.Config) -> LoomEval:
    """Run an eval: `loom_eval(cases, task=..., scorers=[...])` returns an `EvalResult`."""
    from reasonloom.evals.testing import LoomEval

    prompts = pytestconfig.getini(PROMPTS)
    folder = pytestconfig.invocation_params.dir
    record, replay = (pytestconfig.getoption(option) for option in (RECORD, REPLAY))
    return LoomEval(
        prompts=pytestconfig.rootpath / prompts if prompts else None,
        record=folder / record if record else None,
        replay=folder / replay if replay else None,
    )
