"""`eval_compare`: two saved runs for a model to read, and who may read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.evals.log import EvalLog, Record
from reasonloom.evals.reporting.compare_tool import LONGEST_ANSWER, NO_PAIR, NOTHING
from reasonloom.evals.reporting.saved_runs import head_of
from reasonloom.graphs.runs.engine import Engine
from tests.support.calls import call
from tests.support.evals.saved import save_run, save_versions
from tests.support.evals.suites import log_of


def home_of(engine: Engine) -> Path:
    return engine.loom.settings.home


async def compared(engine: Engine, **given: Any) -> dict[str, Any]:
    return dict((await call(engine, "eval_compare", given)).answer)


async def test_the_newest_runs_that_differ_in_a_prompt_version_are_compared(
    engine: Engine,
) -> None:
    home = home_of(engine)
    save_versions(home, 1, 2)
    save_run(home, "again", 2, at=3)
    log_of(home / "evals" / "other.jsonl", {"a": 1.0, "b": 0.0})
    answer = await compared(engine, limit=3)
    found = answer["comparison"]
    assert (found["base"]["name"], found["other"]["name"]) == ("support-1.jsonl", "again.jsonl")
    assert (found["base"]["label"], found["other"]["label"]) == (
        "support/label v1", "support/label v2",
    )  # fmt: skip
    assert (found["base"]["score"], found["other"]["score"]) == (0.45, 0.9)
    assert found["verdict"].startswith("support/label v2 is better than support/label v1 by 45.0")
    low, high = found["figures"][0]["interval"]
    assert -1 <= low < found["figures"][0]["difference"] < high <= 1
    assert [each["prompt"] for each in found["prompts"]] == ["support/label"]
    assert "-version: 1" in found["prompts"][0]["lines"]
    assert [each["outcome"] for each in found["cases"]] == ["to_wrong", "to_right", "to_right"]
    assert found["cases_total"] == 20
    assert [each["number"] for each in answer["runs"]] == [1, 2, 3, 4]
    assert answer["runs_total"] == 4


async def test_runs_are_named_by_number_or_name_and_one_is_completed(engine: Engine) -> None:
    save_versions(home_of(engine), 1, 2)
    for given in (
        {"base": "1", "other": "2"},
        {"base": "support-2.jsonl", "other": "support-1.jsonl"},
        {"base": "1"},
        {"other": "2"},
    ):
        found = (await compared(engine, **given))["comparison"]
        assert (found["base"]["name"], found["other"]["name"]) == (
            "support-2.jsonl", "support-1.jsonl",
        )  # fmt: skip


async def test_one_cluster_has_no_interval(engine: Engine) -> None:
    for name, score in (("one", 0.0), ("two", 1.0)):
        log_of(home_of(engine) / "evals" / f"{name}.jsonl", {"a": score}, usage={"calls": 1.0})
    found = (await compared(engine, base="one.jsonl", other="two.jsonl"))["comparison"]
    assert {str(each["interval"]) for each in found["figures"]} == {"not estimable"}
    assert found["base"]["interval"] == "not estimable"


async def test_words_that_differ_are_marked_and_long_texts_cut(engine: Engine) -> None:
    folder = home_of(engine) / "evals"
    for name, word in (("a", "red"), ("b", "blue")):
        log = log_of(folder / f"{name}.jsonl", {})
        log.add(Record("😀", 0, "", {"exact": 0.0}, 1.0, output=f"😀 the sea is {word} today"))
        log.add(Record("long", 0, "", {"exact": 0.0}, 1.0, output=f"{word} \u202e" * 1_000))
    found = (await compared(engine, base="a.jsonl", other="b.jsonl"))["comparison"]
    cases = {each["item"]: each for each in found["cases"]}
    text, ((start, end),) = cases["😀"]["base"]["text"], cases["😀"]["base"]["changed"]
    assert text[start:end] == "red"
    assert len(cases["long"]["other"]["text"]) == LONGEST_ANSWER + 1
    assert "\u202e" not in json.dumps(found, ensure_ascii=False)


async def test_nothing_saved_names_the_command(engine: Engine) -> None:
    outcome = await call(engine, "eval_compare", {})
    assert outcome.answer == {"comparison": None, "runs": [], "runs_total": 0}
    assert list(outcome.notes) == [NOTHING]
    assert "`reasonloom eval example`" in NOTHING


async def test_without_two_versions_the_runs_are_listed(engine: Engine) -> None:
    save_run(home_of(engine), "first", 1)
    save_run(home_of(engine), "second", 1, at=2)
    outcome = await call(engine, "eval_compare", {})
    assert outcome.answer["comparison"] is None
    assert len(outcome.answer["runs"]) == 2
    assert list(outcome.notes) == [NO_PAIR]


async def test_another_owner_reads_none_of_the_servers_runs(engine: Engine) -> None:
    save_versions(home_of(engine))
    outcome = await call(engine, "eval_compare", {}, owner="somebody")
    assert outcome.answer == {"comparison": None, "runs": [], "runs_total": 0}
    with pytest.raises(UnknownName) as known:
        await call(engine, "eval_compare", {"base": "support-1.jsonl"}, owner="somebody")
    with pytest.raises(UnknownName) as unknown:
        await call(engine, "eval_compare", {"base": "support-9.jsonl"}, owner="somebody")
    assert known.value.message.replace("support-1", "support-9") == unknown.value.message


@pytest.mark.parametrize("name", ["0", "3", "9" * 40, "../x", "support-1", "²", "/etc/passwd"])
async def test_an_unknown_run_is_an_error_with_the_valid_form(engine: Engine, name: str) -> None:
    save_versions(home_of(engine))
    with pytest.raises(
        UnknownName, match=r"give a number from 1, .*such as support-2\.jsonl"
    ) as no:
        await compared(engine, other=name)
    assert no.value.field == "other"


async def test_runs_that_cannot_be_compared_name_the_field(engine: Engine) -> None:
    folder = home_of(engine) / "evals"
    save_versions(home_of(engine))
    log_of(folder / "other.jsonl", {"a": 1.0})
    (folder / "torn.jsonl").write_bytes(b'{"head": 3}\n\xff[1]\n')
    with pytest.raises(InvalidArgument, match="no item in common") as caught:
        await compared(engine, base="support-1.jsonl", other="other.jsonl")
    assert caught.value.field == "other"
    with pytest.raises(InvalidArgument, match="is the base"):
        await compared(engine, base="support-1.jsonl", other="support-1.jsonl")
    with pytest.raises(InvalidArgument, match="no other saved run is of the suite of other"):
        await compared(engine, base="other.jsonl")
    with pytest.raises(InvalidArgument, match="torn"):
        await compared(engine, base="support-1.jsonl", other="torn.jsonl")


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"head": 3}', "{", "3"])
def test_a_file_without_a_head_has_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    assert head_of(path) == {}
    log = EvalLog(tmp_path / "y.jsonl")
    log.begin({"eval": "made"})
    assert head_of(log.path) == {"eval": "made"}
