"""`reasonloom hooks`: a settings file keeps all that is not ours, to the letter."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reasonloom.cli.hooks.settings_file import (
    add_handlers,
    hook_handlers,
    installed_handlers,
    remove_handlers,
    strip_handlers,
)
from reasonloom.cli.user_files.json_edits import parse_json
from reasonloom.errors import InvalidArgument
from tests.support.clients.fork_server import program
from tests.support.clients.hook_host import Host
from tests.support.databases.postgres import TestPostgres

WANTED = hook_handlers("reasonloom", 30)
OTHER = {"type": "command", "command": "other.sh --reasonloom hook", "timeout": 5}
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=8),
    lambda held: (
        st.lists(held, max_size=3) | st.dictionaries(st.text(max_size=5), held, max_size=3)
    ),
    max_leaves=8,
)
GROUPS: st.SearchStrategy[Any] = st.lists(
    st.just({"matcher": "Write|Édit", "hooks": [OTHER]}) | st.just({"hooks": [OTHER, OTHER]})
    | st.just({"hooks": []}) | st.just("odd") | st.just({"hooks": "odd"}),
    max_size=3,
)  # fmt: skip
EVENTS = st.sampled_from(["SessionStart", "SessionEnd", "PreCompact", "PreToolUse", "Stop"])
HOOKS: st.SearchStrategy[Any] = st.dictionaries(EVENTS, GROUPS, max_size=4)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Return a settings file's text in some layout."""
    settings: dict[str, Any] = draw(st.dictionaries(st.text(max_size=6), VALUES, max_size=3))
    settings.pop("hooks", None)
    if draw(st.booleans()):
        settings["hooks"] = draw(HOOKS)
    settings |= draw(st.dictionaries(st.sampled_from(["env", "model", "ключ"]), VALUES, max_size=2))
    indent = draw(st.sampled_from([None, 0, 2, 4, "\t"]))
    text = json.dumps(settings, indent=indent, ensure_ascii=draw(st.booleans()))
    text = draw(st.sampled_from(["", "\n", " "])) + text + draw(st.sampled_from(["", "\n", "\n\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return draw(st.sampled_from(["", "\ufeff"])) + text


def without_empty(settings: Any) -> Any:
    """Return settings without events that have no groups, and without hooks that have no events."""
    held = {event: groups for event, groups in settings.get("hooks", {}).items() if groups}
    kept = {key: value for key, value in settings.items() if key != "hooks"}
    return kept | ({"hooks": held} if held else {})


@given(texts())
def test_installing_adds_ours_and_keeps_the_rest(text: str) -> None:
    new = add_handlers(text, WANTED)
    before, after = parse_json(text.removeprefix("\ufeff")), parse_json(new.removeprefix("\ufeff"))
    assert {each.event: each.handler for each in installed_handlers(new)} == WANTED
    assert list(before) == [key for key in after if key in before]
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    assert without_empty(parse_json(strip_handlers(new).removeprefix("\ufeff"))) == without_empty(
        before
    )
    assert new.startswith("\ufeff") == text.startswith("\ufeff")


@given(texts())
def test_installing_twice_is_installing_once(text: str) -> None:
    once = add_handlers(text, WANTED)
    assert add_handlers(once, WANTED) == once
    again = add_handlers(once, hook_handlers("/opt/reasonloom", 30))
    assert len(list(installed_handlers(again))) == len(WANTED)
    assert add_handlers(add_handlers(again, WANTED), WANTED) == add_handlers(again, WANTED)


@given(texts())
def test_uninstalling_gives_back_what_was_there_to_the_letter(text: str) -> None:
    new = add_handlers(text, WANTED)
    assert remove_handlers(new, text) == text
    settings = parse_json(text.removeprefix("\ufeff"))
    if without_empty(settings) == settings and settings:
        assert strip_handlers(new) == text


@given(texts())
def test_what_was_changed_since_is_kept(text: str) -> None:
    new = add_handlers(text, WANTED)
    at = new.index("{") + 1
    later = f'{new[:at]}"later": 1.50,{new[at:]}'
    left = remove_handlers(later, text)
    assert left is not None
    assert list(installed_handlers(left)) == []
    assert '"later": 1.50' in left


def test_every_character_outside_of_what_is_added_stays() -> None:
    text = '{\n\t"a" : 1.0e2 , "hooks":{"Stop" :[ {"hooks":[]} ]},\n\t"b": "\\u00e9/\\/"\n}'
    new = add_handlers(text, WANTED)
    assert strip_handlers(new) == text
    start, end = text.index(" ]},"), text.index('},\n\t"b"')
    assert new.startswith(text[:start])
    assert new.endswith(text[end:])


def test_old_handlers_of_ours_are_replaced_and_others_are_not() -> None:
    mine = {"type": "command", "command": "'/old place/bin/reasonloom' hook session-start"}
    script = {"type": "command", "command": "cd x && reasonloom hook session-end"}
    python = {"type": "command", "command": "/usr/bin/python3 -m reasonloom hook pre-compact"}
    foreign = {"type": "command", "command": "/usr/bin/other hook session-end"}
    events = {
        "PreToolUse": [{"hooks": [foreign]}],
        "SessionStart": [{"matcher": "startup", "hooks": [OTHER, mine]}],
        "Stop": [{"hooks": [python]}],
        "SessionEnd": [{"hooks": [script]}],
    }
    settings = {"hooks": events}
    new = parse_json(add_handlers(json.dumps(settings), WANTED))["hooks"]
    assert "Stop" not in new
    assert new["PreToolUse"] == events["PreToolUse"]
    assert new["SessionStart"][0]["hooks"] == [OTHER]
    assert [group["hooks"][0]["command"] for group in new["SessionEnd"]] == [
        script["command"],
        "reasonloom hook session-end claudemd-generator",
    ]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"a": NaN}', '{"a": 1,}', "// c\n{}", '{"hooks": []}',
     '{"hooks": null}', '{"hooks": {"Stop": {}}}', '{"hooks": {}, "hooks": {}}', "[" * 100_000,
     '{"hooks": {"SessionEnd": [], "SessionEnd": []}}'],
)  # fmt: skip
def test_a_malformed_file_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument):
        add_handlers(text, WANTED)


