"""Works through the week, and asks the questions at its end."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from reasonloom.text.tokens import count_tokens
from tests.support.clients.hook_host import Host
from tests.support.week.agent import Agent, connected
from tests.support.week.script import Question, Session, questions, sessions
from tests.support.week.transcripts import Writer, source_file

FIRST = 3
"""How many of an answer's passages count."""

PASSAGE = re.compile(r"^(?:=== .* ===$|- mem-)", re.MULTILINE)
"""What a passage begins with in the text that an agent reads: a chunk's, a memory's."""


@dataclass
class Week:
    """What the week came to, in tokens.

    Attributes:
        carried: per session, what the memory put into its context: the list of tools, the notes at
            its beginning, and the answers of tools.
        whole: per session, what all transcripts before it hold.
        dialogue: the same without the files that were read.
        asking: what the answers to the questions hold.
        right: by question, the place of the deciding passage; None if it is not in the first three.
        found: the passages that were returned instead.
    """

    carried: list[int] = field(default_factory=list)
    whole: list[int] = field(default_factory=list)
    dialogue: list[int] = field(default_factory=list)
    asking: int = 0
    right: dict[str, int | None] = field(default_factory=dict)
    found: dict[str, list[str]] = field(default_factory=dict)

    @property
    def score(self) -> int:
        """How many questions were answered."""
        return sum(place is not None for place in self.right.values())


async def work(machine: Host) -> Week:
    """Work through the week on a machine."""
    week, ids = Week(), dict[str, str]()
    environment = machine.environment | {"REASONLOOM_LLM": "caller"}
    whole = dialogue = 0
    for session in sessions():
        writer = Writer(session, str(machine.project))
        async with connected(environment, ids) as agent:
            notes = _begin(machine, session, writer)
            await _work(session, writer, agent)
        _end(machine, session, writer)
        week.carried.append(agent.tokens + count_tokens(notes))
        week.whole.append(whole)
        week.dialogue.append(dialogue)
        whole += count_tokens(writer.texts())
        dialogue += sum(count_tokens(text) for line in session.lines
                        for text in (line.text, *line.more))  # fmt: skip
    async with connected(environment, ids) as agent:
        for question in questions():
            before = agent.tokens
            await _ask(question, agent, week)
            week.asking += agent.tokens - before
    return week


def _begin(machine: Host, session: Session, writer: Writer) -> str:
    """Let a session begin; return the notes that its host gets."""
    given = {"session_id": writer.id, "cwd": str(machine.project),
             "hook_event_name": "SessionStart", "source": "startup"}  # fmt: skip
    out = machine.hook("--host", session.host, "session-start", given=given).stdout
    return str(json.loads(out)["hookSpecificOutput"]["additionalContext"]) if out else ""


async def _work(session: Session, writer: Writer, agent: Agent) -> None:
    first = True
    for line in session.lines:
        if line.kind == ">":
            writer.user(line.text)
            for place in ("app", "prices") if first else ():
                code = source_file(f"{session.name} {place}")
                writer.tool("Read", f"src/tidewatch/{place}.py", code)
            first = False
        elif line.kind == "<":
            writer.answer(line.text)
        elif line.kind == "!":
            name, _, argument = line.text.partition(": ")
            writer.tool(name, argument, "\n".join(line.more))
        elif line.kind == "+":
            await agent.remember(line.text)
        else:
            concluded = await agent.think(line)
            writer.answer(str(concluded["conclusion"]))


def _end(machine: Host, session: Session, writer: Writer) -> None:
    given = writer.write(machine) | {"hook_event_name": "SessionEnd", "reason": "other"}
    machine.hook("--host", session.host, "session-end", given=given)
    row = machine.rows()["session-end"]
    assert row["succeeded"], row


async def _ask(question: Question, agent: Agent, week: Week) -> None:
    await agent.call(question.tool, {"query": question.question})
    passages = PASSAGE.split(agent.text)[1 : 1 + FIRST]
    places = [
        place for place, text in enumerate(passages, start=1)
        if all(key.casefold() in text.casefold() for key in question.keys)
    ]  # fmt: skip
    week.right[question.question] = places[0] if places else None
    week.found[question.question] = passages
