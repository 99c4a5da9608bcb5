"""Fills any JSON Schema with extracts, so that the offline model answers in the requested form.

Deterministic: the same findings and schema give the same, always valid, value. A schema that
cannot be filled by rule (a `not`, an exotic pattern) is rejected.
"""

import re
from collections.abc import Iterator
from typing import Any

from reasonloom.llm.coercion import conforms
from reasonloom.llm.offline.schema import (
    FORMATS,
    Schema,
    Unfillable,
    allowed_values,
    fit_length,
    kind_of,
    merge,
    number,
    numbered,
    resolve,
)
from reasonloom.text.extraction import Findings
from reasonloom.text.sentences import join_sentences
from reasonloom.text.words import words_in

NOTHING_KNOWN = "Nothing is known about this."
"""Text used when the material has nothing on the question."""

CERTAINTY = 0.1
"""Value for numbers (0 to 1) when the material has something on the question."""

SENTENCES = 3
"""Sentences per text, and items per list, unless the schema sets other bounds."""

MAX_DEPTH = 8
"""Nesting depth to which optional properties and items are filled."""


def fill(schema: dict[str, Any], findings: Findings) -> dict[str, Any]:
    """Return an object that follows `schema`, with texts taken from `findings`.

    Raises:
        Unfillable: the schema cannot be filled by rule.
    """
    value = _Filler(schema, findings).value(schema, 0)
    if not isinstance(value, dict) or not conforms(value, schema):
        raise Unfillable
    return value


class _Filler:
    """Fills one schema; inside lists `turn` selects the next sentence for each item."""

    def __init__(self, root: Schema, findings: Findings) -> None:
        self.root = root
        self.findings = findings
        self.turn: int | None = None

    def value(self, schema: Schema | bool, depth: int) -> Any:
        if isinstance(schema, bool):
            if not schema:
                raise Unfillable
            return self.text({})
        schema = resolve(schema, self.root)
        if depth > 2 * MAX_DEPTH:
            raise Unfillable
        for fixed in allowed_values(schema):
            if conforms(fixed, self.rooted(schema)):
                return fixed
        if "enum" in schema:
            return self.choice(schema)
        for name in ("anyOf", "oneOf"):
            if name in schema:
                return self.alternative(schema, name, depth)
        return self.of_type(schema, depth)

    def of_type(self, schema: Schema, depth: int) -> Any:
        kind = kind_of(schema)
        if kind == "object":
            return self.object(schema, depth)
        if kind == "array":
            return self.array(schema, depth)
        if kind in ("number", "integer"):
            return number(
                schema, CERTAINTY if self.findings.ranked else 0.0, whole=kind == "integer"
            )
        if kind == "string":
            return self.text(schema)
        return None if kind == "null" else False

    def rooted(self, schema: Schema) -> dict[str, Any]:
        """Return `schema` with the root's definitions added, so that its references resolve."""
        shared = {name: self.root[name] for name in ("$defs", "definitions") if name in self.root}
        return {**shared, **schema}

    def choice(self, schema: Schema) -> Any:
        """Return the option that shares most words with the question, the first on a tie."""
        rest = {k: v for k, v in schema.items() if k != "default"}
        fitting = [o for o in schema["enum"] if conforms(o, self.rooted(rest))]
        if not fitting:
            raise Unfillable
        wanted = self.findings.question_words
        return max(fitting, key=lambda o: len(wanted & set(words_in(str(o).replace("_", " ")))))

    def alternative(self, schema: Schema, name: str, depth: int) -> Any:
        rest = {k: v for k, v in schema.items() if k != name}
        options = sorted(schema[name], key=self.is_null)
        for option in options:
            try:
                value = self.value(merge(rest, option), depth + 1)
            except Unfillable:
                continue
            if conforms(value, self.rooted(schema)):
                return value
        raise Unfillable

    def is_null(self, option: Schema | bool) -> bool:
        return isinstance(option, dict) and kind_of(resolve(option, self.root)) == "null"

    def object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required = list(schema.get("required", ()))
        properties: Schema = schema.get("properties", {})
        made: dict[str, Any] = {}
        for name in dict.fromkeys([*properties, *required]):
            if depth > MAX_DEPTH and name not in required:
                continue
            part = properties.get(name, self.unnamed(schema))
            try:
                made[name] = self.value(part, depth + 1)
            except Unfillable:
                if name in required:
                    raise
        return self.widened(made, schema, depth)

    def unnamed(self, schema: Schema) -> Any:
        more = schema.get("additionalProperties", True)
        return {} if more is True else more

    def widened(self, made: dict[str, Any], schema: Schema, depth: int) -> dict[str, Any]:
        """Add properties until `minProperties` is met."""
        number_of = 1
        while len(made) < schema.get("minProperties", 0):
            name = f"item_{number_of}"
            number_of += 1
            if name not in made:
                made[name] = self.value(self.unnamed(schema), depth + 1)
        return made

    def array(self, schema: Schema, depth: int) -> list[Any]:
        fixed = schema.get("prefixItems", ())
        least = schema.get("minItems", 0)
        wish = max(least, len(fixed), min(SENTENCES, len(self.findings.ranked)))
        most = min(wish, schema.get("maxItems", wish))
        count = least if depth > MAX_DEPTH else most
        made: list[Any] = []
        before = self.turn
        self.turn = before or 0
        for index in range(count):
            part = fixed[index] if index < len(fixed) else schema.get("items", {})
            try:
                item = self.item(part, depth, made if schema.get("uniqueItems") else ())
            except Unfillable:
                if index < least:
                    raise
                break
            made.append(item)
        self.turn = before
        return made

    def item(self, part: Any, depth: int, taken: list[Any] | tuple[()]) -> Any:
        """Fill one item, trying the next sentence until the value is not in `taken`."""
        for value in self.tries(part, depth):
            self.turn = (self.turn or 0) + 1
            if value not in taken:
                return value
        options = part.get("enum", ()) if isinstance(part, dict) else ()
        fresh = [o for o in options if o not in taken]
        if not fresh:
            raise Unfillable
        return fresh[0]

    def tries(self, part: Any, depth: int) -> Iterator[Any]:
        for _ in range(len(self.findings.ranked) + 1):
            yield self.value(part, depth + 1)
        for count in range(2, 100):
            value = self.value(part, depth + 1)
            yield numbered(value, count, part)

    def text(self, schema: Schema) -> str:
        """Return the extract, cut, padded or replaced to satisfy length and pattern."""
        if schema.get("format") in FORMATS:
            return FORMATS[schema["format"]]
        extract = self.extract()
        pattern = schema.get("pattern")
        if pattern is None:
            return fit_length(extract, schema)
        options = [fit_length(o, schema) for o in (extract, *words_in(extract), "a", "A", "0", "")]
        options += [fit_length(c * schema.get("minLength", 1), schema) for c in "aA0-_"]
        found = next((o for o in options if re.search(pattern, o)), None)
        if found is None:
            raise Unfillable
        return found

    def extract(self) -> str:
        """Return the best sentences, or inside a list the sentence at `turn`."""
        ranked = self.findings.ranked
        if not ranked:
            return NOTHING_KNOWN
        if self.turn is None:
            return join_sentences(ranked[:SENTENCES])
        return ranked[self.turn % len(ranked)]
