"""A simulated reader that answers any mode's prompt about a task of the reasoning bench.

It knows the tasks' answers but uses only its prompt: it recognises a task by its question or by an
answer to it, and a memory by its content. With all needed memories it is right with the task's own
probability, drawn once from a beta distribution, so that samples of one task agree more than by
chance; without them it gives an answer that follows from the missing memories. Draws are keyed by
seed, task, kind of call, prompt and sample; the order of a prompt's lines is not part of the key.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, ClassVar

from reasonloom.evals.simulated.conversation import GPT_35, SimulatedModel, words
from reasonloom.evals.simulated.reading import Known, Reader, Reading, plain
from reasonloom.evals.simulated.reason_tasks import Task, load_tasks
from reasonloom.llm.interfaces import Ask, Reply, Usage

UNKNOWN = Task("unknown-1", "", "", (), "I cannot tell.", ())
Schema = dict[str, Any]
ANSWERS = frozenset(
    [
        "answer", "thought", "viewpoint", "synthesis", "conclusion", "revision", "output",
        "content", "solution", "text",
    ]
)  # fmt: skip
LOOKUPS = frozenset(["lookup", "lookups", "search", "searches", "queries", "open"])
LABELS = frozenset(["used", "sources", "rests_on"])
FACTS = frozenset(["insights", "reasoning"])
CRITICISM = frozenset(["weaknesses", "critique", "recommendations"])
CLAIMS = frozenset(["claims", "calculations"])
SAME = frozenset(["same", "agree", "agrees", "equal", "equivalent"])
ROUTES = {"design": "tree", "plan": "tree"}
"""The mode chosen for a kind of task; `linear` for all others."""

APPROACHES = (
    "Work from the notes to the result, one step at a time",
    "Begin with what is sought and ask what it depends on",
    "List what could be, and strike out what the notes rule out",
    "Look for what has changed or is an exception",
    "Estimate first, then correct by the details",
    "Check each figure and name against its source",
)
UNSURE = 0.6
"""A critic finds fault with answers scored below this."""

COUNT = re.compile(r"exactly (\d{1,2}) ")
BLOCK = re.compile(r'<(\w+) label="([^"]+)"[^>]*>\n(.*?)\n</\1>', re.DOTALL)
LINE = re.compile(
    r"^[-\s]*(?:\[([A-Z]\d{1,3})\b[^\]]*\]|([A-Za-z-]{1,20}\d{1,3})\b[^:\n]{0,80}:)(.*)"
)
PASSAGE = r"<{0}>\n(.*?)\n</{0}>"


class Filling:
    """Fills any reply schema: fields are recognised by name and type, whatever the prompt."""

    def __init__(self, source: Reading) -> None:
        self._of, self._attempt = source, source.attempt(0)
        self._labelled: list[tuple[str, str]] = [
            (label, text) for _, label, text in BLOCK.findall(source.text)
        ]
        for line in source.text.splitlines():
            if found := LINE.match(line):
                self._labelled.append((found[1] or found[2], found[3]))
        self._answers = True

    def reply(self, schema: Schema) -> dict[str, Any]:
        """Return an object for a top-level schema."""
        self._answers = bool(_answers_in(schema.get("properties", {})))
        return self._object("", schema) if "properties" in schema else {}

    def value(self, name: str, schema: Schema) -> Any:
        """Return a value for a field of this name and schema."""
        for union in ("anyOf", "oneOf"):
            if union in schema:
                schema = next(each for each in schema[union] if each.get("type") != "null")
        kinds = schema.get("type", "object" if "properties" in schema else "string")
        kind = next(each for each in kinds if each != "null") if isinstance(kinds, list) else kinds
        if "const" in schema or "enum" in schema:
            return self._choice(schema.get("enum", [schema.get("const")]))
        return self._BY_TYPE[kind](self, name, schema)

    def _object(self, name: str, schema: Schema) -> dict[str, Any]:
        return {each: self.value(each, form) for each, form in schema["properties"].items()}

    def _boolean(self, name: str, schema: Schema) -> bool:
        return name not in SAME or len({self._index(text) for _, text in self._labelled}) <= 1

    def _choice(self, options: Sequence[Any]) -> Any:
        if "first" in options and "second" in options:
            first, second = self._passage_score("first"), self._passage_score("second")
            return "neither" if first == second else "first" if first > second else "second"
        route = ROUTES.get(self._of.task.kind, "linear")
        return route if route in options else options[0]

    def _integer(self, name: str, schema: Schema) -> int:
        return int(schema.get("minimum", 1))

    def _number(self, name: str, schema: Schema) -> float:
        if name.endswith("_score"):
            return self._passage_score(name.removesuffix("_score"))
        if name == "confidence" and not self._answers:
            return self._judged(self._of.text)
        return self._attempt.confidence

    def _string(self, name: str, schema: Schema) -> str:
        if name in ANSWERS:
            return self._attempt.text
        if name == "best" and self._labelled:
            scores = {label: self._judged(text) for label, text in self._labelled}
            return max(scores, key=lambda label: scores[label])
        return "It follows from what is given."

    def _list(self, name: str, schema: Schema) -> list[Any]:
        items = schema.get("items", {})
        fields = items.get("properties", {})
        least, most = schema.get("minItems", 0), schema.get("maxItems", 100)
        found = self._objects(name, fields, items) if fields else self._strings(name, items)
        found = found[:most]
        return [*found, *(self.value("", items) for _ in range(least - len(found)))]

    def _strings(self, name: str, items: Schema) -> list[Any]:
        if name in LOOKUPS:
            return list(self._of.cues())
        if name in LABELS:
            return self._labels(re.compile(items.get("pattern", "")))
        if name in CLAIMS:
            return list(self._of.claims(self._attempt.index))
        if name in FACTS:
            return [memory.content for memory in self._of.facts]
        if name in CRITICISM:
            index = self._of.index_in(self._of.text)
            wrong = index is not None and self._judged(self._of.text) < UNSURE
            return [self._of.fault(index or 0)] if wrong else []
        return []

    def _objects(self, name: str, fields: Schema, items: Schema) -> list[Any]:
        if "approach" in fields:
            return [
                {each: f"{way}." if each == "approach" else way for each in fields}
                for way in APPROACHES[: self._count()]
            ]
        if "label" in fields and "kind" not in fields:
            return [self._ballot(label, text, fields) for label, text in self._labelled]
        if name == "verdicts":
            numbered = re.search(PASSAGE.format("constraints"), self._of.text, re.DOTALL)
            count = len(numbered[1].splitlines()) if numbered else 0
            one = self.value("", items)
            return [{**one, "constraint": number} for number in range(1, count + 1)]
        if name in LOOKUPS:
            return [dict.fromkeys(fields, cue) for cue in self._of.cues()]
        if name in FACTS or not _answers_in(fields):
            return []
        attempts = []
        for number in range(self._count()):
            self._attempt = self._of.attempt(number)
            attempts.append({each: self.value(each, form) for each, form in fields.items()})
        return attempts

    def _ballot(self, label: str, text: str, fields: Schema) -> dict[str, Any]:
        score = self._judged(text)
        numbers = {each for each, form in fields.items() if form.get("type") == "number"}
        filled = {each: self.value(each, fields[each]) for each in fields if each != "label"}
        return {**filled, "label": label, **dict.fromkeys(numbers, score)}

    def _labels(self, pattern: re.Pattern[str]) -> list[str]:
        """Return the labels of texts that contain a needed memory or the given answer.

        If there are none, all labels, provided that no needed memory is in the prompt.
        """
        known = {label: text for label, text in self._labelled if pattern.search(label)}
        facts = [memory.content for memory in self._of.facts]
        used = [
            label
            for label, text in known.items()
            if any(fact in text for fact in facts) or self._index(text) == self._attempt.index
        ]
        return used or (list(known) if not facts else [])

    def _count(self) -> int:
        wanted = COUNT.search(self._of.text)
        return int(wanted[1]) if wanted else 2

    def _index(self, text: str) -> int | None:
        return self._of.index_in(text)

    def _judged(self, text: str) -> float:
        index = self._index(text)
        return 0.5 if index is None else self._of.judged(index)

    def _passage_score(self, name: str) -> float:
        found = re.search(PASSAGE.format(name), self._of.text, re.DOTALL)
        return self._judged(found[1] if found else "")

    _BY_TYPE: ClassVar[dict[str, Callable[..., Any]]] = {
        "object": _object,
        "array": _list,
        "boolean": _boolean,
        "integer": _integer,
        "number": _number,
        "string": _string,
    }


def _answers_in(fields: Schema) -> frozenset[str]:
    return ANSWERS.intersection(fields)


class SimulatedReader(SimulatedModel):
    """Answers from the contents of the prompt, in the form of the schema."""

    name = "simulated:reader"
    price = GPT_35

    def __init__(
        self, reader: Reader | None = None, *, tasks: Sequence[Task] = (), seed: int = 0
    ) -> None:
        self.reader, self._seed, self._tasks = reader or Reader(), seed, tasks

    @cached_property
    def _known(self) -> tuple[Known, ...]:
        return tuple(
            Known(
                task,
                plain(task.question),
                tuple(map(plain, task.answers)),
                tuple((plain(memory.content), memory) for memory in task.memories),
            )
            for task in self._tasks or load_tasks()
        )

    def respond(self, question: tuple[str, str], ask: Ask) -> tuple[dict[str, Any], Usage]:
        """Fill the requested schema."""
        parsed: dict[str, Any] = Filling(self._read(question, ask)).reply(ask.schema or {})
        return parsed, self.estimated_usage(question, json.dumps(parsed, ensure_ascii=False))

    async def answer(self, ask: Ask) -> Reply:
        """Answer in the requested schema, or in plain text without one."""
        if ask.schema is not None:
            return await SimulatedModel.answer(self, ask)
        question = words(ask.messages)
        text = self._read(question, ask).attempt(0).text
        return Reply(text, None, self.name, self.estimated_usage(question, text))

    def _read(self, question: tuple[str, str], ask: Ask) -> Reading:
        text = "\n".join(question)
        searched = plain(text)
        known = self._find(searched)
        seed = self._seed if ask.seed is None else self._seed + ask.seed - ask.sample
        # Sorted, because judges receive their candidates in random order.
        lines = "\n".join(sorted(text.splitlines()))
        state = blake2b(lines.encode(), digest_size=8).hexdigest()
        return Reading(self.reader, known, text, searched, seed, state, ask.sample)

    def _find(self, searched: str) -> Known:
        for known in self._known:
            if known.question in searched:
                return known
        for known in self._known:
            if any(each in searched for each in known.answers):
                return known
        return Known(UNKNOWN, "", (plain(UNKNOWN.right),), ())
