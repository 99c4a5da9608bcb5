"""Reads what a client says to Postgres, and names each round trip by what it is for."""

from __future__ import annotations

import re

ROUND_TRIPS = b"QSH"
"""Messages after which Postgres answers: a simple query, Sync, and Flush."""

CHANGED = re.compile(
    r"\b(?:insert into|delete from|update)\s+(\w+)(?=\s+(?:set|where|using|\(|as))"
)
SAVED_STEPS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
NAMES = ("saved step", "recorded reply", "commit", "write", "read")
"""The names of round trips; one that is of several kinds has the first of them."""


class Talk:
    """One connection's side of the talk, from message to message."""

    def __init__(self) -> None:
        self._prepared: dict[bytes, str] = {}
        self._said: list[str] = []

    def hear(self, kind: bytes, body: bytes) -> None:
        """Note the statement that a message holds or names, if it does either."""
        first, second, *_ = [*body.split(b"\0", 2), b"", b""]
        if kind == b"P":
            self._prepared[first] = second.decode()
        elif kind == b"B":
            self._said.append(self._prepared.get(second, ""))
        elif kind == b"Q":
            self._said.append(first.decode())

    def round_trip(self) -> str:
        """Return the name of what was said since the last round trip; "" where nothing was.

        The driver prepares now and then what it has sent often, which says nothing new.
        """
        if not self._said:
            return ""
        names = {name for each in self._said for name in _names(each.strip().lower())}
        if names == {"commit"} and len(self._said) > 1:  # of what was read
            names.clear()
        self._said.clear()
        return next((name for name in NAMES if name in names), "read")


def _names(statement: str) -> list[str]:
    if statement.startswith("commit"):
        return ["commit"]
    kinds = {"llm_calls": "recorded reply", **dict.fromkeys(SAVED_STEPS, "saved step")}
    return [kinds.get(table, "write") for table in CHANGED.findall(statement)]
