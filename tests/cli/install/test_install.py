"""`reasonloom install`: each host's own file, shown, asked about, written, and taken back."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from reasonloom.cli.install.commands import MAX_SIZE
from reasonloom.cli.user_files.program import cache_hint
from reasonloom.contracts.toolsets import ALL_TOOLS
from reasonloom.server.prompts.guide import read_guide
from reasonloom.text.tokens import count_tokens
from tests.support.clients.fork_server import cold_program, program
from tests.support.clients.processes import environment
from tests.support.databases.postgres import TestPostgres

HOSTS = ("claude-code", "claude-desktop", "vscode", "cursor", "codex", "gemini")
TABLES = {"vscode": "servers", "codex": "mcp_servers"}
PLACES = {
    ("claude-code", "user"): "home/.claude.json",
    ("claude-code", "project"): "work/.mcp.json",
    ("vscode", "project"): "work/.vscode/mcp.json",
    ("cursor", "user"): "home/.cursor/mcp.json",
    ("cursor", "project"): "work/.cursor/mcp.json",
    ("codex", "user"): "home/.codex/config.toml",
    ("codex", "project"): "work/.codex/config.toml",
    ("gemini", "user"): "home/.gemini/settings.json",
    ("gemini", "project"): "work/.gemini/settings.json",
}
if sys.platform == "linux":
    PLACES |= {
        ("claude-desktop", "user"): "home/.config/Claude/claude_desktop_config.json",
        ("vscode", "user"): "home/.config/Code/User/mcp.json",
    }
SETPRIV = shutil.which("setpriv")
BOUND: list[str] | None = []
"""What starts a program for which the permissions of files hold, also where we are root."""

if os.geteuid() == 0:
    BOUND = [SETPRIV, "--bounding-set=-dac_override,-dac_read_search"] if SETPRIV else None
UNTYPED = ("codex", "claude-desktop", "gemini")
Run = subprocess.CompletedProcess[str]


@dataclass
class Machine:
    """A user's home and a project on a machine."""

    root: Path

    def run(self, *words: str, within: Sequence[str] = (), **more: str) -> Run:
        """Run one of our commands in the project, by another program if one is given."""
        (self.root / "work").mkdir(exist_ok=True)
        env = environment(self.root / "data", HOME=str(self.root / "home"), **more)
        for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "GEMINI_CLI_HOME"):
            env.pop(name, None)
        begun = cold_program() if within else program()
        done = subprocess.run(
            [*within, *begun, *words], env=env, cwd=self.root / "work",
            input="y\n", capture_output=True, text=True, timeout=90, check=False,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return done

    def place(self, host: str, scope: str) -> Path:
        """Return a host's file."""
        return self.root / PLACES[host, scope]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "home").mkdir()
    return Machine(tmp_path)


def entry(host: str, path: Path) -> dict[str, Any]:
    """Return our entry as the host reads it."""
    text = path.read_text()
    said = tomllib.loads(text) if host == "codex" else json.loads(text)
    found: dict[str, Any] = said[TABLES.get(host, "mcpServers")]["reasonloom"]
    return found


