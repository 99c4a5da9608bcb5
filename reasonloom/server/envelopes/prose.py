"""Renders an answer as text: the main text first, then short facts, then lists line by line."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from reasonloom.server.envelopes.shape import Models, Shape, inner_shape

LINE = 100
"""Characters above which a text gets its own line."""

MICROSECONDS = 10**14
"""From this value on, a timestamp is in microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Part:
    """A named value; `shapes` are the shapes of the objects in it, in order."""

    name: str
    value: Any
    shapes: tuple[Shape, ...]

    @property
    def is_fact(self) -> bool:
        """Whether it is short enough to share a line with others."""
        if isinstance(self.value, list | Mapping):
            return False
        return len(str(self.value)) <= LINE and "\n" not in str(self.value)


@dataclass(frozen=True, slots=True)
class Prose:
    """Renders answers as text; `tools` are the models of answers nested in others."""

    tools: Models

    def write(self, shape: Shape, answer: Mapping[str, Any]) -> str:
        """Return the text of an answer; for one without content, name its empty lists."""
        parts = list(self._parts(shape, answer))
        facts = "; ".join(_named(each.name, each.value) for each in parts if each.is_fact)
        blocks = [line for each in parts if not each.is_fact for line in self._block(each)]
        text = "\n".join(filter(None, (main_text(shape, answer), facts, *blocks)))
        return text or ", ".join(f"no {name}" for name, item in answer.items() if item == [])

    def _parts(self, shape: Shape, value: Mapping[str, Any]) -> Iterator[Part]:
        """Yield the parts of an object to render, except its main text."""
        listed = shape.brief.text
        names = value if listed is None else [shape.wire_name(each) for each in listed]
        for name in names:
            item = value.get(name) if name else None
            if name is None or name == shape.wire_name(shape.brief.main):
                continue
            if _says_something(item) or (item is False and listed is not None):
                yield Part(name, item, tuple(self._shapes(shape, value, name, item)))

    def _shapes(
        self, outer: Shape, owner: Mapping[str, Any], name: str, item: Any
    ) -> Iterator[Shape]:
        for each in item if isinstance(item, list) else [item]:
            if isinstance(each, Mapping):
                yield inner_shape(outer, owner, outer.field(name), each, self.tools)
            else:
                yield Shape()

    def _block(self, part: Part) -> Iterator[str]:
        """Yield the lines of a long text, an object or a list."""
        item = part.value
        if isinstance(item, str):
            yield f"{part.name}: {_indented(item)}"
        elif isinstance(item, Mapping):
            head, main = self._head_and_main(part.shapes[0], item)
            whole = f"{main} ({head})" if head and main else head or main
            if whole:
                yield f"{part.name}: {whole}"
        elif all(isinstance(each, int | float) or _is_word(each) for each in item):
            yield f"{part.name}: {', '.join(map(str, item))}"
        else:
            yield f"{part.name}:"
            for each, shape in zip(item, part.shapes, strict=True):
                yield f"- {self._inline(shape, each)}"

    def _inline(self, shape: Shape, item: Any) -> str:
        """Return a value on one line; an object as its short values, then its main text."""
        if isinstance(item, Mapping):
            head, main = self._head_and_main(shape, item)
            return f"{head}: {main}" if head and main else head or main
        if isinstance(item, list):
            return ", ".join(self._inline(shape, each) for each in item)
        return _indented(item) if isinstance(item, str) else _plain("", item)

    def _head_and_main(self, shape: Shape, item: Mapping[str, Any]) -> tuple[str, str]:
        head = ", ".join(self._short(each) for each in self._parts(shape, item))
        return head, _indented(main_text(shape, item))

    def _short(self, part: Part) -> str:
        """Return one value of a line; texts (except ids) without their name."""
        if isinstance(part.value, list):
            items = zip(part.value, part.shapes, strict=True)
            return f"{part.name} ({'; '.join(self._inline(shape, each) for each, shape in items)})"
        if isinstance(part.value, Mapping):
            return f"{part.name} ({self._inline(part.shapes[0], part.value)})"
        if isinstance(part.value, str) and not part.name.endswith(("_id", "Id")):
            return _plain(part.name, _indented(part.value))
        return _named(part.name, part.value)


def main_text(shape: Shape, value: Mapping[str, Any]) -> str:
    """Return the main text of an object, empty if there is none."""
    name = shape.wire_name(shape.brief.main)
    return str(value.get(name) or "") if name else ""


def _says_something(item: Any) -> bool:
    return item is not None and item is not False and item not in ("", [], {})


def _is_word(item: Any) -> bool:
    return isinstance(item, str) and " " not in item and "\n" not in item


def _named(name: str, item: Any) -> str:
    return name if item is True else f"{name} {_plain(name, item)}"


def _plain(name: str, item: Any) -> str:
    if item is False:
        return "no"
    if name.endswith(("_at", "At")) and isinstance(item, int) and item >= MICROSECONDS:
        return f"{datetime.fromtimestamp(item / 1e6, UTC):%Y-%m-%d %H:%M}"
    if name.endswith(("_at", "At")) and isinstance(item, str):
        return item[:16].replace("T", " ")
    return f"{item:.3g}" if isinstance(item, float) else str(item)


def _indented(text: str) -> str:
    """Indent all lines but the first, so that stored text cannot pass for a line of ours."""
    return "\n  ".join(text.splitlines())
