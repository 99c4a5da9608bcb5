"""The hosts that can start us, with the paths and formats of their configurations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from reasonloom.cli.hooks.hosts import PROJECT, USER
from reasonloom.cli.user_files.folders import claude_home, codex_home, gemini_home, user_home
from reasonloom.cli.user_files.formats import ConfigFormat, JsonFormat, TomlFormat
from reasonloom.errors import InvalidArgument, UnknownName
from reasonloom.settings import load_settings


@dataclass(frozen=True, slots=True)
class Host:
    """A program that starts MCP servers.

    Attributes:
        title: its display name.
        form: the format of its configuration.
        table: the key that contains its servers.
        places: the configuration by scope; a project's is in the working directory.
        typed: whether an entry has `"type": "stdio"`.
        after: what the user has to do next.
        skills: the folder of skills by scope, if it supports skills.
    """

    title: str
    form: ConfigFormat
    table: str
    places: Mapping[str, Callable[[], Path]]
    typed: bool = False
    after: str = ""
    skills: Mapping[str, Callable[[], Path]] = field(default_factory=dict)

    def path(self, scope: str) -> Path:
        """Return the configuration file of a scope.

        Raises:
            InvalidArgument: the host has none for that scope.
        """
        if scope not in self.places:
            known = " or ".join(self.places)
            raise InvalidArgument(f"--scope: {self.title} has {known}, not {scope}", field="scope")
        return self.places[scope]()

    def entry(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return an entry in the format of this host."""
        return ({"type": "stdio"} if self.typed else {}) | dict(entry)


def _here(*names: str) -> Callable[[], Path]:
    return lambda: Path.cwd().joinpath(*names)


def _claude_json() -> Path:
    return (load_settings().claude_config_dir or user_home()) / ".claude.json"


def _application(name: str, *names: str) -> Callable[[], Path]:
    return lambda: user_config_path(name, appauthor=False).joinpath(*names)


HOSTS: Mapping[str, Host] = {
    "claude-code": Host(
        "Claude Code",
        JsonFormat(),
        "mcpServers",
        {USER: _claude_json, PROJECT: _here(".mcp.json")},
        typed=True,
        after="Sessions of Claude Code that begin from now on have the tools; /mcp lists them.",
        skills={USER: lambda: claude_home() / "skills", PROJECT: _here(".claude", "skills")},
    ),
    "claude-desktop": Host(
        "Claude Desktop",
        JsonFormat(),
        "mcpServers",
        {USER: _application("Claude", "claude_desktop_config.json")},
        after="Quit Claude Desktop and start it again.",
    ),
    "vscode": Host(
        "VS Code",
        JsonFormat(comments=True),
        "servers",
        {USER: _application("Code", "User", "mcp.json"), PROJECT: _here(".vscode", "mcp.json")},
        typed=True,
        after="VS Code asks whether it may start the server; `MCP: List Servers` shows it.",
    ),
    "cursor": Host(
        "Cursor",
        JsonFormat(comments=True),
        "mcpServers",
        {USER: lambda: user_home() / ".cursor" / "mcp.json", PROJECT: _here(".cursor", "mcp.json")},
        typed=True,
        after="Restart Cursor; its settings list the server under MCP.",
    ),
    "codex": Host(
        "Codex",
        TomlFormat(),
        "mcp_servers",
        {USER: lambda: codex_home() / "config.toml", PROJECT: _here(".codex", "config.toml")},
        after="Sessions of Codex that begin from now on have the tools; /mcp lists them.",
    ),
    "gemini": Host(
        "Gemini CLI",
        JsonFormat(comments=True),
        "mcpServers",
        {USER: lambda: gemini_home() / "settings.json", PROJECT: _here(".gemini", "settings.json")},
        after="Sessions of Gemini CLI that begin from now on have the tools; /mcp lists them.",
    ),
}


def find_host(name: str) -> Host:
    """Return the host of that name.

    Raises:
        UnknownName: there is no such host.
    """
    if name not in HOSTS:
        near = get_close_matches(name, HOSTS, 1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(HOSTS)}"
        raise UnknownName(f"HOST: {name[:40]} is not known; {hint}", field="host")
    return HOSTS[name]