@pytest.mark.parametrize(("host", "scope"), PLACES)
def test_each_host_has_its_file_written_and_taken_away(
    machine: Machine, host: str, scope: str
) -> None:
    place = machine.place(host, scope)
    shown = machine.run("install", host, "--scope", scope, "--dry-run")
    asked = machine.run("install", host, "--scope", scope)
    assert (shown.returncode, asked.returncode, place.exists()) == (0, 1, False)
    assert str(place) in shown.stdout
    assert "--yes" in asked.stderr
    done = machine.run("install", host, "--scope", scope, "--yes")
    assert done.returncode == 0, done.stderr
    ours = entry(host, place)
    assert ours["args"] == ["serve"]
    assert Path(ours["command"]).samefile(Path(sys.executable).parent / "reasonloom")
    assert ours.get("type") == (None if host in UNTYPED else "stdio")
    assert "env" not in ours
    printed = machine.run("print-config", host, "--scope", scope).stdout
    if host != "gemini":  # its file holds hooks, too
        assert printed.strip() == place.read_text().strip()
    assert "nothing to do" in machine.run("install", host, "--scope", scope, "--yes").stdout
    machine.run("install", host, "--scope", scope, "--yes", "--as", "thoughtmcp")
    assert entry(host, place)["args"] == ["serve", "--as", "thoughtmcp"]
    assert machine.run("uninstall", host, "--scope", scope, "--yes").returncode == 0
    assert not list(place.parent.glob(f"{place.name}*"))
    again = machine.run("uninstall", host, "--scope", scope, "--yes")
    assert "does not contain reasonloom" in again.stdout


HOOKED = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json",
          "gemini": ".gemini/settings.json", "cursor": ".cursor/hooks.json",
          "vscode": ".copilot/hooks/reasonloom.json"}  # fmt: skip


@pytest.mark.parametrize("host", HOOKED)
def test_hooks_come_and_go_with_the_entry(machine: Machine, host: str) -> None:
    place, before = machine.root / "home" / HOOKED[host], '{"mine": {"a": [1, 2]}}\n'
    place.parent.mkdir(parents=True)
    place.write_text(before)
    assert machine.run("install", host, "--dry-run").returncode == 0
    assert place.read_text() == before
    assert machine.run("install", host, "--yes").returncode == 0
    text = place.read_text()
    assert "session-end" in text
    assert (f"hook --host {host} " in text) == (host != "claude-code")
    assert "nothing to do" in machine.run("install", host, "--yes").stdout
    assert place.read_text() == text
    assert machine.run("uninstall", host, "--yes").returncode == 0
    assert place.read_text() == before
    assert not list(place.parent.glob("*.before-reasonloom"))
    machine.run("install", host, "--yes", "--no-hooks")
    assert "session-end" not in place.read_text()


@pytest.mark.parametrize("host", ["cursor", "vscode"])
def test_hooks_of_editors_are_listed_without_groups_and_their_new_file_goes_with_them(
    machine: Machine, host: str
) -> None:
    place = machine.root / "home" / HOOKED[host]
    machine.run("install", host, "--yes")
    written = json.loads(place.read_text())
    assert written["version"] == 1
    for handlers in written["hooks"].values():
        (handler,) = handlers
        assert set(handler) - {"timeout"} == {"type", "command"}
        assert f"hook --host {host} " in handler["command"]
    machine.run("uninstall", host, "--yes")
    assert not place.exists()
    theirs = {"version": 1, "hooks": {event: [{"command": "mine"}] for event in written["hooks"]}}
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(theirs))
    machine.run("install", host, "--yes")
    assert all(len(each) == 2 for each in json.loads(place.read_text())["hooks"].values())
    machine.run("uninstall", host, "--yes")
    assert json.loads(place.read_text()) == theirs


def test_a_hooks_file_that_is_no_json_is_refused_before_anything_is_written(
    machine: Machine,
) -> None:
    place = machine.root / "home" / HOOKED["gemini"]
    place.parent.mkdir()
    place.write_text('{"a": 1} // mine\n')
    done = machine.run("install", "gemini", "--yes")
    assert done.returncode != 0
    assert "not JSON" in done.stderr
    assert "--no-hooks" in done.stderr
    assert place.read_text() == '{"a": 1} // mine\n'
    assert machine.run("install", "gemini", "--yes", "--no-hooks").returncode == 0
    assert "// mine" in place.read_text()


def test_a_file_that_was_made_for_us_goes_with_us(machine: Machine) -> None:
    machine.run("install", "cursor", "--yes")
    assert "contained nothing else" in machine.run("uninstall", "cursor", "--yes").stdout
    assert not machine.place("cursor", "user").exists()


