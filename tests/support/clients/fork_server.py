"""Forks `reasonloom` commands from a process that has loaded what they load.

Loading a server takes seconds of processor time, with litellm twice as long; a fork takes
hundredths. `program()` is a command line that runs `reasonloom` in such a fork, with its own
streams, environment, folder and limits, for every test that is not about the start itself.

As a module (`python -m tests.support.clients.fork_server SOCKET`) it is the server: one
thread of Python, no connection and no loop cross the fork. It ends with its standard input.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import logging
import os
import pkgutil
import resource
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from reasonloom.llm.classifier.classifier import MOST_TOKENS
from reasonloom.llm.encoder.encoder import encode
from reasonloom.llm.encoder.graph import load_tokenizer
from reasonloom.prompts.registry import packaged_templates
from reasonloom.text.tokens import count_tokens
from tests import ROOT

CLIENT = Path(__file__).with_name("fork_client.py")
LOADED = ("cli", "server", "compose", "graphs", "nodes", "stores", "contracts", "transcripts")
"""The parts of the package that are loaded whole."""

ALSO = ("uvicorn", "litellm", "numpy", "psycopg_pool", "jwt")
PATIENCE = 150.0


def cold_program() -> list[str]:
    """Return the command line of `reasonloom` as a user starts it."""
    return [sys.executable, "-m", "reasonloom"]


def program() -> list[str]:
    """Return a command line of `reasonloom` that costs little to start."""
    path, variables = _server()
    return [sys.executable, "-I", "-S", str(CLIENT), str(path), variables]


@cache
def _server() -> tuple[Path, str]:
    """Start the server of this process, once; return its socket and its Python's variables."""
    folder = tempfile.TemporaryDirectory(prefix="rlf", dir=tempfile.gettempdir())
    path = Path(folder.name) / "s"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    variables = {name: text for name, text in env.items() if name.startswith("PYTHON")}
    child = subprocess.Popen(
        [sys.executable, "-m", __name__, str(path)], cwd=ROOT, env=env,
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip

    def end() -> None:
        assert child.stdin
        child.stdin.close()
        child.wait(10)
        folder.cleanup()

    atexit.register(end)
    until = time.monotonic() + PATIENCE
    while not path.exists():
        assert child.poll() is None, "the server of forks ended while it was loading"
        assert time.monotonic() < until, "the server of forks does not listen"
        time.sleep(0.02)
    return path, json.dumps(variables)


def load() -> None:
    """Load what the commands load, and the vocabulary, prompts and encoder that most of them use.

    Of the classifier the tokenizer alone: its session has threads, which no fork takes over.
    """
    for part in LOADED:
        module = importlib.import_module(f"reasonloom.{part}")
        for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{module.__name__}."):
            if ".migrations." not in found.name:
                importlib.import_module(found.name)
    for name in ALSO:
        importlib.import_module(name)
    count_tokens("")
    packaged_templates()
    encode([""])
    load_tokenizer(MOST_TOKENS)
    logging.root.handlers.clear()
    assert threading.active_count() == 1, threading.enumerate()
    gc.collect()
    gc.freeze()


def serve(path: Path) -> NoReturn:
    """Fork one process for each connection, and say on it how the process ended."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{path}.new")
    listener.listen(64)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    Path(f"{path}.new").rename(path)
    selector = selectors.DefaultSelector()
    for source in (listener, woken, 0):
        selector.register(source, selectors.EVENT_READ)
    children: dict[int, socket.socket] = {}
    while True:
        for key, _ in selector.select():
            if key.fileobj is listener:
                connection, _ = listener.accept()
                child = _forked(connection, listener, (woken, wake), children)
                if child:
                    children[child] = connection
                    selector.register(connection, selectors.EVENT_READ, child)
            elif key.fileobj == woken:
                with suppress(BlockingIOError):
                    os.read(woken, 4096)
            elif key.fileobj == 0:
                for child in children:
                    os.kill(child, signal.SIGKILL)
                os._exit(0)
            else:  # whoever started it is gone: killed, or by a mistake of its own
                selector.unregister(key.fileobj)
                os.kill(key.data, signal.SIGKILL)
        while ended := _ended(children):
            child, code = ended
            connection = children.pop(child)
            with suppress(KeyError, ValueError):
                selector.unregister(connection)
            with suppress(OSError):
                connection.sendall(f"{code}\n".encode())
            connection.close()


def _ended(children: dict[int, socket.socket]) -> tuple[int, int] | None:
    """Return a child that has ended, and its exit code as `subprocess` counts it."""
    if not children:
        return None
    child, status = os.waitpid(-1, os.WNOHANG)
    return (child, os.waitstatus_to_exitcode(status)) if child in children else None


def _forked(
    connection: socket.socket,
    listener: socket.socket,
    pipe: tuple[int, int],
    others: dict[int, socket.socket],
) -> int | None:
    """Fork the process that a connection orders; return its number, None for a broken order."""
    head, streams, _, _ = socket.recv_fds(connection, 8, 3)
    if len(streams) != 3 or len(head) != 8:
        connection.close()
        return None
    size, body = int.from_bytes(head, "big"), b""
    while len(body) < size and (more := connection.recv(size - len(body))):
        body += more
    child = os.fork()
    if child:
        for number in streams:
            os.close(number)
        connection.sendall(f"{child}\n".encode())
        return child
    signal.set_wakeup_fd(-1)
    for each in (connection, listener, *others.values()):
        each.close()
    for number in pipe:
        os.close(number)
    _run(json.loads(body), streams)


def _run(order: dict[str, Any], streams: list[int]) -> NoReturn:
    """Be the command that was ordered, in this process, which was forked for it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(order["environment"])
    for limit, soft, hard in order["limits"]:
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (soft, hard))
    time.tzset()
    os.chdir(order["folder"])
    sys.path[0] = order["folder"]
    sys.argv = ["reasonloom", *order["arguments"]]
    os._exit(_exit_code())


def _exit_code() -> int:
    """Run the command line and return its exit code, as Python ends."""
    code = 0
    try:
        runpy.run_module("reasonloom", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - Python itself tells of it and ends with 1
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    return code


if __name__ == "__main__":
    load()
    serve(Path(sys.argv[1]))
