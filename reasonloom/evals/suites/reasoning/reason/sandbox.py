"""Runs an answer's Python code with a task's tests, within limits of time, memory and files.

The limits are those of the operating system; an audit hook refuses files, processes and sockets.
This holds against code that goes wrong, and is no jail against one that attacks the interpreter.
"""

import secrets
import subprocess
import sys
import tempfile
from importlib.util import find_spec

from reasonloom.errors import InvalidArgument

SECONDS = 2
MEMORY = 256 * 2**20
OUTPUT = 64 * 2**10
NO_LIMITS = 97
"""Exit status of a child that could not limit itself."""

RUNNER = f"""
import sys
try:
    import resource
    for name, most in (("CPU", {SECONDS}), ("AS", {MEMORY}), ("FSIZE", {OUTPUT}), ("CORE", 0)):
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (most, most))
except (ImportError, AttributeError, ValueError, OSError):
    sys.exit({NO_LIMITS})
token, _, source = sys.stdin.read().partition("\\n")
library = tuple(path for path in sys.path if path)
refused = ("os.", "subprocess.", "socket.", "shutil.", "ctypes.", "tempfile.", "pty.", "signal.")
allowed = ("os.listdir", "os.scandir")
def watch(event, given, library=library, refused=refused, allowed=allowed):
    if event == "open" and (
        not isinstance(given[0], str) or not given[0].startswith(library) or given[2] & 3
    ):
        raise PermissionError("no files")
    if event.startswith(refused) and event not in allowed:
        raise PermissionError(event)
sys.addaudithook(watch)
exec(compile(source, "answer", "exec"), {{"__name__": "answer"}})
sys.__stdout__.write("\\n" + token)
"""


def run_tests(code: str, tests: str) -> str:
    """Return why code fails its tests, empty if it passes.

    Raises:
        InvalidArgument: this system cannot limit what a process takes.
    """
    if find_spec("resource") is None:
        raise InvalidArgument(
            "check: this system has no limits for processes, so no code is run", field="check"
        )
    token = secrets.token_hex()
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(  # noqa: S603  # our own interpreter, limited by RUNNER
                [sys.executable, "-I", "-S", "-c", RUNNER],
                input=f"{token}\n{code}\n{tests}\n".encode("utf-8", "replace"),
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env={},
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return f"took longer than {SECONDS} s"
        output.seek(0)
        lines = output.read(OUTPUT).decode("utf-8", "replace").splitlines() or [""]
    if done.returncode == NO_LIMITS:
        raise InvalidArgument("check: a process could not limit itself", field="check")
    if done.returncode == 0 and lines[-1] == token:
        return ""
    return f"fails: {lines[-1][:200]} (exit {done.returncode})"
