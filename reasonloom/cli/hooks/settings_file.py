"""Adds our hooks to the text of a host's settings file, finds and removes them."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any, NamedTuple

from reasonloom.cli.hooks.hook import HOOK_NAMES
from reasonloom.cli.hooks.hosts import CLAUDE_CODE, DETACH, HOOK_HOSTS, PROJECT_NOTES, HookHost
from reasonloom.cli.user_files.json_edits import (
    BOM,
    append_child,
    children,
    find_member,
    parse_json,
    remove_child,
    root_offset,
)
from reasonloom.cli.user_files.program import NAME
from reasonloom.errors import InvalidArgument

Handlers = Mapping[str, dict[str, Any]]
"""The handler for each of the host's events."""


HOST_WORDS = [[name] for name in HOOK_HOSTS]
VERSIONED = '{\n  "version": 1\n}\n'
"""A new file of a host whose events list handlers without groups."""


class InstalledHandler(NamedTuple):
    """A handler of ours: its event, the index of its group, and its index in the group.

    `place` is None where the event lists handlers without groups.
    """

    event: str
    group: int
    place: int | None
    handler: dict[str, Any]
    alone: bool


def hook_handlers(
    program: str, seconds: int, host: str = CLAUDE_CODE, *, claude_md: bool = True
) -> dict[str, dict[str, Any]]:
    """Return our handlers by event.

    Args:
        program: the command line of reasonloom, quoted for a shell.
        seconds: the time after which the host ends a hook; by default Claude Code waits only 1.5
            seconds at the end of a session.
        host: the host that calls them.
        claude_md: whether CLAUDE.md is updated at the end of a session.
    """
    target = HOOK_HOSTS[host]
    named = "" if host == CLAUDE_CODE else f"--host {host} "
    return {
        event: {
            "type": "command",
            "command": f"{program} hook {named}{names if claude_md else _without_notes(names)}",
            **_limit(target, min(seconds, target.longest.get(event, seconds))),
        }
        for event, names in target.events.items()
    }


def _limit(target: HookHost, seconds: int) -> dict[str, int]:
    return {"timeout": seconds * target.per_second} if target.per_second else {}


def _without_notes(names: str) -> str:
    return names.removesuffix(f" {PROJECT_NOTES}")


def add_handlers(text: str | None, wanted: Handlers, *, flat: bool = False) -> str:
    """Return a settings file's text with each of our handlers once; None means there is no file.

    With `flat`, an event lists its handlers without groups, in a file that has a version.

    Raises:
        InvalidArgument: it is not JSON, or not in the form of settings.
    """
    if text is None:
        return add_handlers(VERSIONED if flat else "{}\n", wanted, flat=flat)
    if text.startswith(BOM):
        return BOM + add_handlers(text[1:], wanted, flat=flat)
    found = list(installed_handlers(text))
    have = {each.event: each.handler for each in found}
    if have == dict(wanted) and len(found) == len(have):
        return text
    text = strip_handlers(text)
    at = root_offset(text)
    groups = {
        event: [handler if flat else {"hooks": [handler]}] for event, handler in wanted.items()
    }
    if find_member(text, at, "hooks") is None:
        return append_child(text, at, groups, "hooks")
    for event, group in groups.items():
        text = _add_groups(text, event, group)
    return text


def remove_handlers(text: str, before: str | None = None, *, made: bool = False) -> str | None:
    """Return a settings file's text without our handlers.

    Args:
        text: the present text.
        before: the text before our change, if known; returned if nothing else has changed since.
        made: we created the file; None is returned then if nothing else is left in it.

    Raises:
        InvalidArgument: it is not JSON, or not in the form of settings.
    """
    found = list(installed_handlers(text))
    wanted = {each.event: each.handler for each in found}
    flat = any(each.place is None for each in found)
    if wanted and before is not None and _install_yields(before, wanted, text, flat=flat):
        return before
    if wanted and made and _install_yields(None, wanted, text, flat=flat):
        return None
    return strip_handlers(text)