THEIRS = {
    "claude-code": '{"auth": "geheim", "mcpServers": {"o": {"env": {"K": "geheim"}}}}',
    "cursor": (
        '// mine: geheim\r\n{\r\n\t"mcpServers": {\r\n\t\t"o": {"args": ["geheim"]}, // geheim\r\n'
        "\t},\r\n}\r\n"
    ),
    "codex": 'a = "geheim" # geheim\r\n[mcp_servers.o]\r\nargs = ["geheim"]\r\n',
}


@pytest.mark.parametrize("host", THEIRS)
def test_what_is_there_stays_and_is_not_shown(machine: Machine, host: str) -> None:
    place = machine.place(host, "user")
    kept = machine.root / "dotfiles" / "kept"
    kept.parent.mkdir()
    place.parent.mkdir(exist_ok=True)
    text = THEIRS[host]
    kept.write_bytes(text.encode())
    kept.chmod(0o640)
    place.symlink_to(kept)
    shown = machine.run("install", host, "--yes", "--dry-run")
    done = machine.run("install", host, "--yes")
    assert done.returncode == 0, done.stderr
    assert "geheim" not in shown.stdout + done.stdout
    assert "+++" in shown.stdout
    assert place.is_symlink()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    new = kept.read_bytes().decode()
    assert text.count("geheim") == new.count("geheim")
    assert ("\r\n" in text) == ("\n" in new) == (new.count("\n") == new.count("\r\n") > 0)
    assert (kept.parent / "kept.before-reasonloom").read_bytes() == text.encode()
    gone = machine.run("uninstall", host, "--dry-run").stdout
    assert "+++" in gone
    assert "geheim" not in gone + machine.run("uninstall", host, "--yes").stdout
    assert kept.read_bytes() == text.encode()


def test_variables_are_written_only_when_given_and_secrets_are_never_shown(
    machine: Machine,
) -> None:
    more = {"OPENAI_API_KEY": "sk-geheim", "REASONLOOM_DATABASE_URL": "postgresql://u:geheim@h/d"}
    plain = machine.run("install", "claude-code", "--scope", "project", "--dry-run", **more)
    assert "geheim" not in plain.stdout
    assert "Set here, and needed where Claude Code runs: REASONLOOM_DATABASE_URL" in plain.stdout
    env = ["--env", "OPENAI_API_KEY", "--env", "REASONLOOM_LLM=litellm:openai/gpt-5"]
    words = ["install", "claude-code", "--scope", "project"]
    shown = machine.run(*words, "--dry-run", *env, **more)
    assert "litellm:openai/gpt-5" in shown.stdout
    done = machine.run(*words, "--yes", *env, **more)
    assert done.returncode == 0, done.stderr
    assert "geheim" not in shown.stdout + done.stdout
    assert "often shared; it will contain OPENAI_API_KEY" in done.stdout
    place = machine.place("claude-code", "project")
    wanted = {"OPENAI_API_KEY": "sk-geheim", "REASONLOOM_LLM": "litellm:openai/gpt-5"}
    assert entry("claude-code", place)["env"] == wanted
    other = ["--env", "OPENAI_API_KEY=sk-neu"]
    shown = machine.run(*words, "--dry-run", *other)
    changed = machine.run(*words, "--yes", *other)
    assert "sk-" not in shown.stdout + changed.stdout
    assert "+++" in shown.stdout
    assert entry("claude-code", place)["env"] == wanted | {"OPENAI_API_KEY": "sk-neu"}
    printed = machine.run("print-config", "claude-code", *env, **more)
    assert "geheim" not in printed.stdout + printed.stderr
    assert json.loads(printed.stdout)["mcpServers"]["reasonloom"]["env"] == wanted | {
        "OPENAI_API_KEY": "<OPENAI_API_KEY>"
    }


