"""The saver keeps LangGraph's contract, by the suite that LangGraph publishes for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import ALL_CAPABILITIES

from reasonloom.stores.access import Access
from reasonloom.stores.database import Database
from reasonloom.stores.saver import SavedSteps

NOT_APPLICABLE = {"copy_thread", "delete_for_runs", "prune"}
"""The first two are missing in LangGraph's own saver for Postgres. Its pruning opens transactions
of its own, while here each use of the saver is one transaction, opened for one owner; old steps
are deleted by `stores/runs/redaction.py` instead."""


async def test_langgraphs_suite_passes(access: Access) -> None:
    everything = Access(admin=access.admin, app=access.admin)  # its threads have no owner

    @checkpointer_test(name="reasonloom", skip_capabilities=NOT_APPLICABLE)
    async def saver() -> AsyncIterator[BaseCheckpointSaver[str]]:
        steps = SavedSteps(Database(everything))
        yield await steps.open()
        await steps.close()

    report = await validate(saver)
    results = {name: result for name, result in report.results.items() if result.passed is not None}
    assert [failure for result in results.values() for failure in result.failures] == []
    assert results.keys() == {each.value for each in ALL_CAPABILITIES} - NOT_APPLICABLE
