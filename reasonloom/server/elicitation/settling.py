"""Settles, by the user's reply, the pair of memories that a call leaves open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from mcp_types import InputRequiredResult

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.server.elicitation.dialog import PairDialog
from reasonloom.server.envelopes.envelope import ResponseMeta
from reasonloom.server.toolsets.pair import MemoryPair, PairReply
from reasonloom.server.toolsets.toolset import ToolLine

if TYPE_CHECKING:
    from reasonloom.graphs.runs.call import Outcome
    from reasonloom.graphs.runs.engine import Engine

REASON = "the user confirmed it"
SETTLED = "the user confirmed that {right} holds, so {outdated} is superseded"


@dataclass(frozen=True, slots=True)
class Settling:
    """A call whose answer may leave a pair open; `run` runs it under an idempotency key."""

    dialog: PairDialog
    line: ToolLine
    request: Request
    caller: Caller
    engine: Callable[[], Awaitable[Engine]]
    run: Callable[[str | None], Awaitable[tuple[Outcome, ResponseMeta]]]

    async def outcome(self) -> tuple[Outcome, ResponseMeta] | InputRequiredResult:
        """Return the outcome as the user settled it, or the question to a modern client.

        Such a client calls again with the reply. The key makes that the same run, except for a
        tool that only reads, which is run again on what holds now.
        """
        given = self.dialog.given()
        if given is not None:
            note = await self._settle(given)
            outcome, meta = await self.run(given.key)
            return self._noted(outcome, meta, given, note)
        again = self.dialog.calls_again and self.line.settled is not None
        key = f"pair-{uuid4()}" if again else None
        outcome, meta = await self.run(key)
        pair = await self._open_pair(outcome)
        if pair is None:
            return outcome, meta
        reply = await self.dialog.ask(pair, key)
        if isinstance(reply, InputRequiredResult):
            return reply
        note = await self._settle(reply)
        if note and self.line.settled is None:
            outcome, meta = await self.run(None)
        return self._noted(outcome, meta, reply, note)

    async def _open_pair(self, outcome: Outcome) -> MemoryPair | None:
        """Return the pair to ask about; None if there is none, or it was asked about before."""
        if outcome.round is not None or self.line.unsettled is None:
            return None
        pair = self.line.unsettled(self.request, outcome.answer)
        if pair and await claim_question(await self.engine(), self.caller, pair):
            return pair
        return None

    async def _settle(self, reply: PairReply) -> str | None:
        return await settle_pair(await self.engine(), self.caller, reply)

    def _noted(
        self, outcome: Outcome, meta: ResponseMeta, reply: PairReply, note: str | None
    ) -> tuple[Outcome, ResponseMeta]:
        if note is None:
            return outcome, meta
        answer, notes = outcome.answer, list(meta.notes)
        if self.line.settled:
            answer, notes = self.line.settled(answer, notes, reply.pair.older)
        return replace(outcome, answer=answer), replace(meta, notes=[*notes, note])


async def claim_question(engine: Engine, caller: Caller, pair: MemoryPair) -> bool:
    """Return whether to ask about a pair: once only, while both memories are current."""
    from reasonloom.stores.memory import review  # noqa: PLC0415 - heavy

    async with engine.loom.database.begin(caller) as tx:
        return await review.claim_question(tx, pair.newer, pair.older, weight=pair.confidence)


async def settle_pair(engine: Engine, caller: Caller, reply: PairReply) -> str | None:
    """Supersede the memory that no longer holds; return a note, None if nothing was done.

    No memory can be superseded by an earlier one, so if the older one is right, the newer one is
    corrected to the older one's content.
    """
    from reasonloom.graphs.graph import load_graph  # noqa: PLC0415 - heavy
    from reasonloom.graphs.runs.call import Call  # noqa: PLC0415
    from reasonloom.stores.graph_memory import supersession  # noqa: PLC0415
    from reasonloom.stores.memory import memories  # noqa: PLC0415

    pair, outdated = reply.pair, reply.outdated
    if outdated is None:
        return None
    async with engine.loom.database.begin(caller) as tx:
        await memories.hold_owner(tx)
        known = await memories.read_many(tx, [pair.newer, pair.older])
        if len(known) < len({pair.newer, pair.older}):
            return None
        if outdated == pair.older:
            await supersession.supersede(
                tx, pair.newer, pair.older, origin="elicitation", reason=REASON
            )
    right = pair.newer
    if outdated == pair.newer:
        content = known[pair.older].content
        given = {"old_node_id": pair.newer, "new_content": content, "reason": REASON}
        await engine.call(Call("memory_correct", load_graph("memory_correct"), given, caller))
        right = pair.older
    return SETTLED.format(right=f"mem-{right}", outdated=f"mem-{outdated}")