@pytest.mark.parametrize(
    ("host", "data"),
    [("claude-code", b'{"a": 1,}'), ("claude-desktop", b"// c\n{}"), ("codex", b"a = "),
     ("vscode", b"{"), ("cursor", b'{"mcpServers": {"reasonloom": {"url": "http://h"}}}'),
     ("cursor", b"\xff\xfe{}"), ("vscode", b"[]")],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_refused_by_name(
    machine: Machine, host: str, data: bytes
) -> None:
    if (host, "user") not in PLACES:
        pytest.skip("this system keeps it elsewhere")
    place = machine.place(host, "user")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)
    done = machine.run("install", host, "--yes")
    assert done.returncode == 2
    assert str(place) in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert place.read_bytes() == data
    assert [path.name for path in place.parent.iterdir() if path.is_file()] == [place.name]


def test_a_place_that_is_no_file_is_refused_by_name(machine: Machine) -> None:
    machine.place("cursor", "user").mkdir(parents=True)
    (machine.root / "home" / ".codex").write_text("no folder")
    for host in ("cursor", "codex"):
        done = machine.run("install", host, "--yes")
        assert done.returncode == 2
        assert str(machine.place(host, "user").parent) in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("scope", ["user", "project"])
@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor"])
def test_the_original_outlives_a_second_installation(
    machine: Machine, host: str, scope: str
) -> None:
    place = machine.place(host, scope)
    place.parent.mkdir(parents=True, exist_ok=True)
    text = "model = 1\n" if host == "codex" else '{"mine": 1.50}'
    place.write_text(text)
    kept = place.with_name(place.name + ".before-reasonloom")
    first = machine.run("install", host, "--scope", scope, "--yes")
    assert f"Backup of the file as it was: {kept}" in first.stdout
    second = machine.run("install", host, "--scope", scope, "--yes", "--as", "thoughtmcp",
                         "--env", "OPENAI_API_KEY=sk-geheim")  # fmt: skip
    assert str(kept) not in second.stdout
    assert kept.read_text() == text
    done = machine.run("uninstall", host, "--scope", scope, "--yes")
    assert done.returncode == 0, done.stderr
    assert not kept.exists()
    assert "sk-geheim" not in everything_in(place.parent)


def everything_in(folder: Path) -> str:
    """Return what the files of a folder hold."""
    return "".join(path.read_text() for path in folder.iterdir() if path.is_file())


def test_the_letter_is_given_back_after_a_second_installation(machine: Machine) -> None:
    place = machine.place("claude-code", "project")
    place.parent.mkdir()
    text = '{"mcpServers": {"o": {"command":"x"}}, "mine": 1.50}\n'
    place.write_text(text)
    for command in ("thoughtmcp", "causantic", "thoughtmcp"):
        machine.run("install", "claude-code", "--scope", "project", "--yes", "--as", command)
    assert machine.run("uninstall", "claude-code", "--scope", "project", "--yes").returncode == 0
    assert everything_in(place.parent) == text


def test_no_secret_of_ours_is_left_beside_a_file_that_was_changed_since(machine: Machine) -> None:
    place = machine.place("claude-code", "project")
    place.parent.mkdir()
    place.write_text('{"mcpServers": {}}')
    words = ("claude-code", "--scope", "project", "--yes")
    machine.run("install", *words, "--env", "OPENAI_API_KEY=sk-geheim")
    said = json.loads(place.read_text())
    place.write_text(json.dumps(said | {"later": True}))
    kept = place.with_name(place.name + ".before-reasonloom")
    done = machine.run("uninstall", *words)
    assert f"Backup of the file from before reasonloom: {kept}" in done.stdout
    assert everything_in(place.parent).count('{"mcpServers": {}') == 2
    assert "sk-geheim" not in everything_in(place.parent)
    assert json.loads(place.read_text()) == {"mcpServers": {}, "later": True}


