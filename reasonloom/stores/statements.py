"""Loads the SQL of a store from the file next to it, such as `runs.sql` for `runs.py`.

    -- fragment: visible
    m.owner = :owner AND m.deleted_at IS NULL

    -- name: find
    -- types: id uuid
    -- Comments follow the head.
    SELECT m.content FROM memories m WHERE {{ visible }} AND m.id = :id

`{{ name }}` is replaced by a fragment of the file or a constant of the module. Values are always
parameters (`:id`); `types` declares the types that Postgres cannot infer.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import ARRAY, Boolean, Dialect, Text, TextClause, Uuid, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB, TIMESTAMP, psycopg

HEAD = re.compile(r"^-- (name|fragment): (\w+)\n", re.MULTILINE)
TYPES = re.compile(r"^-- types: (.+)\n", re.MULTILINE)
COMMENT = re.compile(r"^--.*\n", re.MULTILINE)
PART = re.compile(r"\{\{ (\w+) \}\}")
DIALECT: Dialect = psycopg.dialect()  # type: ignore[no-untyped-call]
KNOWN_TYPES: Mapping[str, Any] = {
    "boolean": Boolean,
    "jsonb": JSONB,
    "jsonb_or_null": JSONB(none_as_null=True),
    "text[]": ARRAY(Text),
    "timestamptz[]": ARRAY(TIMESTAMP(timezone=True)),
    "uuid": Uuid,
    "uuid[]": ARRAY(Uuid),
}


class Statements:
    """The statements of one file, as attributes by name."""

    def __init__(self, path: Path, parts: Mapping[str, object]) -> None:
        self._parts = {name: str(value) for name, value in parts.items()}
        self._types: dict[str, dict[str, str]] = {}
        self._templates: dict[str, str] = {}
        _, *sections = HEAD.split(path.read_text("utf-8"))
        for kind, name, body in zip(sections[::3], sections[1::3], sections[2::3], strict=True):
            sql = self._with_parts(COMMENT.sub("", body).strip(), {})
            if kind == "fragment":
                self._parts[name] = sql
            else:
                typed = [pair for line in TYPES.findall(body) for pair in line.split(", ")]
                self._types[name] = dict(pair.split(" ", 1) for pair in typed)
                self._templates[name] = sql
        self.fill = lru_cache(maxsize=512)(self._fill)

    def __getattr__(self, name: str) -> TextClause:
        """Return a statement that needs no parts from its caller."""
        if name.startswith("_") or name not in self._templates:
            raise AttributeError(name)
        statement = self.fill(name)
        setattr(self, name, statement)
        return statement

    def part(self, name: str, **parts: str) -> str:
        """Return a fragment or statement as text, with the caller's parts filled in."""
        template = self._templates.get(name) or self._parts[name]
        return self._with_parts(template, parts)

    def _fill(self, name: str, **parts: str) -> TextClause:
        """Return a statement with the caller's parts filled in; `fill` caches it."""
        sql = self._with_parts(self._templates[name], parts)
        if missing := PART.findall(sql):
            raise ValueError(f"{name} lacks {', '.join(missing)}")
        typed = (
            bindparam(each, type_=_type_of(kind))
            for each, kind in self._types[name].items()
            if re.search(rf":{each}\b", sql)
        )
        return text(sql).bindparams(*typed)

    def _with_parts(self, sql: str, parts: Mapping[str, str]) -> str:
        known = {**self._parts, **parts}
        return PART.sub(lambda found: known.get(found[1], found[0]), sql)


def load(module_file: str, **parts: object) -> Statements:
    """Return the statements of the `.sql` file next to a module; `parts` are its constants."""
    return Statements(Path(module_file).with_suffix(".sql"), parts)


@dataclass(frozen=True, slots=True)
class Compiled:
    """A statement as psycopg executes it.

    Attributes:
        text: with its parameters as `%(name)s`, those of a declared type with a cast.
        converters: for the parameters whose values psycopg would not take as they are.
    """

    text: str
    converters: Mapping[str, Callable[[Any], Any]]

    def parameters(self, values: dict[str, Any]) -> dict[str, Any]:
        """Convert `values` in place; return them."""
        for name, convert in self.converters.items():
            values[name] = convert(values[name])
        return values


@lru_cache(maxsize=2048)
def compiled(statement: TextClause) -> Compiled:
    """Compile a statement; the most recent ones are kept."""
    made = statement.compile(dialect=DIALECT)
    converters = {}
    for name, parameter in made.binds.items():
        convert = parameter.type.dialect_impl(DIALECT).bind_processor(DIALECT)
        if convert:
            converters[name] = convert
    return Compiled(str(made), converters)


def _type_of(kind: str) -> Any:
    if kind == "halfvec":
        from pgvector.sqlalchemy import HALFVEC  # noqa: PLC0415 - it loads numpy

        return HALFVEC()
    return KNOWN_TYPES[kind]


def columns(kind: type, table: str = "", *, without: Collection[str] = ()) -> str:
    """Return the column list for the fields of a row class, each qualified with `table`."""
    dot = f"{table}." if table else ""
    return ", ".join(f"{dot}{name}" for name in _fields(kind) if name not in without)


def parameters(kind: type, *, without: Collection[str] = ()) -> str:
    """Return the parameter list for the fields of a row class."""
    return ", ".join(f":{name}" for name in _fields(kind) if name not in without)


def values_of(row: object) -> dict[str, Any]:
    """Return the fields of a row object by name, without copying their values."""
    return {name: getattr(row, name) for name in _fields(type(row))}


def _fields(kind: Any) -> list[str]:
    return [each.name for each in fields(kind)]
