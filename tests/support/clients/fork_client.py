"""Stands in for `python -m reasonloom`: the command runs in a process forked from a loaded one.

Run as `python -I -S fork_client.py SOCKET VARIABLES ARGUMENTS...`; loads none of the
package. It hands its standard streams, environment and folder to the server of forks
(`tests.support.clients.fork_server`), passes signals on, and ends as the forked process ends.
What a fork cannot do faithfully is started as users start it: as another user, on a terminal,
with other variables of the interpreter's than `VARIABLES`, those of the server of forks, as JSON.
"""

import json
import os
import resource
import signal
import socket
import sys

LIMITS = (resource.RLIMIT_NOFILE, resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU)
PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def needs_a_start_of_its_own(path: str, variables: str) -> bool:
    """Tell whether a fork would differ from what was asked for."""
    interpreter = {name: text for name, text in os.environ.items() if name.startswith("PYTHON")}
    return (
        interpreter != json.loads(variables)
        or any(os.isatty(number) for number in (0, 1, 2))
        or not os.access(path, os.W_OK)
        or os.stat(path).st_uid != os.geteuid()  # noqa: PTH116 - pathlib takes long to load
    )


def main() -> None:
    """Run one command."""
    path, variables, *arguments = sys.argv[1:]
    if needs_a_start_of_its_own(path, variables):
        os.execv(sys.executable, [sys.executable, "-m", "reasonloom", *arguments])  # noqa: S606
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(path)
    order = json.dumps(
        {
            "arguments": arguments,
            "environment": dict(os.environ),
            "folder": os.getcwd(),  # noqa: PTH109 - pathlib takes long to load
            "limits": [[each, *resource.getrlimit(each)] for each in LIMITS],
        }
    ).encode()
    pending: list[int] = []
    child = 0

    def pass_on(number: int, frame: object) -> None:
        if child:
            os.kill(child, number)
        else:
            pending.append(number)

    for each in PASSED_ON:
        signal.signal(each, pass_on)
    socket.send_fds(connection, [len(order).to_bytes(8, "big")], [0, 1, 2])
    connection.sendall(order)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    answers = connection.makefile("r")
    child = int(answers.readline())
    for number in pending:
        os.kill(child, number)
    code = int(answers.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
