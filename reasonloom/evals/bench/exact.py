"""The ten nearest that a search gives, against the ten that are nearest."""

from __future__ import annotations

import random
from collections.abc import Mapping

from sqlalchemy import text

from reasonloom.contracts.caller import Caller
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.evals.bench.environment import Ground
from reasonloom.evals.bench.load import seed_of
from reasonloom.evals.bench.sentences import SEED, questions
from reasonloom.evals.bench.timing import Figure
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.retrieval import alike
from reasonloom.stores.memory.search.scope import Nearness, Scope

POOL = 250
DEPTH = 10
ENOUGH = 0.98
"""The share of the nearest that is to be found, of every owner."""

EXACT = text("""
SELECT memory_id FROM embeddings WHERE owner = :owner AND model = :model
GROUP BY memory_id ORDER BY min((embedding <=> CAST(:vector AS halfvec)) + 0), memory_id LIMIT 10
""")


async def nearest_against_exact(ground: Ground, owners: Mapping[str, int], times: int) -> Figure:
    """Return the share found of the ten nearest: of `times` questions of owners in any order."""
    names, dice = list(owners), random.Random(SEED)  # noqa: S311 - a benchmark, not a secret
    dice.shuffle(names)
    asked = {owner: questions(seed_of(owner), owners[owner]) for owner in names}
    shares = []
    for number in range(times):
        owner = names[number % len(names)]
        vector = (await ground.embedder.embed([next(asked[owner])]))[0]
        near = Nearness(vector, ground.embedder.model, SECTORS)
        async with ground.database.begin(Caller(owner), searching=True) as tx:
            shares.append(await _share(tx, near))
    mean = sum(shares) / len(shares)
    below = sum(share < ENOUGH for share in shares)
    said = f"a share, not a time; {below} of {times} below {ENOUGH}"
    name = f"nearest {DEPTH} against exact, {len(owners):,} x {max(owners.values()):,} at most"
    return Figure(name, mean, min(shares), said=said)


async def _share(tx: Transaction, near: Nearness) -> float:
    values = {"owner": tx.owner, "model": near.model, "vector": near.values()["vector"]}
    exact = {row.memory_id for row in await tx.all(EXACT, values)}
    found = list(await alike(tx, near, scope=Scope(), pool=POOL))[:DEPTH]
    return len(exact & set(found)) / len(exact) if exact else 1.0
