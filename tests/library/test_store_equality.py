"""The store does what LangGraph's own stores do, in memory and on Postgres."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import PostgresStore

import reasonloom
from reasonloom.llm.interfaces import Embedder

EMPTY = "DELETE FROM items; DELETE FROM memories; DELETE FROM store"
TEXTS = ["Anna avoids peanuts.", "Ben drinks green tea.", "The train leaves at ten.", "%_\\ é 木"]
ALL = 1_000
PRECISION = 0.003
"""Of a cosine: vectors are stored with eleven bits."""

labels = st.sampled_from(["a", "b", "ab", "user_1", "userx1", "%", "é"])
namespaces = st.lists(labels, min_size=1, max_size=3).map(tuple)
prefixes = st.lists(labels, max_size=2).map(tuple)
keys = st.sampled_from(["", "k", "K", "k'\"\\", "é", "a.b"])
texts = st.text(st.characters(exclude_categories=["Cs", "Cn", "Cc"]), max_size=5)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
finite = leaves.filter(lambda leaf: not isinstance(leaf, float) or abs(leaf) != float("inf"))
anything = st.recursive(
    finite, lambda part: st.lists(part, max_size=3) | st.dictionaries(texts, part, max_size=3),
    max_leaves=5,
)  # fmt: skip
values = st.fixed_dictionaries(
    {"n": st.integers(0, 9), "text": st.sampled_from(TEXTS), "more": anything}
)
numbers = st.integers(0, 9)
conditions = st.fixed_dictionaries(
    {},
    optional={
        "n": numbers
        | st.dictionaries(
            st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]), numbers, min_size=1
        ),
        "text": st.sampled_from(TEXTS) | st.fixed_dictionaries({"$ne": st.sampled_from(TEXTS)}),
    },
)
matches = st.builds(
    MatchCondition,
    st.sampled_from(["prefix", "suffix"]),
    st.lists(labels | st.just("*"), max_size=3).map(tuple),
)
pages = {"limit": st.sampled_from([0, 1, 2, ALL]), "offset": st.integers(0, 2)}
unset = {"query": st.none(), "refresh_ttl": st.just(True)}
puts = st.builds(
    PutOp, namespaces, keys, st.none() | values, index=st.just(["text"]), ttl=st.none()
).map(lambda op: op._replace(index=False) if op.key == "K" else op)
queries = st.sampled_from(TEXTS).map(lambda query: {"query": query, "limit": ALL, "offset": 0})
reads = (
    st.builds(GetOp, namespaces, keys, st.just(True))
    | st.builds(SearchOp, prefixes, conditions | st.none(), **pages, **unset)
    | st.builds(
        lambda prefix, wanted, query: SearchOp(prefix, wanted, **query),
        prefixes, conditions, queries,
    )
    | st.builds(
        ListNamespacesOp, st.lists(matches, max_size=2).map(tuple), st.none() | st.integers(1, 3),
        **pages,
    )
)  # fmt: skip
batches = st.lists(st.lists(puts | reads, max_size=6), min_size=1, max_size=4)


class Stores(NamedTuple):
    """Ours, and a database with a store of LangGraph's next to it."""

    ours: BaseStore
    theirs: PostgresStore
    connection: psycopg.Connection[Any]
    embedder: Embedder


class KnownTexts:
    """An embedder that computes each vector once."""

    def __init__(self, embedder: Embedder) -> None:
        self.model, self.dimension, self.floor = embedder.model, embedder.dimension, embedder.floor
        self._embed = embedder.embed
        self._known: dict[str, list[float]] = {}

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        new = [each for each in dict.fromkeys(texts) if each not in self._known]
        self._known.update(zip(new, await self._embed(new) if new else [], strict=True))
        return [self._known[each] for each in texts]

    async def close(self) -> None:
        pass