def strip_handlers(text: str) -> str:
    """Return the text without our handlers, and without groups that contained nothing else.

    Raises:
        InvalidArgument: it is not JSON, or not in the form of settings.
    """
    if text.startswith(BOM):
        return BOM + strip_handlers(text[1:])
    while (found := next(installed_handlers(text), None)) is not None:
        text = _remove_handler(text, found)
    return text


def installed_handlers(text: str) -> Iterator[InstalledHandler]:
    """Yield our handlers in a settings file's text.

    Raises:
        InvalidArgument: it is not JSON, or not in the form of settings.
    """
    settings = parse_json(text.removeprefix(BOM))
    if not isinstance(settings, dict):
        raise InvalidArgument("must be a JSON object")
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(each, list) for each in hooks.values()):
        raise InvalidArgument("hooks: must be an object of arrays")
    for event, groups in hooks.items():
        for number, group in enumerate(groups):
            if _is_ours(group):
                yield InstalledHandler(event, number, None, group, alone=True)
            held = group.get("hooks") if isinstance(group, dict) else None
            listed = held if isinstance(held, list) else []
            for index, handler in enumerate(listed):
                if _is_ours(handler):
                    yield InstalledHandler(event, number, index, handler, len(listed) == 1)


def has_ours(text: str) -> bool:
    """Return whether a settings file has a handler of ours, or our entry as a server.

    Raises:
        InvalidArgument: it is not JSON, or not in the form of settings.
    """
    if any(installed_handlers(text)):
        return True
    servers = parse_json(text.removeprefix(BOM)).get("mcpServers")
    return isinstance(servers, dict) and NAME in servers


def _is_ours(handler: object) -> bool:
    """Return whether a handler calls reasonloom's hooks and does nothing else."""
    if not isinstance(handler, dict) or not isinstance(handler.get("command"), str):
        return False
    try:
        words = shlex.split(handler["command"])
    except ValueError:
        return False
    if words[1:3] == ["-m", "reasonloom"]:
        words = ["reasonloom", *words[3:]]
    if len(words) < len(("reasonloom", "hook", "name")) or words[1] != "hook":
        return False
    names = words[4:] if words[2] == "--host" and words[3:4] in HOST_WORDS else words[2:]
    names = names[1:] if names[:1] == [DETACH] else names
    ours = bool(names) and all(word in HOOK_NAMES for word in names)
    return PurePath(words[0]).name == "reasonloom" and ours


def _install_yields(before: str | None, wanted: Handlers, text: str, *, flat: bool) -> bool:
    """Return whether adding our handlers to `before` gives `text`."""
    try:
        return add_handlers(before, wanted, flat=flat) == text
    except InvalidArgument:
        return False


def _add_groups(text: str, event: str, groups: list[Any]) -> str:
    """Return the text with groups added to an event."""
    hooks = find_member(text, root_offset(text), "hooks")
    assert hooks is not None  # noqa: S101 - looked for before
    there = find_member(text, hooks.at, event)
    if there is None:
        return append_child(text, hooks.at, groups, event)
    for group in groups:
        text = append_child(text, there.at, group)
    return text


def _remove_handler(text: str, found: InstalledHandler) -> str:
    """Return the text without one handler, and without containers that are then empty."""
    top = root_offset(text)
    hooks = find_member(text, top, "hooks")
    assert hooks is not None  # noqa: S101 - the handler was found there
    event = find_member(text, hooks.at, found.event)
    assert event is not None  # noqa: S101
    groups = children(text, event.at)[0]
    if found.place is not None and not found.alone:
        inner = find_member(text, groups[found.group].at, "hooks")
        assert inner is not None  # noqa: S101
        return remove_child(text, inner.at, found.place)
    if len(groups) > 1:
        return remove_child(text, event.at, found.group)
    events = children(text, hooks.at)[0]
    if len(events) > 1:
        return remove_child(text, hooks.at, _index_of(events, found.event))
    return remove_child(text, top, _index_of(children(text, top)[0], "hooks"))


def _index_of(held: list[Any], key: str) -> int:
    return next(index for index, child in enumerate(held) if child.key == key)
