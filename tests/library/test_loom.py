"""Tools as methods: their arguments, answers and errors, and a loom's event loop."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

import reasonloom
from reasonloom.errors import (
    Conflict,
    InvalidArgument,
    LlmRefused,
    MemoryNotFound,
    MissingArgument,
    SettingMistake,
    UnknownName,
)
from reasonloom.models import MemoryMetadata, NeedsAnswers, Remembered
from tests.support.llms.answering import AnsweringLlm

FACT = "Anna is allergic to peanuts."


async def test_tools_are_methods_with_typed_answers(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        made = await loom.remember(FACT, metadata=MemoryMetadata(tags=["food"]))
        assert isinstance(made, Remembered)
        found = await loom.recall("Who must avoid nuts?", limit=1)
        assert [each.content for each in found.memories] == [FACT]
        assert found.memories[0].metadata.tags == ["food"]
        assert found.call
        assert len(found.call.run_id) == 36
        changed = await loom.update_memory(made.memory_id, content="Anna may eat peanuts again.")
        assert changed.memory_id == made.memory_id
        assert await loom.call("forget", made.memory_id)
        assert (await loom.recall("Who must avoid nuts?")).memories == []


async def test_users_see_their_own_memories(options: dict[str, Any]) -> None:
    async with (
        reasonloom.open(**options) as anna,
        reasonloom.open(**options | {"user": "ben"}) as ben,
    ):
        await anna.remember(FACT)
        assert (await anna.recall("peanuts")).memories
        assert (await ben.recall("peanuts")).memories == []


async def test_a_repeated_key_returns_the_first_answer(
    options: dict[str, Any], llm: AnsweringLlm
) -> None:
    async with reasonloom.open(**options) as loom:
        first = await loom.reasoning_linear("Where shall we eat?", idempotency_key="once")
        again = await loom.reasoning_linear("Where shall we eat?", idempotency_key="once")
        assert first == again
        assert llm.counts["thought"] == 1
        with pytest.raises(Conflict, match="another request"):
            await loom.reasoning_linear("And drink?", idempotency_key="once")


async def test_notes_come_with_the_answer(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        answer = await loom.recall("nuts", user_id="nobody")
        assert answer.call
        assert "nobody" in " ".join(answer.call.notes)


async def test_a_note_says_that_no_language_model_answered(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options | {"llm": "offline"}) as loom:
        thought, found = await loom.reasoning_linear("Which boat?"), await loom.recall("boats")
        assert thought.call
        assert found.call
        assert thought.call.notes[-1].startswith("no language model answered")
        assert not any("language model" in note for note in found.call.notes)


MISTAKES: list[tuple[str, tuple[Any, ...], dict[str, Any], type[Exception], str, str]] = [
    ("recall", ("x",), {"limt": 3}, InvalidArgument, "limt", "did you mean limit?"),
    ("recall", (7,), {}, InvalidArgument, "text", "must be a string"),
    ("recall", ("x", 3), {}, InvalidArgument, "arguments", "takes 1 positional"),
    ("remember", (), {}, MissingArgument, "content", "Missing required parameter: content"),
    ("think", ("x",), {}, MissingArgument, "mode", "mode; it is one of analytical, creative,"),
    ("remember", ("x",), {"content": "y"}, InvalidArgument, "content", "is given twice"),
    ("remember", ("x",), {"primary_sector": "w"}, InvalidArgument, "primary_sector", "one of"),
    ("remember", (object(),), {}, InvalidArgument, "content", "object"),
    ("remember", (b"\xff\xfe",), {}, InvalidArgument, "content", "is not JSON"),
    ("recall", ("x",), {"idempotency_key": 5}, InvalidArgument, "idempotency_key", "printable"),
    ("recall", ("x",), {"idempotency_key": "a\0"}, InvalidArgument, "idempotency_key", "1 to 200"),
    ("forget", ("mem-99",), {}, MemoryNotFound, "memory_id", "mem-99"),
]


@pytest.mark.parametrize(("tool", "values", "named", "kind", "field", "text"), MISTAKES)
async def test_mistakes_are_exceptions_that_name_the_argument(
    options: dict[str, Any],
    tool: str,
    values: tuple[Any, ...],
    named: dict[str, Any],
    kind: type[Exception],
    field: str,
    text: str,
) -> None:
    async with reasonloom.open(**options) as loom:
        with pytest.raises(kind, match=text) as caught:
            await getattr(loom, tool)(*values, **named)
        assert getattr(caught.value, "field", None) == field


async def test_unknown_names_are_refused_with_the_nearest(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        with pytest.raises(UnknownName, match=r"did you mean recall\?"):
            await loom.call("recal", "x")
        with pytest.raises(UnknownName, match=r"did you mean tree\?"):
            loom.mode("treee")
        with pytest.raises(InvalidArgument, match=r"did you mean max_branches\?"):
            loom.mode("tree", max_branche=4)
        with pytest.raises(UnknownName, match=r"did you mean remember\?"):
            loom.tools("rememberr")
    with pytest.raises(SettingMistake, match=r"did you mean tool_timeout\?"):
        async with reasonloom.open(**options, tool_timeot=3):
            pass
    with pytest.raises(SettingMistake, match="REASONLOOM_LLM"):
        async with reasonloom.open(**options | {"llm": "nobody"}):
            pass


async def test_a_closed_loom_is_refused(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        tree = loom.mode("tree")
    for late in (loom.recall("x"), tree.ainvoke("x")):
        with pytest.raises(Conflict, match="closed"):
            await late


async def test_a_loom_belongs_to_one_event_loop(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        refused: list[Conflict] = []

        def elsewhere() -> None:
            try:
                asyncio.run(loom.recall("x"))
            except Conflict as error:
                refused.append(error)

        await asyncio.to_thread(elsewhere)
        assert "another event loop" in str(refused[0])
        with pytest.raises(Conflict, match="await the async method"):
            loom.mode("linear").invoke("x")


async def test_two_looms_in_one_process(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as one, reasonloom.open(**options) as other:
        await asyncio.gather(one.remember("The mill turns."), other.remember("The kiln burns."))
        assert {m.content for m in (await one.recall("mill and kiln")).memories} == {
            "The mill turns.",
            "The kiln burns.",
        }


async def test_a_cancelled_call_leaves_the_loom_usable(
    options: dict[str, Any], llm: AnsweringLlm
) -> None:
    llm.seconds = 30.0
    async with reasonloom.open(**options) as loom:
        work = asyncio.create_task(loom.mode("linear").ainvoke("Where shall we eat?"))
        while not llm.at_once:
            await asyncio.sleep(0.01)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert (await loom.recall("eat")).memories == []


def test_open_sync_blocks_and_works_from_any_thread(options: dict[str, Any]) -> None:
    with reasonloom.open_sync(**options) as loom:
        thread = threading.Thread(target=loom.remember, args=[FACT])
        thread.start()
        thread.join()
        assert [each.content for each in loom.recall("nuts").memories] == [FACT]
        assert loom.mode("linear").invoke("Where?").content == "Eat at the mill."
        with pytest.raises(MissingArgument):
            loom.remember()  # type: ignore[call-arg]
    with pytest.raises(Conflict, match="closed"):
        loom.recall("nuts")


async def test_open_sync_works_within_a_running_event_loop(options: dict[str, Any]) -> None:
    with reasonloom.open_sync(**options) as loom:
        assert loom.remember(FACT).memory_id


async def test_a_caller_as_the_model_answers_questions(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options | {"llm": "caller"}) as loom:
        asked = await loom.reasoning_linear("Who knows the mill?")
        assert isinstance(asked, NeedsAnswers)
        reply = {
            "id": asked.questions[0].id,
            "reply": {"thought": "The miller.", "confidence": 0.8},
        }
        answer = await loom.answer(asked.run_id, [reply])
        assert getattr(answer, "content", None) == "The miller."
        with pytest.raises(InvalidArgument, match="answers"):
            await loom.answer(asked.run_id, [{"id": "r1q1", "replyy": "x"}])


async def test_a_failing_model_is_an_exception(options: dict[str, Any]) -> None:
    llm = AnsweringLlm(thought=LlmRefused("model: refused (HTTP 401)"))
    async with reasonloom.open(**options | {"llm": llm}) as loom:
        with pytest.raises(LlmRefused, match="401"):
            await loom.reasoning_linear("Where?")


@pytest.mark.parametrize("wrong", [3, AnsweringLlm, object()])
async def test_an_object_that_is_no_model_is_refused_at_once(
    options: dict[str, Any], wrong: Any
) -> None:
    for name in ("llm", "embedder"):
        with pytest.raises(SettingMistake, match=f"{name}: must be a setting such as"):
            async with reasonloom.open(**options | {name: wrong}):
                pass


async def test_a_model_handed_in_goes_before_the_environment(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REASONLOOM_LLM", "caller")
    async with reasonloom.open(**options) as loom:
        answer = await loom.reasoning_linear("Where?")
        assert not isinstance(answer, NeedsAnswers)
        assert answer.content == "Eat at the mill."


def test_closing_ends_the_calls_of_other_threads(
    options: dict[str, Any], llm: AnsweringLlm
) -> None:
    llm.seconds = 60.0
    ended: list[BaseException] = []

    def think(loom: reasonloom.SyncLoom) -> None:
        try:
            loom.reasoning_linear("Where?")
        except Conflict as error:
            ended.append(error)

    with reasonloom.open_sync(**options) as loom:
        thread = threading.Thread(target=think, args=[loom])
        thread.start()
        while not llm.at_once:
            time.sleep(0.01)
    thread.join(20)
    assert not thread.is_alive()
    assert "closed" in str(ended[0])


async def test_a_blocked_event_loop_is_refused(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reasonloom.library.tool_calls.BLOCKED", 0.2)
    async with reasonloom.open(**options) as loom:
        with pytest.raises(Conflict, match="event loop is blocked"):
            loom.mode("linear").batch(["a?", "b?"])
