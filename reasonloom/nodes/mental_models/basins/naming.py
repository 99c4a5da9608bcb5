"""Names for basins: from their words, or from the language model where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.nodes.runs.ask_or_say import ask_or_say
from reasonloom.nodes.runs.llm_call import Question

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution

MOST_NAMED = 30
"""Names that one run asks for, the basins with the most members first."""

EXEMPLARS, EXEMPLAR = 3, 400
"""Memories that are shown for a name, and the characters of each."""

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A basin that may be named: its words and the beginnings of its strongest memories.

    `first` is its first memory, by which a reply is known again when the run is taken up.
    """

    id: UUID
    first: int
    words: Sequence[str]
    memories: Sequence[str]


@dataclass(frozen=True, slots=True)
class Named:
    """The names that the language model gave, and what must be said."""

    names: Mapping[UUID, str]
    notes: list[str] = field(default_factory=list)


async def ask_names(execution: Execution, unnamed: Sequence[Unnamed]) -> Named:
    """Ask for the names of the first basins; a fault ends the asking, and the rest keep theirs."""
    names: dict[UUID, str] = {}
    notes: list[str] = []
    for basin in unnamed[:MOST_NAMED]:
        question = Question(
            node="name_basins",
            prompt="basins/name",
            variables={
                "words": list(basin.words),
                "memories": [" ".join(each[:EXEMPLAR].split()) for each in basin.memories],
            },
            pipe="linear",
            task=str(basin.first),
        )
        heard = await ask_or_say(execution, question, "naming a basin")
        notes += heard.notes
        if heard.parsed:
            names[basin.id] = " ".join(str(heard.parsed["name"]).split())[:LONGEST_NAME]
        if heard.fault:
            break
    if len(names) < len(unnamed):
        notes.append(f"{len(unnamed) - len(names)} basins are named by their words alone")
    return Named(names, list(dict.fromkeys(notes)))