@pytest.fixture
def stores(options: dict[str, Any]) -> Iterator[Stores]:
    url, embedder = options["database_url"], KnownTexts(options["embedder"])
    with (
        reasonloom.open_sync(**options | {"embedder": embedder}) as loom,
        PostgresStore.from_conn_string(url) as theirs,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        theirs.setup()
        connection.execute("SET search_path = reasonloom, public")
        yield Stores(loom.store, theirs, connection, embedder)


@contextmanager
def in_memory(embedder: Embedder) -> Iterator[InMemoryStore]:
    with asyncio.Runner() as runner:

        def embed(given: Any) -> list[list[float]]:
            return runner.run(embedder.embed(list(given)))

        yield InMemoryStore(index={"dims": embedder.dimension, "embed": embed, "fields": ["text"]})


def expected_of(store: InMemoryStore, batch: list[Op]) -> list[Any]:
    """Return the results of a batch.

    The store lists namespaces of which the last item is deleted, and those that were only read:
    they are dropped before each read. Of two equal texts in a batch it takes only one vector, so
    that each write is a batch of its own.
    """
    results: list[Any] = []
    for op in batch:
        for namespace in [each for each, items in store._data.items() if not items]:
            del store._data[namespace]
        results.append(None if isinstance(op, PutOp) else store.batch([op])[0])
    for op in batch:
        if isinstance(op, PutOp):
            store.batch([op])
    return results


def test_it_equals_langgraphs_stores(stores: Stores) -> None:
    ours, theirs, connection, embedder = stores

    @settings(max_examples=60)
    @given(batches)
    def equal(given: list[list[Op]]) -> None:
        connection.execute(EMPTY.encode())
        with in_memory(embedder) as memory:
            for batch in given:
                expected, found = expected_of(memory, batch), ours.batch(batch)
                on_postgres = theirs.batch([each for each in batch if not _has_query(each)])
                others = iter(on_postgres)
                for op, one, two in zip(batch, found, expected, strict=True):
                    assert _comparable(op, one) == _comparable(op, two), op
                    if _has_query(op):
                        assert _scores(one) == pytest.approx(_scores(two), abs=PRECISION), op
                    else:
                        assert _of_postgres(op, one) == _of_postgres(op, next(others)), op

    equal()


def _has_query(op: Op) -> bool:
    return isinstance(op, SearchOp) and op.query is not None


def _scores(result: Any) -> list[float]:
    return [each.score for each in result if each.score is not None]


def _comparable(op: Op, result: Any) -> Any:
    """Return a result without what LangGraph leaves open: the order of equals, and times."""
    if isinstance(op, GetOp):
        return result and (result.namespace, result.key, json.dumps(result.value, sort_keys=True))
    if not isinstance(op, SearchOp):
        return result
    if op.query is not None:  # in memory, items without a vector follow those that have one
        return {(each.namespace, each.key) for each in result if each.score is not None}
    if op.limit < ALL or op.offset:
        return len(result)
    return sorted(json.dumps([each.namespace, each.key, each.value["n"]]) for each in result)


def _of_postgres(op: Op, result: Any) -> Any:
    """Return a result without what `jsonb` changes, and in no order of texts."""
    if isinstance(op, GetOp):
        return result and (result.value["n"], result.value["text"])
    if isinstance(op, ListNamespacesOp):
        whole = op.limit == ALL and not op.offset
        return set(result) if whole else len(result)
    return _comparable(op, result)


@pytest.mark.parametrize("operator", ["$gt", "$gte", "$lt", "$lte", "$ne", "$eq"])
def test_texts_compare_and_missing_fields_never_match_as_on_postgres(
    stores: Stores, operator: str
) -> None:
    items: dict[str, dict[str, Any]] = {
        "a": {"t": "apple"},
        "b": {"t": "berry"},
        "c": {"u": 1},
        "d": {"t": None},
    }
    for store in (stores.ours, stores.theirs):
        for key, value in items.items():
            store.put(("x",), key, value)
    for wanted in ("apple", "b", None):
        if wanted is None and operator not in ("$eq", "$ne"):
            continue
        conditions = {"t": {operator: wanted}}
        one, two = (
            {each.key for each in store.search(("x",), filter=conditions)}
            for store in (stores.ours, stores.theirs)
        )
        assert one == two


def test_numbers_compare_as_numbers(stores: Stores) -> None:
    """LangGraph's store on Postgres compares them as texts; the one in memory does not."""
    memory = InMemoryStore()
    for store in (stores.ours, memory):
        for number in (9, 10, -1, 2.5, 1e300):
            store.put(("x",), str(number), {"n": number})
    for conditions in ({"n": {"$gt": 9}}, {"n": {"$lte": 2.5}}, {"n": {"$gte": -1, "$lt": 10}}):
        one, two = (
            {each.key for each in store.search(("x",), filter=conditions)}
            for store in (stores.ours, memory)
        )
        assert one == two


def test_the_last_written_come_first(stores: Stores) -> None:
    for store in (stores.ours, stores.theirs):
        for key in ("one", "two", "three", "one"):
            store.put(("x",), key, {"n": 1})
        pages = [store.search(("x",), limit=2, offset=offset) for offset in (0, 2)]
        assert [[each.key for each in page] for page in pages] == [["one", "three"], ["two"]]