def test_a_backup_that_holds_our_entry_goes(machine: Machine) -> None:
    place = machine.place("claude-code", "project")
    words = ("claude-code", "--scope", "project", "--yes")
    machine.run("install", *words, "--env", "OPENAI_API_KEY=sk-geheim")
    place.with_name(place.name + ".before-reasonloom").write_text(place.read_text())
    machine.run("uninstall", *words)
    assert not list(place.parent.iterdir())


@pytest.mark.skipif(BOUND is None, reason="root may write everything")
@pytest.mark.parametrize("command", ["install", "uninstall"])
@pytest.mark.parametrize("which", ["file", "folder"])
def test_what_may_not_be_written_is_refused_by_its_whole_path(
    machine: Machine, which: str, command: str
) -> None:
    place = machine.place("cursor", "user")
    place.parent.mkdir()
    text = "{}" if command == "install" else '{"mcpServers": {"reasonloom": {"command": "x"}}}'
    place.write_text(text)
    place.chmod(0o400 if which == "file" else 0o600)
    place.parent.chmod(0o700 if which == "file" else 0o500)
    done = machine.run(command, "cursor", "--yes", within=BOUND or ())
    place.parent.chmod(0o700)
    fault = "is not writable" if which == "file" else "its folder is not writable"
    assert done.returncode == 2
    assert done.stderr == f"reasonloom: {place}: {fault}; nothing was written\n"
    assert everything_in(place.parent) == text
    assert len(list(place.parent.iterdir())) == 1


def test_a_file_of_twenty_megabytes_is_changed_and_given_back(machine: Machine) -> None:
    place = machine.place("claude-code", "user")
    project = {"history": [{"display": f'say {n}: "geheim" // ' + "x" * 150} for n in range(90)]}
    text = json.dumps({"projects": {f"/home/u/{n}": project for n in range(1_000)}}, indent=2)
    assert len(text) > 18_000_000
    place.write_text(text)
    shown = machine.run("install", "claude-code", "--dry-run", "--no-hooks")
    assert '"reasonloom"' in shown.stdout
    assert len(shown.stdout) < 2_000 + len(read_guide())
    assert "geheim" not in shown.stdout
    done = machine.run("install", "claude-code", "--yes", "--no-hooks")
    assert done.returncode == 0, done.stderr
    assert entry("claude-code", place)["args"] == ["serve"]
    assert machine.run("uninstall", "claude-code", "--yes").returncode == 0
    assert place.read_text() == text


def test_a_larger_file_than_any_host_keeps_is_refused(machine: Machine) -> None:
    place = machine.place("claude-code", "user")
    with place.open("wb") as file:
        file.truncate(MAX_SIZE + 1)
    done = machine.run("install", "claude-code", "--yes")
    assert done.returncode == 2
    assert done.stderr.startswith(f"reasonloom: {place}: larger than 67,108,864 bytes")
    assert not place.with_name(place.name + ".before-reasonloom").exists()


def test_of_one_long_line_only_what_stands_near_the_change_is_shown(machine: Machine) -> None:
    place = machine.place("claude-code", "user")
    texts = ["geheim"] * 20_000
    place.write_text(json.dumps({"a": texts, "mcpServers": {"o": {"command": "x"}}, "z": texts}))
    done = machine.run("install", "claude-code", "--dry-run", "--no-hooks")
    assert '"reasonloom"' in done.stdout
    assert "characters]" in done.stdout
    assert len(done.stdout) < 3_000 + len(read_guide())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["cursr"], "did you mean cursor?"),
        (["claude-desktop", "--scope", "project"], "--scope: Claude Desktop has user"),
        (["cursor", "--scope", "all"], "user or project"),
        (["cursor", "--env", "1=2"], "--env: must be NAME=VALUE"),
        (["cursor", "--env", "NOT_SET_ANYWHERE"], "not set here"),
        (["cursor", "--as", "nothing"], "nothing"),
        (["cursor", "--as", "thoughtmcp", "--toolsets", "all"], "--as"),
    ],
)
def test_what_cannot_be_meant_is_refused(machine: Machine, words: list[str], said: str) -> None:
    done = machine.run("install", *words, "--yes")
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list((machine.root / "home").iterdir())


