"""Basins: clusters of memories, formed anew on request."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from reasonloom.contracts.base import CamelAnswer, CamelRequest


class ClusterMemories(CamelRequest):
    """Form the clusters of the owner's memories anew; those that go on keep their ids."""

    dry_run: Annotated[bool, Field(description="Tell what would be, and change nothing")] = False


class ShownBasin(CamelAnswer):
    """One cluster; `named_by` is a language model or `terms`, `fresh` where it is new."""

    id: str
    name: str
    named_by: str
    members: int
    coherence: float
    keywords: list[str]
    fresh: bool


class Clustered(CamelAnswer):
    """The clusters as they are now, the largest first.

    `vanished` are the ids of those that are no more; `alone` memories belong to none; `sampled`
    of the memories were clustered by density and the others by nearness.
    """

    basins: list[ShownBasin]
    vanished: list[str]
    memories: int
    alone: int
    sampled: int
    dry_run: bool
