"""The store: items that are memories, their expiry, agents and graphs that use it, bad input."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import psycopg
import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedStore
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    PutOp,
    SearchOp,
)

import reasonloom
from reasonloom.compose import open_engine
from reasonloom.errors import Conflict, InvalidArgument
from reasonloom.graphs.background_jobs import ItemExpiry
from reasonloom.settings import load_settings
from reasonloom.stores.access import Access
from tests.library.test_agents import calls, scripted, tool_messages

FACT = "Anna is allergic to peanuts."
USERS = ("users", "anna")


def change(access: Access, statement: str) -> None:
    with psycopg.connect(access.admin) as connection:
        connection.execute(statement.encode())


def rows(access: Access, query: str) -> list[Any]:
    with psycopg.connect(access.admin) as connection:
        return [row[0] for row in connection.execute(query.encode()).fetchall()]


async def contents(loom: reasonloom.Loom, question: str = "Who must avoid nuts?") -> list[str]:
    return [each.content for each in (await loom.recall(question)).memories]


async def test_an_item_is_a_memory_until_it_is_deleted(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        await loom.store.aput(USERS, "diet", {"text": FACT, "source": "form"}, index=["text"])
        (memory,) = (await loom.recall("Who must avoid nuts?")).memories
        assert memory.content == FACT
        assert memory.provenance
        assert memory.provenance.tool == "store"
        assert memory.metadata.model_extra == {"namespace": list(USERS), "key": "diet"}
        first = await loom.store.aget(USERS, "diet")
        await loom.store.aput(USERS, "diet", {"text": "Anna may eat peanuts again."})
        (again,) = (await loom.recall("May Anna eat peanuts?")).memories
        assert (again.id, again.content) == (memory.id, "Anna may eat peanuts again.")
        second = await loom.store.aget(USERS, "diet")
        assert first
        assert second
        assert first.created_at == second.created_at <= first.updated_at < second.updated_at
        await loom.store.adelete(USERS, "diet")
        assert await loom.store.aget(USERS, "diet") is None
        assert (await loom.memory_stats()).node_count == 0


async def test_without_an_index_an_item_is_no_memory(
    options: dict[str, Any], access: Access
) -> None:
    async with reasonloom.open(**options) as loom:
        await loom.store.aput(USERS, "diet", {"text": FACT})
        await loom.store.aput(USERS, "diet", {"text": FACT}, index=False)
        assert await contents(loom) == []
        assert await loom.store.asearch(USERS, query="nuts") == []
        assert [each.score for each in await loom.store.asearch(USERS)] == [None]
    assert rows(access, "SELECT count(*) FROM memories") == [0]


async def test_a_forgotten_memory_takes_its_item_along(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        await loom.store.aput(USERS, "diet", {"text": FACT})
        (memory,) = (await loom.recall("peanuts")).memories
        await loom.forget(memory.id, soft=True)
        assert await loom.store.aget(USERS, "diet") is None
        assert await loom.store.asearch(()) == []
        assert await loom.store.alist_namespaces() == []
        await loom.restore_memory(memory.id)
        assert await loom.store.aget(USERS, "diet")
        await loom.forget(memory.id, soft=True)
        await loom.store.aput(USERS, "diet", {"text": "Ben likes peanuts."})
        (other,) = (await loom.recall("peanuts")).memories
        assert other.id != memory.id, "what was forgotten stays forgotten"
        await loom.forget(other.id)
        assert await loom.store.aget(USERS, "diet") is None


async def test_a_value_after_a_correction_is_found(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        await loom.store.aput(USERS, "diet", {"text": FACT})
        (memory,) = (await loom.recall("peanuts")).memories
        await loom.memory_correct(int(memory.id.removeprefix("mem-")), "Anna eats peanuts.")
        await loom.store.aput(USERS, "diet", {"text": "Anna eats few peanuts."})
        found = {
            each.content: each.superseded_by for each in (await loom.recall("peanuts")).memories
        }
        assert found["Anna eats few peanuts."] is None
        assert found[FACT]


async def test_users_have_their_own_items(options: dict[str, Any]) -> None:
    async with (
        reasonloom.open(**options) as anna,
        reasonloom.open(**options | {"user": "ben"}) as ben,
    ):
        await anna.store.aput(USERS, "diet", {"text": FACT})
        assert await ben.store.aget(USERS, "diet") is None
        assert await ben.store.asearch((), query="peanuts") == []
        await ben.store.aput(USERS, "diet", {"text": "Ben eats all."})
        await ben.store.adelete(USERS, "diet")
        assert await anna.store.aget(USERS, "diet")


async def test_pruning_leaves_items(options: dict[str, Any], access: Access) -> None:
    async with reasonloom.open(**options) as loom:
        await loom.store.aput(USERS, "diet", {"text": FACT})
        await loom.remember("Ben likes tea.")
        change(access, "UPDATE memories SET strength = 0.05, created_at = '2020-01-01', "
               "last_accessed = '2020-01-01'")  # fmt: skip
        assert len((await loom.prune_memories(dry_run=False)).memories) == 1
        assert await loom.store.aget(USERS, "diet")


async def test_an_expired_item_is_gone_and_reading_renews_it(
    options: dict[str, Any], access: Access
) -> None:
    ends = "SELECT expires_at FROM items"
    async with reasonloom.open(**options) as loom:
        await loom.store.aput(USERS, "gone", {"text": FACT}, ttl=0)
        assert await loom.store.aget(USERS, "gone") is None
        assert await loom.store.asearch(USERS, query="peanuts") == []
        await loom.store.aput(USERS, "diet", {"text": "Tea."}, ttl=30)
        assert rows(access, "SELECT key FROM items") == ["diet"], "writing deletes what is expired"
        assert await contents(loom) == []
        for renew in (loom.store.aget(USERS, "diet"), loom.store.asearch(USERS)):
            soon = datetime.now(UTC) + timedelta(seconds=30)
            change(access, f"UPDATE items SET expires_at = '{soon.isoformat()}'")
            await loom.store.aget(USERS, "diet", refresh_ttl=False)
            assert rows(access, ends) == [soon]
            assert await renew
            assert rows(access, ends)[0] > soon + timedelta(minutes=20)
        loom.store.ttl_config = {"default_ttl": 5}
        await loom.store.aput(USERS, "tea", {"text": "Green tea."})
        assert rows(access, "SELECT ttl_minutes FROM items WHERE key = 'tea'") == [5]


async def test_a_background_job_deletes_what_is_expired(
    options: dict[str, Any], access: Access
) -> None:
    async with reasonloom.open(**options) as loom:
        await loom.store.aput(USERS, "diet", {"text": FACT}, ttl=0)
        await loom.store.aput(USERS, "tea", {"text": "Tea."}, index=False, ttl=0)
        change(access, "UPDATE items SET expires_at = now() - interval '1 day'")
        await loom.store.aput(USERS, "milk", {"text": "Milk."}, ttl=1)
        change(access, "UPDATE items SET expires_at = now() - interval '1 day'")
    async with open_engine(load_settings(), access=access, recover=False) as engine:
        await ItemExpiry(engine.loom).look()
    assert rows(access, "SELECT count(*) FROM items") == [0]
    assert rows(access, "SELECT count(*) FROM memories") == [0]


async def test_a_batch_reads_what_was_there_before(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        await loom.store.aput(USERS, "diet", {"n": 0})
        many = [PutOp(("numbers",), str(n), {"n": n}) for n in range(30)]
        results = await loom.store.abatch(
            [
                *many,
                PutOp(USERS, "diet", {"n": 1}),
                GetOp(USERS, "diet"),
                SearchOp(("numbers",)),
                PutOp(USERS, "diet", {"n": 2}),
            ]
        )
        assert results[-3].value == {"n": 0}  # type: ignore[union-attr]
        assert results[-2] == []
        found = await loom.store.abatch([GetOp(USERS, "diet"), *(GetOp(USERS, "x"),) * 40])
        assert found[0].value == {"n": 2}  # type: ignore[union-attr]
        assert len(await loom.store.asearch(("numbers",), limit=50)) == 30
        assert await loom.store.abatch([]) == []


async def test_first_writes_at_once_leave_one_item(options: dict[str, Any], access: Access) -> None:
    async with reasonloom.open(**options) as loom:
        puts = [loom.store.aput(USERS, f"k{n % 3}", {"text": f"Note {n}."}) for n in range(12)]
        await asyncio.gather(*puts)
        assert len(await loom.store.asearch(USERS)) == 3
    assert rows(access, "SELECT count(*) FROM memories") == [3]


async def test_other_threads_call_it_and_its_own_loop_may_not(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        await asyncio.to_thread(loom.store.put, USERS, "diet", {"text": FACT})
        assert await asyncio.to_thread(loom.store.get, USERS, "diet")
        with pytest.raises(Conflict, match="await the async method"):
            loom.store.get(USERS, "diet")
    with pytest.raises(Conflict, match="closed"):
        await loom.store.aget(USERS, "diet")


async def test_open_sync_has_it_for_any_loop(options: dict[str, Any]) -> None:
    def use() -> None:
        with reasonloom.open_sync(**options) as loom:
            loom.store.put(USERS, "diet", {"text": FACT})
            assert loom.recall("peanuts").memories[0].content == FACT
            assert asyncio.run(loom.store.aget(USERS, "diet"))

    await asyncio.to_thread(use)


@tool
def note(text: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Keep a note."""
    store.put(("notes",), "last", {"text": text})
    return "kept"