@pytest.mark.parametrize("host", ["claude-code", "codex"])
async def test_what_is_written_starts_a_server_that_lists_its_tools(
    machine: Machine, host: str, postgres: TestPostgres, database: str
) -> None:
    env = {
        "REASONLOOM_DATABASE_URL": postgres.address.dsn("postgres", database),
        "REASONLOOM_HOME": str(machine.root / "data"),
        "REASONLOOM_LLM": "offline",
    }
    given = [word for name, value in env.items() for word in ("--env", f"{name}={value}")]
    done = machine.run("install", host, "--as", "thoughtmcp", "--yes", *given)
    assert done.returncode == 0, done.stderr
    ours = entry(host, machine.place(host, "user"))
    server = StdioServerParameters(command=ours["command"], args=ours["args"], env=ours["env"])
    async with Client(server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert "remember" in names
    assert "reasonloom_remember" not in names


@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_summary_names_the_files_and_how_to_undo_it(machine: Machine, scope: str) -> None:
    words = ("claude-code", "--scope", scope)
    lines = machine.run("install", *words, "--yes").stdout.splitlines()
    root = machine.root / ("home" if scope == "user" else "work")
    skill = root / ".claude" / "skills" / "reasonloom" / "SKILL.md"
    for path in (machine.place("claude-code", scope), root / ".claude/settings.json", skill):
        assert sum(line.startswith(f"{path}: ") for line in lines) == 1
    undo = lines[-1].removeprefix("To undo this: reasonloom ").split()
    assert len(lines) < 8
    assert machine.run(*undo, "--yes").returncode == 0
    assert not machine.place("claude-code", scope).exists()
    assert not skill.exists()


@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_skill_is_offered_where_the_host_reads_skills(machine: Machine, scope: str) -> None:
    folder = {"user": "home/.claude", "project": "work/.claude"}[scope]
    skill = machine.root / folder / "skills" / "reasonloom" / "SKILL.md"
    words = ("claude-code", "--scope", scope)
    assert str(skill) in machine.run("install", *words, "--dry-run").stdout
    assert not skill.exists()
    machine.run("install", *words, "--yes", "--as", "thoughtmcp")
    assert not skill.exists()
    machine.run("install", *words, "--yes")
    assert skill.read_text() == read_guide()
    skill.write_text(read_guide().replace("Be honest", "Be quick"))
    machine.run("install", *words, "--yes")
    assert skill.read_text() == read_guide()
    machine.run("uninstall", *words, "--yes")
    assert not skill.parent.exists()
    skill.parent.mkdir(parents=True)
    skill.write_text("Somebody else's.")
    machine.run("uninstall", *words, "--yes")
    assert skill.read_text() == "Somebody else's."


def test_the_guide_is_short_and_names_tools_that_exist() -> None:
    guide = read_guide()
    assert count_tokens(guide) < 1_200
    named = set(re.findall(r"`((?:reasoning|memory)_[a-z_]+)`", guide))
    assert named - {"reasoning_answer", "reasoning_waiting"} <= set(ALL_TOOLS)


@pytest.mark.parametrize(
    ("prefix", "temporary"),
    [
        ("/home/u/.cache/uv/archive-v0/UQc7veSoiYoo9cvM", True),
        ("/srv/uv/archive-v0/UQc7veSoiYoo9cvM", True),
        ("/home/u/.local/share/pipx/.cache/3f2a", True),
        ("/home/u/.local/share/uv/tools/reasonloom", False),
        ("/home/u/project/.venv", False),
    ],
)
def test_a_program_in_a_cache_is_no_place_for_a_host(prefix: str, *, temporary: bool) -> None:
    assert bool(cache_hint(Path(prefix))) is temporary
