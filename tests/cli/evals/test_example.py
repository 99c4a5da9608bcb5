"""`reasonloom eval example`: what it copies is compared with a difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from reasonloom.errors import InvalidArgument
from reasonloom.evals.comparison.compare import compare
from reasonloom.evals.core.run import run
from reasonloom.evals.example import FILES, copy_example
from reasonloom.evals.loaders.declared import declared_eval
from reasonloom.evals.log import EvalLog
from reasonloom.settings import load_settings


async def test_the_versions_differ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "example"
    assert len(copy_example(folder)) == len([*FILES.rglob("*.*")])
    monkeypatch.chdir(folder)
    found = declared_eval(folder / "support.yaml")
    settings = load_settings(prompts=folder / "prompts")
    logs = [tmp_path / f"{place}.jsonl" for place in range(len(found.systems))]
    for system, log in zip(found.systems, logs, strict=True):
        assert not (await run(found.suite, system, log=log, settings=settings)).failed
        assert {each.calls[0]["said"] for each in EvalLog(log).records}
    (difference,) = compare(*logs)["compared"]
    assert (difference["base_score"], difference["score"]) == (0.5, 0.9)
    assert difference["p"] < 0.05


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    for folder in (tmp_path, tmp_path / "mine"):
        with pytest.raises(InvalidArgument, match="exists already"):
            copy_example(folder)
    assert (tmp_path / "mine").read_text(encoding="utf-8") == "mine"
