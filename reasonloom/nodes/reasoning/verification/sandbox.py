"""Run the Python code of an answer with limits on time, memory, files and, if set, network.

Limits are set through the operating system, the network is removed with a Linux namespace, and an
audit hook denies files, processes and sockets. This contains faulty code; it is no security
boundary against code that attacks the interpreter.
"""

import re
import secrets
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass
from importlib.util import find_spec

SECONDS = 2
MEMORY = 256 * 2**20
OUTPUT = 64 * 2**10
NO_LIMITS, NO_ISOLATION = 97, 98
"""Exit statuses of a child that could not set its limits or leave the network."""

NAME = "answer"
"""The file name in tracebacks."""

LINE = re.compile(rf'File "{NAME}", line (\d+)')
LONGEST_ERROR = 200

RUNNER = f"""
import sys
if "isolated" in sys.argv:
    try:
        import ctypes
        new_user, new_network = 0x10000000, 0x40000000
        left = ctypes.CDLL(None).unshare(new_user | new_network) == 0
    except (ImportError, AttributeError, OSError):
        left = False
    if not left:
        sys.exit({NO_ISOLATION})
try:
    import resource
    for name, most in (("CPU", {SECONDS}), ("AS", {MEMORY}), ("FSIZE", {OUTPUT}), ("CORE", 0)):
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (most, most))
except (ImportError, AttributeError, ValueError, OSError):
    sys.exit({NO_LIMITS})
token, _, source = sys.stdin.read().partition("\\n")
library = tuple(path for path in sys.path if path)
refused = (
    "os.", "subprocess.", "socket.", "shutil.", "ctypes.", "tempfile.", "pty.", "signal.", "gc."
)
allowed = ("os.listdir", "os.scandir")
def watch(event, given, library=library, refused=refused, allowed=allowed):
    if event == "open" and (
        not isinstance(given[0], str) or not given[0].startswith(library) or given[2] & 3
    ):
        raise PermissionError("no files")
    if event.startswith(refused) and event not in allowed:
        raise PermissionError(event)
sys.addaudithook(watch)
del watch, library, refused, allowed
exec(compile(source, "{NAME}", "exec"), {{"__name__": "{NAME}"}})
sys.__stdout__.write("\\n" + token)
"""


class SandboxUnavailable(Exception):
    """This system cannot limit a process, or isolate it from the network."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How code ended; `error` is empty if it ran to the end.

    `line` is the number of the failing line, or 0 if unknown.
    """

    error: str = ""
    line: int = 0

    @property
    def kind(self) -> str:
        """The class of the exception that ended it; empty if there was none."""
        return re.split(r"[:\s]", self.error)[0]


def run_python(source: str, *, isolated: bool = True) -> Ran:
    """Run code in a separate process.

    `isolated` also removes network access.

    Raises:
        SandboxUnavailable: this system cannot run it safely; nothing was run.
    """
    if find_spec("resource") is None:
        raise SandboxUnavailable("this system has no limits for processes")
    token = secrets.token_hex()
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(  # noqa: S603  # our own interpreter, limited by RUNNER
                [sys.executable, "-I", "-S", "-c", RUNNER, *(["isolated"] if isolated else [])],
                input=f"{token}\n{source}\n".encode("utf-8", "replace"),
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd="/",
                env={},
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Ran(f"took longer than {SECONDS} s")
        output.seek(0)
        text = output.read(OUTPUT).decode("utf-8", "replace")
    if done.returncode == NO_LIMITS:
        raise SandboxUnavailable("a process could not limit itself")
    if done.returncode == NO_ISOLATION:
        raise SandboxUnavailable("a process cannot be kept from the network here")
    lines = text.splitlines() or [""]
    if done.returncode == 0 and lines[-1] == token:
        return Ran()
    at = LINE.findall(text)
    return Ran(lines[-1][:LONGEST_ERROR] or f"exit {done.returncode}", int(at[-1]) if at else 0)


BLOCK = re.compile(r"^[ \t]*```(?:python3?|py)[ \t]*\n(.*?)^[ \t]*```[ \t]*$", re.I | re.M | re.S)
ASSERTION = re.compile(r"^\s*assert\b", re.M)
LONGEST_CODE = 20_000
FAULTS = frozenset({
    "AssertionError", "AttributeError", "IndentationError", "IndexError", "KeyError", "NameError",
    "RecursionError", "SyntaxError", "TabError", "TypeError", "UnboundLocalError", "ValueError",
    "ZeroDivisionError",
})  # fmt: skip
"""Errors caused by the code itself; others (missing package, denied file access, timeout) do not
show whether it is right."""


def find_code_fault(answer: str) -> str:
    """Run the Python blocks of an answer together; return the failure, or "" if there is none.

    Only code with assertions is run, since code without tests shows nothing.

    Raises:
        SandboxUnavailable: code cannot be run safely on this system.
    """
    source = "\n".join(textwrap.dedent(each) for each in BLOCK.findall(answer))
    if not ASSERTION.search(source) or len(source) > LONGEST_CODE:
        return ""
    ran = run_python(source)
    if ran.kind not in FAULTS:
        return ""
    lines = source.splitlines()
    at = f" at `{lines[ran.line - 1].strip()}`" if 0 < ran.line <= len(lines) else ""
    return f"the Python fails when it is run: {ran.error}{at}"
