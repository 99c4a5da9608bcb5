"""Metadata keeps keys that only its caller knows: returned, searched by, merged, exported."""

from __future__ import annotations

from typing import Any

import pytest

from reasonloom.contracts.caller import Caller
from reasonloom.errors import InvalidArgument
from reasonloom.graphs.runs.engine import Engine
from tests.support.calls import call, recalled, remember
from tests.support.memory.housekeeping import as_file, exported, take_in

TEXT = "The boiler is serviced each October."
OWN = {"ticket": "AB-12", "parts": [{"no": 7, "spare": True}], "model_config": 1, "space": "x"}


async def metadata(engine: Engine, text: str = TEXT) -> dict[str, Any]:
    (memory,) = (await call(engine, "recall", {"userId": "local", "text": text})).answer["memories"]
    return dict(memory["metadata"])


async def test_unknown_keys_are_returned_as_they_were_given(engine: Engine) -> None:
    await remember(engine, TEXT, metadata={"tags": ["house"], **OWN})
    found = await metadata(engine)
    assert {key: found[key] for key in OWN} == OWN
    assert (found["tags"], found["importance"]) == (["house"], 0.5)


async def test_a_filter_by_an_unknown_key_compares_its_value(engine: Engine) -> None:
    await remember(engine, TEXT, metadata=OWN)
    await remember(engine, "The boiler stands in the cellar.", metadata={"ticket": "AB-13"})
    for tool in ("recall", "search"):
        arguments = {"userId": "local", "text": "boiler", "metadata": {"ticket": "AB-12"}}
        found = (await call(engine, tool, arguments)).answer
        assert [each["content"] for each in found["memories"]] == [TEXT]
    assert await recalled(engine, "boiler", metadata={"ticket": "AB-1"}) == []


async def test_an_update_merges_unknown_keys(engine: Engine) -> None:
    memory = await remember(engine, TEXT, metadata=OWN)
    change = {"userId": "local", "memoryId": memory, "metadata": {"ticket": "AB-99", "by": "Ben"}}
    await call(engine, "update_memory", change)
    found = await metadata(engine)
    assert (found["ticket"], found["by"], found["space"]) == ("AB-99", "Ben", "x")


async def test_the_same_content_again_adds_the_keys_that_are_missing(engine: Engine) -> None:
    await remember(engine, TEXT, metadata={"ticket": "AB-12"})
    await remember(engine, TEXT, metadata={"ticket": "AB-13", "by": "Ben"})
    found = await metadata(engine)
    assert (found["ticket"], found["by"]) == ("AB-12", "Ben")


async def test_sixteen_kibibytes_of_unknown_keys_are_kept(engine: Engine) -> None:
    most = "x" * (16_384 - len('{"k": ""}'))
    memory = await remember(engine, TEXT, metadata={"k": most})
    assert (await metadata(engine))["k"] == most
    change = {"userId": "local", "memoryId": memory, "metadata": {"more": "x"}}
    with pytest.raises(InvalidArgument, match=r"^metadata: may hold at most 16384 bytes of JSON"):
        await call(engine, "update_memory", change)


async def test_more_unknown_keys_are_refused(engine: Engine) -> None:
    with pytest.raises(InvalidArgument) as refused:
        await remember(engine, TEXT, metadata={"k": "x" * 16_384})
    assert str(refused.value).startswith("metadata: may hold at most 16384 bytes of JSON")
    assert str(refused.value).endswith('such as {"ticket": "AB-12"}')


async def test_hidden_characters_of_unknown_keys_are_removed(engine: Engine) -> None:
    await remember(engine, TEXT, metadata={"tic\u202eket": "AB\u202e-12"})
    assert (await metadata(engine))["ticket"] == "AB-12"


async def test_an_export_takes_unknown_keys_along(engine: Engine) -> None:
    await remember(engine, TEXT, metadata=OWN)
    other = Caller("local", "other")
    await take_in(engine, as_file(await exported(engine)), other)
    arguments = {"userId": "other", "text": TEXT}
    (memory,) = (await call(engine, "recall", arguments)).answer["memories"]
    assert {key: memory["metadata"][key] for key in OWN} == OWN