async def test_an_agent_and_a_graph_use_it(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        model = scripted(calls("note", text=FACT), AIMessage("I will remember it."))
        agent: Any = create_agent(
            model,
            tools=[note, *loom.tools("recall")],
            store=loom.store,
            middleware=[loom.memory_middleware(store=False)],
        )
        state = await agent.ainvoke({"messages": [("user", "No peanuts for me.")]})
        assert tool_messages(state)[0].text == "kept"
        assert await contents(loom) == [FACT]

        async def answer(state: MessagesState, *, store: BaseStore) -> dict[str, Any]:
            (found,) = await store.asearch(("notes",), query="Who must avoid nuts?")
            return {"messages": [AIMessage(found.value["text"])]}

        graph = StateGraph(MessagesState)
        graph.add_node("answer", answer)
        graph.add_edge(START, "answer")
        app: Any = graph.compile(store=loom.store)
        assert (await app.ainvoke({"messages": []}))["messages"][-1].text == FACT


WRONG: list[tuple[Any, str, str]] = [
    (GetOp(("users", 7), "k"), "namespace", "('users', 'anna')"),  # type: ignore[arg-type]
    (GetOp("users", "k"), "namespace", "not str"),  # type: ignore[arg-type]
    (GetOp(["users"], "k"), "namespace", "must be a tuple"),  # type: ignore[arg-type]
    (GetOp(("us.ers",), "k"), "namespace", "no period"),
    (GetOp(("",), "k"), "namespace", "not empty"),
    (GetOp(("a\ud800",), "k"), "namespace.0", "surrogate"),
    (GetOp(("users",), 7), "key", 'such as "diet"; not int'),  # type: ignore[arg-type]
    (GetOp(("users",), "a\0"), "key", "NUL"),
    (PutOp(("u" * 600,), "k" * 600, {}), "key", "1,000 bytes"),
    (PutOp((), "k", {}), "namespace", "at least one"),
    (PutOp(("users",), "k", "text"), "value", 'such as {"diet": "vegan"}'),  # type: ignore[arg-type]
    (PutOp(("users",), "k", {"at": datetime.now(UTC)}), "value.at", "not datetime"),
    (PutOp(("users",), "k", {"a": [{1: 2}]}), "value.a.0", "texts as names"),
    (PutOp(("users",), "k", {"a": float("nan")}), "value.a", "finite"),
    (PutOp(("users",), "k", {"a": 10**5_000}), "value", "object of JSON"),
    (PutOp(("users",), "k", {"a": "\0"}), "value.a", "NUL"),
    (PutOp(("users",), "k", {}, index=["text", 3]), "index", '["text"]'),  # type: ignore[list-item]
    (PutOp(("users",), "k", {}, index=True), "index", "False or a list"),  # type: ignore[arg-type]
    (PutOp(("users",), "k", {}, ttl=-1), "ttl", "minutes from 0"),
    (PutOp(("users",), "k", {}, ttl=float("nan")), "ttl", "such as 60"),
    (PutOp(("users",), "k", {}, ttl="5"), "ttl", "number of minutes"),  # type: ignore[arg-type]
    (SearchOp(("users",), {"n": {"$in": [1]}}), "filter.n.$in", "$eq, $ne, $gt"),
    (SearchOp(("users",), {"n": {"a": 1}}), "filter.n.a", "must be an operator"),
    (SearchOp(("users",), {"n": {}}), "filter.n", "must be an operator"),
    (SearchOp(("users",), {"n": {"$gt": [1]}}), "filter.n.$gt", "a number or a text"),
    (SearchOp(("users",), {"n": {1, 2}}), "filter.n", "not set"),
    (SearchOp(("users",), "n"), "filter", "dict of fields"),  # type: ignore[arg-type]
    (SearchOp(("users",), query=3), "query", "must be a text"),  # type: ignore[arg-type]
    (SearchOp(("users",), limit=-1), "limit", "whole number from 0"),
    (SearchOp(("users",), offset=1.5), "offset", "such as 10"),  # type: ignore[arg-type]
    (ListNamespacesOp(max_depth=0), "max_depth", "whole number from 1"),
    ("get", "ops", "such as GetOp"),
]  # fmt: skip


async def test_what_is_malformed_names_its_field_and_stores_nothing(
    options: dict[str, Any],
) -> None:
    async with reasonloom.open(**options) as loom:
        for op, field, form in WRONG:
            with pytest.raises(InvalidArgument, match=re.escape(form)) as refused:
                await loom.store.abatch([op])
            assert refused.value.field == field, op
            with pytest.raises(InvalidArgument, match=rf"^ops\.1(\.{re.escape(field)})?: "):
                await loom.store.abatch([PutOp(USERS, "k", {"a": 1}), op])
        assert await loom.store.asearch(()) == []


async def test_the_methods_raise_our_errors_too(options: dict[str, Any]) -> None:
    async with reasonloom.open(**options) as loom:
        wrong: Any = ("users", 7)
        for call in (
            loom.store.aget(wrong, "k"),
            loom.store.aput(wrong, "k", {}),
            loom.store.aput(("langgraph",), "k", {}),
            loom.store.adelete(wrong, "k"),
            loom.store.asearch(wrong),
            loom.store.alist_namespaces(suffix=wrong),
        ):
            with pytest.raises(InvalidArgument, match="such as") as refused:
                await call
            assert isinstance(refused.value, InvalidNamespaceError), "LangGraph's own error as well"
        with pytest.raises(InvalidArgument, match="namespace: must be a tuple"):
            await asyncio.to_thread(loom.store.put, wrong, "k", {})
        with pytest.raises(InvalidArgument, match="ttl: "):
            await loom.store.aput(USERS, "k", {}, ttl=-3)
