"""Simulates owners, their memories and calls, and computes what serves them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reasonloom.evals.scale.costs import Costs
from reasonloom.stores.vector_indexes import OUTGROWN

SEED = 7
SPREAD = 1.2
"""Sigma of the lognormal distribution of memories and calls: a few owners have many."""

PEAK = 3.0
"""The busiest hour, as a multiple of the average one."""

USED = 0.6
"""The share of a processor that is planned for at peak."""

CONNECTIONS = 7
"""Connections of one process to one database."""

MOST_CONNECTIONS = 400
CORES_OF_POSTGRES = 32
LARGEST_DATABASE = 2e12
"""Limits of one Postgres server: connections without a pooler, processors, and bytes that can be
backed up and restored in a night."""

KEPT_DAYS = 30


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked for: averages per owner, of which an hour's calls are at the average hour.

    `writes` and `thoughts` are shares of the calls; the others are reads. `active` is the share of
    owners who call at all within the hour.
    """

    owners: int
    memories: float
    calls: float
    active: float = 1.0
    writes: float = 0.25
    thoughts: float = 0.1


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in US dollars a month, as assumed: of a processor, and of a GB of disk."""

    core: float = 25.0
    gigabyte: float = 0.12


@dataclass(frozen=True, slots=True)
class Estimate:
    """What serves a demand at its peak.

    Attributes:
        calls: calls a second at peak.
        indexed: owners who need a vector index.
        databases: Postgres servers; `fullest` is the share of the bytes in the fullest of them.
        by: what decides the number of databases.
    """

    calls: float
    replicas: int
    process_cores: float
    postgres_cores: float
    databases: int
    by: str
    fullest: float
    connections: int
    trips: float
    gigabytes: float
    indexed: int
    largest: int
    usd: float


def estimate(demand: Demand, costs: Costs, prices: Prices, *, seed: int = SEED) -> Estimate:
    """Draw the owners of a demand, and return what serves them."""
    draw = np.random.default_rng(seed)
    memories = _drawn(draw, demand.memories, demand.owners)
    calls = _drawn(draw, demand.calls * PEAK, demand.owners)
    calls *= draw.random(demand.owners) < demand.active
    rate = float(calls.sum()) / 3_600
    rate += 3 * math.sqrt(rate)  # a second that is busier than the hour: calls come by chance
    shares = {
        "read": 1 - demand.writes - demand.thoughts,
        "write": demand.writes,
        "thought": demand.thoughts,
    }

    def total(what: str) -> float:
        return rate * sum(
            share * float(getattr(costs, f"{kind}_{what}")) for kind, share in shares.items()
        )

    process, postgres = total("process") / USED, total("postgres") / USED
    replicas = max(1, math.ceil(process))
    indexed = memories >= OUTGROWN
    size = memories * costs.memory_bytes + indexed * memories * costs.vector_index_bytes
    thoughts_a_day = calls / PEAK * 24 * demand.thoughts
    size += thoughts_a_day * KEPT_DAYS * costs.steps_bytes
    size += thoughts_a_day * 365 * costs.thought_bytes  # of one year
    size *= costs.overhead
    databases, by = _databases(float(size.sum()), postgres, replicas)
    place = draw.integers(databases, size=demand.owners)
    fullest = np.bincount(place, weights=size, minlength=databases).max() / size.sum()
    gigabytes = float(size.sum()) / 1e9
    cores = replicas + max(databases * 2, math.ceil(postgres))
    return Estimate(
        calls=rate,
        replicas=replicas,
        process_cores=process,
        postgres_cores=postgres,
        databases=databases,
        by=by,
        fullest=float(fullest),
        connections=replicas * CONNECTIONS,
        trips=total("trips"),
        gigabytes=gigabytes,
        indexed=int(indexed.sum()),
        largest=int(memories.max()),
        usd=cores * prices.core + gigabytes * prices.gigabyte,
    )


def _drawn(draw: np.random.Generator, mean: float, size: int) -> np.ndarray:
    """Return numbers of a lognormal distribution with this mean."""
    return draw.lognormal(math.log(mean) - SPREAD**2 / 2, SPREAD, size)


def _databases(size: float, cores: float, replicas: int) -> tuple[int, str]:
    """Return how many Postgres servers are needed, and why.

    Every replica opens connections to every database, so more databases do not help there: a pooler
    does.
    """
    needs = {
        "bytes": math.ceil(size / LARGEST_DATABASE),
        "processors": math.ceil(cores / CORES_OF_POSTGRES),
    }
    by = max(needs, key=lambda name: needs[name])
    if needs[by] <= 1:
        pooled = replicas * CONNECTIONS > MOST_CONNECTIONS
        return 1, "one is enough, with a pooler" if pooled else "one is enough"
    return needs[by], by
