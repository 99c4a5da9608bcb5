"""Edits a host's configuration as JSON, JSON with comments or TOML, and preserves the rest."""

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Protocol

import tomlkit
from tomlkit.exceptions import TOMLKitError

from reasonloom.cli.user_files.json_edits import (
    BOM,
    TOKEN,
    parse_json,
    remove_path,
    set_path,
    strip_comments,
)
from reasonloom.cli.user_files.program import NAME
from reasonloom.errors import InvalidArgument

KeyPath = tuple[str, ...]
TOML_TOKEN = re.compile(
    r'"""(?:\\.|.)*?"""|\'\'\'.*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL
)
JSON_KEY, TOML_KEY = re.compile(r"\s*:"), re.compile(r"[ \t]*[=.]")
"""Patterns that follow a string which is a key."""

ENTRY_DEPTH = 2
"""Length of an entry's path; tables inside an entry are written inline."""

HIDDEN = "\u2026"


class ConfigFormat(Protocol):
    """A configuration format; every text is that of a whole file."""

    def read(self, text: str) -> dict[str, Any]:
        """Return the parsed text; InvalidArgument if it is malformed."""
        ...

    def put(self, text: str, path: KeyPath, value: Any) -> str:
        """Return the text with a value at a path of keys, everything else unchanged."""
        ...

    def take(self, text: str, path: KeyPath) -> str:
        """Return the text without the value at a path of keys, everything else unchanged."""
        ...

    def hide(self, text: str, public: Collection[str]) -> str:
        """Return the text without comments and non-`public` strings, keeping line breaks."""
        ...


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """JSON; with `comments`, also comments and trailing commas."""

    comments: bool = False

    def read(self, text: str) -> dict[str, Any]:
        """See `ConfigFormat`."""
        value: dict[str, Any] = parse_json(self._bare(text))
        return value

    def put(self, text: str, path: KeyPath, value: Any) -> str:
        """See `ConfigFormat`."""
        text = text if text.removeprefix(BOM).strip() else text.strip() + "{}\n"
        return set_path(text, self._bare(text), path, value)

    def take(self, text: str, path: KeyPath) -> str:
        """See `ConfigFormat`."""
        return remove_path(text, self._bare(text), path)

    def hide(self, text: str, public: Collection[str]) -> str:
        """See `ConfigFormat`."""

        def hidden(found: re.Match[str]) -> str:
            token = found[0]
            key = JSON_KEY.match(text, found.end())
            if token.startswith('"') and (key or json.loads(token, strict=False) in public):
                return token
            return _redact(token, '"' if token.startswith('"') else token[:2])

        return TOKEN.sub(hidden, text)

    def _bare(self, text: str) -> str:
        if not text.removeprefix(BOM).strip():
            return "{}"
        return strip_comments(text, comments=self.comments)


@dataclass(frozen=True, slots=True)
class TomlFormat:
    """TOML."""

    def read(self, text: str) -> dict[str, Any]:
        """See `ConfigFormat`."""
        try:
            return tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            raise InvalidArgument(f"not TOML: {str(error)[:200]}") from None

    def put(self, text: str, path: KeyPath, value: Any) -> str:
        """See `ConfigFormat`."""
        document, feed = self._document(text)
        at: Any = document
        for key in path[:-1]:
            if key not in at:
                at[key] = tomlkit.table(is_super_table=at is document)
            at = at[key]
            if not isinstance(at, dict):
                raise InvalidArgument(f"{key}: must be a table")
        within = len(path) > ENTRY_DEPTH or isinstance(at, tomlkit.items.InlineTable)
        at[path[-1]] = _toml_table(value, within=within) if isinstance(value, dict) else value
        return tomlkit.dumps(document).replace("\n", feed)

    def take(self, text: str, path: KeyPath) -> str:
        """See `ConfigFormat`."""
        document, feed = self._document(text)
        at: Any = document
        for key in path[:-1]:
            at = at[key]
        del at[path[-1]]
        return tomlkit.dumps(document).replace("\n", feed)

    def hide(self, text: str, public: Collection[str]) -> str:
        """See `ConfigFormat`."""

        def hidden(found: re.Match[str]) -> str:
            token = found[0]
            key = TOML_KEY.match(text, found.end())
            if key or (token[0] in "\"'" and tomllib.loads(f"x = {token}")["x"] in public):
                return token
            return _redact(token, token[0])

        return TOML_TOKEN.sub(hidden, text)

    def _document(self, text: str) -> tuple[tomlkit.TOMLDocument, str]:
        """Return the parsed document and its line ending."""
        self.read(text)
        crlf = "\r\n" in text and text.count("\r\n") == text.count("\n")
        try:
            return tomlkit.parse(text.replace("\r\n", "\n") if crlf else text), (
                "\r\n" if crlf else "\n"
            )
        except TOMLKitError:
            raise InvalidArgument("TOML in a form that cannot be edited safely") from None


