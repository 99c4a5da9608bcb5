"""The file of static tokens: digest, owner and scopes of each, one JSON object per line.

A token has 256 random bits, so its SHA-256 cannot be reversed and no slower hash is needed. The
file is reread when it changes, so a revoked token is rejected at once.
"""

import hashlib
import hmac
import logging
import os
import secrets
import stat
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from reasonloom.contracts.places import check_group, check_person
from reasonloom.errors import InvalidArgument, SettingMistake
from reasonloom.server.auth.scopes import check_scopes

log = logging.getLogger(__name__)
VARIABLE = "REASONLOOM_TOKENS"
TOKEN_PREFIX = "rl_"  # noqa: S105 - how tokens begin
RANDOM_BYTES = 32
DAY = 86_400
MAX_OWNER_LENGTH = 200
MAX_MODE = 0o640
"""Widest allowed permissions of a token file."""


def check_owner(owner: str) -> str:
    """Return a valid owner's name.

    Raises:
        InvalidArgument: it is blank, too long, not printable, or a team's or group's.
    """
    if not owner.strip() or len(owner) > MAX_OWNER_LENGTH or not owner.isprintable():
        raise InvalidArgument(
            f"owner: must be printable text of 1 to {MAX_OWNER_LENGTH} characters", field="owner"
        )
    return check_person(owner)


class TokenEntry(BaseModel):
    """One line of the file; `expires` is a Unix time, None for never."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    id: str = Field(pattern="^[0-9a-f]{8}$")
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    owner: str
    scopes: list[str]
    groups: list[str] = []
    expires: int | None = None

    @field_validator("owner")
    @classmethod
    def name_somebody(cls, value: str) -> str:
        """Reject an invalid owner."""
        try:
            return check_owner(value)
        except InvalidArgument as error:
            raise ValueError(error.message) from None

    @field_validator("groups")
    @classmethod
    def name_groups(cls, value: list[str]) -> list[str]:
        """Reject an invalid group."""
        try:
            return [check_group(each) for each in value]
        except InvalidArgument as error:
            raise ValueError(error.message) from None

    @field_validator("scopes")
    @classmethod
    def know_scopes(cls, value: list[str]) -> list[str]:
        """Reject an unknown scope."""
        try:
            return list(check_scopes(value))
        except InvalidArgument as error:
            raise ValueError(error.message) from None

    @property
    def expired(self) -> bool:
        """Whether the token has expired."""
        return self.expires is not None and self.expires <= time.time()


def digest(token: str) -> str:
    """Return the stored digest of a token."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def new_entry(
    owner: str, scopes: tuple[str, ...], days: float | None, groups: tuple[str, ...] = ()
) -> tuple[str, TokenEntry]:
    """Return a new token and its entry; the token itself is not stored."""
    token = TOKEN_PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    return token, TokenEntry(
        id=secrets.token_hex(4),
        sha256=digest(token),
        owner=check_owner(owner),
        scopes=list(check_scopes(scopes)),
        groups=[check_group(each) for each in groups],
        expires=None if days is None else int(time.time() + days * DAY),
    )


def read_entries(path: Path) -> list[TokenEntry]:
    """Return the entries of a file.

    Raises:
        SettingMistake: the file cannot be read, or a line, named in the message, is invalid.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise SettingMistake(f"{VARIABLE}: the file cannot be read", field=VARIABLE) from None
    return [_entry(line, number) for number, line in enumerate(lines, 1) if line.strip()]


def _entry(line: str, number: int) -> TokenEntry:
    try:
        return TokenEntry.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "form"
        reason = f"{VARIABLE}: line {number}, {place}: {first['msg']}"
        raise SettingMistake(reason, field=VARIABLE) from None


def append_entry(path: Path, entry: TokenEntry) -> None:
    """Append an entry; a new file is private, an existing one loses permissions for others.

    Raises:
        SettingMistake: the file is invalid, so that the token would not work, or cannot be
            written.
    """
    if path.exists():
        _require_entries(path)
    line = entry.model_dump_json(exclude_defaults=True) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(handle, "rb+") as file:
            file.write((_line_end(file) + line).encode())
        _restrict_mode(path)
    except OSError:
        raise SettingMistake(f"{VARIABLE}: the file cannot be written", field=VARIABLE) from None


def _restrict_mode(path: Path) -> None:
    """Remove all permissions of others, and all but read of the group.

    The group may need to read the file: a server may run as another user.
    """
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & ~MAX_MODE:
        with suppress(PermissionError):  # another user's file: the server warns at startup
            path.chmod(mode & MAX_MODE)


def warn_if_writable_by_others(path: Path) -> None:
    """Warn if others may write the file and so grant themselves access."""
    with suppress(OSError):
        if path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            log.warning(
                "%s: others can write the file and add tokens of their own; chmod 600", VARIABLE
            )


def _require_entries(path: Path) -> None:
    try:
        read_entries(path)
    except SettingMistake as error:
        reason = f"{error.message}; fix or delete it first, no token was made"
        raise SettingMistake(reason, field=VARIABLE) from None


def _line_end(file: BinaryIO) -> str:
    """Return the line break missing after the last line, which some editors omit."""
    if not file.seek(0, os.SEEK_END):
        return ""
    file.seek(-1, os.SEEK_END)
    return "" if file.read(1) == b"\n" else "\n"


@dataclass
class TokenFile:
    """The tokens of a running server, reread whenever the file changes."""

    path: Path
    _seen: tuple[int, int, int] | None = None
    _entries: list[TokenEntry] = field(default_factory=list)

    def find(self, token: str) -> TokenEntry | None:
        """Return the entry of a valid token; compares every digest in constant time."""
        wanted = digest(token)
        found = None
        for entry in self._current():
            if hmac.compare_digest(entry.sha256, wanted):
                found = entry
        return None if found is None or found.expired else found

    def _current(self) -> list[TokenEntry]:
        """Return the entries; none if the file has become unreadable."""
        try:
            now = self.path.stat()
            seen = (now.st_ino, now.st_size, now.st_mtime_ns)
            if seen != self._seen:
                self._entries, self._seen = read_entries(self.path), seen
        except (OSError, SettingMistake) as error:
            reason = error.message if isinstance(error, SettingMistake) else "the file is missing"
            log.warning("no static token is accepted: %s", reason)
            self._entries, self._seen = [], None
        return self._entries