@pytest.fixture
def host(postgres: TestPostgres, database: str, tmp_path: Path) -> Host:
    return Host(tmp_path, postgres.address.dsn("postgres", database))


def hooks(host: Host, *arguments: str, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*program(), "hooks", *arguments],
        env=host.environment, cwd=host.root, input=said, capture_output=True, text=True,
        timeout=90, check=False,
    )  # fmt: skip


def test_the_commands_show_ask_write_and_take_back(host: Host) -> None:
    place = host.claude / "settings.json"
    text = '{"env": {"KEY": "naïve"},\n "hooks": {"Stop": []}}'
    place.write_text(text)
    place.chmod(0o600)
    asked = hooks(host, "install", said="y\n")
    assert (asked.returncode, place.read_text()) == (1, text)
    assert "--yes" in asked.stderr
    assert "session-end claudemd-generator" in asked.stdout
    done = hooks(host, "install", "--yes")
    assert done.returncode == 0, done.stderr
    assert "hooks added" in done.stdout
    assert "Set here, and needed where Claude Code runs" in done.stdout
    assert host.url not in asked.stdout + done.stdout
    after = json.loads(place.read_text())
    command = after["hooks"]["SessionStart"][0]["hooks"][0]
    assert command["timeout"] == 90
    assert command["command"].endswith("reasonloom hook session-start")
    assert (place.stat().st_mode & 0o777, len(list(host.claude.glob("*.before*")))) == (0o600, 1)
    written = place.read_bytes()
    assert "nothing to do" in hooks(host, "install", "--yes").stdout
    assert place.read_bytes() == written
    again = hooks(host, "install", "--no-claude-md", "--yes")
    kept = place.with_name("settings.json.before-reasonloom")
    assert (again.returncode, kept.read_text()) == (0, text)
    assert (str(kept) in done.stdout, str(kept) in again.stdout) == (True, False)
    told = hooks(host, "status").stdout
    assert "SessionStart: " in told
    assert "- pre-compact: never ran" in told
    assert hooks(host, "uninstall", "--yes").returncode == 0
    assert (place.read_text(), kept.exists()) == (text, False)
    assert "none of our hooks" in hooks(host, "uninstall", "--yes").stdout


def test_what_the_command_installs_is_what_a_host_can_run(host: Host) -> None:
    place = host.root / "новый" / "settings.json"
    assert hooks(host, "install", "--settings", str(place), "--yes").returncode == 0
    command = json.loads(place.read_text())["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    done = subprocess.run(["sh", "-c", command], env=host.environment, cwd=host.root,
                          input=json.dumps(host.given("SessionEnd")), capture_output=True,
                          text=True, timeout=90, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    assert set(host.rows()) == {"session-end", "claudemd-generator"}
    assert hooks(host, "uninstall", "--settings", str(place), "--yes").returncode == 0
    assert not place.exists()


def test_a_malformed_settings_file_is_left_as_it_is(host: Host) -> None:
    place = host.claude / "settings.json"
    place.write_text('{"hooks": {,}}')
    done = hooks(host, "install", "--yes")
    assert done.returncode == 2
    assert "not JSON" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert place.read_text() == '{"hooks": {,}}'
    assert [path.name for path in host.claude.iterdir() if path.is_file()] == ["settings.json"]