def add_entry(form: ConfigFormat, text: str, table: str, entry: Mapping[str, Any]) -> str:
    """Return a file's text with our entry added or updated.

    Additions by the user are preserved, as are variables that are not given again.

    Raises:
        InvalidArgument: it is malformed, or the entry of our name starts no command.
    """
    before = form.read(text)
    wanted = deepcopy(before)
    new = text
    for path, value in _changes(before, table, entry):
        new = form.put(new, path, value)
        _set(wanted, path, value)
    _require_exact(form.read(new) == wanted)
    return new


def remove_entry(form: ConfigFormat, text: str, table: str, before: str | None) -> str | None:
    """Return a file's text without our entry, which it contains; None if nothing is left.

    Args:
        form: the format of the file.
        text: the file's text.
        table: the table of the entry.
        before: the text before our change, returned if nothing else has changed since; None if
            we created the file.

    Raises:
        InvalidArgument: it is malformed.
    """
    content = form.read(text)
    entry = content[table][NAME]
    if _install_yields(form, before or "", table, entry, text):
        return before
    new = form.take(text, (table, NAME))
    del content[table][NAME]
    _require_exact(
        form.read(new) == content or (not content[table] and table not in form.read(new))
    )
    return new


def find_entry(form: ConfigFormat, text: str, table: str) -> Any:
    """Return our entry in a file's text, None if there is none.

    Raises:
        InvalidArgument: it is malformed.
    """
    held = form.read(text).get(table)
    if held is not None and not isinstance(held, dict):
        raise InvalidArgument(f"{table}: must be an object")
    return (held or {}).get(NAME)


def _changes(
    before: dict[str, Any], table: str, entry: Mapping[str, Any]
) -> Iterator[tuple[KeyPath, Any]]:
    """Yield each value to set, with its path."""
    held = before.get(table, {})
    there = held.get(NAME) if isinstance(held, dict) else None
    if not isinstance(held, dict) or not isinstance(there, dict | None):
        raise InvalidArgument(f"{table}: must be an object of objects")
    if there is None:
        yield (table, NAME), dict(entry)
        return
    if "url" in there or not isinstance(there.get("env", {}), dict):
        raise InvalidArgument(f"{table}.{NAME}: was not written by reasonloom; rename or remove it")
    for key, value in entry.items():
        if key == "env" and key in there:
            changed = {name: new for name, new in value.items() if there[key].get(name) != new}
            yield from (((table, NAME, key, name), new) for name, new in changed.items())
        elif there.get(key) != value:
            yield (table, NAME, key), value


def _set(document: dict[str, Any], path: KeyPath, value: Any) -> None:
    for key in path[:-1]:
        document = document.setdefault(key, {})
    document[path[-1]] = value


def _require_exact(same: bool) -> None:
    """Refuse an edit that would change anything else."""
    if not same:
        raise InvalidArgument("written in a form that cannot be edited safely")


def _install_yields(
    form: ConfigFormat, before: str, table: str, entry: dict[str, Any], text: str
) -> bool:
    """Return whether adding our entry to `before`, which must not have one, gives `text`."""
    try:
        ours = find_entry(form, before, table)
        return ours is None and add_entry(form, before, table, entry) == text
    except InvalidArgument:
        return False


def _toml_table(value: dict[str, Any], *, within: bool) -> dict[str, Any]:
    """Return a table whose nested tables, or with `within` the table itself, are inline."""
    table = tomlkit.inline_table() if within else tomlkit.table()
    for key, held in value.items():
        table[key] = _toml_table(held, within=True) if isinstance(held, dict) else held
    return table


def _redact(token: str, mark: str) -> str:
    """Return a string or comment with its content elided, with the same number of lines."""
    end = mark if mark in "\"'" else ""
    return mark + HIDDEN + "\n" * token.count("\n") + end
