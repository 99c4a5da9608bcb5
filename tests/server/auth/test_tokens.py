"""Static tokens over real HTTP: who is let in, to which tools, and whose data it is."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from reasonloom.contracts.toolsets import INVENTORY
from reasonloom.errors import InvalidArgument, SettingMistake
from reasonloom.server.auth.scopes import OFFERED_SCOPES, allows, check_scopes
from reasonloom.server.auth.token_file import (
    TokenFile,
    append_entry,
    digest,
    new_entry,
    read_entries,
)
from reasonloom.server.auth.verifier import make_verifier
from reasonloom.server.http.serving import parse_address
from reasonloom.settings import load_settings
from tests.support.clients.authenticated import Asker
from tests.support.clients.fork_server import program
from tests.support.clients.processes import LEGACY, Web, environment, initialize, web
from tests.support.databases.postgres import TestPostgres

ANNA_KNOWS = "amaranth"
BEN_KNOWS = "basalt"


def run(env: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*program(), *arguments], env=env, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip


class Team:
    """A server of its own database, its file of tokens, and its callers."""

    def __init__(self, env: dict[str, str], server: Web) -> None:
        self.env = env
        self.server = server

    def token(self, owner: str, *flags: str) -> str:
        done = run(self.env, "tokens", "new", owner, *flags)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def asker(self, owner: str, *flags: str) -> Asker:
        return Asker(self.server.url, self.token(owner, *flags))


@pytest.fixture(scope="module")
def team(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    home = tmp_path_factory.mktemp("team")
    with postgres.clone() as name:
        env = environment(
            home, DATABASE_URL=postgres.address.dsn("postgres", name), LOG_LEVEL="debug",
            REASONLOOM_TOKENS=str(home / "tokens"), REASONLOOM_TOOLSETS="all,extras",
        )  # fmt: skip
        run(env, "tokens", "new", "nobody", "--scope", "read:thought")
        with web(env, home / "cwd") as server:
            yield Team(env, server)


@pytest.mark.parametrize("token", [None, "rl_wrong", "x.y.z", "rl_" + "\u00e9" * 3, "x" * 20_000])
def test_without_a_valid_token_nothing_is_answered(team: Team, token: str | None) -> None:
    headers = {b"authorization": f"Bearer {token}".encode()} if token else {}
    for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/else")):
        url = team.server.url.replace("/mcp", path)
        answer = httpx.request(method, url, headers=headers, trust_env=False)
        assert answer.status_code == 401, (method, path)
        assert answer.headers["www-authenticate"].startswith("Bearer ")


def test_a_token_opens_the_door_to_the_sdks_client_in_both_revisions(team: Team) -> None:
    import httpx2

    token = team.token("carla")
    for mode in ("legacy", "auto"):

        async def tools(mode: str = mode) -> int:
            headers = {"authorization": f"Bearer {token}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http,
                Client(streamable_http_client(team.server.url, http_client=http), mode=mode) as it,
            ):
                result = await it.call_tool("recall", {"userId": "carla"})
                assert not result.is_error
                return len((await it.list_tools()).tools)

        with start_blocking_portal() as portal:
            assert portal.call(tools) > 60


def remember(who: Asker, owner: str, content: str) -> dict[str, Any]:
    return who.call(
        "remember", content=content, userId=owner, sessionId="s", primarySector="semantic"
    )


def test_two_owners_of_one_server_see_nothing_of_each_other(team: Team) -> None:
    anna, ben = team.asker("anna"), team.asker("ben")
    sessions = {}
    for who, owner, word in ((anna, "anna", ANNA_KNOWS), (ben, "ben", BEN_KNOWS)):
        assert remember(who, owner, f"The {word} number is kept.")["isError"] is False
        thought = who.call("reasoning_linear", content=f"Think of the {word} sentence.")
        sessions[owner] = thought["structuredContent"]["session_id"]
    for who, other in ((anna, "ben"), (ben, "anna")):
        for name in ("recall", "search"):
            who.call(name, userId=other, text="number sentence node")
            who.call(name, userId=other)
        listed = who.ask("resources/list")["result"]["resources"]
        assert any(sessions["anna" if other == "ben" else "ben"] in each["uri"] for each in listed)
        for each in listed:
            who.ask("resources/read", uri=each["uri"])
        foreign = f"reasonloom://session/{sessions[other]}"
        assert who.ask("resources/read", uri=foreign)["error"]["code"] == -32602
        for kind in ("memory", "thought", "run", "session"):
            ref = {"type": "ref/resource", "uri": f"reasonloom://{kind}/{{id}}"}
            argument = {"name": "id", "value": ""}
            answer = who.ask("completion/complete", ref=ref, argument=argument)
            assert sessions[other] not in json.dumps(answer)
            assert answer["result"]["completion"]["values"]
        gone = who.call("reasoning_linear", content="Go on.", session_id=sessions[other])
        assert gone["isError"] is True
    assert ANNA_KNOWS in anna.said
    assert BEN_KNOWS in ben.said
    assert BEN_KNOWS not in anna.said
    assert ANNA_KNOWS not in ben.said


def test_a_proven_owner_has_no_space_of_another_name(team: Team) -> None:
    dora = team.asker("dora")
    assert remember(dora, "dora", "The dahlia blooms.")["isError"] is False
    refused = remember(dora, "guest", "The dahlia fades.")
    assert refused["isError"] is True
    assert "userId: must be the owner" in json.dumps(refused)
    found = dora.call("recall", userId="guest", text="dahlia")
    assert found["structuredContent"]["data"]["memories"] == []
    gone = dora.call("forget", userId="guest", memoryId="mem-1")
    assert gone["structuredContent"]["error"] == "Memory not found"
    own = dora.call("recall", userId="dora", text="dahlia")
    assert len(own["structuredContent"]["data"]["memories"]) == 1


def test_only_tools_within_the_scopes_are_listed_and_called(team: Team) -> None:
    every = team.asker("eva").tools()
    reads = team.asker("eva", "--scope", "read")
    writes = team.asker("eva", "--scope", "write")
    assert reads.tools() | writes.tools() == every
    assert not reads.tools() & writes.tools()
    assert "recall" in reads.tools()
    assert "remember" in writes.tools()
    one = team.asker("eva", "--scope", "read:thought", "--scope", "write:history")
    assert "recall" in one.tools()
    assert "remember" not in one.tools()
    assert one.tools() <= {*INVENTORY["thought"], *INVENTORY["history"]}
    refused = one.send("tools/call", name="remember", arguments={})
    assert refused.status_code == 403
    told = refused.headers["www-authenticate"]
    assert 'error="insufficient_scope"' in told
    assert 'scope="write:thought"' in told
    assert one.call("recall", userId="eva")["isError"] is False
    assert reads.send("tools/call", name="remember", arguments={}).status_code == 403


def test_resources_keep_to_the_scopes(team: Team) -> None:
    owner = team.asker("frida")
    thought = owner.call("reasoning_linear", content="Think of the fern.")["structuredContent"]
    page = f"reasonloom://session/{thought['session_id']}"
    assert "contents" in owner.ask("resources/read", uri=page)["result"]
    narrow = team.asker("frida", "--scope", "read:thought", "--scope", "write")
    assert narrow.ask("resources/list")["result"]["resources"] == []
    assert narrow.ask("resources/read", uri=page)["error"]["code"] == -32602
    ref = {"type": "ref/resource", "uri": "reasonloom://session/{id}"}
    asked = narrow.ask("completion/complete", ref=ref, argument={"name": "id", "value": ""})
    assert asked["error"]["code"] == -32602
    fitting = team.asker("frida", "--scope", "read:reasoning")
    assert "contents" in fitting.ask("resources/read", uri=page)["result"]
    uris = [each["uri"] for each in fitting.ask("resources/list")["result"]["resources"]]
    assert uris
    assert all(uri.startswith(("reasonloom://session", "reasonloom://thought",
                               "reasonloom://graph")) for uri in uris)  # fmt: skip


def test_a_session_of_one_token_is_closed_to_another(team: Team) -> None:
    first, second = team.token("gina"), team.token("hans")
    message = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize()}
    opened = team.server.post(json.dumps(message).encode(), authorization=f"Bearer {first}")
    session = opened.headers["mcp-session-id"]
    listing = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    for token, status in ((second, 404), (first, 200)):
        answer = team.server.post(
            listing,
            **{"mcp-session-id": session, "authorization": f"Bearer {token}",
               "mcp-protocol-version": LEGACY},
        )  # fmt: skip
        assert answer.status_code == status


def test_a_revoked_token_ends_at_once_and_no_other(team: Team) -> None:
    token, other = team.token("ina"), team.asker("ina")
    it = Asker(team.server.url, token)
    assert it.send("tools/list").status_code == 200
    listed = run(team.env, "tokens", "list").stdout
    assert token not in listed
    entries = read_entries(Path(team.env["REASONLOOM_TOKENS"]))
    identifier = next(each.id for each in entries if each.sha256 == digest(token))
    assert identifier in listed
    assert run(team.env, "tokens", "revoke", identifier).returncode == 0
    assert it.send("tools/list").status_code == 401
    assert other.send("tools/list").status_code == 200
    again = run(team.env, "tokens", "revoke", identifier)
    assert again.returncode == 2
    assert "there is no token" in again.stderr


def test_the_list_names_the_groups_of_a_token(team: Team) -> None:
    made = run(team.env, "tokens", "new", "gita", "--group", "devs", "--group", "on call")
    assert made.returncode == 0
    assert "devs, on call" in run(team.env, "tokens", "list").stdout
    rows = [
        json.loads(line) for line in run(team.env, "tokens", "list", "--json").stdout.splitlines()
    ]
    assert [each["groups"] for each in rows if each["owner"] == "gita"] == [["devs", "on call"]]


def test_an_expired_token_is_refused(team: Team) -> None:
    token, entry = new_entry("jo", ("read",), days=0.001)
    ended = entry.model_copy(update={"expires": 1})
    append_entry(Path(team.env["REASONLOOM_TOKENS"]), ended)
    assert Asker(team.server.url, token).send("tools/list").status_code == 401
    assert "(expired)" in run(team.env, "tokens", "list").stdout


def test_a_foreign_name_or_origin_is_refused(team: Team) -> None:
    token = team.token("kim")
    for headers, status in (
        ({"host": "evil.example:80"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": f"http://127.0.0.1:{team.server.port}"}, 200),
    ):
        answer = Asker(team.server.url, token, **headers).send("tools/list")
        assert answer.status_code == status, headers


def test_the_pages_of_health_need_no_token_and_tell_nothing(team: Team) -> None:
    base = team.server.url.removesuffix("/mcp")
    for path, body in (("/healthz", {"status": "lives"}), ("/readyz", {"status": "ready"})):
        answer = httpx.get(base + path, timeout=30, trust_env=False)
        assert (answer.status_code, answer.json()) == (200, body)


def test_tokens_are_neither_logged_nor_kept(team: Team) -> None:
    token = team.token("lena")
    asker = Asker(team.server.url, token)
    asker.tools()
    wrong = Asker(team.server.url, token + "x")
    assert wrong.send("tools/list").status_code == 401
    assert token not in team.server.said
    kept = Path(team.env["REASONLOOM_TOKENS"])
    assert token.removeprefix("rl_") not in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


def test_a_server_without_its_database_lives_and_is_not_ready(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        env = environment(tmp_path, DATABASE_URL=f"postgresql://u:secret@127.0.0.1:{port}/db")
        with web(env, tmp_path / "cwd") as server:
            base = server.url.removesuffix("/mcp")
            lives = httpx.get(base + "/healthz", timeout=30, trust_env=False)
            ready = httpx.get(base + "/readyz", timeout=30, trust_env=False)
            assert lives.status_code == 200
            assert (ready.status_code, ready.json()) == (503, {"status": "not ready"})
            assert "secret" not in server.said


def test_others_are_served_only_with_authentication(tmp_path: Path) -> None:
    with pytest.raises(SettingMistake, match=r"REASONLOOM_TOKENS or REASONLOOM_OAUTH_ISSUER"):
        parse_address("0.0.0.0:8321")
    assert parse_address("0.0.0.0:8321", authenticated=True) == ("0.0.0.0", 8321)  # noqa: S104
    env = environment(tmp_path, REASONLOOM_TOKENS=str(tmp_path / "tokens"))
    run(env, "tokens", "new", "anna")
    done = run(env, "serve", "--http", "0.0.0.0:0")
    assert done.returncode == 2
    assert "REASONLOOM_ALLOWED_HOSTS: must name" in done.stderr


def test_a_server_of_every_address_answers_to_its_names_alone(tmp_path: Path) -> None:
    env = environment(
        tmp_path, REASONLOOM_TOKENS=str(tmp_path / "tokens"),
        REASONLOOM_ALLOWED_HOSTS="loom.example", REASONLOOM_ALLOWED_ORIGINS="https://app.example",
    )  # fmt: skip
    made = run(env, "tokens", "new", "anna")
    token = made.stdout.strip()
    assert "claude mcp add --transport http reasonloom https://" in made.stderr
    with web(env, tmp_path / "cwd") as server:
        for host, origin, status in (
            ("loom.example", None, 200),
            ("loom.example:443", "https://app.example", 200),
            ("loom.example.evil", None, 421),
            ("loom.example", "https://evil.example", 403),
        ):
            headers = {"host": host, **({"origin": origin} if origin else {})}
            answer = Asker(server.url, token, **headers).send("tools/list")
            assert answer.status_code == status, (host, origin)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "line 1"),
        ('{"id": "00000000"}', "line 1, sha256"),
        (json.dumps({"id": "0" * 8, "sha256": "0" * 64, "owner": "a\0", "scopes": ["read"]}),
         "owner"),
        (json.dumps({"id": "0" * 8, "sha256": "0" * 64, "owner": "a", "scopes": ["admin"]}),
         "there is no admin"),
        (json.dumps({"id": "0" * 8, "sha256": "0" * 64, "owner": "a", "scopes": []}),
         "at least one"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_used_stops_the_start(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "tokens"
    path.write_text(line)
    with pytest.raises(SettingMistake, match=re.escape(told)):
        make_verifier(load_settings(tokens=path))


def test_a_file_that_breaks_later_lets_nobody_in(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    token, entry = new_entry("anna", ("read",), None)
    append_entry(path, entry)
    file = TokenFile(path)
    assert file.find(token) == entry
    with path.open("a") as more:
        more.write("nonsense\n")
    assert file.find(token) is None
    path.unlink()
    assert file.find(token) is None


def test_a_last_line_without_an_end_gets_one_and_everybody_stays(team: Team) -> None:
    path = Path(team.env["REASONLOOM_TOKENS"])
    first = team.token("mia")
    path.write_text(path.read_text().removesuffix("\n"))
    second = team.token("nora")
    for token in (first, second):
        assert Asker(team.server.url, token).send("tools/list").status_code == 200
    assert "nora" in run(team.env, "tokens", "list").stdout


def test_no_token_is_made_in_a_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    env = environment(tmp_path, REASONLOOM_TOKENS=str(path))
    assert run(env, "tokens", "new", "anna").returncode == 0
    broken = path.read_text() + "nonsense\n"
    path.write_text(broken)
    done = run(env, "tokens", "new", "ben")
    assert (done.returncode, done.stdout) == (2, "")
    assert "line 2, form" in done.stderr
    assert "no token was made" in done.stderr
    assert path.read_text() == broken
    path.unlink()
    path.mkdir()
    assert "cannot be read" in run(env, "tokens", "new", "ben").stderr


def test_a_scope_of_one_toolset_is_part_of_the_plain_one() -> None:
    assert allows(["read"], "read:thought")
    assert allows(["read:thought"], "read:thought")
    assert not allows(["read:thought"], "read:history")
    assert not allows(["write"], "read:thought")
    assert check_scopes(["read", "read"]) == ("read",)
    with pytest.raises(InvalidArgument, match="there is no delete"):
        check_scopes(["delete"])
    assert "read:extras" in OFFERED_SCOPES


@pytest.mark.parametrize(("mode", "kept"), [(0o666, 0o640), (0o644, 0o640), (0o640, 0o640)])
def test_a_file_that_is_open_to_others_is_closed_by_the_next_token(
    tmp_path: Path, mode: int, kept: int
) -> None:
    path = tmp_path / "tokens"
    append_entry(path, new_entry("anna", ("read",), None)[1])
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(mode)
    append_entry(path, new_entry("ben", ("read",), None)[1])
    assert path.stat().st_mode & 0o777 == kept
    assert len(read_entries(path)) == 2


@pytest.mark.parametrize(("mode", "times"), [(0o660, 1), (0o644, 0)])
def test_a_server_says_once_that_others_may_write_its_tokens(
    shared_env: dict[str, str], tmp_path: Path, mode: int, times: int
) -> None:
    path = tmp_path / "tokens"
    token, entry = new_entry("anna", ("read",), None)
    append_entry(path, entry)
    path.chmod(mode)
    with web({**shared_env, "REASONLOOM_TOKENS": str(path)}, tmp_path / "cwd") as server:
        for _ in range(2):
            assert Asker(server.url, token).send("tools/list").status_code == 200
    assert server.log.count("others can write the file") == times
