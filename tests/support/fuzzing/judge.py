"""Judges what came of one input: whether it was answered in time, in form, and without insides."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jsonschema

from tests.support.fuzzing.inputs import Input

SLOW = 5.0
"""Seconds after which an answer counts as one that hangs."""

INSIDES = re.compile(
    r"Traceback|File \\?\"|site-packages|psycopg|sqlalchemy|asyncpg|langgraph\.|pydantic"
    r"|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM) |Internal error|root:x:0|object at 0x"
)
"""What no answer may show; no input holds any of it."""

SHOWN = 500
"""Bytes of an input that a violation shows."""

ALLOWED = {-32700, -32600, -32601, -32602}
BROKEN = 500


@dataclass(frozen=True)
class Reply:
    """What came back: the text, how long it took, the HTTP status; no text where nothing came."""

    text: str | None
    seconds: float
    status: int = 200


@dataclass
class Tally:
    """What came of the inputs of one tool."""

    inputs: int = 0
    answered: int = 0
    refused: int = 0
    unasked: int = 0
    codes: Counter[int] = field(default_factory=Counter)
    longest: float = 0.0
    violations: list[str] = field(default_factory=list)


class Judge:
    """Judges replies by the listed output schemas and by words that must stay inside."""

    def __init__(
        self, tools: Iterable[Mapping[str, Any]], secrets: Iterable[str], slow: float = SLOW
    ) -> None:
        self._schemas = {
            tool["name"]: jsonschema.Draft202012Validator(tool["outputSchema"]) for tool in tools
        }
        self._secrets = tuple(secrets)
        self._slow = slow
        self.newest: dict[str, Any] | None = None
        self.tallies: dict[str, Tally] = {}

    @property
    def violations(self) -> list[str]:
        """All that was wrong."""
        return [each for tally in self.tallies.values() for each in tally.violations]

    def note(self, given: Input, reply: Reply) -> list[str]:
        """Count a reply; return the violations it holds, none where all is well.

        `newest` is then the structured value of a success, None of anything else.
        """
        self.newest = None
        tally = self.tallies.setdefault(given.tool, Tally())
        tally.inputs += 1
        tally.longest = max(tally.longest, reply.seconds)
        found = [*self._of_time(given, reply), *self._of_words(reply)]
        if reply.text is None:
            tally.unasked += not given.waits
        else:
            found += self._of_message(given, reply.text, tally)
        where = f"{given.tool} {given.number} ({given.kind})"
        tally.violations += [f"{where}: {each}; sent {given.body[:SHOWN]!r}" for each in found]
        return found

    def _of_time(self, given: Input, reply: Reply) -> list[str]:
        found = []
        if reply.text is None and given.waits:
            found.append("no answer")
        elif reply.seconds > self._slow:
            found.append(f"answered after {reply.seconds:.1f} s")
        if reply.status >= BROKEN:
            found.append(f"HTTP {reply.status}")
        return found

    def _of_words(self, reply: Reply) -> list[str]:
        said = reply.text or ""
        inside = INSIDES.search(said)
        found = [f"shows {said[max(0, inside.start() - 40) :][:160]!r}"] if inside else []
        return found + [f"shows a secret, {each[:3]}…" for each in self._secrets if each in said]

    def _of_message(self, given: Input, said: str, tally: Tally) -> list[str]:
        try:
            message = json.loads(said, parse_constant=_no_constant)
            said.encode()
        except ValueError as error:
            return [f"no strict JSON: {error} {said[:80]!r}"]
        if given.id is not None and message.get("id") != given.id:
            return [f"answered under the id {message.get('id')!r}"]
        if "error" in message:
            code = message["error"]["code"]
            tally.codes[code] += 1
            return [] if code in ALLOWED else [f"{code}: {message['error']['message'][:120]}"]
        return self._of_result(given, message.get("result", {}), tally)

    def _of_result(self, given: Input, result: dict[str, Any], tally: Tally) -> list[str]:
        if "isError" not in result:  # another method, as a spoilt envelope may ask
            return [] if given.kind == "envelope" else [f"no result of a tool: {result}"[:120]]
        if result["isError"]:
            tally.refused += 1
            return []
        tally.answered += 1
        self.newest = result["structuredContent"]
        errors = self._schemas[given.tool].iter_errors(result["structuredContent"])
        return [f"not of its schema: {each.json_path} {each.message[:120]}" for each in errors][:3]


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} in it")


def table(tallies: Mapping[str, Tally]) -> str:
    """Return what came of every tool as lines of a table, all together at the end."""
    lines = [f"{'tool':32}{'inputs':>8}{'ok':>8}{'refused':>8}{'longest':>10}{'wrong':>7}  errors"]
    whole = Tally()
    for tool, each in tallies.items():
        lines.append(line(tool, each))
        whole.inputs, whole.answered = whole.inputs + each.inputs, whole.answered + each.answered
        whole.refused, whole.codes = whole.refused + each.refused, whole.codes + each.codes
        whole.longest = max(whole.longest, each.longest)
        whole.violations += each.violations
    return "\n".join([*lines, line("together", whole)])


def line(name: str, each: Tally) -> str:
    """Return what came of one tool as a line of the table."""
    codes = ", ".join(f"{code}: {count}" for code, count in sorted(each.codes.items()))
    figures = f"{each.inputs:8}{each.answered:8}{each.refused:8}{each.longest * 1000:7.0f} ms"
    return f"{name:32}{figures}{len(each.violations):7}  {codes}"
