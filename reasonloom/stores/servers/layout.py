"""The layout of several databases, from the file in `REASONLOOM_DATABASES`.

spread = ["one", "two"]

[databases]
one = "postgresql://..."
two = { url = "postgresql://...", pooler_url = "postgresql://..." }

[owners]
"anna" = "two"
"team/*" = "one"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from reasonloom.errors import SettingMistake
from reasonloom.settings import Settings
from reasonloom.stores.access import Access, own_access

FIELD = "REASONLOOM_DATABASES"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
KEYS = {"spread", "databases", "owners"}
URLS = {"url", "pooler_url", "read_url"}
EXAMPLE = '[databases] with lines such as one = "postgresql://USER:PASSWORD@HOST:PORT/NAME"'


@dataclass(frozen=True, slots=True)
class Layout:
    """The databases by name, and the rules that give each owner a home among them.

    Attributes:
        accesses: how to reach each database; the first is the default one.
        owners: homes of named owners; a pattern ends in `*`.
        spread: the databases among which all other owners are spread.
    """

    accesses: Mapping[str, Access]
    owners: Mapping[str, str]
    spread: Sequence[str]

    @property
    def default(self) -> str:
        """The name of the database that has what belongs to no owner."""
        return next(iter(self.accesses))

    def home_of(self, owner: str) -> str:
        """Return the database where an owner's data is created.

        A named owner's is in the file, where the longest matching pattern counts. The others are
        spread by rendezvous hashing, which every process computes alike.
        """
        if owner in self.owners:
            return self.owners[owner]
        fitting = [
            pattern for pattern in self.owners
            if pattern.endswith("*") and owner.startswith(pattern[:-1])
        ]  # fmt: skip
        if fitting:
            return self.owners[max(fitting, key=len)]
        return max(self.spread, key=lambda name: _weight(name, owner))

    def require(self, name: str, field: str) -> str:
        """Return a database's name if it is known.

        Raises:
            SettingMistake: it is not.
        """
        if name in self.accesses:
            return name
        known = ", ".join(self.accesses)
        raise SettingMistake(f"{field}: no database {name!r}; there are {known}", field=field)


def _weight(name: str, owner: str) -> bytes:
    key = f"{name}\0{owner}".encode("utf-8", "surrogatepass")
    return blake2b(key, digest_size=8).digest()


def load_layout(settings: Settings) -> Layout:
    """Return the layout in the file that `REASONLOOM_DATABASES` names.

    Raises:
        SettingMistake: the file cannot be read, or something in it is wrong; says what.
    """
    if settings.database_url or settings.pooler_url or settings.database_path:
        raise _mistake("not together with DATABASE_URL, DATABASE_POOLER_URL or DATABASE_PATH")
    path = settings.databases
    assert path is not None  # noqa: S101 - whoever calls has looked
    given = _read(path)
    if unknown := sorted(given.keys() - KEYS):
        known = ", ".join(sorted(KEYS))
        raise _mistake(f"unknown key {unknown[0]!r}; known are {known}")
    accesses = _accesses(_table(given, "databases"), settings.statement_seconds)
    owners = _table(given, "owners")
    for owner, name in owners.items():
        _require_known(accesses, name, f"owners, {owner!r}")
    spread = given.get("spread", list(accesses))
    if not isinstance(spread, list) or not spread:
        raise _mistake('spread: must be a list of databases, such as ["one", "two"]')
    for name in spread:
        _require_known(accesses, name, "spread")
    return Layout(accesses, owners, spread)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError:
        raise _mistake("the file cannot be read") from None
    except ValueError as error:  # an error of TOML, or bytes that are not UTF-8
        raise _mistake(f"the file is not TOML: {error}") from None


def _table(given: dict[str, Any], key: str) -> dict[str, Any]:
    table = given.get(key, {})
    if not isinstance(table, dict):
        raise _mistake(f"{key}: must be a table, [{key}]")
    return table


def _accesses(given: dict[str, Any], seconds: float) -> dict[str, Access]:
    if not given:
        raise _mistake(f"names no database; it needs {EXAMPLE}")
    return {name: _access(name, urls, seconds) for name, urls in given.items()}


def _access(name: str, urls: object, seconds: float) -> Access:
    if not NAME.fullmatch(name):
        raise _mistake(f"databases, {name!r}: a name has a-z, 0-9, - and _, such as eu-1")
    urls = {"url": urls} if isinstance(urls, str) else urls
    if (
        not isinstance(urls, dict)
        or "url" not in urls
        or not urls.keys() <= URLS
        or not all(isinstance(each, str) for each in urls.values())
    ):
        known = ", ".join(sorted(URLS - {"url"}))
        raise _mistake(f"databases, {name!r}: must be a URL, or a table with url and maybe {known}")
    pooler, read = (SecretStr(urls[key]) if key in urls else None for key in sorted(URLS)[:2])
    try:
        return own_access(SecretStr(urls["url"]), pooler, read, seconds)
    except SettingMistake as mistake:
        _, _, reason = mistake.message.partition(": ")
        raise _mistake(f"databases, {name!r}: {reason}") from None


def _require_known(accesses: Mapping[str, Access], name: object, place: str) -> None:
    if not isinstance(name, str) or name not in accesses:
        raise _mistake(f"{place}: no database {name!r}; there are {', '.join(accesses)}")


def _mistake(reason: str) -> SettingMistake:
    return SettingMistake(f"{FIELD}: {reason}", field=FIELD)
